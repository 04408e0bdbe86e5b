"""Every Python block of the documents is run: as one file per document, by pytest, as a reader would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


WITH_CODE = [
    path
    for path in DOCUMENTS
    if python_blocks(path.read_text(encoding="utf-8")) and path.parent.name != "errors"  # run by the catalogue's test
]


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_of_a_document_works(path, pytester):
    blocks = python_blocks(path.read_text(encoding="utf-8"))
    source = "\n\n".join(blocks)
    has_tests = re.search(r"^(def|class) [tT]est", source, re.M)
    pytester.makepyfile(test_document=source if has_tests else source + "\n\ndef test_the_module_runs():\n    pass\n")
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    done.assert_outcomes(passed=len(re.findall(r"^ *(?:async )?def test_", source, re.M)) or 1)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_within_the_project_lead_somewhere(path):
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose)
    broken = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert broken == []
