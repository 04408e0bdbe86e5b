"""Baselines: what is kept of a repeated test, and what a later result is called beside it."""

from __future__ import annotations

import json
import threading
import time

import pytest

from unitai import (
    Baseline,
    BaselineError,
    InvalidArgumentError,
    MockToolkit,
    StatisticalRunner,
)
from unitai.trials.baseline import Sample

pytestmark = [pytest.mark.unit, pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")]


def result(passed, failed=0, *, mode="all", why="no refund", name="test_refund", **options):
    """What a test comes to of which so many runs pass, and so many fail."""
    left, lock = [passed], threading.Lock()

    def test():
        with lock:
            left[0] -= 1
            if left[0] < 0:
                raise AssertionError(why)

    test.__name__ = name
    options = {"n": passed + failed, "threshold": 0.5, **options}
    return StatisticalRunner(mode=mode, retry_delay=0, max_workers=1, **options).run(test)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "main.json"


@pytest.mark.parametrize(
    ("before", "after", "verdict", "p"),
    [
        ((20, 0), (10, 10), "regressed", 0.000436),
        ((10, 10), (20, 0), "improved", 0.000436),
        ((20, 0), (18, 2), "no evidence", 0.487),
        ((20, 0), (20, 0), "no evidence", 1.0),
        ((5, 15), (1, 19), "no evidence", 0.182),
    ],
)
def test_a_result_is_worse_or_better_than_an_earlier_one_or_neither(path, before, after, verdict, p):
    result(*before).save(path)
    found = result(*after).compare(path)
    assert found.verdict == verdict
    assert found.p_value == pytest.approx(p, rel=0.02)
    assert found.adjusted_p == found.p_value
    assert (found.before.counts, found.after.counts) == (before, after)
    assert found.test == "test_refund"
    assert not found.approximate


def test_what_is_kept(path):
    stats = result(15, 5)
    began = int(time.time())
    stats.save(path)
    ((test, sample),) = Baseline.load(path).tests.items()
    assert test == "test_refund"
    assert sample._replace(saved_at=0) == Sample(15, 5, 0, 0.5, "all", 0.0, {"no refund": 5}, 0)
    assert (sample.n, sample.pass_rate, sample.rate) == (20, 0.75, "15/20 (75.0%)")
    assert began <= sample.saved_at <= time.time()
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["format"], document["version"]) == ("unitai.baseline", 1)
    assert document["unitai"] == Baseline.load(path).unitai_version


def test_a_cost_that_is_unknown_is_not_kept_as_nothing(path):
    def test():
        toolkit = MockToolkit()
        toolkit.run_generic(lambda: toolkit.record_llm_call("a-model-of-my-own", 10, 10))

    StatisticalRunner(n=3, threshold=0.5, budget=None, mode="all").run(test).save(path)
    assert Baseline.load(path).tests["test"].cost is None
    assert "cost" not in json.loads(path.read_text(encoding="utf-8"))["tests"]["test"]


def test_results_are_added_one_by_one_and_the_others_stay(path):
    result(20, name="test_a").save(path)
    first = Baseline.load(path).tests["test_a"]
    result(19, 1, name="test_b").save(path)
    result(18, 2, name="test_b").save(path)
    tests = Baseline.load(path).tests
    assert tests["test_a"] == first
    assert tests["test_b"].counts == (18, 2)


def test_the_same_test_can_be_kept_under_several_ids(path):
    result(20).save(path, test="gpt-4o")
    result(2, 18).save(path, test="gpt-4o-mini")
    later = result(10, 10)
    assert later.compare(path, test="gpt-4o").verdict == "regressed"
    assert later.compare(Baseline.load(path), test="gpt-4o-mini").verdict == "improved"
    with pytest.raises(
        InvalidArgumentError, match=r"has no test 'test_refund'.*\n.*one of: \['gpt-4o', 'gpt-4o-mini'\]"
    ):
        later.compare(path)


def test_a_whole_baseline_is_written_in_place_of_the_old_one(path):
    Baseline([result(20, name="test_a"), result(20, name="test_b")]).save(path)
    baseline = Baseline.load(path)
    del baseline.tests["test_a"]
    baseline.save()
    assert list(Baseline.load(path).tests) == ["test_b"]


