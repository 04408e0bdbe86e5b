"""The page of the framework in the documents is true: its Python blocks are run as one file of tests, as a reader would.
So are those of the README, the quickstart and the guides.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from projects import clean_environment

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[3]


def test_the_page_of_the_framework_runs_as_it_stands(framework, tmp_path):
    page = ROOT / "docs" / "frameworks" / f"{framework.name.replace('_', '-')}.md"
    guides = sorted((ROOT / "docs" / "guides").glob("*.md"))
    for document in (page, ROOT / "README.md", ROOT / "docs" / "quickstart.md", *guides):
        text = document.read_text(encoding="utf-8")
        blocks = re.findall(rf"^```python {framework.name}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert blocks or document is not page, f"{page.name} has no block that begins with ```python {framework.name}"
        (tmp_path / f"test_{document.stem.replace('-', '_')}.py").write_text("\n\n".join(blocks), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=clean_environment(PYTEST_ADDOPTS=""),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout)
