"""The price table keeps what models cost that are gone from its source, so that old recordings can still be priced."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

SCRIPT = Path(__file__).parents[2] / "scripts" / "refresh_prices.py"


def entry(input: float = 3, output: float = 15, **more: object) -> dict[str, object]:
    """A model as the source has it: dollars for a token."""
    prices = {"input_cost_per_token": input / 1e6, "output_cost_per_token": output / 1e6}
    return {"litellm_provider": "openai", "mode": "chat", **prices, **more}


@pytest.fixture
def refreshed(tmp_path: Path):
    """Makes the table from a release of the source; the next call finds the table that the last one left."""
    copy = tmp_path / "scripts" / "refresh_prices.py"
    copy.parent.mkdir()
    copy.write_bytes(SCRIPT.read_bytes())
    table = tmp_path / "crates" / "unitai_wire" / "data" / "prices.json"

    def refresh(version: str, as_of: str, source: dict[str, object]) -> tuple[subprocess.CompletedProcess[str], dict]:
        file = tmp_path / f"{version}.json"
        file.write_text(json.dumps(source), encoding="utf-8")
        words = [sys.executable, copy, "--from", file, "--version", version, "--as-of", as_of]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done, json.loads(table.read_text(encoding="utf-8"))

    return refresh


def test_a_model_that_is_gone_from_the_source_keeps_its_last_price_with_day_and_version(refreshed):
    refreshed("1.0.0", "2026-01-05", {"old": entry(5), "new": entry()})
    refreshed("1.1.0", "2026-02-05", {"old": entry(4), "new": entry()})
    done, table = refreshed("1.2.0", "2026-03-05", {"new": entry(2)})
    assert done.returncode == 0, done.stderr
    assert "retired openai: old: keeps its price of 2026-02-05" in done.stdout
    assert "2 models (1 of them retired)" in done.stdout
    last = {"as_of": "2026-02-05", "version": "1.1.0", "input": "4", "output": "15"}
    assert table["models"]["openai"] == {"new": {"input": "2", "output": "15"}, "old": last}
    _, table = refreshed("1.3.0", "2026-04-05", {"new": entry(2)})
    assert table["models"]["openai"]["old"] == last
    _, table = refreshed("1.4.0", "2026-05-05", {"new": entry(2), "old": entry(6)})
    assert table["models"]["openai"]["old"] == {"input": "6", "output": "15"}


def test_a_model_that_the_source_still_names_without_a_price_is_not_retired(refreshed):
    refreshed("1.0.0", "2026-01-05", {"free": entry(), "pro": entry(), "new": entry()})
    _, table = refreshed("1.1.0", "2026-02-05", {"free": entry(0, 0), "pro": entry(mode="image"), "new": entry()})
    assert table["models"]["openai"].keys() == {"new"}


def test_an_older_release_does_not_replace_the_table(refreshed):
    _, before = refreshed("1.1.0", "2026-02-05", {"new": entry()})
    done, table = refreshed("1.0.0", "2026-01-05", {"old": entry()})
    assert (done.returncode, table) == (1, before)
    assert "the table is of 2026-02-05, and litellm 1.0.0 is older: 2026-01-05" in done.stderr
