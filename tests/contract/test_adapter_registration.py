"""An adapter is complete: whatever must know its framework does, so that nothing of it goes untested or undocumented."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from registration import assert_registered

from unitai.adapters.frameworks import FRAMEWORKS

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "tests" / "contract" / "adapters"


def rows_of(path: Path) -> list[str]:
    """The keys of the table `FRAMEWORKS` in a file."""
    table = path.read_text(encoding="utf-8").partition("FRAMEWORKS = {")[2].partition("\n}")[0]
    return re.findall(r'^    "(\w+)": ', table, re.M)


def test_an_adapter_is_registered():
    modules = {row.adapter.partition(":")[0].rpartition(".")[2] for row in FRAMEWORKS.values()}
    package = Path(sys.modules["unitai.adapters.frameworks"].__file__ or "").parent
    assert "langgraph" in modules
    texts = {path.stem: path.read_text(encoding="utf-8") for path in package.glob("*.py")}
    assert_registered(
        [
            name
            for name, text in texts.items()
            if re.search(r"^class \w+Adapter\(", text, re.M) and "def redirects(" in text
        ],
        modules,
        forgotten="python/unitai/adapters/{name}.py is not used: add its row to FRAMEWORKS in adapters/frameworks.py",
    )


def test_an_adapter_is_tested_with_its_framework():
    assert_registered(
        FRAMEWORKS,
        rows_of(ROOT / "scripts" / "adapters.py"),
        forgotten="`make test-adapters` leaves {name} out: add its row to FRAMEWORKS in scripts/adapters.py",
        left="scripts/adapters.py has a row for {name}, which has no adapter: delete it",
    )
    assert_registered(
        FRAMEWORKS,
        rows_of(FIXTURES / "framework.py"),
        forgotten="the suite does not know {name}: add its module to FRAMEWORKS in tests/contract/adapters/framework.py",
        left="tests/contract/adapters/framework.py names {name}, which has no adapter: delete it",
    )
    assert_registered(
        FRAMEWORKS,
        [path.stem.removeprefix("framework_") for path in FIXTURES.glob("framework_*.py")],
        forgotten="write tests/contract/adapters/framework_{name}.py, a Fixture that makes agents of the framework",
        left="tests/contract/adapters/framework_{name}.py is for a framework that has no adapter: delete it",
    )


def test_an_adapter_is_documented():
    assert_registered(
        [name.replace("_", "-") for name in FRAMEWORKS],
        [path.stem for path in (ROOT / "docs" / "frameworks").glob("*.md")],
        forgotten="write docs/frameworks/{name}.md, whose blocks the suite runs",
    )
