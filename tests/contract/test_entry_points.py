"""The table of entry points in docs/security.md is whole, and the tests that it names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
COMMAND = Path(sys.executable).parent / "unitai"
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")


def table(title: str) -> list[list[str]]:
    """The rows of a section's table, as cells."""
    section = re.search(rf"## {title}\n(.*?)\n## ", PAGE, re.S)
    lines = [line for line in section[1].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


ROWS = table("Who may use what")
#: What the rows are about, as it is written in code: commands, files and variables, with `*` for any text.
ENTRIES = [entry for row in ROWS for entry in re.findall("`([^`]+)`", row[0])]
ADD = "add a row to docs/security.md, Who may use what"

#: Where a program listens, and what the row is called. There is no other place.
PORTS = {
    "crates/unitai_gateway/src/server.rs": "`unitai serve` (port)",
    "crates/unitai_mcp/src/server/http.rs": "`unitai mcp --http` (port)",
}
#: Who serves by it, beside the command itself.
SERVING = {"crates/unitai_judge/src/driving/serving.rs": "tools for a model that drives a YAML test (port"}


def sources() -> dict[str, str]:
    """The code that users run, by its path. What is below the tests of a file is not it."""
    found = {}
    for path in [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("python/unitai/**/*.py")]:
        name = path.relative_to(ROOT).as_posix()
        if "unitai_dev" not in name:
            text = path.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests")[0]
            # Examples in documents are no code of ours.
            found[name] = re.sub(r"^\s*(///|//!|>>>|\.\.\.).*$", "", text, flags=re.M)
    return found


SOURCES = sources()


def test_every_command_is_in_it():
    told = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) {2,}", told.partition("Commands:")[2].partition("Options:")[0], re.M)
    assert len(commands) > 10
    known = [entry.split()[1] for entry in ENTRIES if entry.startswith("unitai ")]
    assert [name for name in commands if name != "help" and name not in known] == [], ADD
    assert [name for name in known if name not in commands] == []


def test_every_port_is_in_it():
    listening = [name for name, text in SOURCES.items() if re.search(r"(Tcp|Unix)Listener::bind|\.listen\(\d", text)]
    serving = [name for name, text in SOURCES.items() if re.search(r"HttpServer::listen\(", text)]
    assert sorted(listening) == sorted(PORTS), ADD
    assert sorted(name for name in serving if name not in PORTS) == sorted(SERVING), ADD
    entries = "\n".join(row[0] for row in ROWS)
    for entry in [*PORTS.values(), *SERVING.values()]:
        assert entry in entries


def test_every_file_that_is_written_is_in_it():
    written = [place for row in table("What is written, and where") for place in re.findall("`([^`]+)`", row[1])]
    assert len(written) > 3
    assert [place for place in written if place.rstrip("/") not in {entry.rstrip("/") for entry in ENTRIES}] == [], ADD


def test_every_variable_is_in_it():
    # Settings are one row; which variables they have is in the reference, which is made from the code.
    own = {name for text in SOURCES.values() for name in re.findall(r"(?<!env!\()\"(UNITAI_[A-Z_]+)\"", text)}
    settings = {name for name in own if f"`{name}`" in SETTINGS}
    assert len(settings) > 3
    read = r"(?:env::var(?:_os)?|variable|is_set|is_off|environ\.get|getenv)\(\s*\"([A-Z][A-Z0-9_]+)\"|environ\[\"([A-Z0-9_]+)\"\]"
    foreign = {one or other for text in SOURCES.values() for one, other in re.findall(read, text)}
    # The variables that clients find their provider by are data of the gateway.
    upstreams = SOURCES["crates/unitai_gateway/src/upstreams.rs"]
    foreign |= set(re.findall(r"\(\"([A-Z_]+)\", \"", upstreams))
    assert len(foreign) > 12
    names = [entry for entry in ENTRIES if entry != "UNITAI_*"]
    missing = [name for name in (own - settings) | foreign - settings if not any(fnmatch(name, it) for it in names)]
    assert sorted(missing) == [], ADD


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_its_rows_name_tests_that_exist(row):
    entry, users, enforcement, proof = row
    assert entry and users and enforcement
    file, _, name = proof.strip("`").partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert name and re.search(rf"(?:def|fn) {name}\(", text), f"{file} has no test {name}"
