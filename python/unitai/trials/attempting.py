"""One run of a repeated test: tried, tried again where something around it was not as needed, and judged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import isawaitable
from time import monotonic, perf_counter, sleep
from typing import Any

from unitai._engine import AgentRunResult, Finding, permit_live_models, revoke_live_models, unseen_error
from unitai.attempt import Attempt, current
from unitai.errors import CostLimitExceeded, UnpricedModelError
from unitai.runner.inline import Watcher
from unitai.trials.arguments import Arguments
from unitai.trials.blaming import blame, blame_finding, finding_of
from unitai.trials.metering import Meter
from unitai.trials.outcome import Blame, Outcome, Skip
from unitai.trials.own_loop import await_here
from unitai.trials.weather import cause_of

__all__ = ["Attempts", "Halt"]

#: No pause between two attempts is longer, in seconds.
LONGEST_PAUSE = 30.0


class Halt(BaseException):
    """Something that is no outcome of a run: the whole test ends with it."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Attempts:
    """How one run is done. Can be sent to another process."""

    def __init__(self, function: Callable[..., Any], arguments: Arguments, retries: int, retry_delay: float) -> None:
        self._function = function
        self._arguments = arguments
        self._retries = retries
        self._retry_delay = retry_delay
        self._shared = (arguments.args, arguments.kwargs) if arguments.is_shared else None

    def parts(self) -> Iterator[tuple[str, Any]]:
        """What a run is made of, each with its name: the function, then its arguments."""
        yield getattr(self._function, "__qualname__", type(self._function).__name__), self._function
        for place, value in enumerate(self._arguments.args, 1):
            yield f"argument {place}", value
        for name, value in self._arguments.kwargs.items():
            yield f"the argument {name}", value

    def run(
        self,
        index: int,
        is_wanted: Callable[[], bool] = lambda: True,
        watcher: Watcher | None = None,
        meter: Meter | None = None,
    ) -> Outcome:
        """Does one run, in a context of its own. Raises `Halt` for what ends the whole test.

        Args:
            index: Which run it is.
            is_wanted: Whether it is still worth trying again.
            watcher: Who runs agents on this very thread.
            meter: What stands around this run alone: what it has counted meanwhile was paid for this run.
        """
        outcome = self._once(index, watcher)
        retries = 0
        if outcome.verdict == "inconclusive":
            paid = outcome.cost
            while _is_transient(outcome) and retries < self._retries and is_wanted():
                _pause(min(self._retry_delay * 2**retries, LONGEST_PAUSE), is_wanted)
                retries += 1
                outcome = self._once(index, watcher)
                paid = None if paid is None or outcome.cost is None else paid + outcome.cost
            outcome = replace(outcome, cost=paid, retries=retries)
        if meter is not None:
            outcome.unpriced = meter.budget.unpriced_model
        if meter is not None and not meter.purse.is_quiet(meter.last):
            if meter.purse.trouble is not None:
                # Whatever the test made of it, it was not the whole test.
                raise Halt(meter.purse.trouble)
            outcome.cost = _whole_cost(outcome, meter.paid())
        return outcome

    def _once(self, index: int, watcher: Watcher | None) -> Outcome:
        attempt = Attempt(index, watcher)
        current.set(attempt)
        args, kwargs = self._shared or self._arguments.fresh()
        begun = perf_counter()
        # In whatever process: to see what a model does is what tests are repeated for.
        permit_live_models()
        try:
            try:
                returned = self._function(*args, **kwargs)
                if returned is not None and isawaitable(returned):
                    returned = await_here(returned)
            except BaseException as error:
                _leave(attempt, error)
                raise
            if attempt.voices is not None:
                _leave(attempt, None)
            # A test that asserts nothing about it must not pass by what was refused.
            unseen = None
            for result in attempt.results:
                unseen = unseen or unseen_error(result.trajectory)
                if result.error is not None:
                    _check_money(result.error)
        except Halt:
            raise
        except BaseException as error:
            return self._raised(index, error, perf_counter() - begun, attempt.results)
        finally:
            revoke_live_models()
        duration = perf_counter() - begun
        if returned is None and not attempt.results:
            return Outcome(index, "passed", duration)
        if returned is None or not (returned is False or (type(returned) is Finding and not returned)):
            outcome = _outcome(index, "passed", duration, attempt.results, None)
            outcome.unseen = unseen
            return outcome
        why = _RETURNED_FALSE if returned is False else blame_finding(returned)
        return _outcome(index, "failed", duration, attempt.results, why)

    def _raised(self, index: int, error: BaseException, duration: float, results: list[AgentRunResult]) -> Outcome:
        _check_halt(error, results)
        skip = Skip.from_error(error)
        if skip is not None:
            outcome = _outcome(
                index, "inconclusive", duration, results, Blame(skip.kind, skip.text, skip.text, skip.text)
            )
            outcome.skip = skip
            return outcome
        finding = finding_of(error, results)
        cause = cause_of(error, results, finding)
        if cause is None:
            outcome = _outcome(index, "failed", duration, results, blame(error, results, finding))
            outcome.raised = not _is_assertion(error)
            return outcome
        trajectory = results[-1].trajectory if results else None
        lost = Blame(type(error).__name__, cause, cause, cause, trajectory)
        return _outcome(index, "inconclusive", duration, results, lost)


