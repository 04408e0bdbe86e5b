"""Compiles the check that CONTRIBUTING.md writes, in a copy of the workspace: the guide must work as it stands."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "target" / "snippets"
#: A place of its own: cargo would take what it builds of the copy for what is built of the workspace.
BUILT = ROOT / "target" / "snippets-built"


def main() -> int:
    blocks = re.findall(r"^ *```rust\n(.*?)^ *```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M | re.S)
    check, method = (textwrap.dedent(block) for block in blocks)
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "crates"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, COPY / name)

    checks = COPY / "crates/unitai_check/src/checks"
    (checks / "tool_called_last.rs").write_text(check, encoding="utf-8")
    append(checks / "mod.rs", "mod tool_called_last;\npub use tool_called_last::ToolCalledLast;\n")
    result = COPY / "crates/unitai_python/src/asserting/result.rs"
    before, marker, after = result.read_text(encoding="utf-8").partition("    /// The tool was never called.\n")
    result.write_text(before + textwrap.indent(method, "    ") + "\n" + marker + after, encoding="utf-8")

    command = ["cargo", "check", "--quiet", "--package", "unitai_python", "--target-dir", str(BUILT)]
    return subprocess.run(command, cwd=COPY, check=False).returncode


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
