"""Measures UnitAI beside its peers and its floors: `make bench`.

Prints a Markdown table for each bench and the goals with a yes or no, and writes the raw figures to
benches/results. Progress goes to standard error, so that the tables can be redirected.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
from pathlib import Path

import adapter_cost
import checks
import command_start
import gateway
import html_report
import import_cost
import json_round_trip
import lab
import lint
import measure
import mocked_call
import model_call
import pytest_cost
import replay
import report
import statistical
import yaml_tests

BENCHES = {
    "mocked_call": mocked_call.measure,
    "checks": checks.measure,
    "json_round_trip": json_round_trip.measure,
    "import_cost": import_cost.measure,
    "command_start": command_start.measure,
    "pytest_cost": pytest_cost.measure,
    "model_call": model_call.measure,
    "replay": replay.measure,
    "gateway": gateway.measure,
    "statistical": statistical.measure,
    "html_report": html_report.measure,
    "yaml_tests": yaml_tests.measure,
    "lint": lint.measure,
    "adapter_cost": adapter_cost.measure,
}
#: Those that need the clients of model providers.
NEED_CLIENTS = {"model_call", "replay", "statistical"}
RESULTS = Path(__file__).with_name("results")


def main() -> None:
    """The command line."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", choices=BENCHES, action="append", help="one bench; may be repeated")
    options.add_argument("--reps", type=int, default=5, help="rounds of every timed case (default: 5)")
    options.add_argument("--no-peers", action="store_true", help="leave other products out")
    given = options.parse_args()

    chosen = given.only or list(BENCHES)
    with_clients = not NEED_CLIENTS.isdisjoint(chosen)
    prepared = lab.prepare(max(1, given.reps), with_peers=not given.no_peers, with_clients=with_clients)
    about = _machine(prepared)
    print(f"# UnitAI benches\n\n{about}", flush=True)
    goals = []
    for name in chosen:
        measure.progress(name)
        found = BENCHES[name](prepared)
        found.save(RESULTS, about)
        goals += found.goals
        for table in found.tables:
            print(f"\n{table.markdown()}", flush=True)
    print(f"\n{report.goals_table(goals).markdown()}")


def _machine(prepared: lab.Lab) -> str:
    """What the figures were measured on; without it they mean nothing later."""
    say = "import platform; print(platform.python_implementation(), platform.python_version())"
    python = measure.run([str(prepared.pythons["unitai"]), "-c", say]).output.strip()
    day = datetime.datetime.now(tz=datetime.timezone.utc).date()
    load = os.getloadavg()[0]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f}, {prepared.rounds} rounds"
    return f"{day}, source {prepared.source}, {python}, {machine}"


if __name__ == "__main__":
    main()
