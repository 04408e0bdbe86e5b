"""Repeating a test in tests: all runs, and no pause before a retry."""

from __future__ import annotations

from typing import Any

from unitai import StatisticalRunner


def every_run(n: int = 10, threshold: float = 0.95, **options: Any) -> StatisticalRunner:
    """A runner that makes all runs, whatever comes."""
    return StatisticalRunner(n=n, threshold=threshold, **{"mode": "all", "retry_delay": 0, **options})
