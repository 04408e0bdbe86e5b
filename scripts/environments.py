"""The wheel under test, the Pythons of this machine, and environments that have both: every `make` target that tests
what users get takes them from here.

    python scripts/environments.py     # builds the wheel into target/wheels-under-test, and prints its path

`TESTS_WHEEL` names a wheel that was built elsewhere, as a job of CI hands it on to the others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
MINE = f"{sys.version_info.major}.{sys.version_info.minor}"
#: What is supported, and whatever runs this, the oldest first.
VERSIONS = tuple(sorted({"3.10", "3.11", "3.12", "3.13", MINE}, key=lambda version: int(version.split(".")[1])))
#: For what is tested on one Python, best first: all SDKs and frameworks have wheels for these.
PREFERRED = ("3.13", "3.12", "3.11", "3.10", MINE)


def named(known: Iterable[str], what: str) -> list[str]:
    """The names on the command line, in the order in which they are known."""
    known = list(known)
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    unknown = [word for word in wanted if word not in known]
    if unknown:
        raise SystemExit(f"error: unknown {what}: {', '.join(unknown)}; expected one of: {', '.join(known)}")
    return [name for name in known if name in wanted]


def wheel() -> Path:
    """The wheel of the checkout as it is. It is built once, and again after a change of its sources."""
    handed_on = os.environ.get("TESTS_WHEEL")
    if handed_on:
        return Path(handed_on).resolve()
    dist = ROOT / "target" / "wheels-under-test"
    stamp, sources = dist / "sources", _sources()
    known = sorted(dist.glob("*.whl"))
    if not known or not stamp.exists() or stamp.read_text(encoding="utf-8") != sources:
        shutil.rmtree(dist, ignore_errors=True)
        run([BIN / "maturin", "build", "--quiet", "--profile", "dev", "--out", dist])
        stamp.write_text(sources, encoding="utf-8")
        known = sorted(dist.glob("*.whl"))
    (built,) = known
    return built


def _sources() -> str:
    """Which files go into the wheel, and when each was changed last."""
    parts = ("crates", "python", "Cargo.toml", "Cargo.lock", "pyproject.toml", "README.md", "LICENSE")
    files = [ROOT / name for name in tracked(ROOT, *parts)]
    return "\n".join(f"{path} {path.stat().st_mtime_ns}" for path in files if path.is_file())


def tracked(folder: Path, *paths: str) -> list[str]:
    """The files that are in the repository or will be: not what running something has left there."""
    # A checkout may belong to another user, as in a container.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    done = subprocess.run([*command, *paths], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"error: git does not list the files of {folder}: {done.stderr.strip()}")
    return [name for name in done.stdout.split("\0") if name]


def interpreter(version: str) -> Path | None:
    """A Python of this version: on the path, or one that pyenv keeps."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    if version == MINE:
        candidates.insert(0, sys.executable)
    for candidate in candidates:
        # A shim may be on the path and lead nowhere.
        if candidate and subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return Path(candidate)
    return None


def preferred(versions: tuple[str, ...] = PREFERRED) -> Path:
    """The best Python that is here, of these versions."""
    found = next((path for path in map(interpreter, versions) if path is not None), None)
    if found is None:
        raise SystemExit(f"error: no Python of {', '.join(versions)} was found")
    return found


def environment(name: str, python: Path, packages: Iterable[str], built: Path, *, upgrade: bool = False) -> Path:
    """Makes the environment of this name, or brings it up to date; gives its Python."""
    uv, mine = BIN / "uv", bare(name, python)
    run([uv, "pip", "install", "--quiet", *(["--upgrade"] if upgrade else []), "--python", mine, *packages])
    run([uv, "pip", "install", "--quiet", "--python", mine, "--reinstall", "--no-deps", built])
    return mine


def bare(name: str, python: Path) -> Path:
    """The environment of this name, made anew for another Python; gives its own."""
    home = ROOT / ".venvs" / name
    mine = home / "bin" / "python"
    if not mine.exists() or version_of(mine) != version_of(python):
        run([BIN / "uv", "venv", "--quiet", "--clear", "--python", python, home])
    return mine


def version_of(python: Path) -> str:
    """The whole version of a Python; none of one that does not start."""
    code = "import sys; print(sys.version)"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=False).stdout


def passes(title: str, command: list[str | Path], env: dict[str, str]) -> bool:
    """Whether a command succeeds. What it prints is shown in one piece, because others may run beside it."""
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    print(f"{done.stdout}--- {title}: tested in {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


def run(command: list[str | Path]) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    print(wheel())