def _is_assertion(error: BaseException) -> bool:
    """Whether a test says by this that something is not as it expects. A group does if any of its errors does."""
    if any(_is_assertion(part) for part in getattr(error, "exceptions", ()) if isinstance(part, BaseException)):
        return True
    outcomes = sys.modules.get("_pytest.outcomes")
    return isinstance(error, AssertionError) or (outcomes is not None and isinstance(error, outcomes.Failed))


_RETURNED_FALSE = Blame("returned", "returned False", "the test returned False", "  The test returned False.")


def _check_halt(error: BaseException, results: list[AgentRunResult]) -> None:
    """Lets through what is no outcome: Ctrl-C, the end of pytest, money that is spent."""
    outcomes = sys.modules.get("_pytest.outcomes")
    if outcomes is not None and isinstance(error, outcomes.Exit):
        raise Halt(error)
    if isinstance(error, KeyboardInterrupt):
        raise Halt(error)
    for shown in (error, *(result.error for result in results)):
        _check_money(shown)


def _check_money(error: BaseException | None) -> None:
    # What stands around all runs is gone for all of them; a toolkit's own budget is a matter of its run.
    if isinstance(error, CostLimitExceeded) and error.whose != "the toolkit":
        raise Halt(error)
    # With a budget and no price nothing can be paid, however often it is tried.
    if isinstance(error, UnpricedModelError):
        raise Halt(error)


def _is_transient(outcome: Outcome) -> bool:
    """Whether another attempt may decide what this one did not. A skip would skip again."""
    return outcome.verdict == "inconclusive" and outcome.skip is None


def _pause(seconds: float, is_wanted: Callable[[], bool]) -> None:
    """Waits, but not for what nobody needs any more."""
    until = monotonic() + seconds
    while is_wanted() and (left := until - monotonic()) > 0:
        sleep(min(left, 0.05))


def _whole_cost(outcome: Outcome, paid: float) -> float | None:
    """What a run cost: its trajectories, and what was paid for calls outside of them. Replayed calls cost what they
    cost once, and nobody paid for them again.
    """
    if outcome.cost is None:
        return None
    steps = [step for trajectory in outcome.trajectories for step in trajectory.steps if step.source == "replay"]
    replayed = sum(step.cost or 0.0 for step in steps)
    return max(outcome.cost, paid + replayed)


def _leave(attempt: Attempt, error: BaseException | None) -> None:
    """Leaves what was entered for the attempt, the last one first. Raises what is wrong with it."""
    trouble: BaseException | None = None
    voices, attempt.voices = attempt.voices or [], None
    while voices:
        # One that is wrong must not keep the others open: they would speak in later tests.
        try:
            voices.pop().__exit__(None if error is None else type(error), error, None)
        except BaseException as wrong:
            trouble = trouble or wrong
    if trouble is not None:
        raise trouble


def _outcome(index: int, verdict: Any, duration: float, results: list[AgentRunResult], why: Blame | None) -> Outcome:
    if not results:
        return Outcome(index, verdict, duration, blame=why)
    cost: float | None = 0.0
    tokens: int | None = 0
    for result in results:
        if not result.llm_calls:
            continue
        try:
            cost = None if cost is None else cost + result.total_cost
        except Exception:
            cost = None
        try:
            tokens = None if tokens is None else tokens + result.total_tokens
        except Exception:
            tokens = None
    trajectories = tuple([result.trajectory for result in results])
    return Outcome(index, verdict, duration, trajectories, cost, tokens, why)
