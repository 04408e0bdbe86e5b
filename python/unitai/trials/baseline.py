"""`Baseline`: how repeated tests did, kept in a file, so that a later run can be compared with it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from time import time
from typing import Any, Literal, NamedTuple

from unitai._engine import BaselineFile, __version__, clean, project_folder
from unitai.errors import InvalidArgumentError, UnpricedModelError, shown
from unitai.trials.comparison import Comparison, Comparisons, compare
from unitai.trials.result import StatisticalResult

__all__ = ["Baseline", "Comparison", "Comparisons", "Sample"]


class Sample(NamedTuple):
    """How one repeated test did: counts, and nothing that an agent did."""

    passed: int
    failed: int
    #: Runs that decided nothing; they count nowhere.
    inconclusive: int
    #: The pass rate that was required.
    threshold: float
    #: When the runs were to end. Only those of `"all"` are a fair sample.
    mode: Literal["early", "all", "sequential"]
    #: US dollars of all runs; `None` when unknown.
    cost: float | None
    #: How many runs failed in which way.
    failure_modes: dict[str, int]
    #: When it was saved, in seconds since the epoch.
    saved_at: int

    @staticmethod
    def of(stats: StatisticalResult) -> Sample:
        """What is kept of a result."""
        try:
            cost = round(stats.total_cost, 9)
        except UnpricedModelError:
            cost = None
        # Where runs only raised, none of them says anything about the rate.
        passed, failed = (0, 0) if stats.verdict == "error" else (stats.passed, stats.failed)
        return Sample(
            passed=passed,
            failed=failed,
            inconclusive=stats.n + stats.inconclusive - passed - failed,
            threshold=stats.threshold,
            # Runs that something ended are no fair sample either, whatever their plan was.
            mode="early" if stats.plan.mode == "all" and stats.stopped is not None else stats.plan.mode,
            cost=cost,
            failure_modes={_text(mode): count for mode, count in stats.failure_modes.items()},
            saved_at=int(time()),
        )

    @property
    def n(self) -> int:
        """Runs that count: those that passed or failed."""
        return self.passed + self.failed

    @property
    def counts(self) -> tuple[int, int]:
        """Runs that passed, and runs that failed."""
        return self.passed, self.failed

    @property
    def pass_rate(self) -> float:
        """`passed / n`; 0 when no run counts."""
        return self.passed / self.n if self.n else 0.0

    @property
    def rate(self) -> str:
        """The same for people."""
        return f"{self.passed}/{self.n} ({self.pass_rate:.1%})"


#: What can be compared and kept: one result, several, or several by the ids of their tests.
Results = StatisticalResult | Iterable[StatisticalResult] | Mapping[str, StatisticalResult | Sample]


class Baseline:
    """How repeated tests did.

    >>> import random, tempfile
    >>> from unitai import Baseline, StatisticalRunner
    >>> def test_refund(rate=1.0, chance=random.Random(7)):
    ...     assert chance.random() < rate
    >>> runner = StatisticalRunner(n=20, threshold=0.5, mode="all")
    >>> path = tempfile.mkdtemp() + "/main.json"
    >>> runner.run(test_refund).save(path)
    >>> runner.run(test_refund, rate=0.3).compare(path).verdict
    'regressed'
    """

    def __init__(self, results: Results = (), *, name: str | os.PathLike[str] = "") -> None:
        """
        Args:
            results: The tests to begin with.
            name: Where it is to be saved: a name, which is a file in `tests/baselines`, or a path.
        """
        #: The tests by their ids. What is taken out here is gone when it is saved.
        self.tests: dict[str, Sample] = _samples(results)
        #: Where it was read, or is to be saved.
        self.name = name
        #: When it was saved last, in seconds since the epoch; `None` when it never was.
        self.saved_at: int | None = None
        #: The release that saved it.
        self.unitai_version: str = __version__

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> Baseline:
        """Reads a baseline. Raises `BaselineError` if it is not there, damaged, or of a newer release.

        Args:
            name: Its name, or the path of its file.
        """
        found = json.loads(locate(name).read())
        baseline = cls(name=name)
        baseline.tests = {test: Sample(**{"cost": None, **said}) for test, said in found["tests"].items()}
        baseline.saved_at, baseline.unitai_version = found["saved_at"], found["unitai"]
        return baseline

    def save(self, name: str | os.PathLike[str] | None = None) -> None:
        """Writes this baseline in place of the one that was there.

        Args:
            name: Its name, or the path of its file; where it was read, unless given.
        """
        locate(self.name if name is None else name).write(self._document())

    def add(self, name: str | os.PathLike[str] | None = None) -> None:
        """Adds these tests to the baseline of that name, in place of those with the same ids. The others stay.

        Args:
            name: Its name, or the path of its file; where it was read, unless given.
        """
        locate(self.name if name is None else name).add(self._document())

    def compare(self, results: Results, alpha: float = 0.05) -> Comparisons:
        """Compares later results with this, test by test.

        Args:
            results: One result, several, or several by the ids of their tests.
            alpha: How likely even one test that has not changed may be said to have.
        """
        return compare(self.tests, _samples(results), alpha)

    def _document(self) -> str:
        tests = {
            test: {name: value for name, value in sample._asdict().items() if value is not None}
            for test, sample in self.tests.items()
        }
        document = {"format": "unitai.baseline", "version": 1, "unitai": __version__, "saved_at": int(time())}
        return json.dumps({**document, "tests": tests})

    def __repr__(self) -> str:
        return clean(f"<Baseline {os.fspath(self.name)}: {len(self.tests)} tests>")


def compared(
    result: StatisticalResult, baseline: Baseline | str | os.PathLike[str], test: str, alpha: float
) -> Comparison:
    """One result beside what a baseline says of its test. Raises `InvalidArgumentError` if that is nothing."""
    if not isinstance(baseline, Baseline):
        baseline = Baseline.load(baseline)
    found = baseline.compare({test: result}, alpha)
    if not found:
        raise InvalidArgumentError(
            f"the baseline {os.fspath(baseline.name)} has no test {shown(test)}",
            expected=f"one of: {shown(sorted(baseline.tests))}" if baseline.tests else None,
            remedy="save this one first, or say what it was kept under with test=...",
        )
    return found[0]


def _samples(results: Results) -> dict[str, Sample]:
    if isinstance(results, StatisticalResult):
        results = [results]
    named = list(results.items()) if isinstance(results, Mapping) else [(one.name, one) for one in _each(results)]
    samples: dict[str, Sample] = {}
    for name, result in named:
        if not isinstance(name, str) or not name:
            raise InvalidArgumentError(f"the id of a test is a text, not {shown(name)}")
        if not isinstance(result, (StatisticalResult, Sample)):
            raise InvalidArgumentError(f"a baseline holds results of StatisticalRunner.run(), not {shown(result)}")
        test = _text(name)
        if test in samples:
            raise InvalidArgumentError(
                f"two results are of a test named {shown(test)}", remedy="give them ids of their own: {id: result, ...}"
            )
        samples[test] = result if isinstance(result, Sample) else Sample.of(result)
    return samples


def _each(results: Any) -> list[StatisticalResult]:
    found = list(results) if isinstance(results, Iterable) else [results]
    for result in found:
        if not isinstance(result, StatisticalResult):
            raise InvalidArgumentError(f"a baseline holds results of StatisticalRunner.run(), not {shown(result)}")
    return found


def _text(text: str) -> str:
    """A text as the file has it: half of a character is none, and a secret is not kept."""
    return clean(text.encode("utf-8", "backslashreplace").decode())


def locate(name: Any) -> BaselineFile:
    """The file of a baseline, by its name or its path. Raises `InvalidArgumentError` for what is neither."""
    if isinstance(name, os.PathLike):
        return BaselineFile.at(os.fspath(name))
    if not isinstance(name, str):
        raise InvalidArgumentError(f"a baseline has a name or a path, not {shown(name)}")
    return BaselineFile(name, project_folder())
