"""Makes the price table of the release from the price file inside the `litellm` package.

    python scripts/refresh_prices.py                      # the newest litellm
    python scripts/refresh_prices.py --version 1.108.4    # this one
    python scripts/refresh_prices.py --check              # say what would change, and write nothing

What cannot be told for sure is left out, because an unknown price is better than a wrong one. Each thing that is left
out is counted, with its reason, at the end.

A model that is gone from the price file keeps its last price, with the day and the version of the last release that had
it, so that old recordings can still be asserted on. To make the table with every model that ever had a price, delete
it and make it from each release of litellm in turn, the oldest first.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parent.parent / "crates" / "unitai_wire" / "data" / "prices.json"
PRICE_FILE = "litellm/model_prices_and_context_window_backup.json"
LICENCE = "MIT, Copyright (c) 2023 Berri AI"
UNIT = "US dollars for a million tokens"

#: Their word for a provider, and ours. Where two of theirs are one of ours, the one that is named first here wins.
PROVIDERS = {
    "anthropic": "anthropic",
    "bedrock_converse": "bedrock",
    "bedrock": "bedrock",
    "bedrock_mantle": "bedrock",
    "cohere_chat": "cohere",
    "cohere": "cohere",
    "deepseek": "deepseek",
    "gemini": "gemini",
    "groq": "groq",
    "mistral": "mistral",
    "openai": "openai",
    "text-completion-openai": "openai",
    "xai": "xai",
}
MODES = {"chat", "completion", "embedding", "responses"}
#: A model that makes these is priced by more than its tokens of text.
OTHER_OUTPUT = re.compile(r"output_cost_per_(audio_token|image_token|video_token|image|second)")
#: Prices that are wrong in the source, and why we think so.
GEMINI_15_PRO = "$3.50 and $10.50, the price before October 2024; the entry for Vertex AI says $1.25 and $5"
KNOWN_WRONG = {
    "claude-3-5-haiku-latest": "$1 and $5, the price of its first weeks; claude-3-5-haiku-20241022 cost $0.80 and $4",
    "claude-instant-1": "$1.63 and $5.51, a price that was lowered to $0.80 and $2.40, as the entry for Bedrock says",
    "claude-instant-1.2": "a tenth of the price of claude-instant-1",
    "embed-multilingual-light-v3.0": "$100 for a million tokens; its siblings cost $0.10",
    "gemini-1.5-flash": "its answers for nothing, as if it were an embedding",
    "gemini-1.5-pro": GEMINI_15_PRO,
    "gemini-1.5-pro-001": GEMINI_15_PRO,
    "gemini-1.5-pro-002": GEMINI_15_PRO,
    "gemini-1.5-pro-exp-0801": GEMINI_15_PRO,
    "gemini-1.5-pro-latest": GEMINI_15_PRO,
    "gemini-2.0-flash-preview-image-generation": "it makes images, and the entry has no price for them",
    "gemini-pro": "$0.35 and $1.05; the entry for Vertex AI says $0.50 and $1.50",
    "gemini-pro-vision": "$0.35 and $1.05; the entry for Vertex AI says $0.50 and $1.50",
    "llama-3.1-405b-reasoning": "the price of a model with 70b parameters",
    "o1-mini-2024-09-12": "$3 and $12, the price before o1-mini was lowered to $1.10 and $4.40",
    "text-babbage-001": "the price of text-ada-001; OpenAI asked $0.50",
    "text-davinci-003": "the price of text-curie-001; OpenAI asked $20",
}
#: The names of their models have no slash.
NAMES_WITHOUT_SLASH = {"anthropic", "openai"}
#: Here a prompt of exactly the border is in the dearer tier already.
BORDER_INCLUDED = {"xai"}

CLASSES = {
    "input_cost_per_token": "input",
    "cache_read_input_token_cost": "cached_input",
    "cache_creation_input_token_cost": "cache_write",
    "cache_creation_input_token_cost_above_1hr": "cache_write_long",
    "output_cost_per_token": "output",
}
#: Their suffix for a service tier, and the word on the wire.
SERVICE_TIERS = {"batches": "batch", "flex": "flex", "priority": "priority", "ultrafast": "ultrafast"}
KEY = re.compile(
    r"(?P<name>input_cost_per_token|output_cost_per_token|cache_read_input_token_cost"
    r"|cache_creation_input_token_cost(?:_above_1hr)?)"
    r"(?:_above_(?P<border>\d+)k_tokens)?"
    rf"(?:_(?P<tier>{'|'.join(SERVICE_TIERS)}))?"
)
#: More would not be a whole number of 10^-12 dollars for one token.
MOST_DECIMALS = 6

Table = dict[str, Any]


def main() -> int:
    options = arguments()
    if options.source:
        text, version, as_of = options.source.read_text(encoding="utf-8"), options.version, options.as_of
    else:
        text, version, as_of = fetch(options.version)
    left_out: Counter[str] = Counter()
    source = json.loads(text)
    table = convert(source, version, as_of, left_out)
    before = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    if before.get("as_of", "") > as_of:
        raise SystemExit(f"error: the table is of {before['as_of']}, and litellm {version} is older: {as_of}")
    keep_retired(table, before, names_in(source))
    changes = list(differences(before, table))
    for line in changes[:40]:
        print(line)
    if len(changes) > 40:
        print(f"... and {len(changes) - 40} more")
    for reason, count in sorted(left_out.items()):
        print(f"left out: {count:4} {reason}")
    models = flat(table).values()
    retired = sum("as_of" in model for model in models)
    print(
        f"{len(models)} models ({retired} of them retired), as of {as_of}, "
        f"from litellm {version}: {len(changes)} changes"
    )
    if options.check:
        return 1 if not TABLE.exists() or TABLE.read_text(encoding="utf-8") != written(table) else 0
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(written(table), encoding="utf-8")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Makes the price table of the release.")
    parser.add_argument("--version", help="the version of litellm; the newest unless given")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="a price file that is already here")
    parser.add_argument("--as-of", metavar="DATE", help="the day that version was released; only with --from")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the table would change")
    options = parser.parse_args()
    if bool(options.source) != bool(options.as_of) or (options.source and not options.version):
        parser.error("--from needs --version and --as-of, and --as-of needs --from: a file does not tell its date")
    return options


def fetch(version: str | None) -> tuple[str, str, str]:
    """The price file of a version, that version, and the day it was released."""
    wanted = f"litellm=={version}" if version else "litellm"
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.in")
        requirements.write_text(wanted + "\n", encoding="utf-8")
        # A lock file is where the day of a release is told: the files inside a wheel are dated 1980.
        lock = uv("pip", "compile", "--no-deps", "--no-header", "--format", "pylock.toml", requirements)
        version = found(r'^version = "(.+?)"', lock)
        as_of = min(re.findall(r"upload-time = (\d{4}-\d\d-\d\d)", lock), default=None)
        if as_of is None:
            raise SystemExit(f"error: the package index does not tell when litellm {version} was released")
        uv("pip", "install", "--quiet", "--no-deps", "--no-build", "--target", folder, f"litellm=={version}")
        return Path(folder, PRICE_FILE).read_text(encoding="utf-8"), version, as_of


def uv(*words: object) -> str:
    beside = Path(sys.executable).with_name("uv")
    program = str(beside) if beside.exists() else shutil.which("uv")
    if program is None:
        raise SystemExit("error: `uv` was not found; install it, or give a price file with --from")
    done = subprocess.run([program, *map(str, words)], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"error: `uv {words[0]} {words[1]}` failed:\n{done.stderr.strip()}")
    return done.stdout


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.M)
    if match is None:
        raise SystemExit(f"error: the lock file has no `{pattern}`")
    return match[1]


def convert(source: Table, version: str, as_of: str, left_out: Counter[str]) -> Table:
    """Our table of their file."""
    models: dict[str, Table] = {provider: {} for provider in sorted(set(PROVIDERS.values()))}
    seen = set()
    for name, entry in sorted(source.items(), key=precedence):
        if entry.get("litellm_provider") not in PROVIDERS or entry.get("mode") not in MODES:
            continue
        provider = PROVIDERS[entry["litellm_provider"]]
        wire = wire_name(name, provider)
        if wire is None:
            left_out["prices of one region, commitment or platform"] += 1
            continue
        reason = "second entries of one name" if (provider, wire) in seen else why_not(wire, entry)
        seen.add((provider, wire))
        model = None if reason else priced(entry, provider)
        if model is None:
            left_out[reason or "without a price for input and output"] += 1
        else:
            models[provider][wire] = model
    return {
        "as_of": as_of,
        "models": models,
        "source": {"file": PRICE_FILE, "licence": LICENCE, "name": "litellm", "version": version},
        "unit": UNIT,
    }


def names_in(source: Table) -> set[str]:
    """The names of all models of our providers, also of those that have no price of ours."""
    entries = ((name, PROVIDERS.get(entry.get("litellm_provider"))) for name, entry in source.items())
    wires = (wire_name(name, provider) for name, provider in entries if provider)
    return {wire for wire in wires if wire}


def keep_retired(table: Table, before: Table, named: set[str]) -> None:
    """Adds the models of the table before that the source no longer names.

    A model that it still names and that has no price now is not retired: what was known of it has turned out wrong.
    """
    current = {name for models in table["models"].values() for name in models}
    for provider, models in before.get("models", {}).items():
        for name, model in models.items():
            if name in current or name in named or name in KNOWN_WRONG:
                continue
            # The day of one that was retired before stays.
            last = {"as_of": before["as_of"], "version": before["source"]["version"], **model}
            table["models"].setdefault(provider, {})[name] = last


def precedence(item: tuple[str, Table]) -> tuple[int, bool, str]:
    """`gemini/x` is about Google AI; a bare `x` may have been written with another service in mind."""
    name, entry = item
    order = list(PROVIDERS)
    provider = entry.get("litellm_provider")
    return (order.index(provider) if provider in order else len(order), "/" not in name, name)


def wire_name(name: str, provider: str) -> str | None:
    """The name as it stands in requests; `None` when it never does."""
    if provider == "bedrock":
        # Of the prices by region only the region's prefix of a name (`eu.`) is seen on the wire.
        bare = name.removeprefix("bedrock/").removeprefix("bedrock_mantle/")
        return None if "/" in bare or "@" in bare or "." not in bare else bare
    bare = name.removeprefix(f"{provider}/")
    # `azure/gpt-4`, `us/claude-x`: another service, or a price for one place, under the wrong provider.
    return None if "/" in bare and provider in NAMES_WITHOUT_SLASH else bare


def why_not(wire: str, entry: Table) -> str | None:
    """Why a model is left out; `None` when it is not."""
    if wire.startswith("ft:"):
        return "fine-tuned models"
    if any(OTHER_OUTPUT.fullmatch(key) for key in entry):
        return "models that make sound, images or video"
    if entry.get("output_cost_per_reasoning_token") not in (None, entry.get("output_cost_per_token")):
        return "models whose reasoning has a price of its own"
    if wire in KNOWN_WRONG:
        return f"wrong in the source: {wire}: {KNOWN_WRONG[wire]}"
    if not entry.get("input_cost_per_token") and not entry.get("output_cost_per_token"):
        # Free for now, free for some, priced otherwise and not known look the same here.
        return "models at a price of nothing, or of no tokens"
    return None


def priced(entry: Table, provider: str) -> Table | None:
    """What a model costs; `None` when a price is missing that nothing can stand for."""
    found: dict[str, dict[int, Table]] = {}
    for key, cost in entry.items():
        match = KEY.fullmatch(key)
        if match and cost is not None:
            border = int(match["border"] or 0) * 1000
            if border and provider in BORDER_INCLUDED:
                border -= 1
            rates = found.setdefault(match["tier"] or "", {}).setdefault(border, {})
            rates[CLASSES[match["name"]]] = per_million(cost)
    standard = tariff(found.pop("", {}), is_embedding=entry["mode"] == "embedding")
    if standard is None:
        return None
    tiers = {
        SERVICE_TIERS[tier]: tiered
        for tier, borders in found.items()
        if (tiered := tariff(borders, is_embedding=entry["mode"] == "embedding"))
    }
    fast = (entry.get("provider_specific_entry") or {}).get("fast")
    if fast:
        tiers["fast"] = times(standard, Decimal(repr(fast)))
    if tiers:
        standard["service_tiers"] = tiers
    if entry.get("max_output_tokens") and entry["mode"] != "embedding":
        standard["max_output"] = int(entry["max_output_tokens"])
    return standard


def tariff(borders: dict[int, Table], is_embedding: bool) -> Table | None:
    """Prices and, by the size of the prompt, the tiers above them; whole, or not at all."""
    complete: dict[int, Table] = {}
    for border, told in borders.items():
        # "Writing costs nothing more" is written as a price of nothing, and would make the input free.
        rates = {name: price for name, price in told.items() if price != "0" or not name.startswith("cache_write")}
        if is_embedding:
            rates.setdefault("output", "0")
        if "input" in rates and "output" in rates:
            complete[border] = rates
    if 0 not in complete or len(complete) != len(borders):
        return None
    above = [{"over": border, **rates} for border, rates in sorted(complete.items()) if border]
    return {**complete[0], **({"above": above} if above else {})}


def times(prices: Table, factor: Decimal) -> Table:
    """The same prices, each so many times as high."""
    scaled: Table = {
        name: decimal_text(Decimal(price) * factor) for name, price in prices.items() if name in CLASSES.values()
    }
    if "above" in prices:
        scaled["above"] = [{"over": tier["over"], **times(tier, factor)} for tier in prices["above"]]
    return scaled


def per_million(cost: float) -> str:
    """`2.5e-06` dollars for a token are `2.5` for a million: exact, because a float's text is what was meant."""
    return decimal_text(Decimal(repr(cost)) * 1_000_000)


