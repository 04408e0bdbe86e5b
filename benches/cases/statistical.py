"""What does a repeated test cost besides its runs, and how many runs does a verdict need?

The base of the first question is a plain loop that calls the test. The second is asked of a model whose true rate is
known: a script that plays one of two answers, by a seed.
"""

from __future__ import annotations

import gc
import itertools
import json
import random
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

TRIVIAL, DOCUMENTED = "trivial", "documented"
LOOP, OURS, TRAJAI = "plain loop", "unitai", "trajai"
#: Runs of one test.
RUNS = 1000

#: The question of the second part.
THRESHOLD, FIXED, RATES = 0.8, 50, (0.9, 0.6)


def trivial() -> None:
    answer = "refunded"
    assert answer == "refunded"


def agent(input: str, tools: Any) -> str:
    return str(tools["lookup_order"](order_id=input)["status"])


def documented(mock_toolkit: Any) -> None:
    mock_toolkit.mock("lookup_order", return_value={"status": "delivered"})
    result = mock_toolkit.run(agent, "123")
    assert result.tool_called_with("lookup_order", order_id="123")


def plain_loop() -> Callable[[int], None]:
    def loop(turns: int) -> None:
        for _ in range(turns):
            trivial()

    return loop


def unitai(test: Callable[..., None]) -> Callable[[int], None]:
    from unitai import StatisticalRunner

    warnings.simplefilter("ignore")

    def loop(turns: int) -> None:
        stats = StatisticalRunner(n=turns, threshold=0.95, mode="all").run(test)
        assert stats.passed == turns
        assert stats.interval.low > 0.5

    return loop


def trajai(test: Callable[..., None]) -> Callable[[int], None]:
    from trajai.runner.statistical import StatisticalRunner

    def loop(turns: int) -> None:
        stats = StatisticalRunner(n=turns, threshold=0.95).run(test)
        assert stats.passed == turns

    return loop


#: Each case with the environment that it needs.
CASES: dict[str, tuple[str, Callable[[], Callable[[int], None]]]] = {
    LOOP: ("plain", plain_loop),
    f"{OURS}, {TRIVIAL}": ("unitai", lambda: unitai(trivial)),
    f"{OURS}, {DOCUMENTED}": ("unitai", lambda: unitai(documented)),
    f"{TRAJAI}, {TRIVIAL}": ("trajai", lambda: trajai(trivial)),
}


def sequential(series: int) -> dict[str, list[int]]:
    """How many runs each series took, by true rate and mode. The agent asks a scripted model by the openai client."""
    import openai

    from unitai import StatisticalRunner, scripted_model
    from unitai.script import say

    warnings.simplefilter("ignore")
    client = openai.OpenAI(api_key="none", max_retries=0)

    def agent(input: str, tools: Any) -> str:
        messages: Any = [{"role": "user", "content": input}]
        answer = client.chat.completions.create(model="gpt-4o-mini", messages=messages)
        return str(answer.choices[0].message.content)

    found: dict[str, list[int]] = {}
    for rate, mode in itertools.product(RATES, ("early", "sequential")):
        chance = random.Random(f"{rate}")

        def refund(mock_toolkit: Any, rate: float = rate, chance: random.Random = chance) -> None:
            with scripted_model([say("It is refunded." if chance.random() < rate else "I cannot do that.")]):
                assert mock_toolkit.run(agent, "Refund order 123.").output_contains("refunded")

        runner = StatisticalRunner(n=FIXED, threshold=THRESHOLD, mode=mode, max_workers=1)
        results = [runner.run(refund) for _ in range(series)]
        found[f"{mode} {rate}"] = [len(each.runs) + len(each.surplus) for each in results]
        right = "passed" if rate > THRESHOLD else "failed"
        found[f"{mode} {rate} right"] = [each.verdict == right for each in results]
    return found


def main() -> None:
    """`statistical.py CASE RUNS` prints the CPU of a run; `statistical.py sequential SERIES` counts runs."""
    name, count = sys.argv[1], int(sys.argv[2])
    if name == "sequential":
        print(json.dumps(sequential(count)))
        return
    loop = CASES[name][1]()
    loop(10)
    gc.collect()
    begun = time.process_time_ns()
    loop(count)
    print(json.dumps({"us": (time.process_time_ns() - begun) / count / 1000}))


if __name__ == "__main__":
    main()
