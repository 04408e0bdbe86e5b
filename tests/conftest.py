"""What all layers share: helpers are imported from `tests/support`, and property tests can be asked for a quick answer."""

import gc
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

# `make quick` and `make test-unit` ask for an answer in seconds, everything else for a thorough one. An environment that is
# for one framework alone has no property tests, and no Hypothesis.
with suppress(ImportError):
    from hypothesis import settings

    settings.register_profile("quick", max_examples=10, deadline=None)


def pytest_collection_finish() -> None:
    """What is imported by now stays: a test that collects garbage has only its own to look through."""
    gc.freeze()


@pytest.fixture
def counted(record_property):
    """For tests that are worth as much as they try: `counted("attacks", 200)` is summed up at the end of the run."""
    return lambda what, tried: record_property("counted", (what, tried))


def pytest_terminal_summary(terminalreporter) -> None:
    """How much was tried, over all tests that passed."""
    counts = Counter()
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "counted":
                counts[value[0]] += value[1]
    for what, tried in sorted(counts.items()):
        terminalreporter.write_line(f"{tried:,} {what}")