def test_many_tests_ask_for_more_evidence(path):
    def suite(worse):
        quiet = {f"test_{n}": result(10) for n in range(9)}
        return {"test_worse": worse, **quiet}

    baseline = Baseline(suite(result(10)))
    alone = baseline.compare({"test_worse": result(5, 5)})
    assert [found.verdict for found in alone] == ["regressed"]
    among = baseline.compare(suite(result(5, 5)))
    assert among[0].verdict == "no evidence"
    assert among[0].adjusted_p == pytest.approx(10 * alone[0].p_value)
    assert [found.test for found in baseline.compare(suite(result(0, 10))).regressed] == ["test_worse"]


def test_a_test_without_a_run_that_counts_says_nothing_and_costs_the_others_nothing():
    def lost():
        raise ConnectionError("the network is down")

    nothing = StatisticalRunner(n=3, threshold=0.5, retries=0, mode="all").run(lost)
    baseline = Baseline({"test_a": result(10), "test_b": result(10)})
    found = baseline.compare({"test_a": result(5, 5), "test_b": nothing})
    assert [(one.verdict, one.adjusted_p == one.p_value) for one in found] == [
        ("regressed", True),
        ("no evidence", True),
    ]


def test_runs_that_only_raised_are_no_sample(path):
    def test_refund():
        raise KeyError("odrer")

    result(20).save(path)
    found = StatisticalRunner(n=20, threshold=0.5).run(test_refund).compare(path)
    assert (found.verdict, found.after.counts, found.after.inconclusive) == ("no evidence", (0, 0), 20)


def test_alpha_is_asked_for(path):
    baseline = Baseline(result(10))
    assert baseline.compare(result(6, 4)).regressed == []
    assert len(baseline.compare(result(6, 4), alpha=0.1).regressed) == 1
    for wrong in (0, 1, -1, "0.05", True, float("nan")):
        with pytest.raises(InvalidArgumentError, match="alpha must be a number between 0 and 1"):
            baseline.compare(result(10), alpha=wrong)


def test_ways_of_failing_that_are_new_are_named():
    baseline = Baseline(result(15, 5, why="order 123 was not found"))
    assert baseline.compare(result(15, 5, why="order 123 was not found"))[0].new_modes == {}
    found = baseline.compare(result(15, 5, why="the refund was paid twice"))[0]
    assert found.verdict == "no evidence"
    assert found.new_modes == {"the refund was paid twice": 5}
    assert "  new: 5x the refund was paid twice" in str(found)


def test_counts_of_runs_that_were_stopped_early_are_marked():
    full, early = result(20), result(20, mode="early", threshold=0.9)
    assert early.n < 20
    for before, after in ((full, early), (early, full)):
        found = Baseline(before).compare(after)[0]
        assert found.approximate
        assert "approximate" in str(found)


def test_counts_of_runs_that_their_budget_ended_are_marked():
    def costs(mock_toolkit):
        mock_toolkit.run(lambda input, tools: mock_toolkit.record_llm_call("m", 1, 1, cost=next(prices)), "think")

    prices = iter([0.01, 0.01, 0.01, 5.0])
    stopped = StatisticalRunner(n=6, threshold=0.5, max_workers=1, budget=1.0).run(costs)
    assert (stopped.verdict, stopped.n) == ("passed", 3)
    found = Baseline(result(20, name="costs")).compare(stopped)[0]
    assert found.approximate


def test_tests_that_are_new_and_tests_that_were_not_run():
    found = Baseline([result(20, name="test_a"), result(20, name="test_b")]).compare(
        [result(20, name="test_b"), result(20, name="test_c")]
    )
    assert ([one.test for one in found.unchanged], found.new, found.missing) == (["test_b"], ["test_c"], ["test_a"])


