"""Which clients the suite is run with. One that is missing is named, and fails where it was promised."""

from __future__ import annotations

import os

import pytest
from table import TABLE, is_here

pytestmark = pytest.mark.contract

#: The packages that must be here, as `TESTS_REQUIRE_CLIENTS="openai,anthropic"`.
PROMISED = {name.strip() for name in os.environ.get("TESTS_REQUIRE_CLIENTS", "").split(",")} - {""}
MODULES = {entry.package: entry.module for entry in TABLE}


@pytest.mark.parametrize("package", MODULES)
def test_the_client_is_here(package):
    if is_here(MODULES[package]):
        return
    if package in PROMISED:
        pytest.fail(f"the package {package} is not installed, and TESTS_REQUIRE_CLIENTS names it")
    pytest.skip(f"needs the package {package}")


def test_every_client_that_was_promised_is_one_of_the_suite():
    assert sorted(PROMISED - MODULES.keys()) == []
