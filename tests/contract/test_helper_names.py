"""What tests share is imported by its bare name, from several folders: a helper must not take the place of another one, nor
of a module that a framework imports.
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

TESTS = Path(__file__).parent.parent
HELPERS = {
    path
    for path in TESTS.rglob("*.py")
    if not path.stem.startswith("test_") and path.stem not in ("conftest", "__init__")
}


def test_no_two_helpers_have_one_name():
    times = Counter(path.stem for path in HELPERS)
    assert "repeating" in times
    for name in [name for name, count in times.items() if count > 1]:
        paths = sorted(str(path.relative_to(TESTS)) for path in HELPERS if path.stem == name)
        pytest.fail(f"rename one of {', '.join(paths)}: both are imported as `{name}`, and one would hide the other")


def test_no_helper_has_the_name_of_a_module_that_is_installed():
    """Run with every framework, too: what one of them imports is only there in its environment."""
    others = [folder for folder in sys.path if not Path(folder).resolve().is_relative_to(TESTS.parent / "tests")]
    for path in sorted(HELPERS):
        is_taken = path.stem in sys.stdlib_module_names or PathFinder.find_spec(path.stem, others) is not None
        assert not is_taken, f"rename tests/{path.relative_to(TESTS)}: `import {path.stem}` means an installed package"