def test_the_table():
    baseline = Baseline({"a": result(20), "longer": result(18, 2), "old": result(1)})
    found = baseline.compare({"a": result(10, 10), "longer": result(18, 2, why="other"), "young": result(1)})
    assert str(found) == (
        "test    before          now            p        adjusted  verdict\n"
        "a       20/20 (100.0%)  10/20 (50.0%)  0.00044  0.00087   regressed\n"
        "  new: 10x no refund\n"
        "longer  18/20 (90.0%)   18/20 (90.0%)  1        1         no evidence\n"
        "  new: 2x other\n"
        "new, not in the baseline: young\n"
        "in the baseline, not run: old"
    )
    assert str(found[0]).startswith(
        "regressed: a: 20/20 (100.0%) before, 10/20 (50.0%) now (p = 0.00044, adjusted 0.00087)"
    )
    assert str(Baseline().compare(())) == ""


def test_foreign_text_does_not_command_the_terminal():
    baseline = Baseline({"a\x1b[2J": result(20)})
    table = str(baseline.compare({"a\x1b[2J": result(10, 10, why="b\x1b[2J")}))
    assert "\x1b" not in table
    assert table.count("\\x1b[2J") == 2


def test_a_name_is_a_file_of_the_project_that_is_meant_to_be_committed(tmp_path, monkeypatch):
    monkeypatch.setattr("unitai.pytest_plugin.root", str(tmp_path))
    result(20).save("main")
    result(20).save("feature-x")
    folder = tmp_path / "tests" / "baselines"
    assert {file.name for file in folder.iterdir()} == {"main.json", "feature-x.json"}
    assert {file.name for file in (tmp_path / ".unitai").iterdir()} == {"baselines.lock", ".gitignore"}
    assert list(Baseline.load("main").tests) == ["test_refund"]
    with pytest.raises(BaselineError, match=r"there is no baseline mian \[UA313\]\n.*the baselines feature-x, main"):
        Baseline.load("mian")


def test_the_folder_is_a_setting(tmp_path, monkeypatch):
    monkeypatch.setattr("unitai.pytest_plugin.root", str(tmp_path))
    (tmp_path / "unitai.toml").write_text('[baseline]\ndirectory = "kept"\n', encoding="utf-8")
    result(20).save("main")
    assert [file.name for file in (tmp_path / "kept").iterdir()] == ["main.json"]


def test_a_baseline_of_the_first_release_is_read_where_it_was_and_moves_when_it_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("unitai.pytest_plugin.root", str(tmp_path))
    old = tmp_path / ".unitai" / "baselines"
    result(20).save(old / "main.json")
    assert list(Baseline.load("main").tests) == ["test_refund"]
    with pytest.raises(BaselineError, match="the baselines main"):
        Baseline.load("mian")
    new = tmp_path / "tests" / "baselines" / "main.json"
    Baseline({"test_other": result(3)}).save("main")
    assert list(Baseline.load("main").tests) == ["test_other"]
    assert new.exists()
    assert not (old / "main.json").exists()


