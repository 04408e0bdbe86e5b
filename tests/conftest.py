"""What all layers share: helpers are imported from `tests/support`, and property tests can be asked for a quick answer."""

import gc
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))

# `make quick` and `make test-unit` ask for an answer in seconds, everything else for a thorough one. An environment that is
# for one framework alone has no property tests, and no Hypothesis.
with suppress(ImportError):
    from hypothesis import settings

    settings.register_profile("quick", max_examples=10, deadline=None)


def pytest_collection_finish() -> None:
    """What is imported by now stays: a test that collects garbage has only its own to look through."""
    gc.freeze()
