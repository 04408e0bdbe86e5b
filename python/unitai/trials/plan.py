"""What is asked of a repeated test, and whether it makes sense."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from unitai._engine import Budget, Series, project_folder, statistics_settings
from unitai.errors import InvalidArgumentError, shown

__all__ = ["Plan"]


class Plan(NamedTuple):
    """What is asked of a repeated test. Made by `Plan.of`, which refuses what makes no sense."""

    n: int
    threshold: float
    max_workers: int
    budget: float | None
    #: Whether nobody has said the budget. It lets models without a price through then.
    is_default_budget: bool = False
    mode: Literal["all", "early", "sequential"] = "all"
    alpha: float = 0.05
    beta: float = 0.05
    indifference: float | tuple[float, float] = 0.1
    confidence: float = 0.95
    retries: int = 2
    retry_delay: float = 1.0
    min_runs: int | None = None
    progress: bool | None = None
    #: Whether the test says `n` or the threshold itself. What they cannot show is its own matter then.
    is_own: bool = True

    @staticmethod
    def of(**given: Any) -> Plan:
        """The plan that was written down. Raises `InvalidArgumentError` for what makes no sense."""
        n, threshold, workers, budget = given["n"], given["threshold"], given["max_workers"], given["budget"]
        mode, is_own = given["mode"], (n, threshold) != (None, None)
        is_default_budget = False
        if None in (n, threshold, mode, workers) or budget == "default":
            usual = statistics_settings(project_folder())
            usual_n, usual_threshold, usual_mode, usual_workers, usual_budget, is_unsaid = usual
            n = usual_n if n is None else n
            threshold = usual_threshold if threshold is None else threshold
            mode = usual_mode if mode is None else mode
            workers = min(_whole("n", n, 1), usual_workers) if workers is None else workers
            if budget == "default":
                budget, is_default_budget = usual_budget, is_unsaid
        plan = Plan(
            n=_whole("n", n, 1),
            threshold=_number("threshold", threshold, 0, 1),
            max_workers=_whole("max_workers", workers, 1),
            budget=None if budget is None else _dollars(budget),
            is_default_budget=is_default_budget,
            mode=mode,
            alpha=_number("alpha", given["alpha"], 0, 1),
            beta=_number("beta", given["beta"], 0, 1),
            indifference=_indifference(given["indifference"]),
            confidence=_number("confidence", given["confidence"], 0, 1),
            retries=_whole("retries", given["retries"], 0),
            retry_delay=_number("retry_delay", given["retry_delay"], 0, 3600),
            min_runs=None if given["min_runs"] is None else _whole("min_runs", given["min_runs"], 1),
            progress=given["progress"],
            is_own=is_own,
        )
        plan.series()
        return plan

    def series(self, workers: int | None = None) -> Series:
        """The runs to be done, so many at once, in the engine, which decides when there have been enough."""
        return Series(
            self.n,
            self.threshold,
            mode=self.mode,
            alpha=self.alpha,
            beta=self.beta,
            indifference=self.indifference,
            confidence=self.confidence,
            min_runs=self.min_runs,
            abreast=self.max_workers if workers is None else workers,
        )


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 10**9:
        raise InvalidArgumentError(f"{name} must be a whole number of at least {least}, not {shown(value)}")
    return value


def _number(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise InvalidArgumentError(f"{name} must be a number from {least:g} to {most:g}, not {shown(value)}")
    return float(value)


def _dollars(value: Any) -> float:
    if isinstance(value, Budget):
        # Its limit alone would be obeyed, and not what others spend of it.
        raise InvalidArgumentError("budget must be an amount of dollars, not a Budget", remedy="use spending(budget)")
    return Budget(_number("budget", value, 0, 1_000_000)).limit


def _indifference(value: Any) -> float | tuple[float, float]:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        low, high = (_number("indifference", part, 0, 1) for part in value)
        return low, high
    return _number("indifference", value, 0, 1)
