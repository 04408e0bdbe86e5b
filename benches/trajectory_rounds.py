"""Times operations on trajectories of three sizes: ours, the peers' and the floors in the same rounds."""

from __future__ import annotations

from lab import Lab
from measure import Spread, answer, interleaved, worker
from report import Table, number, over, ratio

SIZES = (10, 1_000, 100_000)

#: The make of a trajectory and the environment that it needs have one name.
MAKES = ("unitai", "plain", "trajai")
FLOOR = "bare Rust"

#: Microseconds by size, operation and make.
Figures = dict[int, dict[str, dict[str, Spread]]]


def take(lab: Lab, operations: list[str], what: str) -> Figures:
    """Every make and the floors, once a round, for each size."""
    figures: Figures = {}
    for size in SIZES:
        cases = {
            make: lambda make=make, size=size: answer(
                worker(lab.pythons[make], "cases/trajectories.py", make, size, *operations)
            )
            for make in MAKES
            if lab.has(make)
        }
        cases[FLOOR] = lambda size=size: answer([str(lab.floors), str(size)])
        samples = interleaved(cases, lab.rounds, f"{what}, {size:,} steps")
        figures[size] = {
            operation: {
                make: Spread.of([sample[operation] for sample in taken])
                for make, taken in samples.items()
                if operation in taken[0]
            }
            for operation in operations
        }
    return figures


def middle(figures: Figures, size: int, operation: str, make: str = "unitai") -> float | None:
    """One figure, or nothing where it was not taken."""
    found = figures[size].get(operation, {}).get(make)
    return found.middle if found else None


def table(title: str, figures: Figures) -> Table:
    """A row for each operation and size."""
    rows = []
    for operation in figures[SIZES[0]]:
        for size in SIZES:
            ours, floor, plain, trajai = (
                middle(figures, size, operation, make) for make in ("unitai", FLOOR, "plain", "trajai")
            )
            row = [operation, f"{size:,}", number(ours), number(floor), ratio(ours, floor)]
            rows.append([*row, number(plain), ratio(plain, ours), number(trajai), ratio(trajai, ours)])
    header = ["operation", "steps", "unitai us", "bare Rust us", "x bare Rust"]
    return Table(title, [*header, "plain Python us", "x unitai", "trajai us", "x unitai"], rows)


def over_floor(figures: Figures, size: int, operation: str) -> float | None:
    """How many times the floor."""
    return over(middle(figures, size, operation), middle(figures, size, operation, FLOOR))
