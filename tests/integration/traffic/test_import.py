"""`unitai cache import`: cassettes that vcrpy and cassetter recorded answer the same requests here, offline."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3
from projects import clean_environment

from unitai import CacheMissError, MockToolkit, cassette

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"
FOREIGN = Path(__file__).parents[3] / "crates" / "unitai_wire" / "tests" / "data" / "foreign"
BASE = "http://127.0.0.1:18765"
HELLO = {
    "model": "gpt-5.4-mini",
    "messages": [{"role": "user", "content": 'hello "quoted" ✓'}],
    "temperature": 0.5,
}
STREAM = {
    "model": "gpt-5.4-mini",
    "messages": [{"role": "user", "content": "stream: ja"}],
    "stream": True,
    "stream_options": {"include_usage": True},
}
KEY = "Zk3vQ8xWn2LmR7tYpL0aFAKE"

EACH_KIND = pytest.mark.parametrize(("tool", "suffix"), [
    ("vcrpy", "yaml"), ("vcrpy", "json"), ("cassetter", "yaml"), ("cassetter", "toml"),
])  # fmt: skip


def unitai(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *args], capture_output=True, text=True, check=False, cwd=folder, env=clean_environment()
    )


@pytest.fixture
def no_sockets(monkeypatch):
    """Whoever opens a connection, even to this machine, fails."""

    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


def ask(body):
    response = urllib3.PoolManager(retries=False).request("POST", BASE + "/v1/chat/completions", json=body)
    return response.status, response.data


def get(path):
    return urllib3.PoolManager(retries=False).request("GET", BASE + path).data


def cassettes_of(tmp_path, tool, suffix):
    """The cassettes of one kind in a folder of a project, with another file among them."""
    folder = tmp_path / "tests" / "cassettes"
    (folder / "deeper").mkdir(parents=True)
    for path in (FOREIGN / tool).glob(f"*.{suffix}"):
        shutil.copy(path, folder / "deeper" / path.name)
    (folder / "labels.json").write_text('["no cassette"]', encoding="utf-8")
    return folder


@EACH_KIND
def test_a_folder_of_cassettes_is_imported_and_replayed(tmp_path, no_sockets, tool, suffix):
    cassettes_of(tmp_path, tool, suffix)
    done = unitai(tmp_path, "cache", "import", "tests/cassettes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "labels.json: passed over: it is not a cassette" in done.stdout
    assert "POST http://127.0.0.1:18765/v1/chat/completions: status 429" in done.stdout
    assert f'apis = ["{BASE}/"]' in done.stdout
    assert KEY not in done.stdout

    directory = tmp_path / ".unitai" / "cache"
    with cassette("replay", directory, apis=[BASE]):
        run = MockToolkit(prices={"gpt-5.4-mini": {"input": 1.0, "output": 10.0}}).run_generic(lambda: ask(HELLO))
        status, data = run.output
        assert status == 200
        assert json.loads(data)["choices"][0]["message"]["content"] == 'Grüße: hello "quoted" ✓'
        assert run.total_cost == pytest.approx(9 * 1e-6 + 4 * 10e-6)
        assert ask(HELLO)[0] == 200
        assert ask(STREAM)[1].endswith(b"data: [DONE]\n\n")
        first, second = json.loads(get("/counter"))["n"], json.loads(get("/counter"))["n"]
        assert second == first + 1
        # The recording's key was hidden there, as that of the test is here.
        assert b"plain" in get("/text?api_key=another-5678")
    with pytest.raises(CacheMissError, match="temperature"), cassette("replay", directory):
        ask({**HELLO, "temperature": 0.6})


@EACH_KIND
def test_other_clients_are_answered_too(tmp_path, no_sockets, tool, suffix):
    httpx = pytest.importorskip("httpx")
    openai = pytest.importorskip("openai")
    paths = [str(FOREIGN / tool / f"{name}.{suffix}") for name in ("model", "stream")]
    done = unitai(tmp_path, "cache", "import", *paths)
    assert done.returncode == 0, done.stdout + done.stderr
    with cassette("replay", tmp_path / ".unitai" / "cache"):
        answer = httpx.post(BASE + "/v1/chat/completions", json=HELLO).json()
        assert answer["usage"]["total_tokens"] == 13
        chat = openai.OpenAI(api_key="another", base_url=BASE + "/v1", max_retries=0).chat.completions
        assert chat.create(**HELLO).choices[0].message.content == 'Grüße: hello "quoted" ✓'
        said = [event.choices[0].delta.content for event in chat.create(**STREAM) if event.choices]
        assert said == ["", "Hel", "lo ✓", None]


def test_a_dry_run_writes_nothing(tmp_path):
    done = unitai(tmp_path, "cache", "import", str(FOREIGN / "vcrpy"), "--dry-run", "--directory", "there")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "would be imported from 9 files" in done.stdout
    assert not (tmp_path / "there").exists()


def test_an_import_again_adds_nothing(tmp_path):
    first = unitai(tmp_path, "cache", "import", str(FOREIGN / "vcrpy" / "model.yaml"))
    assert "3 exchanges imported from 1 file, 1 left out" in first.stdout
    again = unitai(tmp_path, "cache", "import", str(FOREIGN / "vcrpy" / "model.yaml"))
    assert "0 exchanges imported from 1 file, 3 here already, 1 left out" in again.stdout


def test_what_cannot_be_read_is_named_and_the_rest_is_imported(tmp_path):
    (tmp_path / "broken.yaml").write_text(f"interactions:\n- request: {KEY}\n", encoding="utf-8")
    named = ["broken.yaml", "absent.yaml", str(FOREIGN / "record.py"), str(FOREIGN / "vcrpy" / "stream.yaml")]
    done = unitai(tmp_path, "cache", "import", *named)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "broken.yaml: could not be read: line 2" in done.stdout
    assert "absent.yaml: could not be read: " in done.stdout
    assert "1 exchange imported from 1 file, 3 not read" in done.stdout
    assert KEY not in done.stdout + done.stderr

    nothing = unitai(tmp_path, "cache", "import", str(tmp_path / ".unitai"))
    assert nothing.returncode == 1


def test_no_secret_comes_along(tmp_path):
    """The key stands in a header of vcrpy's file, and in a body."""
    done = unitai(tmp_path, "cache", "import", str(FOREIGN / "vcrpy"))
    assert done.returncode == 0, done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    held = b"".join(path.read_bytes() for path in files)
    assert KEY.encode() not in held
    assert b"FAKEcookie" not in held
    assert b"made-up-1234" not in held
