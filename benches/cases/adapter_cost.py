"""One framework's agent, run by its own call and by an adapter, in turns: `adapter_cost.py <framework> <runs>`.

For valgrind's callgrind, started with `--instr-atstart=no`: nothing is counted before the agents are warm, and each
kind of run is dumped under its own name. The agent, its script and what its tools give are the same: two tool calls
and three model calls. By its own call the real tools run, and do nothing.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import subprocess
import sys
import threading
import warnings
from importlib import import_module
from pathlib import Path

warnings.simplefilter("ignore")
os.environ.update({"OPENAI_API_KEY": "sk-of-nobody", "GOOGLE_API_KEY": "of-nobody"})
SUITE = Path(__file__).resolve().parents[2] / "tests" / "contract" / "adapters"
sys.path[:0] = [str(SUITE), str(SUITE.parents[1] / "integration" / "traffic")]

import shop  # noqa: E402

from unitai import MockToolkit, scripted_model  # noqa: E402
from unitai.script import call, say  # noqa: E402

INPUT = "refund order 123"


def main() -> None:
    framework, runs = import_module(f"framework_{sys.argv[1]}").FIXTURE, int(sys.argv[2])
    shop.ALLOWED = {tool.__name__: [] for tool in shop.TOOLS}
    spoken = getattr(framework, "spoken", str)
    script = [
        call(spoken("lookup_order"), order_id="123"),
        call(spoken("refund"), order_id="123", amount=10.0),
        say("Refunded."),
    ]
    agent = framework.agent()
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def bare() -> str:
        with scripted_model(script):
            text = framework.run_as_users_do(agent, INPUT)
            return asyncio.run_coroutine_threadsafe(text, loop).result() if inspect.isawaitable(text) else text

    def ours() -> str:
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value={"status": "really delivered"})
        toolkit.mock("refund", return_value="really refunded")
        with scripted_model(script):
            result = toolkit.run(agent, INPUT)
        if result.error is not None:
            raise result.error
        return result.output

    assert str(bare()) == str(ours()) == "Refunded."
    for _ in range(5):
        bare()
        ours()
    # A collection of garbage takes longer than what an adapter adds, and comes when it likes.
    gc.disable()
    gc.collect()
    gc.freeze()
    control("--instr=on")
    for name, case in {"bare": bare, "adapter": ours}.items():
        case()
        control("--zero")
        for _ in range(runs):
            case()
        control(f"--dump={name}")
    # Some frameworks take their time to say goodbye.
    os._exit(0)


def control(request: str) -> None:
    """Tells the valgrind that runs this process what to count."""
    subprocess.run(["callgrind_control", request, str(os.getpid())], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
