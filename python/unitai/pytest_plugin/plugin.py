"""The plugin's hooks, to be imported by name."""

from unitai.pytest_plugin import pytest_configure as pytest_configure
from unitai.pytest_plugin import pytest_load_initial_conftests as pytest_load_initial_conftests
from unitai.pytest_plugin import pytest_runtest_makereport as pytest_runtest_makereport
