"""Secrets in every place and spelling go through both doors, into recordings, reports and logs: no eight characters of
one come out.

The search knows more spellings than are promised, and is tried on secrets that went past the gate.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.canaries import Search, canaries, spelled, zipped

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "canaries"), str(HERE / "traffic")]

from canary_project import Families, Project, told_by  # noqa: E402

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.name == "nt", reason="modes and command lines of Unix")]

COMMAND = Path(sys.executable).parent / "unitai"

SUITE = """
import os
import pytest
from careless import Agent, on_command_lines
from unitai import MockToolkit


def run():
    agent = Agent(os.environ["MODEL_URL"])
    agent.everything(errors="ERRORS" in os.environ)
    assert on_command_lines() == []
    return agent


def test_everything():
    told = []
    result = MockToolkit().run_generic(lambda: told.append(run()))
    assert result.succeeded
    strange = [what for what, status in told[0].answers.items() if status != 200]
    if "ERRORS" not in os.environ:
        assert not strange
"""


@pytest.fixture
def project(tmp_path):
    folder, outside = tmp_path / "project", tmp_path / "outside"
    (folder / "tmp").mkdir(parents=True)
    outside.mkdir()
    (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")
    return Project(folder, outside, [])


@pytest.fixture
def provider():
    from loopback import Server

    with Server() as server:
        yield server


def test_a_suite_records_and_replays_without_a_secret(project, provider):
    mine, theirs = Families.of(100), Families.of(200)
    told_by(provider, mine)
    url = f"{provider.url}/v1"
    (project.folder / "pyproject.toml").write_text(f'[tool.unitai.cache]\napis = ["{url}/things"]\n', encoding="utf-8")
    pytest_words = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-vv", "-rA", "--junitxml=junit.xml")
    how = {"MODEL_URL": url, "HALF": "0"}
    recorded = project.run(*pytest_words, "--unitai-cache=record", families=mine, ERRORS="1", **how)
    assert recorded.returncode == 0, recorded.stdout
    assert len(list((project.folder / ".unitai/cache").glob("*.json"))) > 200
    provider.__exit__()
    replayed = project.run(*pytest_words, "--unitai-cache=replay", families=theirs, **how)
    assert replayed.returncode == 0, replayed.stdout
    assert project.is_clean(mine, theirs)


def test_a_gateway_records_and_replays_without_a_secret(project, provider):
    mine, theirs = Families.of(300), Families.of(400)
    told_by(provider, mine)
    serve = (COMMAND, "serve", "--verbose", "--upstream", f"openai={provider.url}")
    program = ("--", sys.executable, HERE / "canaries/careless.py")
    words = ("--record", "--trajectory", ".unitai/runs/recorded.json")
    recorded = project.run(*serve, *words, *program, families=mine, ERRORS="1", HALF="1")
    assert recorded.returncode == 0, recorded.stderr
    provider.__exit__()
    words = ("--replay", "--trajectory", ".unitai/runs/replayed.json")
    replayed = project.run(*serve, *words, *program, families=theirs, HALF="1")
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads((project.outside / "told.json").read_text(encoding="utf-8")) == {}
    assert project.is_clean(mine, theirs)


#: One of each kind is enough where every format has gone before.
FEW = ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "SHOP_PASSWORD", "SIGNING_KEY", "DATABASE_URL")

FAILING = """
import os
import warnings
import pytest
import unitai
from careless import Agent

NAMES = os.environ["NAMES"].split()


def agent(input, tools):
    for name in NAMES:
        tools["save"](key=os.environ[name], **{"in": {os.environ[name]: 1}})
    warnings.warn(unitai.UnmockedToolWarning("with " + os.environ[NAMES[0]]))
    told = Agent(os.environ["MODEL_URL"])
    for name in NAMES:
        told.errors(name)
    raise RuntimeError(" ".join(told.said)) from ValueError("with nothing")


@pytest.fixture
def result(mock_toolkit):
    mock_toolkit.mock("save", side_effect=lambda **args: args["key"])
    return mock_toolkit.run(agent, " ".join(os.environ[name] for name in NAMES))


def test_raised(result):
    assert result.succeeded


def test_finding(result):
    assert result.tool_called_with("save", key="other")


def test_answered_to_nobody(mock_toolkit):
    mock_toolkit.run_generic(lambda: Agent(os.environ["MODEL_URL"]).known(NAMES[0]))


def test_nothing_is_recorded(record_property):
    record_property("what", "ever")
    with unitai.cassette("replay", "tapes"):
        Agent(os.environ["MODEL_URL"]).known(NAMES[0])