def test_saving_one_baseline_leaves_the_others_of_the_first_release(tmp_path, monkeypatch):
    monkeypatch.setattr("unitai.pytest_plugin.root", str(tmp_path))
    old = tmp_path / ".unitai" / "baselines"
    result(20).save(old / "main.json")
    result(20).save("other")
    assert [file.name for file in old.iterdir()] == ["main.json"]
    assert list(Baseline.load("main").tests) == ["test_refund"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../main", "feature/x", "a\\b", "a b", "-x", ".hidden", "a\0b", "x" * 200]
)
def test_a_name_leads_nowhere_else(tmp_path, monkeypatch, name):
    monkeypatch.setattr("unitai.pytest_plugin.root", str(tmp_path))
    for use in (result(3).save, Baseline.load, Baseline(result(3)).save):
        with pytest.raises(InvalidArgumentError, match="cannot be the name of a baseline"):
            use(name)
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_a_path_by_its_ending_or_its_type(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    result(3).save("../kept.json")
    result(3).save(tmp_path / "new" / "kept")
    assert list(Baseline.load(str(tmp_path / "kept.json")).tests) == ["test_refund"]
    assert list(Baseline.load(tmp_path / "new" / "kept").tests) == ["test_refund"]
    assert {file.name for file in tmp_path.iterdir()} == {"deep", "kept.json", "new"}
    for wrong in (None, 3, b"main"):
        with pytest.raises(InvalidArgumentError, match="a baseline has a name or a path"):
            Baseline.load(wrong)


GOOD = {"saved_at": 1, "passed": 1, "failed": 0, "inconclusive": 0, "threshold": 1, "mode": "all", "failure_modes": {}}
HEAD = {"format": "unitai.baseline", "version": 1, "unitai": "0.1.0", "saved_at": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a baseline: EOF"),
        ("[]", "not a baseline"),
        (b"\xff\xfe\x00", "not a baseline"),
        ('{"format": "unitai.baseline", "version": 1', "not a baseline: EOF"),
        ({**HEAD, "tests": {"a": {**GOOD, "passed": -1}}}, "not a baseline: invalid value"),
        ({**HEAD, "tests": {"a": {**GOOD, "passed": 10**30}}}, "not a baseline"),
        ({**HEAD, "tests": {"a": {**GOOD, "threshold": 2}}}, 'between 0 and 1, unlike that of "a"'),
        ({**HEAD, "tests": {"a": {**GOOD, "cost": -1}}}, 'less than nothing, unlike the runs of "a"'),
        ({**HEAD, "tests": {"a": {**GOOD, "trajectory": []}}}, "unknown field `trajectory`"),
        ({**HEAD, "tests": {}, "format": "unitai.trajectory"}, "unknown variant `unitai.trajectory`"),
        ({**HEAD, "version": 2, "runs": {}}, r"of format version 2, and this release reads up to version 1"),
    ],
)
def test_what_cannot_be_read_is_refused_and_never_written_over(path, text, said):
    path.write_bytes(
        text if isinstance(text, bytes) else (text if isinstance(text, str) else json.dumps(text)).encode()
    )
    before = path.read_bytes()
    with pytest.raises(BaselineError, match=said) as caught:
        Baseline.load(path)
    assert "main.json cannot be read" in caught.value.message
    assert "delete" in caught.value.remedy
    with pytest.raises(BaselineError, match=said):
        result(3).save(path)
    assert path.read_bytes() == before


def test_what_is_not_there_and_what_the_disk_refuses(tmp_path):
    with pytest.raises(BaselineError, match=r"there is no baseline .*absent\.json \[UA313\]"):
        Baseline.load(tmp_path / "absent.json")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BaselineError, match="cannot be"):
        result(3).save(tmp_path / "file" / "main.json")
    with pytest.raises(BaselineError, match="cannot be"):
        Baseline.load(tmp_path)


def test_secrets_are_not_kept(path, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "Zk3vQ8xWn2LmR7tYpB4c")
    result(10, 10, why="401 for Zk3vQ8xWn2LmR7tYpB4c").save(path, test="test[Zk3vQ8xWn2LmR7tYpB4c]")
    text = path.read_text(encoding="utf-8")
    assert "Zk3vQ8xWn2LmR7tYpB4c" not in text
    assert list(Baseline.load(path).tests["test[[redacted]]"].failure_modes) == ["401 for [redacted]"]
    found = result(10, 10, why="401 for Zk3vQ8xWn2LmR7tYpB4c").compare(path, test="test[Zk3vQ8xWn2LmR7tYpB4c]")
    assert (found.verdict, found.new_modes) == ("no evidence", {})


def test_half_of_a_character_is_kept_as_it_can_be(path):
    result(10, 10).save(path, test="test[\ud83d]")
    assert list(Baseline.load(path).tests) == ["test[\\ud83d]"]
    assert result(10, 10).compare(path, test="test[\ud83d]").verdict == "no evidence"


@pytest.mark.parametrize("wrong", [3, "test_a", [3], {"a": 3}, {3: 3}, {"": 3}, None])
def test_only_results_can_be_kept(wrong):
    with pytest.raises(InvalidArgumentError):
        Baseline(wrong)


def test_two_results_need_two_ids():
    with pytest.raises(InvalidArgumentError, match="two results are of a test named 'test_refund'"):
        Baseline([result(3), result(3)])


def test_many_savers_lose_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("unitai.pytest_plugin.root", str(tmp_path))
    stats = result(3)
    names = [f"test_{n}" for n in range(24)]
    threads = [threading.Thread(target=stats.save, args=("main",), kwargs={"test": name}) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Baseline.load("main").tests) == sorted(names)
