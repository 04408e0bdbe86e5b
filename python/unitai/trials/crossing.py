"""How a run crosses to another process, and how its outcome comes back.

What crosses is packed here and not left to the executor: what cannot be packed is named before anything runs, and
what cannot be unpacked is told by the process that tried, which dies of it otherwise.
"""

from __future__ import annotations

import gc
import io
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from contextvars import Context
from dataclasses import replace
from importlib import import_module
from operator import attrgetter
from types import FunctionType
from typing import Any, NamedTuple

from unitai._engine import Trajectory, adopt_settings, forget_parent, surroundings, watch_findings
from unitai.errors import InvalidArgumentError
from unitai.traffic.network import block_network
from unitai.trials.attempting import Attempts, Halt
from unitai.trials.funding import Fare
from unitai.trials.metering import Meter
from unitai.trials.outcome import Outcome

__all__ = ["Answer", "do_elsewhere", "do_here", "pack", "unpack"]


class Parcel(NamedTuple):
    """What every run of a test needs."""

    attempts: Attempts
    blocks_network: bool
    #: The settings that stand here.
    settings: str


class Answer(NamedTuple):
    """What came back of a run: its outcome, or what ends the whole test."""

    came: Outcome | BaseException
    #: Dollars that it spent of its lease, if it had one.
    spent: float = 0.0


def pack(attempts: Attempts, executor: Executor) -> bytes:
    """The test, ready to be sent. Raises `InvalidArgumentError` for what cannot be."""
    is_spoken_for, blocks_network, settings = surroundings()
    if is_spoken_for:
        raise InvalidArgumentError(
            "a script or recordings that were opened outside do not reach other processes",
            remedy="open them inside of the test",
        )
    dumps = _dumps_for(executor)
    try:
        return dumps(Parcel(attempts, blocks_network, settings))
    except Exception as error:
        raise _unpackable(attempts, dumps, error) from None


def unpack(data: Any) -> Answer:
    """What `do_elsewhere` gave."""
    answer = pickle.loads(data)
    if not isinstance(answer, Answer):
        raise TypeError(f"the executor gave back {type(answer).__name__}")
    return answer


def do_here(context: Context, attempts: Attempts, index: int, is_wanted: Callable[[], bool]) -> Answer:
    """Does one run in a thread of this process."""
    watch_findings(True)
    try:
        meter = context.run(Meter.here)
        return Answer(context.run(attempts.run, index, is_wanted, None, meter))
    except Halt as halt:
        return Answer(halt.error)
    except BaseException as error:
        return Answer(error)
    finally:
        watch_findings(False)


def do_elsewhere(parcel: bytes, fare: bytes, index: int, stamp: str) -> bytes:
    """Does one run in this process, which need not be the one that asked. Never raises.

    Args:
        parcel: The test.
        fare: What the run may spend.
        index: Which run it is.
        stamp: Different for each call: there are executors that take equal calls for the same.
    """
    del stamp
    try:
        if forget_parent():
            # Nor is the parent's garbage ours: its end may wait for a thread that was not forked along.
            gc.freeze()
        # Nothing that stands around the worker is meant for the run.
        return Context().run(_do, parcel, fare, index)
    except BaseException as error:
        return _packed_error(error, 0.0)


def _do(parcel: bytes, fare: bytes, index: int) -> bytes:
    try:
        attempts, blocks_network, settings = pickle.loads(parcel)
    except Exception as error:
        raise InvalidArgumentError(
            f"the test cannot be loaded in the worker process: {type(error).__name__}: {error}",
            expected="a test whose module the worker can import",
            remedy="put the test's folder on PYTHONPATH, or write the test in a module that is installed",
        ) from None
    money: Fare = pickle.loads(fare)
    adopt_settings(settings)
    own = None
    came: Outcome | BaseException
    watch_findings(True)
    try:
        with ExitStack() as stack:
            if blocks_network:
                stack.enter_context(block_network())
            own = stack.enter_context(money.paying())
            came = attempts.run(index, meter=Meter.here())
    except Halt as halt:
        came = halt.error
    except BaseException as error:
        came = error
    finally:
        watch_findings(False)
    # What is still set aside belongs to calls that nobody waits for; they may be billed.
    spent = 0.0 if own is None else own.spent + own.reserved
    return _packed_error(came, spent) if isinstance(came, BaseException) else _packed_outcome(came, spent)


