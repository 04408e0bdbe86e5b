"""The JSON of a baseline: documented by a schema, and readable for ever."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from unitai import Baseline, StatisticalRunner
from unitai.trials.baseline import Sample

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")]

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas" / "baseline.schema.json").read_text(encoding="utf-8"))
GOLDEN = Path(__file__).parent / "baselines" / "version-1.json"


def test_a_file_of_version_1_opens():
    baseline = Baseline.load(GOLDEN)
    assert (baseline.saved_at, baseline.unitai_version) == (1794757055, "0.1.0")
    assert baseline.tests == {
        "tests/test_refund.py::test_refund": Sample(
            18, 2, 1, 0.9, "all", 0.0125, {"expected lookup_order to be called, but it was not": 2}, 1794757055
        ),
        "tests/test_refund.py::test_search[en]": Sample(8, 0, 0, 0.8, "sequential", None, {}, 1794750000),
    }


def test_this_release_still_writes_what_it_was_first_written_as(tmp_path):
    Baseline.load(GOLDEN).save(tmp_path / "again.json")
    again, first = (json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "again.json", GOLDEN))
    assert {**again, "saved_at": 0, "unitai": ""} == {**first, "saved_at": 0, "unitai": ""}


def test_what_is_written_fits_the_schema(tmp_path):
    def now_and_then():
        assert next(turns) % 3

    turns = iter(range(100))
    StatisticalRunner(n=9, threshold=0.5, max_workers=1).run(now_and_then).save(tmp_path / "a.json")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for path in (tmp_path / "a.json", GOLDEN):
        jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), SCHEMA)