def decimal_text(number: Decimal) -> str:
    text = format(number.normalize(), "f")
    if number < 0 or len(text.partition(".")[2]) > MOST_DECIMALS:
        raise SystemExit(f"error: {text} is not a price that we can hold exactly")
    return text


def written(table: Table) -> str:
    """The file: one line for a model, so that a change of a price is a change of a line."""

    def line(value: object) -> str:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)

    providers = []
    for provider, models in sorted(table["models"].items()):
        lines = ",\n".join(f"      {line(name)}: {line(model)}" for name, model in sorted(models.items()))
        providers.append(f"    {line(provider)}: {{\n{lines}\n    }}")
    head = f'{{\n  "as_of": {line(table["as_of"])},\n  "models": {{\n'
    tail = f'\n  }},\n  "source": {line(table["source"])},\n  "unit": {line(table["unit"])}\n}}\n'
    return head + ",\n".join(providers) + tail


def differences(before: Table, after: Table) -> Iterator[str]:
    old, new = flat(before), flat(after)
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield f"- {name}"
        elif name not in old:
            yield f"+ {name}: {new[name]['input']} in, {new[name]['output']} out"
        elif "as_of" in new[name] and "as_of" not in old[name]:
            yield f"retired {name}: keeps its price of {new[name]['as_of']}"
        elif old[name] != new[name]:
            was, now = old[name], new[name]
            keys = sorted(key for key in was.keys() | now.keys() if was.get(key) != now.get(key))
            yield f"~ {name}: " + ", ".join(f"{key} {was.get(key)} -> {now.get(key)}" for key in keys)


def flat(table: Table) -> dict[str, Table]:
    return {
        f"{provider}: {name}": model
        for provider, models in table.get("models", {}).items()
        for name, model in models.items()
    }


if __name__ == "__main__":
    sys.exit(main())
