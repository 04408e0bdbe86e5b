"""Files are written in one place, and nothing is printed past it: a secret has one way out, and it is guarded.

Whoever needs another line here says why, next to it. A line that is gone must go from here too.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent

# What creates, changes or prints. Cuts of tests are not looked at, nor the crate that makes the documents.
RUST = re.compile(
    r"\bfs::(?:write|copy|rename|hard_link)\b|\bFile::(?:create|create_new|options)\b|\bOpenOptions\b|\btempfile::Builder\b"
    r"|\be?print(?:ln)?!|\bdbg!|\b(?:stdout|stderr)\(\)(?!\.is_terminal)"
)
PYTHON_CALLS = {
    "print",
    "write_text",
    "write_bytes",
    "fdopen",
    "mkstemp",
    "NamedTemporaryFile",
    "getLogger",
    "basicConfig",
}

ALLOWED = {
    # The gate itself, and its lock, into which nothing is written.
    ("crates/unitai_wire/src/gate.rs", "tempfile::Builder"),
    ("crates/unitai_wire/src/gate.rs", "OpenOptions"),
    ("crates/unitai_wire/src/gate/log.rs", "OpenOptions"),
    # A damaged recording is moved aside, as it was written by the gate.
    ("crates/unitai_wire/src/cassette/shelf.rs", "fs::rename"),
    # The command's way to the terminal, which takes secrets out.
    ("crates/unitai_cli/src/say.rs", "stdout()"),
    ("crates/unitai_cli/src/say.rs", "stderr()"),
    # The settings and the schema that a judging program reads, in a private folder that is gone when it has answered; and
    # the files by which it is logged in, which it must have as they are.
    ("crates/unitai_judge/src/providers/process.rs", "tempfile::Builder"),
    ("crates/unitai_judge/src/providers/process.rs", "fs::write"),
    ("crates/unitai_judge/src/providers/gemini_cli.rs", "fs::copy"),
    # The text of an error of ours, which was cleaned when it was made.
    ("python/unitai/cli/main.py", "print"),
    # The steps of a YAML test, for a program that asks for them; secrets are taken out where the lines are made.
    ("python/unitai/llm/running.py", "print"),
}


def found_in_rust() -> set[tuple[str, str]]:
    found = set()
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("crates/unitai_dev/") or path.name == "tests.rs":
            continue
        code = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        lines = [line for line in code.splitlines() if not line.lstrip().startswith("//")]
        found |= {(name, hit) for line in lines for hit in RUST.findall(line)}
    return found


def writes(call: ast.Call) -> str | None:
    """What a call writes with, if it writes."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in PYTHON_CALLS:
        return name
    owner = getattr(getattr(call.func, "value", None), "attr", "")
    if name == "write" and owner in ("stdout", "stderr", "__stdout__", "__stderr__"):
        return f"{owner}.write"
    if name == "open":
        # The function takes a path first, a method of a path does not.
        args = call.args[1:] if isinstance(call.func, ast.Name) else call.args
        modes = [*args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
        texts = [node.value for node in modes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if any(re.fullmatch(r"[rbtU]*[wax+][rbtwax+]*", text) for text in texts):
            return "open"
    return None


def found_in_python() -> set[tuple[str, str]]:
    found = set()
    for path in sorted((ROOT / "python/unitai").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            told = writes(node) if isinstance(node, ast.Call) else None
            if told:
                found.add((path.relative_to(ROOT).as_posix(), told))
    return found


def test_nothing_is_written_past_the_gate():
    assert found_in_rust() | found_in_python() == ALLOWED


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("open(path, 'w')", "open"),
        ("path.open(mode='ab')", "open"),
        ("open(path)", None),
        ("open(path, 'rb')", None),
        ("open('x')", None),
        ("sys.stderr.write(text)", "stderr.write"),
        ("Path(x).write_text(text)", "write_text"),
        ("print(text)", "print"),
        ("stream.write(text)", None),
    ],
)
def test_a_call_that_writes_is_seen(code, told):
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert writes(call) == told


@pytest.mark.parametrize(
    "line", ["fs::write(path, x)", "File::create(p)", "OpenOptions::new()", 'println!("{x}")', "io::stdout()"]
)
def test_a_line_that_writes_is_seen(line):
    assert RUST.search(line)
