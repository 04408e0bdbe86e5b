"""The first minute: in an environment with nothing but UnitAI and pytest, without keys and without network, `unitai
init && unitai test` passes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there"),
]

COMMAND = "#!{python}\nimport sys\nfrom unitai.cli.main import main\nsys.exit(main())\n"


def needed(name: str) -> set[str]:
    """A package, and all that it needs here."""
    found = {name}
    for requirement in distribution(name).requires or []:
        other = re.split(r"[ ;<>=!~\[(]", requirement, maxsplit=1)[0]
        try:
            distribution(other)
        except ModuleNotFoundError:
            continue
        if "extra ==" not in requirement:
            found |= needed(other)
    return found


def link(name: str, site: Path) -> None:
    """Puts an installed package into another environment."""
    package = distribution(name)
    files = package.files or []
    tops = {file.parts[0] for file in files if file.parts[0] != ".." and not file.parts[0].endswith(".pth")}
    for top in tops - {"__pycache__"}:
        (site / top).symlink_to(package.locate_file(top))


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder of the programs of an environment with nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in needed("pytest"):
        link(name, site)
    link("unitai", site)
    if not (site / "unitai").exists():
        # Installed for editing.
        import unitai

        (site / "unitai").symlink_to(Path(unitai.__file__).parent)
    command = folder / "bin" / "unitai"
    command.write_text(COMMAND.format(python=folder / "bin" / "python"), encoding="utf-8")
    command.chmod(0o755)
    return folder / "bin"


def run(environment: Path, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    nowhere = dict.fromkeys(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"], "http://127.0.0.1:9")
    variables = {"PATH": f"{environment}{os.pathsep}/usr/bin:/bin", "HOME": str(folder), **nowhere}
    return subprocess.run(
        [str(environment / "unitai"), *args],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_there_is_nothing_else(environment, tmp_path):
    code = "import importlib.metadata as m; print(*sorted({d.metadata['Name'].lower() for d in m.distributions()}))"
    done = subprocess.run(
        [str(environment / "python"), "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    there = set(done.stdout.split())
    assert {"unitai", "pytest"} <= there
    assert not there & {"urllib3", "httpx", "openai", "hypothesis", "pytest-xdist", "numpy"}


def test_it_begins_and_passes(environment, tmp_path):
    begun = run(environment, tmp_path, "init")
    assert (begun.returncode, begun.stderr) == (0, ""), begun.stdout
    tested = run(environment, tmp_path, "test")
    assert (tested.returncode, tested.stderr) == (0, ""), tested.stdout
    assert "=== UnitAI Results ===" in tested.stdout and "2 passed in" in tested.stdout
    assert (tmp_path / "test-results" / "unitai.xml").exists()
    for command in (("results",), ("report",), ("config",), ("doctor",), ("cache", "stats"), ("demo",)):
        done = run(environment, tmp_path, *command)
        assert (done.returncode, done.stderr) == (0, ""), (command, done.stdout, done.stderr)
