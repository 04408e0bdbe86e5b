"""Makes scipy_table.txt, what SciPy says about intervals and exact tests (and statsmodels about Holm's correction).

    python -m venv /tmp/scipy && /tmp/scipy/bin/pip install scipy statsmodels
    /tmp/scipy/bin/python crates/unitai_check/tests/data/make_scipy_table.py

The Rust tests read the table, so that they need neither.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

from scipy.stats import binomtest, fisher_exact
from statsmodels.stats.multitest import multipletests

RUNS = (1, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000)
CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
SHARES = (0.0, 0.01, 0.1, 0.29, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0)


def _rows() -> Iterator[tuple[object, ...]]:
    yield from _intervals()
    yield from _tables()
    yield from _corrections()


def _intervals() -> Iterator[tuple[object, ...]]:
    for n in RUNS:
        passes = {round(n * share) for share in SHARES} | {1, n - 1}
        for passed, confidence in itertools.product(sorted(passes), CONFIDENCES):
            test = binomtest(passed, n)
            for name, method in (("clopper_pearson", "exact"), ("wilson", "wilson")):
                interval = test.proportion_ci(confidence, method)
                yield name, passed, n, confidence, float(interval.low), float(interval.high)


def _tables() -> Iterator[tuple[object, ...]]:
    chosen = set(itertools.product((0, 1, 3, 10), repeat=4))
    dice = random.Random(5)
    for most in (20, 100, 1000):
        chosen |= {tuple(dice.randint(0, most) for _ in range(4)) for _ in range(40)}
    chosen |= {
        (9_000, 1_000, 8_900, 1_100),
        (9_990, 10, 9_970, 30),
        (5_000, 5_000, 5_100, 4_900),
        (50, 0, 9_000, 1_000),
    }
    for a, b, c, d in sorted(chosen):
        yield "fisher", a, b, c, d, float(fisher_exact([[a, b], [c, d]]).pvalue)


def _corrections() -> Iterator[tuple[object, ...]]:
    dice = random.Random(7)
    for count in (1, 2, 3, 5, 10, 40):
        values = [dice.random() ** 4 for _ in range(count)]
        values[count // 2] = values[0]  # equal values must stay equal
        yield "holm", *values, *(float(p) for p in multipletests(values, method="holm")[1])


if __name__ == "__main__":
    text = "".join(" ".join(map(str, row)) + "\n" for row in _rows())
    Path(__file__).with_name("scipy_table.txt").write_text(text)
