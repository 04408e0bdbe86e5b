"""Tries what is about to be released as somebody would who has never seen it: in fresh environments, on every Python
that is supported and here, without the checkout.

    python scripts/smoke.py dist/unitai-0.1.0-cp310-abi3-manylinux2014_x86_64.whl
    python scripts/smoke.py dist/unitai-0.1.0.tar.gz     # a wheel of it first, where there is no git
    python scripts/smoke.py --all dist/unitai-...whl     # a Python that is not here is an error

It needs nothing but uv, and works on every system that wheels are made for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import environments

SUPPORTED = ("3.10", "3.11", "3.12", "3.13")
#: In megabytes. A wheel that is larger has something in it that does not belong there.
LARGEST = 15
BIN = "Scripts" if os.name == "nt" else "bin"

YAML = """
test: {name: A value is kept}
steps:
  - tool: store_value
    args: {name: paid, value: 49.99}
    check: value == 49.99
verdict: checks
"""


def main() -> int:
    (given,) = (Path(word).resolve() for word in sys.argv[1:] if not word.startswith("-"))
    with tempfile.TemporaryDirectory() as folder:
        wheel = given if given.suffix == ".whl" else built(given, Path(folder))
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB", flush=True)
        if size > LARGEST:
            print(f"error: a wheel must have at most {LARGEST} MB")
            return 1
        tried = [version for version in SUPPORTED if tries(version, wheel, Path(folder) / version)]
    missing = [version for version in SUPPORTED if version not in tried]
    if not tried or (missing and "--all" in sys.argv):
        print(f"error: not found: Python {', '.join(missing)}")
        return 1
    print(f"it works on Python {', '.join(tried)}")
    return 0


def built(source: Path, folder: Path) -> Path:
    """The wheel of a source distribution, built where there is no checkout, by the backend that it names."""
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    (root,) = (path for path in folder.iterdir() if path.is_dir())
    shims = folder / "shims"
    shims.mkdir()
    (shims / "git").write_text("#!/bin/sh\necho 'there is no git here' >&2\nexit 127\n", encoding="utf-8")
    (shims / "git").chmod(0o755)
    environment = {**os.environ, "PATH": os.pathsep.join([str(shims), os.environ["PATH"]])}
    run(uv(), "build", "--quiet", "--wheel", "--out-dir", folder / "built", root, env=environment)
    (wheel,) = (folder / "built").glob("*.whl")
    return wheel


def tries(version: str, wheel: Path, folder: Path) -> bool:
    """Whether this Python is here; what does not work with it ends everything."""
    python = environments.interpreter(version) or known_to_uv(version)
    if python is None:
        print(f"not tried, because not here: Python {version}", flush=True)
        return False
    home, project = folder / "environment", folder / "project"
    project.mkdir(parents=True)
    run(uv(), "venv", "--quiet", "--python", python, home)
    run(uv(), "pip", "install", "--quiet", "--python", home, wheel, "pytest>=8")
    unitai = home / BIN / "unitai"
    run(
        home / BIN / "python",
        "-c",
        "import importlib.metadata as m; assert all('extra ==' in it for it in m.requires('unitai'))",
    )
    run(unitai, "--version", cwd=project)
    run(unitai, "demo", cwd=project, quiet=True)
    run(unitai, "init", cwd=project, quiet=True)
    (project / "paid.yaml").write_text(YAML, encoding="utf-8")
    run(unitai, "test", cwd=project, quiet=True)
    run(unitai, "yaml", "run", "paid.yaml", cwd=project, quiet=True)
    return True


def known_to_uv(version: str) -> str | None:
    """Windows has no `python3.10`, but uv finds it."""
    found = subprocess.run([uv(), "python", "find", version], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def uv() -> str:
    """Beside the Python that runs this, or on the path."""
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        raise SystemExit("error: uv was not found; `pip install uv` gets it")
    return found


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None, quiet: bool = False) -> None:
    """Runs a command; one that fails is shown, and ends everything."""
    kept = {name: value for name, value in (env or os.environ).items() if not name.startswith(("UNITAI_", "PYTEST_"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=kept, capture_output=quiet, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout or ''}{done.stderr or ''}\nerror: {' '.join(map(str, command))} did not work")


if __name__ == "__main__":
    sys.exit(main())
