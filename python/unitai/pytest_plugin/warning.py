"""How a warning about a test that passed reaches pytest."""

from __future__ import annotations

import warnings

import pytest


def warn(item: pytest.Item, told: Warning) -> None:
    """Shows a warning at the line of the test. Past the filters: a warning that is an error elsewhere must not fail a
    test that passed.
    """
    line = (item.location[1] or 0) + 1
    message = warnings.WarningMessage(told, type(told), str(item.path), line)
    item.config.hook.pytest_warning_recorded.call_historic(
        kwargs={"warning_message": message, "when": "runtest", "nodeid": item.nodeid, "location": None}
    )
