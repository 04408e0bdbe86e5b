"""The mathematics of repeated tests, beside SciPy's."""

from __future__ import annotations

import itertools

import pytest

from unitai._engine import Series, compare_counts, pass_at_k, pass_hat_k, wilson

GRID = [
    (passed, n, confidence)
    for n in (1, 2, 3, 7, 10, 19, 50, 100, 333, 1000, 10_000)
    for passed in sorted({0, 1, n // 3, n // 2, n - 1, n})
    for confidence in (0.5, 0.8, 0.95, 0.999)
]


@pytest.fixture
def scipy_stats():
    """Loaded for who asks: it takes longer than all other modules of the unit tests."""
    return pytest.importorskip("scipy.stats")


def series(n, threshold=0.9, **options):
    usual = {"alpha": 0.05, "beta": 0.05, "indifference": 0.1, "confidence": 0.95, "min_runs": None, "abreast": n}
    return Series(n, threshold, **{**usual, **options})


def exact(passed, n, confidence):
    """The interval as a result tells it."""
    return series(n, mode="all", confidence=confidence).claim(passed, n - passed, 0)[1:3]


@pytest.mark.parametrize(("ours", "method"), [(exact, "exact"), (wilson, "wilson")])
def test_intervals_are_those_of_scipy(ours, method, scipy_stats):
    for passed, n, confidence in GRID:
        theirs = scipy_stats.binomtest(passed, n).proportion_ci(confidence, method)
        assert ours(passed, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9), (
            passed,
            n,
            confidence,
        )


def test_a_change_is_judged_by_the_p_value_of_scipy(scipy_stats):
    for table in itertools.product((0, 1, 3, 8, 20), repeat=4):
        a, b, c, d = table
        theirs = scipy_stats.fisher_exact([[a, b], [c, d]]).pvalue
        ((_, ours, _),) = compare_counts([((a, b), (c, d))], 0.05)
        assert ours == pytest.approx(theirs, abs=1e-9, rel=1e-9), table


def test_pass_at_k_and_pass_hat_k_are_hypergeometric(scipy_stats):
    for n, passed in ((5, 0), (5, 2), (5, 5), (40, 31)):
        for k in (1, 2, 5):
            drawn = scipy_stats.hypergeom(n, passed, k)
            assert pass_hat_k(passed, n, k) == pytest.approx(drawn.pmf(k), abs=1e-12)
            assert pass_at_k(passed, n, k) == pytest.approx(1 - drawn.pmf(0), abs=1e-12)
    assert pass_at_k(1, 3, 4) is None
    assert pass_hat_k(1, 3, 0) is None


@pytest.mark.parametrize(
    ("threshold", "indifference", "n"), [(0.8, 0.1, 50), (0.9, 0.05, 80), (0.95, 0.1, 60), (0.5, (0.3, 0.7), 40)]
)
def test_error_rates_of_sequential_tests_keep_their_bounds(threshold, indifference, n, scipy_stats):
    alpha, beta, cases = 0.05, 0.05, 2500
    low, high = (
        indifference
        if isinstance(indifference, tuple)
        else (threshold - indifference, threshold + min(indifference, (1 - threshold) / 2))
    )
    for rate, wrong, bound in ((low, "passed", alpha), (high, "failed", beta)):
        draws = scipy_stats.bernoulli(rate).rvs((cases, n), random_state=n).astype(bool)
        errors = 0
        for draw in draws:
            runs = series(n, threshold, mode="sequential", alpha=alpha, beta=beta, indifference=indifference)
            while (run := runs.next()) is not None:
                runs.settle(run, "passed" if draw[run] else "failed")
            errors += runs.verdict() == wrong
        # More than this is not chance in one of ten thousand tests.
        assert errors <= scipy_stats.binom(cases, bound).ppf(0.9999), f"{errors / cases:.3f} at a rate of {rate}"
