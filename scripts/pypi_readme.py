"""Makes the links of README.md absolute: PyPI shows it away from the files that it speaks of.

    python scripts/pypi_readme.py v0.1.0     # a tag, a branch or a commit

The release does so before it builds. Nothing else is changed, and code is left alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
FILES = "https://github.com/unitai-dev/unitai/blob"
RAW = "https://raw.githubusercontent.com/unitai-dev/unitai"

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
#: A link to a file of the repository, and whether it is a picture.
LINK = re.compile(r"(!\[[^\]]*)?\]\((?!https?:|mailto:|#)([^)\s]+)\)")


def absolute(text: str, at: str) -> str:
    """The text with every link to a file of the repository as one to that file at a tag, a branch or a commit.

    >>> absolute("[how](docs/how.md#why), ![a picture](docs/it.svg), [there](https://pypi.org)", "v1")[:66]
    '[how](https://github.com/unitai-dev/unitai/blob/v1/docs/how.md#why'
    """

    def linked(found: re.Match[str]) -> str:
        picture, path = found.groups()
        return f"{picture}]({RAW}/{at}/{path})" if picture else f"]({FILES}/{at}/{path})"

    code = FENCED.findall(text)
    prose = [LINK.sub(linked, part) for part in FENCED.split(text)]
    return "".join(part for pair in zip(prose, [*code, ""], strict=True) for part in pair)


if __name__ == "__main__":
    (at,) = sys.argv[1:]
    README.write_text(absolute(README.read_text(encoding="utf-8"), at), encoding="utf-8", newline="\n")