"""


def test_a_report_of_failures_holds_none(project, provider):
    mine = Families.of(500)
    told_by(provider, mine)
    (project.folder / "test_suite.py").write_text(FAILING, encoding="utf-8")
    words = (sys.executable, "-m", "pytest", "-vv", "-rA", "--color=yes", "--junitxml=junit.xml")
    variables = {"MODEL_URL": f"{provider.url}/v1", "NAMES": " ".join(FEW)}
    for mode in ("record", "replay"):
        done = project.run(*words, f"--unitai-cache={mode}", families=mine, **variables)
        assert "failed" in done.stdout, done.stdout + done.stderr
        assert done.stdout.count("[redacted]") > 5
        assert "INTERNALERROR" not in done.stdout
        assert project.is_clean(mine)


def test_nothing_of_ours_prints_one(project, provider):
    mine = Families.of(600)
    told_by(provider, mine)
    variables = {"MODEL_URL": f"{provider.url}/v1", "NAMES": " ".join(FEW)}
    done = project.run(sys.executable, HERE / "canaries/indiscreet.py", families=mine, **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[redacted]") > 100
    assert project.is_clean(mine)


STEP = """
import json, os, sys
import urllib3
from unitai import cassette

# What was said in the test before, as somebody edits it.
text, mode, url = os.environ["SAID"], os.environ["MODE"], os.environ["MODEL_URL"]
names = os.environ["NAMES"].split()
with cassette(mode, apis=[url]) as tape:
    for name in names:
        value = "replaced" if mode == "replay" else os.environ[name]
        said = [{"role": "user", "content": f"{text} {os.environ[name]}"}]
        body = {"model": "gpt-4o", "user": f"answer {name}", "messages": said, "stream": False}
        http = urllib3.PoolManager(retries=False)
        assert http.request("POST", url + "/chat/completions", json=body).status == 200
        # A stand-in for a key is no secret, and finds what was recorded with one.
        http.request("POST", f"{url}/things?api_key={value}&page=2", json={"what": "nothing"})
print(tape.recorded, tape.replayed)
"""

VCRPY = """
interactions:
- request:
    method: POST
    uri: https://api.openai.com/v1/chat/completions?key={query}
    headers: {{authorization: ['Bearer {header}'], cookie: ['sid={header}']}}
    body: '{{"model": "gpt-4o", "messages": [{{"role": "user", "content": "{header} {query} {known}"}}]}}'
  response:
    status: {{code: 200, message: OK}}
    headers: {{content-type: [application/json], set-cookie: ['sid={known}'], x-request-id: ['{known}']}}
    body: {{string: '{{"id": "1", "model": "gpt-4o", "object": "chat.completion", "choices": [{{"index": 0,
        "finish_reason": "stop", "message": {{"role": "assistant", "content": "{header} {query} {known}"}}}}]}}'}}
