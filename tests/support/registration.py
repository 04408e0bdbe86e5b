"""What must be named in several places: a name that is missing in one of them fails with one line that names the place."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def assert_registered(there: Iterable[str], named: Iterable[str], *, forgotten: str, left: str | None = None) -> None:
    """Asserts that what is there and what is named are the same. The messages have `{name}`.

    `forgotten` says where to add a name that is missing, and `left` what to do about one of something that is gone. Without
    `left`, more may be named than is there.
    """
    there, named = set(there), set(named)
    lines = [forgotten.format(name=name) for name in sorted(there - named)]
    if left is not None:
        lines += [left.format(name=name) for name in sorted(named - there)]
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)
