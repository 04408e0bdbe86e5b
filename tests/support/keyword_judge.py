"""A judge without a model, for `judge.command`: yes, where the words in double quotes of a question stand in the evidence.

`TESTS_JUDGE` makes it another one: `yes` (always yes, quoting the first tool), `absent` (nobody is logged in), `hang`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import Any


def answered(name: str, text: str, records: list[tuple[str, str]]) -> dict[str, Any]:
    words = re.search(r'"(.+?)"', text)
    wanted = words[1] if words else None
    if os.environ.get("TESTS_JUDGE") == "yes":
        # The name of a tool can be quoted from every record.
        wanted = re.match(r"the tool (\S+),", records[0][1])[1]  # type: ignore[index]
    for record, evidence in records if wanted else ():
        if wanted in evidence:
            quote = {"ref": record, "quote": wanted}
            return {"id": name, "answer": "yes", "evidence": [quote], "why": "it stands there"}
    return {"id": name, "answer": "no", "evidence": [], "why": "it stands nowhere"}


def main() -> dict[str, Any]:
    asked = json.load(sys.stdin)
    if os.environ.get("TESTS_JUDGE") == "absent":
        return {"error": {"kind": "absent", "message": "nobody is logged in; run keywords login"}}
    if os.environ.get("TESTS_JUDGE") == "hang":
        time.sleep(600)
    questions, _, evidence = asked["prompt"].partition(" evidence begins\n")
    parts = re.split(r"^\w+ (E\d+): ", evidence, flags=re.M)
    records = list(zip(parts[1::2], parts[2::2], strict=True))
    every = re.findall(r"^(Q\d+) \(.*\): is this so\?\n    (.*)$", questions, re.M)
    answers = [answered(name, text, records) for name, text in every]
    usage = {"input_tokens": 10, "output_tokens": 2}
    return {"answer": {"answers": answers}, "model": "keywords", "usage": usage, "cost_usd": 0.25}


if __name__ == "__main__":
    print(json.dumps(main()))
