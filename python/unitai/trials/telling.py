"""A repeated test in words: the few lines of its summary, and the report of one that failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unitai._engine import shown_dollars

if TYPE_CHECKING:
    from unitai.trials.result import StatisticalResult

__all__ = ["headline", "raised", "report", "summary"]


def summary(result: StatisticalResult) -> str:
    """A few lines: the rate, the ways of failing, what is proven, what it cost."""
    is_rate = result.verdict != "error"
    lines = [f"{result.passed}/{result.n} passed ({result.pass_rate:.1%})" if is_rate else headline(result)]
    if result.modes:
        lines.append("Failure modes:")
        lines += [f"  - {mode.count}x: {mode.text}" for mode in result.modes]
    return "\n".join([*lines, *_rest(result)])


def headline(result: StatisticalResult) -> str:
    """One line, for where there is room for one."""
    if result.verdict == "inconclusive":
        return f"inconclusive: {why(result)}"
    if result.verdict == "error":
        return raised(result)
    return f"{result.passed}/{result.n} runs passed ({result.pass_rate:.1%}), {result.threshold:.1%} required"


def report(result: StatisticalResult, colour: bool) -> str:
    """What a person reads when a repeated test did not pass."""

    def heading(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if colour else text

    rate = f"{result.passed}/{result.n} ({result.pass_rate:.1%})" if result.n else "no run counts"
    rate += f" — required: {result.threshold:.1%}"
    title, text = ("Error:", raised(result)) if result.verdict == "error" else ("Pass rate:", rate)
    lines = [f"  {heading(title)} {text}"]
    if result.modes:
        lines += ["", f"  {heading('Failure modes:')}"]
        for mode in result.modes:
            lines.append(f"    {mode.count}x — {mode.text}")
            if mode.parting is not None:
                lines.append(f"         {mode.parting}")
    rest = [f"  {line}" for line in _rest(result)]
    lines += [*(["", *rest] if rest else []), "", f"  {heading('Cost:')} {_cost(result)}"]
    if result.modes:
        first = result.modes[0]
        lines += ["", f"  {heading(f'The first of them, run {first.runs[0] + 1}:')}", "", first.report]
    return "\n".join(lines)


def _rest(result: StatisticalResult) -> Iterator[str]:
    if result.n and result.verdict != "error":
        yield result.claim
    yield from _lost(result)
    if result.verdict == "inconclusive":
        yield f"Inconclusive: {why(result)}"
    stopped = why_stopped(result)
    if stopped is not None:
        yield stopped
    if result.surplus:
        yield f"{_runs(len(result.surplus))} under way when it was settled: not counted"
    if result.verdict == "passed":
        yield from result.notes


def _lost(result: StatisticalResult) -> Iterator[str]:
    if result.inconclusive:
        causes = "; ".join(f"{count}x {cause}" for cause, count in result.causes.items())
        yield f"{_runs(result.inconclusive)} inconclusive, not counted: {causes}"
    if result.retries:
        yield f"{result.retries} {'retry' if result.retries == 1 else 'retries'} for such reasons"


def why_stopped(result: StatisticalResult) -> str | None:
    """Why fewer runs were made than were asked for."""
    runs = f"after {len(result.runs)} of {result.planned} runs"
    if len(result.runs) == result.planned:
        return None
    if result.ended_by is not None:
        return f"Stopped {runs}: {result.ended_by}"
    if result.verdict == "inconclusive":
        return f"Stopped {runs}: the others could not settle it"
    if not result.saved_runs:
        return f"Settled {runs}"
    saved = f"Settled {runs}: {_runs(result.saved_runs)} saved"
    return f"{saved}, about {shown_dollars(result.saved_cost)}" if result.saved_cost else saved


def raised(result: StatisticalResult) -> str:
    """Why runs that failed are no rate."""
    return f"{result.failed} of {_runs(result.n)} raised, and no assertion failed: this is no pass rate of the agent"


def why(result: StatisticalResult) -> str:
    """Why there is no verdict."""
    if not result.n:
        return "no run came to a verdict"
    if result.inconclusive:
        return f"only {result.n} of {result.planned} runs came to a verdict"
    return (
        f"{_runs(result.n)} {'settles' if result.n == 1 else 'settle'} neither a pass nor a failure at error rates of"
        f" {result.plan.alpha:g} and {result.plan.beta:g}"
    )


def _cost(result: StatisticalResult) -> str:
    runs = _runs(len(result.runs) + len(result.surplus))
    try:
        return f"{shown_dollars(result.total_cost)} total across {runs}"
    except Exception:
        return f"unknown in part; {shown_dollars(result.known_cost)} known, across {runs}"


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"
