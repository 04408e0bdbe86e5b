"""For whoever names a YAML test and forgets `--llm`: pytest would only say that it found nothing."""

from __future__ import annotations

from typing import Any

import pytest


def start(config: pytest.Config) -> None:
    """Says what is missing, if nobody else runs the file."""
    config.pluginmanager.register(YamlHint(), "unitai-yaml-hint")


class YamlHint:
    """Speaks when a session ends without any test."""

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """Says how YAML tests are run."""
        nothing = (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR)
        if exitstatus in nothing:
            terminalreporter.write_line("YAML tests are run with --llm", yellow=True, bold=True)
