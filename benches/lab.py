"""Everything that the benches need before they can measure: a release wheel, environments, the floors.

One environment for each product, so that none of them loads another's plugin. All of it goes into
`.venvs/bench-*`, where `make clean` finds it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import measure

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venvs"
WHEELS = HOME / "bench-dist"
FLOORS = HOME / "bench-floors"

#: The interpreter to measure with, in the words of `uv venv --python`: the driver's own, unless named.
PYTHON = os.environ.get("BENCH_PYTHON", sys.executable)


@dataclass(frozen=True)
class Lab:
    """What a bench is given."""

    #: The interpreter of each environment: `plain`, `unitai`, `clients` where a bench needs it, and each peer
    #: that could be installed: `trajai`, `vcrpy`.
    pythons: dict[str, Path]
    #: The program made of floors.rs.
    floors: Path
    #: How often each timed case runs; every round runs every case once.
    rounds: int
    #: What the wheel was built from.
    source: str = "unknown"

    def has(self, environment: str) -> bool:
        """Whether there is such an environment."""
        return environment in self.pythons


def prepare(rounds: int, with_peers: bool, with_clients: bool) -> Lab:
    """Builds and installs what is missing or has changed. Clients are large, and few benches need them."""
    pythons = {"plain": _environment("plain", ["pytest"])}
    versions = WHEELS / "versions.txt"
    WHEELS.mkdir(parents=True, exist_ok=True)
    versions.write_text(_uv("pip", "freeze", "--python", str(pythons["plain"])))
    same = ["pytest", "--constraint", str(versions)]  # The same pytest everywhere, or ratios mean nothing.
    source = _source()  # Before the build: the tree may be edited while the benches run.
    ours = ["--reinstall-package", "unitai", str(_wheel())]
    pythons["unitai"] = _environment("unitai", [*same, *ours])
    newest = ["openai", "--upgrade-package", "openai"]
    if with_clients:
        pythons["clients"] = _environment("clients", [*newest, *ours])
    peers = {"trajai": [*same, "trajai"]} | ({"vcrpy": [*newest, "vcrpy"]} if with_clients else {})
    for name, packages in peers.items() if with_peers else ():
        try:
            pythons[name] = _environment(name, packages)
        except subprocess.CalledProcessError as error:
            measure.progress(f"{name} is left out, it could not be installed: {error.stderr.strip()[-300:]}")
    for name, python in pythons.items():
        # Byte-code of the standard library too: without it the first start of each module is counted.
        measure.progress(f"compiling byte-code for {name}")
        measure.run([str(python), "-m", "compileall", "-q", str(_site_packages(python))])
        measure.run([str(python), "-c", "import unittest.mock, asyncio, json, timeit, gc, contextvars"])
    return Lab(pythons, _floors(), rounds, source)


def _source() -> str:
    """The commit, and the hash of what is not committed: figures of an unnamed state cannot be compared."""
    try:
        commit = _checked(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).strip()
        changes = _checked(["git", "diff", "HEAD", "--", "crates", "python", "Cargo.toml", "Cargo.lock"], cwd=ROOT)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit} with changes {hashlib.sha256(changes.encode()).hexdigest()[:8]}" if changes else commit


def _wheel() -> Path:
    measure.progress("building the release wheel")
    for old in WHEELS.glob("*.whl"):
        old.unlink()
    maturin = tool("maturin")
    _checked([maturin, "build", "--release", "--quiet", "--out", str(WHEELS)], cwd=ROOT)
    return next(WHEELS.glob("*.whl"))


def _environment(name: str, packages: list[str]) -> Path:
    home = HOME / f"bench-{name}"
    python = home / "bin" / "python"
    if not python.exists():
        measure.progress(f"making the environment {home.name}")
        _uv("venv", "--quiet", "--python", PYTHON, str(home))
    _uv("pip", "install", "--quiet", "--python", str(python), *packages)
    return python


def environment_of(name: str, packages: list[str]) -> Path:
    """An environment with the wheel and these packages, for one bench alone."""
    return _environment(name, [*packages, "--reinstall-package", "unitai", str(next(WHEELS.glob("*.whl")))])


def native_command() -> Path:
    """`unitai` as a program of its own, without Python."""
    measure.progress("building the native command")
    _checked([tool("cargo"), "build", "--release", "--quiet", "--package", "unitai_cli"], cwd=ROOT)
    return ROOT / "target" / "release" / "unitai"


def _floors() -> Path:
    source = Path(__file__).with_name("floors.rs")
    if not FLOORS.exists() or FLOORS.stat().st_mtime < source.stat().st_mtime:
        measure.progress("compiling the floors")
        _checked(["rustc", "--edition", "2024", "-O", "-o", str(FLOORS), str(source)])
    return FLOORS


def _site_packages(python: Path) -> Path:
    return next((python.parent.parent / "lib").glob("python*")) / "site-packages"


def _uv(*arguments: str) -> str:
    return _checked([tool("uv"), *arguments])


def tool(name: str) -> str:
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is missing: run `make bench`, which installs it")
    return found


def _checked(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=measure.environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout
