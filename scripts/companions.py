"""Installs other plugins of pytest beside the environment, for the tests that prove that UnitAI gets along with them.

Prints the folder, to be put on PYTHONPATH. In the environment itself they would take part in every test.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = (
    "pytest-asyncio>=1",
    "anyio>=4",
    "pytest-cov>=6",
    "pytest-timeout>=2.3",
    "pytest-randomly>=3.16",
    "pytest-rerunfailures>=15",
    "syrupy>=5",
)


def main() -> int:
    folder = ROOT / ".venvs" / f"companions-{sys.version_info.major}.{sys.version_info.minor}"
    folder.mkdir(parents=True, exist_ok=True)
    # Tests in several processes may ask for it at once.
    with open(folder.with_name(f"{folder.name}.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install(folder)
    print(folder)
    return 0


def install(folder: Path) -> None:
    """Installs the plugins, unless they are there."""
    ready = folder / ".ready"
    if not ready.exists() or ready.read_text(encoding="utf-8") != "\n".join(PLUGINS):
        uv = ROOT / ".venv" / "bin" / "uv"
        command = [uv, "pip", "install", "--quiet", "--python", sys.executable, "--target", folder, *PLUGINS]
        subprocess.run(command, check=True, timeout=300)
        # pytest itself is the environment's.
        for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging"):
            for path in (folder / name, *folder.glob(f"{name}-*.dist-info")):
                shutil.rmtree(path, ignore_errors=True)
        ready.write_text("\n".join(PLUGINS), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
