"""The stopwatch of the tests: what counts as lag, and what does not."""

from __future__ import annotations

import ctypes
import sys
import time

import pytest
from stopwatch import Stopwatch

pytestmark = pytest.mark.unit


def test_sleeping_is_not_lag():
    with Stopwatch() as watch:
        time.sleep(0.2)
    assert watch.seconds >= 0.2
    assert watch.fair > 0.1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells waiting for a core from waiting for the GIL")
def test_blocking_with_the_gil_held_is_not_lag():
    with Stopwatch() as watch:
        ctypes.PyDLL(None).usleep(300_000)
    assert watch.seconds >= 0.3
    assert watch.fair > 0.15
