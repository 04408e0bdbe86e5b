"""Draws the picture of the README: what a failed test shows. With `--check`, fails if it would now show something else.

The test and the agent are those of docs/quickstart.md, run by pytest as it is installed here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "_static" / "failure.svg"
WIDTH, LINE, LETTER, EDGE = 84, 19, 8.43, 18
#: Colours of the terminal, by the numbers that programs say.
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#76e3ea", "90": "#8b949e", "94": "#79c0ff"}
STYLE = re.compile(r"\x1b\[([\d;]*)m")


def main() -> int:
    said = wanted(run())
    if "--check" in sys.argv[1:]:
        if text_of(PICTURE.read_text(encoding="utf-8")) != text_of(svg(said)):
            print("error: docs/_static/failure.svg does not show what a failed test shows; run scripts/picture.py")
            return 1
        return 0
    PICTURE.write_text(svg(said), encoding="utf-8")
    return 0


def run() -> list[str]:
    """What pytest says of the failing test, with its colours."""
    page = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    files = {name: text for text, name in re.findall(r"^```python\n(# (\w+\.py)\n.*?)^```", page, re.M | re.S)}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--tb=short",
            "--color=yes",
            "-k",
            "looked_up",
            "-p",
            "no:cacheprovider",
        ]
        hidden = ("UNITAI_", "PYTEST_", "NO_COLOR")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        environment = {**kept, "COLUMNS": str(WIDTH), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def wanted(lines: list[str]) -> list[str]:
    """The part that is drawn: the assertion, and the whole report of it. Where lines are left out, it says so."""
    bare = [STYLE.sub("", line) for line in lines]
    assertion = next(at for at, line in enumerate(bare) if line.strip().startswith("assert result."))
    report = next(at for at, line in enumerate(bare) if re.fullmatch(r"-+ UnitAI -+", line))
    end = next(at for at, line in enumerate(bare) if line.startswith("  Cost: "))
    return ["$ pytest", "...", *lines[assertion - 1 : assertion + 1], "...", *lines[report : end + 1]]


def svg(lines: list[str]) -> str:
    """The lines as a picture that needs nothing else."""
    width, height = round(WIDTH * LETTER + 2 * EDGE), len(lines) * LINE + 2 * EDGE
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n'
        "<title>A failed test shows what the agent did, and marks the steps that decided</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#c9d1d9">\n'
    )
    rows = (
        f'<text x="{EDGE}" y="{EDGE + LINE * at + 14}" xml:space="preserve">{spans(line)}</text>\n'
        for at, line in enumerate(lines)
    )
    return f"{head}{''.join(rows)}</g>\n</svg>\n"


def spans(line: str) -> str:
    """A line with its colours."""
    drawn, bold, colour = [], False, None
    for at, part in enumerate(STYLE.split(line)):
        if at % 2:
            for code in part.split(";"):
                if code in ("", "0", "00"):
                    bold, colour = False, None
                elif code == "1":
                    bold = True
                elif code == "39":
                    colour = None
                else:
                    colour = COLOURS.get(code, colour)
        elif part:
            looks = (' font-weight="bold"' if bold else "") + (f' fill="{colour}"' if colour else "")
            drawn.append(f"<tspan{looks}>{escape(part, quote=False)}</tspan>" if looks else escape(part, quote=False))
    return "".join(drawn)


def text_of(picture: str) -> list[str]:
    """The lines of a picture, without colours and without the time that it took."""
    lines = re.findall(r"^<text.*?>(.*)</text>$", picture, re.M)
    return [re.sub(r"Duration: [\d.]+m?s", "Duration: <time>", re.sub(r"<[^>]+>", "", line)) for line in lines]


if __name__ == "__main__":
    sys.exit(main())
