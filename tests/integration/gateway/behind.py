"""Running a program behind `unitai serve`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).parent / "unitai"
KEY = "sk-proj-c4n4ryQ8xWn2LmR7tYbV5kZp0aJd3Hs9"


def serve(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """`unitai serve` in a folder, to its end."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_BASE_URL", "_PROXY", "_proxy"))}
    # Proxies that lead nowhere: what is on this machine must be reached without them.
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    return subprocess.run(
        [COMMAND, "serve", *map(str, arguments)],
        cwd=folder,
        env={**kept, **nowhere, "OPENAI_API_KEY": KEY, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


def trajectory(folder: Path) -> dict[str, Any]:
    """What was written about the last run."""
    return json.loads((folder / ".unitai" / "runs" / "trajectory.json").read_text(encoding="utf-8"))


def steps(folder: Path) -> list[tuple[Any, ...]]:
    """The steps of the last run, without what differs from one time to the next."""
    found: list[tuple[Any, ...]] = []
    for step in trajectory(folder)["steps"]:
        if step["step_type"] == "tool_call":
            found.append((step["tool_name"], step["tool_args"], step.get("tool_result")))
        else:
            found.append((step["model"], step["prompt_tokens"], step["completion_tokens"], step["exchange"]["end"]))
    return found


def written(folder: Path) -> bytes:
    """Every byte below a folder."""
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
