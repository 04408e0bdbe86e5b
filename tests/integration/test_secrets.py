"""An agent that lays its environment open: no eight characters of a key are in what UnitAI prints or writes.

What pytest itself prints of a test's frames (its source, its variables with `--showlocals`, the two sides of a plain
`==`) is not UnitAI's to change, so the tests below hold no key in a variable.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.keys import FORMATS, made_up, pieces_in

pytestmark = pytest.mark.integration

TESTS = """
import base64
import os

import pytest
import unitai

NAMES = [{names}]


def agent(input, tools):
    for name in NAMES:
        key = os.environ[name]
        coded = base64.b64encode(key.encode()).decode()
        tools["save"](key=key, b64=coded, hex=key.encode().hex()[:50])
    return " ".join(os.environ[name] for name in NAMES)


def raising(input, tools):
    raise RuntimeError(f"no access with {{os.environ['SHOP_PASSWORD']}} and {{os.environ['OPENAI_API_KEY']}}")


@pytest.fixture
def result(mock_toolkit):
    mock_toolkit.mock("save", return_value=True)
    return mock_toolkit.run(agent, "go")


def test_finding(result):
    assert result.tool_called_with("save", key="other")


def test_other_failure(result):
    assert 1 == 2


def test_chain(result):
    unitai.assert_trajectory(result).output_contains("nothing of this")


def test_raised(mock_toolkit):
    assert mock_toolkit.run(raising, "go").succeeded


def test_unmocked(mock_toolkit):
    mock_toolkit.run(agent, "go")


def test_errors_in_a_log(mock_toolkit):
    for name in NAMES:
        try:
            mock_toolkit.mock(os.environ[name] + "\\ud800", return_value=1)
        except unitai.UnitAIError as error:
            print(error, repr(error), vars(error))
        unitai.MockToolkit(strict=False).run(lambda input, tools: tools[os.environ[name]](), "go")
    assert 1 == 2
"""


@pytest.mark.parametrize("options", [[], ["-vv", "--color=yes"], ["--tb=short", "-rA"], ["--tb=native"]], ids=str)
def test_no_piece_of_a_key_is_printed_or_written(tmp_path, options):
    keys = made_up()
    names = ", ".join(repr(name) for name in FORMATS)
    (tmp_path / "test_leaks.py").write_text(TESTS.format(names=names), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        "--junitxml=junit.xml",
    ]
    done = subprocess.run(
        [*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, **keys}
    )
    told = done.stdout + done.stderr
    assert "6 failed" in told, told
    assert told.count("[redacted]") > 60
    written = (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert "[redacted]" in written
    assert pieces_in(told, keys) == {}, told
    assert pieces_in(written, keys) == {}, written