version: 1
"""


def test_no_way_of_changing_recordings_brings_one_back(project, provider):
    mine, theirs = Families.of(700), Families.of(800)
    told_by(provider, mine)
    program = project.outside / "step.py"
    program.write_text(STEP, encoding="utf-8")
    (project.folder / "pyproject.toml").write_text("[tool.unitai.cache]\nttl_hours = 0\n", encoding="utf-8")
    # What has no line ends and quotes can stand in a file of another tool as it is.
    names = ("OPENAI_API_KEY", "MISTRAL_API_KEY", "GITHUB_TOKEN", "AZURE_OPENAI_API_KEY")
    variables = {"MODEL_URL": f"{provider.url}/v1", "NAMES": " ".join(names)}
    cache = project.folder / ".unitai/cache"

    def step(families: Families, mode: str, said: str) -> str:
        done = project.run(sys.executable, program, families=families, MODE=mode, SAID=said, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        assert project.is_clean(mine, theirs)
        return done.stdout.strip()

    def command(*words: object, families: Families = mine) -> str:
        done = project.run(COMMAND, "cache", *words, families=families, MODE="")
        assert done.returncode == 0, done.stdout + done.stderr
        assert project.is_clean(mine, theirs)
        return done.stdout

    assert step(mine, "record", "It is") == "8 0"
    assert step(theirs, "replay", "It is") == "0 8"
    assert step(mine, "record", "It was") == "8 0"
    told_by(provider, theirs)
    # Another owner records over it: what is there is read, changed and written again.
    assert step(theirs, "record", "It was") == "8 0"
    for path in sorted(cache.glob("*.json"))[:3]:
        path.write_bytes(path.read_bytes()[:-9])
    assert step(theirs, "auto", "It is") != "0 8"
    assert list((cache / "quarantine").iterdir())
    command("stats")
    values = {"header": mine.header, "query": mine.query, "known": mine.known}
    for name in names:
        text = VCRPY.format(**{family: them[name].value for family, them in values.items()})
        (project.outside / f"{name}.yaml").write_text(text, encoding="utf-8")
        told = command("import", project.outside / f"{name}.yaml")
        assert "from 1 file" in told, told
    # Somebody who knows none of them looks at, prunes and clears it.
    for words in (("stats",), ("prune", "--ttl-hours", "1"), ("prune", "--ttl-hours", "0.0000001"), ("clear",)):
        command(*words, families=Families({}, {}, {}))
    assert list(cache.glob("*.json")) == []
    told_by(provider, mine)
    assert step(mine, "record", "It is") == "8 0"


def test_a_secret_that_a_test_sets_is_one_when_it_is_replayed(tmp_path, provider, monkeypatch):
    import urllib3

    from unitai import cassette

    for n, (mode, seed) in enumerate((("record", 900), ("replay", 901))):
        canary = canaries(seed)["MISTRAL_API_KEY"]
        with cassette(mode, tmp_path / "tapes"):
            # After the recordings were opened, and in no header.
            monkeypatch.setenv("SHOP_TOKEN", canary.value)
            body = {"model": "gpt-4o", "messages": [{"role": "user", "content": f"It is {canary.value}"}]}
            url = f"{provider.url}/v1/chat/completions"
            assert urllib3.PoolManager(retries=False).request("POST", url, json=body).status == 200
        assert len(provider.requests) == 1, n
    assert Search({str(seed): canaries(seed)["MISTRAL_API_KEY"] for seed in (900, 901)}).below(tmp_path) == {}


def test_what_nobody_named_is_told_by_its_place(tmp_path, provider):
    """Known by its form alone: hidden, and reported; prose beside it is as it was."""
    import urllib3
    from echo import Echo

    from unitai import cassette

    formed = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "SLACK_BOT_TOKEN", "SESSION_JWT", "GOOGLE_API_KEY")
    made = {name: canary for name, canary in canaries(1000).items() if name in formed}
    values = {name: canary.value for name, canary in made.items()}
    prose = (
        "Take the sk- prefix off; task-proj-overview and a 40-digit hash 7b52009b64fd0a2a49e6d8a939753077792b0554 stay."
    )
    provider.respond = Echo({name: f"{prose} {value}" for name, value in values.items()}, values)
    with cassette("record", tmp_path / "tapes", apis=[provider.url]):
        for name, value in values.items():
            said = [{"role": "system", "content": prose}, {"role": "user", "content": f"{prose} {value}"}]
            for stream in (False, True):
                body = {"model": "gpt-4o", "user": f"answer {name}", "messages": said, "stream": stream}
                url = f"{provider.url}/v1/chat/completions"
                assert urllib3.PoolManager(retries=False).request("POST", url, json=body).status == 200
    assert Search(made).below(tmp_path) == {}
    entries = [json.loads(path.read_bytes())["entry"] for path in (tmp_path / "tapes").glob("*.json")]
    assert len(entries) == 2 * len(formed)
    for entry in entries:
        assert [place.split(": looks like a")[0] for place in entry["redacted"]] == ["/messages/1/content"]
        assert entry["asked"]["body"]["messages"][0]["content"] == prose
        assert entry["asked"]["body"]["messages"][1]["content"] == f"{prose} [redacted]"
        slot = entry["slots"][0]
        assert all(": looks like a" in place for place in slot["redacted"])
        assert slot["redacted"]
        assert prose in json.dumps(slot["chunks"])


def test_the_search_sees_what_went_past_the_gate(tmp_path):
    made = canaries(1100)
    search = Search(made)
    for name, canary in made.items():
        for spelling, text in spelled(canary.value).items():
            assert name in search.in_text(f'{{"text": "before {text} after"}}'), (name, spelling)
            assert name in search.in_text(json.dumps(json.dumps(f"before {text} after"))), (name, spelling)
        assert name in search.in_bytes(b"before" + zipped(canary.value))
        for part in canary.own:
            assert all(name in search.in_text(f"-{part[at : at + 8]}-") for at in (0, 3, len(part) - 8))
            assert search.in_text(f"-{part[:7]}-{part[7:14]}-") == set()
        path = tmp_path / name
        path.write_bytes(zipped(canary.value))
        assert search.below(tmp_path) == {name: {name}}
        path.rename(tmp_path / canary.own[0][:12].replace("/", "_"))
        assert len(search.below(tmp_path)) == 1
        next(tmp_path.iterdir()).unlink()
    assert search.in_text("no secret at all, and " * 50) == set()


def test_a_program_that_writes_one_itself_is_found_out(project, provider):
    """The whole way of the tests above, with a program that does what UnitAI must not."""
    mine = Families.of(1200)
    told_by(provider, mine)
    for where in (
        "print({0})",
        "open('tmp/x', 'w', opener=lambda *a: os.open(*a, 0o600)).write({0})",
        "open('tmp/y', 'w')",
    ):
        project.said.clear()
        code = "import os; " + where.format("os.environ['OPENAI_API_KEY'].encode().hex()")
        assert project.run(sys.executable, "-c", code, families=mine).returncode == 0
        with pytest.raises(AssertionError):
            project.is_clean(mine)
        for path in (project.folder / "tmp").iterdir():
            path.unlink()


def test_a_variable_that_is_no_text_is_not_told(project):
    """What cannot be read as text must not be shown by whoever trips over it."""
    canary = canaries(1300)["MISTRAL_API_KEY"]
    odd = {b"SHOP_TOKEN": canary.value.encode() + b"\xff", b"PATH": os.environb[b"PATH"]}
    for words in (("cache", "stats"), ("serve", "--", "sh", "-c", "exit 0")):
        done = subprocess.run([COMMAND, *words], cwd=project.folder, env=odd, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert Search({"it": canary}).in_bytes(done.stdout + done.stderr) == set()
