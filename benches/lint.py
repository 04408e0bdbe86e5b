"""Goal 16: how fast `unitai lint` is, with every rule on, over the test files of well-known packages, next to ruff."""

from __future__ import annotations

import os
import shutil
import zipfile
from fnmatch import fnmatch
from pathlib import Path

from lab import HOME, Lab, native_command, tool
from measure import Spread, interleaved, progress, run
from report import Goal, Report, Table, number, spread

#: Packages whose wheels ship their tests.
PACKAGES = [
    "dask", "networkx", "numpy", "pandas", "scikit-learn", "scipy", "statsmodels", "sympy", "xarray",
]  # fmt: skip
CORPUS = HOME / "bench-lint-corpus"


def measure(lab: Lab) -> Report:
    """CPU seconds on one thread: with nothing remembered, with everything remembered, and ruff's."""
    tests = _corpus()
    megabytes = sum(path.stat().st_size for path in tests) / 1e6
    command = str(native_command())
    ours = [command, "lint", "--jobs", "1", "."]
    ruff = [tool("ruff"), "check", "--isolated", "--no-cache", "--exit-zero", "."]
    os.environ["RAYON_NUM_THREADS"] = "1"
    cases = {
        "unitai lint, nothing remembered": lambda: _cpu([*ours, "--no-cache"]),
        "unitai lint, everything remembered": lambda: _cpu(ours),
        "unitai lint, statistics alone": lambda: _cpu([*ours, "--no-cache", "--statistics"]),
        "ruff check, one rule: parsing": lambda: _cpu([*ruff, "--select", "W605"]),
        "ruff check, default rules": lambda: _cpu(ruff),
        "ruff check, pytest-style": lambda: _cpu([*ruff, "--select", "PT"]),
    }
    shutil.rmtree(CORPUS / ".unitai", ignore_errors=True)
    # What is fresh is read again, to be sure that it did not change: a remembered file is one that rests.
    for path in tests:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    _cpu(ours)
    samples = interleaved(cases, lab.rounds, "lint")
    took = {name: Spread.of(seconds) for name, seconds in samples.items()}
    cold, warm = (took[f"unitai lint, {what} remembered"] for what in ("nothing", "everything"))
    rows = [[name, spread(each), number(megabytes / each.middle)] for name, each in took.items()]
    table = Table(
        f"Linting {len(tests):,} test files, {megabytes:.1f} MB, one thread",
        ["command", "CPU seconds", "MB a CPU second"],
        rows,
    )
    # Goals are the most that may be: the seconds of a megabyte, and the share that a second run takes.
    goals = [
        Goal("linting: CPU ms a MB", 1000 * cold.low / megabytes, 50, "ms (20 MB a second)"),
        Goal("linting again", warm.middle / cold.middle, 0.1, "x the first run"),
    ]
    return Report("lint", [table], goals, {"cpu_seconds": samples, "megabytes": megabytes, "files": len(tests)})


def _cpu(words: list[str]) -> float:
    return run(words, CORPUS, allowed=(0, 1)).cpu_seconds


def _corpus() -> list[Path]:
    """The test files of every package, unpacked once."""
    for package in PACKAGES:
        if not (CORPUS / package).exists():
            _unpack(package)
    (CORPUS / "pyproject.toml").write_text("[tool.unitai]\n")
    return sorted(path for path in CORPUS.rglob("*.py") if _is_test(path.name))


def _unpack(package: str) -> None:
    progress(f"lint: fetching the tests of {package}")
    wheels = HOME / "bench-lint-wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    pip = [tool("python"), "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", "--only-binary", ":all:", "--dest", str(wheels), package])
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(
            CORPUS / package,
            [name for name in wheel.namelist() if _is_test(name.rsplit("/", 1)[-1]) or name.endswith("/conftest.py")],
        )
    shutil.rmtree(wheels)


def _is_test(name: str) -> bool:
    return fnmatch(name, "test_*.py") or fnmatch(name, "*_test.py")
