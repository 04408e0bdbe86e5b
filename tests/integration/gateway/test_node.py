"""An agent in another language: Node, with OpenAI's official package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
MODULES = ROOT / ".venvs" / "node-modules" / "node_modules"


@pytest.fixture(scope="session")
def node():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "node.py"], capture_output=True, text=True, check=True, timeout=400
    )
    if not done.stdout.strip():
        pytest.skip(done.stderr.strip())
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path, node):
    # Node looks for packages beside the program.
    shutil.copy(HERE / "agent.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(MODULES)
    return tmp_path


@pytest.mark.parametrize("kind", ["plain", "streamed"])
def test_a_node_agent_is_recorded_and_replayed_with_its_provider_gone(folder, node, provider, kind):
    from behind import KEY, serve, steps, trajectory, written

    command = ("--", node, "agent.mjs", kind)
    live = serve(folder, "--record", "--upstream", f"openai={provider.url}", *command)
    assert live.returncode == 0, live.stderr
    assert json.loads(live.stdout)["text"].strip() == "The tool says order 7 is on its way."
    assert [asked.headers["authorization"] for asked in provider.requests] == [f"Bearer {KEY}"] * 2
    seen = steps(folder)
    assert [step[0] for step in seen] == ["gpt-5", "lookup", "gpt-5"]
    assert seen[1] == ("lookup", {"order": 7}, "order 7 is on its way")

    provider.__exit__()
    replayed = serve(folder, "--replay", "--upstream", f"openai={provider.url}", *command)
    assert (replayed.returncode, replayed.stdout) == (0, live.stdout), replayed.stderr
    assert steps(folder) == seen
    assert {step["exchange"]["source"] for step in trajectory(folder)["steps"] if "exchange" in step} == {"replay"}

    changed = serve(folder, "--replay", *command, "Where is order 8?")
    assert changed.returncode != 0
    assert "[-7-]{+8+}" in changed.stderr.replace(" ", "") or "8" in changed.stderr
    assert KEY.encode() not in written(folder / ".unitai")
