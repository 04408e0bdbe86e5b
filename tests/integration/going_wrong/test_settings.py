"""Settings that cannot be used: told before anything runs, with their place and what would be right."""

from __future__ import annotations

import os

import pytest
from ways import PASSING, Way

pytestmark = pytest.mark.integration


def file(name: str, text: str | bytes, *said: str, where: str = "unitai.toml") -> Way:
    files = {"test_it.py": PASSING, where: text}
    return Way(f"{where}: {name}", ("test",), 2, said, files)


FILES = [
    file("a bracket is open", "default_n = [1\n", "unitai.toml:1:15", "unclosed array", "expected a file in TOML"),
    file("a key stands twice", "timeout = 1\ntimeout = 2\n", "unitai.toml:2:1", "duplicate key"),
    file("not UTF-8", b'model_override = "\xff"\n', "unitai.toml:1:19", "0xff is no text", "a file in UTF-8"),
    file("UTF-16", "default_n = 1\n".encode("utf-16"), "a file in UTF-8"),
    file("a byte of 0", b"default_n = 1\x00\n", "unitai.toml:1:13", "expected a file in TOML"),
    file("an unknown key", "defualt_n = 3\n", "no setting `defualt_n`", "expected perhaps `default_n`"),
    file("an unknown table", "[cahce]\nmode = 'off'\n", "unitai.toml:1:", "expected"),
    file("a text for a number", 'default_n = "many"\n', "`default_n` is a text", "a whole number of at least 1"),
    file("out of range", "default_threshold = 1.5\n", "`default_threshold` is 1.5", "a number from 0 to 1"),
    file("a word that is none", 'cache_mode = "rekord"\n', "one of: off, record, replay, auto"),
    file("both spellings", "cache_mode = 'off'\n[cache]\nmode = 'off'\n", "are both given", "expected"),
    file("two things wrong", "timeout = 0\nverbose = 3\n", "unitai.toml:1:11", "unitai.toml:2:11", "true or false"),
    file("no table", "[tool]\nunitai = 3\n", "`tool.unitai` is 3", "as in [tool.unitai]", where="pyproject.toml"),
    file("broken", "[tool.unitai\n", "pyproject.toml:1:13", "expected a file in TOML", where="pyproject.toml"),
    Way("a folder of that name", ("test",), 2, ("cannot be read", "a file that this user may read"),
        {"test_it.py": PASSING}, ("unitai.toml",)),
]  # fmt: skip

NUMBER = "expected a whole number of at least 1"
DOLLARS = "expected a number of dollars above 0"

VARIABLES = {
    "DEFAULT_N": ("x", NUMBER),
    "DEFAULT_THRESHOLD": ("2", "expected a number from 0 to 1"),
    "MAX_WORKERS": ("0", NUMBER),
    "COST_BUDGET_PER_TEST": ("-1", DOLLARS),
    "COST_BUDGET_PER_SUITE": ("abc", DOLLARS),
    "STRICT_MOCKS": ("perhaps", "expected true or false"),
    "MAX_TOOL_CALLS": ("0", NUMBER),
    "TIMEOUT": ("soon", "expected a number of seconds above 0"),
    "CACHE_ENABLED": ("2", "expected true or false"),
    "CACHE_MODE": ("sometimes", "expected one of: off, record, replay, auto"),
    "CACHE": ("sometimes", "expected one of: off, record, replay, auto"),
    "CACHE_TTL_HOURS": ("-1", "expected a number of hours, 0 for ever"),
    "CACHE_APIS": ("nothing", "expected addresses, with commas between them"),
    "VERBOSE": ("loud", "expected true or false"),
    "PRICES": ("{", "expected prices by model, as in {"),
}


@pytest.mark.parametrize("way", FILES, ids=str)
def test_a_file(way, tmp_path):
    assert way.check(tmp_path).stdout == ""


@pytest.mark.parametrize("command", ["results", "report", "cache", "serve", "init", "config"])
def test_a_file_that_another_command_needs(command, tmp_path):
    words = {"cache": ("cache", "stats"), "serve": ("serve", "--", "true")}.get(command, (command,))
    Way(command, words, 2, ("unitai.toml:1:6", "expected a file in TOML"), {"unitai.toml": "x = ["}).check(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_in_place_of_the_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "unitai.toml")
    Way("a pipe", ("config",), 2, ("it is no file", "a file that this user may read")).check(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    (tmp_path / "unitai.toml").touch(mode=0)
    Way("not readable", ("test",), 2, ("cannot be read", "a file that this user may read")).check(tmp_path)


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable(name, tmp_path):
    text, expected = VARIABLES[name]
    said = (f"the environment variable UNITAI_{name}: it is `{text}`", expected)
    for command in ("test", "config"):
        Way(name, (command,), 2, said, {"test_it.py": PASSING}, variables={f"UNITAI_{name}": text}).check(tmp_path)


def test_a_variable_in_plain_pytest(tmp_path):
    Way(
        "pytest", (), 4, ("UNITAI_TIMEOUT: it is `soon`", "expected: a number of seconds above 0", "to do:"),
        {"test_it.py": PASSING}, variables={"UNITAI_TIMEOUT": "soon"}, is_pytest=True,
    ).check(tmp_path)  # fmt: skip
