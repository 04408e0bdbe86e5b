"""One framework's agent, run by its own call and by an adapter, in turns: `adapter_cost.py <framework> <rounds>`.

The agent, its script and what its tools give are the same: two tool calls and three model calls. By its own call the
real tools run, and do nothing.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import os
import sys
import threading
import time
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

#: Runs in each round, of either kind.
RUNS = 20
INPUT = "refund order 123"


def main() -> None:
    framework, rounds = import_module(f"framework_{sys.argv[1]}").FIXTURE, int(sys.argv[2])
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
    figures: dict[str, list[float]] = {"bare": [], "adapter": []}
    for turn in range(rounds):
        cases = [("bare", bare), ("adapter", ours)]
        for name, case in cases if turn % 2 else reversed(cases):
            gc.collect()
            began = time.process_time()
            for _ in range(RUNS):
                case()
            figures[name].append((time.process_time() - began) / RUNS * 1e6)
    print(json.dumps(figures), flush=True)
    # Some frameworks take their time to say goodbye.
    os._exit(0)


if __name__ == "__main__":
    main()
