"""A later run beside an earlier one, test by test: what got worse, what got better, and what chance may explain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from unitai._engine import compare_counts, normalised_message
from unitai.errors import InvalidArgumentError, shown

if TYPE_CHECKING:
    from unitai.trials.baseline import Sample

__all__ = ["Comparison", "Comparisons", "compare"]


class Comparison(NamedTuple):
    """One test before and after."""

    #: The test's id.
    test: str
    #: Which way its pass rate has moved, as far as there is evidence.
    verdict: Literal["regressed", "improved", "no evidence"]
    #: How often chance alone makes a difference as unlikely as this one (Fisher's exact test, two-sided).
    p_value: float
    #: The same, corrected for the number of tests compared (Holm). The verdict goes by it.
    adjusted_p: float
    #: How the test did then.
    before: Sample
    #: How it did now.
    after: Sample
    #: Ways of failing that the baseline does not know, with how many runs failed so.
    new_modes: dict[str, int]

    @property
    def approximate(self) -> bool:
        """Whether runs of either side may have been stopped early, so that their counts are no fair sample."""
        return self.before.mode != "all" or self.after.mode != "all"

    def __str__(self) -> str:
        return "\n".join([self._line(), *self.notes()])

    def _line(self) -> str:
        change = f"{self.verdict}: {plain(self.test)}: {self.before.rate} before, {self.after.rate} now"
        return f"{change} (p = {_p(self.p_value)}, adjusted {_p(self.adjusted_p)})"

    def notes(self) -> Iterator[str]:
        """What else is worth knowing, a line each."""
        for text, count in sorted(self.new_modes.items(), key=lambda mode: -mode[1]):
            yield f"  new: {count}x {plain(text)}"
        if self.approximate:
            yield "  approximate: runs were stopped early"


class Comparisons(list[Comparison]):
    """All tests that two runs have in common. As text, a table."""

    def __init__(self, found: Iterable[Comparison], new: Iterable[str], missing: Iterable[str]) -> None:
        super().__init__(found)
        #: Tests that the baseline does not have.
        self.new = list(new)
        #: Tests of the baseline that were not run.
        self.missing = list(missing)

    @property
    def regressed(self) -> list[Comparison]:
        """Tests that got worse."""
        return [found for found in self if found.verdict == "regressed"]

    @property
    def improved(self) -> list[Comparison]:
        """Tests that got better."""
        return [found for found in self if found.verdict == "improved"]

    @property
    def unchanged(self) -> list[Comparison]:
        """Tests of which nothing can be said."""
        return [found for found in self if found.verdict == "no evidence"]

    def table(self) -> str:
        """All of it for people."""
        rows = [("test", "before", "now", "p", "adjusted", "verdict")]
        rows += [
            (plain(one.test), one.before.rate, one.after.rate, _p(one.p_value), _p(one.adjusted_p), one.verdict)
            for one in self
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows] if self else []
        for number, one in reversed(list(enumerate(self, start=1))):
            lines[number + 1 : number + 1] = one.notes()
        lines += [f"new, not in the baseline: {plain(test)}" for test in self.new]
        lines += [f"in the baseline, not run: {plain(test)}" for test in self.missing]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()


def compare(before: Mapping[str, Sample], after: Mapping[str, Sample], alpha: float) -> Comparisons:
    """Compares what both sides have. Of all tests that have not changed, with a probability of at most `alpha` even
    one is said to have.
    """
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InvalidArgumentError(f"alpha must be a number between 0 and 1, not {shown(alpha)}")
    common = [test for test in after if test in before]
    # A side without a run says nothing, and must not make the others need more evidence.
    judged = [test for test in common if before[test].n and after[test].n]
    pairs = [(before[test].counts, after[test].counts) for test in judged]
    verdicts = dict(zip(judged, compare_counts(pairs, float(alpha)), strict=True))
    nothing: tuple[Literal["no evidence"], float, float] = ("no evidence", 1.0, 1.0)
    return Comparisons(
        [
            Comparison(test, *verdicts.get(test, nothing), before[test], after[test], _new(before[test], after[test]))
            for test in common
        ],
        new=[test for test in after if test not in before],
        missing=[test for test in before if test not in after],
    )


def _new(before: Sample, after: Sample) -> dict[str, int]:
    """The ways of failing that were not there before. What differs each time does not make a way new."""
    known = {normalised_message(text) for text in before.failure_modes}
    return {text: count for text, count in after.failure_modes.items() if normalised_message(text) not in known}


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}"


def plain(text: str) -> str:
    """Foreign text on one line, which cannot command a terminal."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= 300 else text[:299] + "…"
