"""Arguments that cannot be: of the command, of pytest behind it, and what they lead to."""

from __future__ import annotations

import json

import pytest
from ways import PASSING, Way

pytestmark = pytest.mark.integration

REPEATED = "import pytest\n@pytest.mark.unitai_statistical(n=3, threshold=0.5)\ndef test_it():\n    pass\n"
NEWER = json.dumps({"format": "unitai.baseline", "version": 99})


def option(*words: str, said: tuple[str, ...], code: int = 2, suite: str = PASSING, **more) -> Way:
    files = {"test_it.py": suite, **more.pop("files", {})}
    return Way(" ".join(words) or "nothing", ("test", *words), code, said, files, **more)


WHOLE = "expected a whole number of at least 1"
SHARE = "expected a number from 0 to 1"
DOLLARS = "expected a number of dollars above 0"

OPTIONS = [
    *(option(f"--budget={text}", said=(f"the option --budget: it is `{text}`", DOLLARS))
      for text in ("abc", "0", "-1", "inf", "nan", "")),
    *(option("--n", text, said=(f"the option --n: it is `{text}`", WHOLE)) for text in ("0", "many", "-1", "1.5", "")),
    *(option(f"--threshold={text}", said=(f"the option --threshold: it is `{text}`", SHARE))
      for text in ("2", "-0.1", "nan", "")),
    option("--model", said=("a value is required for '--model <NAME>'", "--help")),
    option("--record", "--replay", said=("'--record' cannot be used with '--replay'", "Usage:")),
    option("--replay", "--no-cache", said=("'--replay' cannot be used with '--no-cache'", "Usage:")),
    option("-p", "no:unitai", said=("switches off the plugin", "leave it out, or start pytest yourself")),
    option("--", "-p", "no:unitai", said=("switches off the plugin", "leave it out, or start pytest yourself")),
    option("--baseline", "main", suite=REPEATED, said=("there is no baseline main", "`unitai test --save-baseline main`")),
    option("--baseline", "b.json", suite=REPEATED, files={"b.json": "{"}, said=("it is not a baseline", "save it again")),
    option("--baseline", "b.json", suite=REPEATED, files={"b.json": NEWER}, said=("version 99", "upgrade UnitAI")),
    option("--baseline", "/dev/zero", suite=REPEATED, said=("/dev/zero", "to do:")),
    option("--save-baseline", "b.json", suite=REPEATED, folders=("b.json",), said=("b.json", "to do:")),
    option("no/such", said=("file or directory not found: no/such",)),
    option("test_it.py::test_nothing", said=("not found", "test_it.py::test_nothing")),
    option("-k", "(", said=("Wrong expression passed to '-k'", "expected")),
    option("-c", "missing.ini", said=("Config file", "Check your '-c/--config-file' option")),
    option("-n", "x", said=("invalid parse_numprocesses value: 'x'",)),
    option("--", "--nonsense", said=("unrecognized arguments: --nonsense",)),
    option("-k", "nothing_like_it", code=5, said=("no tests ran", "-k and -m left none")),
    Way("an empty folder", ("test",), 5, ("no tests ran", "`unitai init` writes a first test")),
    option("\udcff.py", said=("file or directory not found",)),
]  # fmt: skip

COMMANDS = [
    Way("tset", ("tset",), 2, ("a similar subcommand exists: 'test'",)),
    Way("no command", (), 2, ("Usage: unitai <COMMAND>", "unitai init")),
    Way("an unknown option", ("config", "--nope"), 2, ("unexpected argument '--nope'", "--help")),
    Way("an unknown shell", ("completions", "nope"), 2, ("[possible values: bash,",)),
    Way("an unknown framework", ("init", "--framework", "nope"), 2, ("[possible values: langgraph,",)),
    Way("cache without a verb", ("cache",), 2, ("unitai cache stats",)),
    Way("cache prune of no number", ("cache", "prune", "--ttl-hours", "x"), 2, ("invalid value 'x'", "--help")),
    Way("serve on no port", ("serve", "--port", "99999", "--", "true"), 2, ("99999 is not in 0..=65535",)),
    Way("serve for no program", ("serve", "--", "/no/such"), 2, ("/no/such cannot be run",)),
    Way("serve in two modes", ("serve", "--record", "--replay", "--", "true"), 2, ("cannot be used with",)),
    Way("report to nowhere, and open it", ("report", "-o", "-", "--open"), 2, ("leave one of them out",)),
]


@pytest.mark.parametrize("way", OPTIONS, ids=lambda way: ascii(way.name))
def test_of_the_tests(way, tmp_path):
    way.check(tmp_path)


@pytest.mark.parametrize("way", COMMANDS, ids=str)
def test_of_other_commands(way, tmp_path):
    assert way.check(tmp_path).stdout == ""
