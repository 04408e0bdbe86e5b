"""What a bench hands back: tables for the eye, goals with a yes or no, and the raw figures."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measure import Spread


@dataclass(frozen=True)
class Goal:
    """A figure that has a limit."""

    figure: str
    #: `None` where it could not be measured.
    value: float | None
    limit: float
    unit: str

    @property
    def verdict(self) -> str:
        """Whether the limit is kept."""
        if self.value is None:
            return "not measured"
        return "yes" if self.value <= self.limit else "NO"


@dataclass(frozen=True)
class Table:
    """Rows of text under a title."""

    title: str
    header: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """The table as a reader pastes it into a document."""
        lines = [f"### {self.title}", "", _line(self.header), _line(["---"] * len(self.header))]
        return "\n".join([*lines, *(_line(row) for row in self.rows)])


@dataclass
class Report:
    """All that one bench found."""

    bench: str
    tables: list[Table] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def save(self, folder: Path, about: str) -> None:
        """Writes the raw figures beside those of the other benches."""
        folder.mkdir(exist_ok=True)
        goals = [{**asdict(goal), "verdict": goal.verdict} for goal in self.goals]
        text = json.dumps(
            {"bench": self.bench, "about": about, "goals": goals, "figures": self.figures}, indent=1, default=_plain
        )
        (folder / f"{self.bench}.json").write_text(text + "\n")


def goals_table(goals: list[Goal]) -> Table:
    """Every goal on one page."""
    rows = [
        [goal.figure, number(goal.value), f"{number(goal.limit)} {goal.unit}".strip(), goal.verdict] for goal in goals
    ]
    return Table("Goals", ["figure", "measured", "at most", "met"], rows)


def number(value: float | None) -> str:
    """A number with as many digits as can be meant."""
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 1 else f"{value:.3f}"


def spread(figure: Spread | None) -> str:
    """The middle with what lies around it."""
    return "-" if figure is None else f"{number(figure.middle)} [{number(figure.low)} to {number(figure.high)}]"


def ratio(value: float | None, base: float | None) -> str:
    """How many times the base."""
    return "-" if value is None or not base else f"{value / base:.2f}x"


def over(value: float | None, base: float | None) -> float | None:
    """The ratio itself, for a goal."""
    return None if value is None or not base else value / base


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(value: object) -> object:
    return asdict(value) if isinstance(value, Spread) else str(value)
