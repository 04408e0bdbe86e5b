"""`StatisticalRunner` and `@statistical`: a test that is repeated, because a model does not answer the same twice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from unitai.errors import InvalidArgumentError, shown
from unitai.trials.arguments import Arguments, check_function
from unitai.trials.modes import FailureMode, Parting
from unitai.trials.outcome import Outcome
from unitai.trials.plan import Plan
from unitai.trials.repetition import Repetition
from unitai.trials.result import Interval, StatisticalResult

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["FailureMode", "Interval", "Outcome", "Parting", "StatisticalResult", "StatisticalRunner", "statistical"]

F = TypeVar("F", bound=Callable[..., Any])


class StatisticalRunner:
    """Runs a test as often as the question needs, and says how sure the answer is.

    >>> from unitai import StatisticalRunner
    >>> stats = StatisticalRunner(n=20, threshold=0.8).run(lambda: None)
    >>> print(stats.summary())
    20/20 passed (100.0%)
    20/20, 95% interval 83.2% to 100.0%: enough to claim 80%
    """

    def __init__(
        self,
        n: int | None = None,
        threshold: float | None = None,
        max_workers: int | None = None,
        budget: float | Literal["default"] | None = "default",
        *,
        mode: Literal["all", "early", "sequential"] | None = None,
        alpha: float = 0.05,
        beta: float = 0.05,
        indifference: float | tuple[float, float] = 0.1,
        confidence: float = 0.95,
        retries: int = 2,
        retry_delay: float = 1.0,
        min_runs: int | None = None,
        executor: Executor | None = None,
        progress: bool | None = None,
    ) -> None:
        """What is not given comes from the environment and the project's file (`default_n`, ...).

        Args:
            n: How often the test runs at most; 10 unless given.
            threshold: The share of the runs that must pass, from 0 to 1; 0.95 unless given.
            max_workers: How many runs are under way at a time; 5 unless given.
            budget: US dollars that all runs may cost together, 5.00 unless given; `None` for no limit.
            mode: `"all"`, unless given, makes all runs; `"early"` stops when the outcome cannot change any more, and
                `"sequential"` as soon as pass or fail is settled at the error rates `alpha` and `beta`.
            alpha: How likely a test may pass whose true rate is below the region of indifference.
            beta: How likely a test may fail whose true rate is above it.
            indifference: How far from the threshold either answer is fine: a distance, or the two rates.
            confidence: The confidence of intervals and claims.
            retries: How often a run is tried again that met a rate limit, a broken connection or the like.
            retry_delay: Seconds before the first retry; each further one waits twice as long.
            min_runs: How many runs must come to a verdict; four fifths of `n` unless given.
            executor: Where the runs happen, instead of threads: a process pool, or a cluster.
            progress: Show a line of progress; unless given, on a terminal alone.
        """
        self._plan = plan = Plan.of(
            n=n,
            threshold=threshold,
            max_workers=max_workers,
            budget=budget,
            mode=mode,
            alpha=alpha,
            beta=beta,
            indifference=indifference,
            confidence=confidence,
            retries=retries,
            retry_delay=retry_delay,
            min_runs=min_runs,
            progress=progress,
        )
        self.n = plan.n
        self.threshold = plan.threshold
        self.max_workers = plan.max_workers
        self.budget = plan.budget
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise InvalidArgumentError(
                f"executor must be a concurrent.futures.Executor, not {shown(executor)}",
                remedy="use ProcessPoolExecutor(), or client.get_executor() of Dask",
            )
        self._executor = executor

    def run(self, test_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> StatisticalResult:
        """Runs the test. Each run gets toolkits of its own; everything else that is passed is shared.

        Args:
            test_fn: The test, sync or async. A run passes unless it raises, or returns `False` or a finding that
                does not hold.
            args: Its arguments.
            kwargs: Its arguments by name. A parameter `mock_toolkit` is filled without being asked.
        """
        check_function(test_fn)
        return Repetition(self._plan, test_fn, Arguments(test_fn, args, kwargs), self._executor).result()


def check_options(what: str, options: Iterable[str]) -> None:
    """Refuses options that `StatisticalRunner` does not take, and names the ones that were probably meant."""
    known = list(signature(StatisticalRunner).parameters)
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, n=1)
            raise InvalidArgumentError(
                f"{what} has no argument `{option}`",
                expected=f"some of: {', '.join(known)}",
                remedy=f"did you mean `{near[0]}`?" if near else "take it away",
            )


@overload
def statistical(function: F, /) -> F: ...


@overload
def statistical(
    *,
    n: int | None = None,
    threshold: float | None = None,
    max_workers: int | None = None,
    budget: float | Literal["default"] | None = "default",
    mode: Literal["all", "early", "sequential"] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    indifference: float | tuple[float, float] = 0.1,
    confidence: float = 0.95,
    retries: int = 2,
    retry_delay: float = 1.0,
    min_runs: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Callable[[F], F]: ...


def statistical(function: Any = None, /, **options: Any) -> Any:
    """Repeats a test: it passes if at least `threshold` of its runs do.

    >>> from unitai import statistical
    >>> @statistical(n=20, threshold=0.8)
    ... def test_refund(mock_toolkit):
    ...     result = mock_toolkit.run(lambda input, tools: "refunded", "refund order 123")
    ...     assert result.output_contains("refunded")
    >>> test_refund()

    Args:
        function: The test, where the decorator is used without brackets.
        options: As `StatisticalRunner` takes them: `n`, `threshold`, `budget`, `mode`, ...
    """
    if function is not None:
        return statistical(**options)(function)
    check_options("@statistical", options)
    # Refused where it is written, not where it is run.
    StatisticalRunner(**options)

    def decorate(function: F) -> F:
        check_function(function)

        @wraps(function)
        def repeated(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            stats = StatisticalRunner(**options).run(function, *args, **kwargs)
            repeated.stats = stats  # type: ignore[attr-defined]
            stats.check()

        repeated.__unitai_test__ = function  # type: ignore[attr-defined]
        pytest = sys.modules.get("pytest")
        if pytest is not None:
            # The plugin repeats what is marked, with progress and a report of its own.
            return pytest.mark.unitai_statistical(**options)(repeated)  # type: ignore[no-any-return]
        return repeated  # type: ignore[return-value]

    return decorate
