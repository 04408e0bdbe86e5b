"""Goal 9: what a repeated test costs besides its runs; and how many live runs a sequential verdict saves.

The cases themselves are in cases/statistical.py; they run in the environment of their product.
"""

from __future__ import annotations

import statistics
from typing import Any

from cases.statistical import CASES, DOCUMENTED, FIXED, LOOP, OURS, RATES, RUNS, THRESHOLD, TRIVIAL
from lab import Lab
from measure import Spread, answer, instructions_per_loop, interleaved, progress, worker
from report import Goal, Report, Table, number, spread

#: The two loops between which instructions are counted.
FEW, MANY = 500, 1500
#: Repeated tests of one kind in the second part.
SERIES = 200
#: Microseconds of CPU that a run may cost over the function, and with all that is documented.
LIMITS = {TRIVIAL: 3.0, DOCUMENTED: 15.0}


def measure(lab: Lab) -> Report:
    """CPU and instructions of a run; and how many runs a verdict takes."""
    names = [name for name, (environment, _) in CASES.items() if lab.has(environment)]
    counts = {name: _instructions(lab, name) for name in names}
    cases = {name: lambda name=name: answer(_command(lab, name, RUNS))["us"] for name in names}
    samples = interleaved(cases, max(7, lab.rounds), "statistical")
    times = {name: Spread.of(each) for name, each in samples.items()}
    added = {
        name: [ours - base for ours, base in zip(each, samples[LOOP], strict=True)] for name, each in samples.items()
    }
    rows = [[name, spread(times[name]), spread(Spread.of(added[name])), number(counts[name])] for name in names]
    cost = Table(
        f"A run of {RUNS} of one test, mode all, interval included",
        ["case", "CPU us a run", "over the loop", "instructions a run"],
        rows,
    )
    progress(f"statistical: {SERIES} series at each rate")
    found = answer(worker(lab.pythons["clients"], "cases/statistical.py", "sequential", SERIES))
    goals = [
        Goal(f"a run, {kind}: lower quartile", Spread.of(added[f"{OURS}, {kind}"]).low, limit, "us over the loop")
        for kind, limit in LIMITS.items()
    ]
    goals += [
        Goal(f"sequential, true rate {rate:.0%}: runs", _mean(found, f"sequential {rate}") / FIXED, 0.5, f"x n={FIXED}")
        for rate in RATES
    ]
    figures = {"us": samples, "instructions": counts, "runs": found}
    return Report("statistical", [cost, _runs(found)], goals, figures)


def _runs(found: dict[str, Any]) -> Table:
    rows = []
    for rate in RATES:
        for mode in ("early", "sequential"):
            mean, right = _mean(found, f"{mode} {rate}"), _mean(found, f"{mode} {rate} right")
            rows.append([f"{rate:.0%}", mode, f"{mean:.1f}", f"{mean / FIXED:.2f}x", f"{right:.1%}"])
    title = f"Live runs until a verdict: threshold {THRESHOLD:.0%}, n={FIXED}, a scripted model, {SERIES} series each"
    return Table(title, ["true rate", "mode", "runs on average", "x n", "right verdicts"], rows)


def _mean(found: dict[str, Any], key: str) -> float:
    return statistics.fmean(found[key])


def _command(lab: Lab, name: str, *arguments: object) -> list[str]:
    return worker(lab.pythons[CASES[name][0]], "cases/statistical.py", name, *arguments)


def _instructions(lab: Lab, name: str) -> float | None:
    progress(f"statistical: instructions, {name}")
    return instructions_per_loop(_command(lab, name), FEW, MANY)