def _packed_outcome(outcome: Outcome, spent: float) -> bytes:
    try:
        data = pickle.dumps(Answer(outcome, spent))
        pickle.loads(data)
    except Exception:
        # A tool gave or raised an object that stays here. What is written of it can go.
        why = outcome.blame
        if why is not None and why.trajectory is not None:
            why = why._replace(trajectory=_written(why.trajectory))
        trajectories = tuple(_written(trajectory) for trajectory in outcome.trajectories)
        data = pickle.dumps(Answer(replace(outcome, trajectories=trajectories, blame=why), spent))
    return data


def _written(trajectory: Trajectory) -> Trajectory:
    return Trajectory.from_json(trajectory.to_json())


def _packed_error(error: BaseException, spent: float) -> bytes:
    for candidate in _alike(error):
        try:
            data = pickle.dumps(Answer(candidate, spent))
            pickle.loads(data)
        except Exception:
            continue
        return data
    return pickle.dumps(Answer(RuntimeError(f"{type(error).__name__}, which cannot be shown"), spent))


def _alike(error: BaseException) -> Iterator[BaseException]:
    """The error, and what comes near to it: without what cannot cross, then as its nearest base with its text."""
    yield error
    try:
        twin = type(error).__new__(type(error), *error.args)
        twin.__dict__.update({name: value for name, value in vars(error).items() if _crosses(value)})
        text = f"{type(error).__name__}: {error}"
    except Exception:
        return
    yield twin
    for kind in type(error).__mro__[1:]:
        if issubclass(kind, BaseException):
            try:
                yield kind(text)
            except Exception:
                continue


def _crosses(value: Any) -> bool:
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:
        return False
    return True


def _dumps_for(executor: Executor) -> Callable[[Any], bytes]:
    """What packs for this executor: clusters take what they cannot import, too; the processes of a pool do not."""
    if not isinstance(executor, ProcessPoolExecutor):
        try:
            cloudpickle = import_module("cloudpickle")
        except ImportError:
            pass
        else:
            return cloudpickle.dumps  # type: ignore[no-any-return]
    return _dumps


def _dumps(value: Any) -> bytes:
    file = io.BytesIO()
    _Pickler(file).dump(value)
    return file.getvalue()


class _Pickler(pickle.Pickler):
    """Finds functions also under a decorator, which has taken their name."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            depth, found = 0, _named(value)
            while found is not None and found is not value:
                depth, found = depth + 1, getattr(found, "__wrapped__", None)
            if depth and found is value:
                return attrgetter(".".join(["__wrapped__"] * depth)), (_named(value),)
        return NotImplemented


def _named(function: FunctionType) -> Any:
    """What has the name of the function in its module."""
    try:
        return attrgetter(function.__qualname__)(sys.modules[function.__module__])
    except (AttributeError, KeyError):
        return None


def _unpackable(attempts: Attempts, dumps: Callable[[Any], bytes], error: Exception) -> InvalidArgumentError:
    """Names what cannot be sent."""
    what = "the test"
    remedy = "pass what can be pickled, or make it inside of the test"
    for place, (name, value) in enumerate(attempts.parts()):
        try:
            dumps(value)
        except Exception as own:
            what, error = name, own
            if place == 0:
                remedy = "write it as a function at the top of a module, or run it in threads, without executor="
            break
    why = error.message if isinstance(error, InvalidArgumentError) else error
    return InvalidArgumentError(
        f"{what} cannot be sent to another process: {why}",
        expected="what can be pickled: data, and functions and classes at the top of a module",
        remedy=remedy,
    )
