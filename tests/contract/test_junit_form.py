"""What JUnit files of ours look like to those who read them: the rules of the published schema, and other people's
readers.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import junitparser
import pytest
from told import failure, finished_test, keep, lines, results

pytestmark = pytest.mark.contract

TEXT = {"type", "message"}
#: What `junit-10.xsd` of the Jenkins xUnit plugin allows: children, attributes, attributes that must be there.
RULES: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}, set()),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package"}
        | {"file", "log", "url", "version"},
        {"name", "tests", "failures", "errors"},
    ),
    "testcase": (
        {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError"}
        | {"system-out", "system-err"},
        {"name", "time", "classname", "group"},
        {"name"},
    ),
    "failure": (set(), TEXT, set()),
    "error": (set(), TEXT, set()),
    "skipped": (set(), TEXT, set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, {"name", "value"}),
}
#: What everybody writes beyond it, pytest among them.
BEYOND = {"testcase": ({"properties"}, {"file", "line"})}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?")

STATISTICS = {
    "verdict": "passed",
    "passed": 19,
    "failed": 1,
    "inconclusive": 2,
    "planned": 25,
    "pass_rate": 0.95,
    "threshold": 0.9,
    "interval": [0.76, 0.99],
    "interval_basis": "missing_runs",
    "confidence": 0.95,
    "claim": "passes at least 9 of 10 times",
    "mode": "all",
    "stopped": "Stopped after 22 of 25 runs: no money is left",
    "cost": 0.25,
    "is_cost_known": False,
}
SPENDING = {"live": {"calls": 3, "tokens": 900, "cost": 0.25, "unpriced": 1}, "replayed": {"calls": 2, "cost": 0.5}}
TESTS = (
    finished_test(
        "tests/test_a.py::TestB::test_passes[x/y::z]",
        file="tests/test_a.py",
        line=7,
        spending=SPENDING,
        statistics=STATISTICS,
        captured=[{"title": "Captured stdout call", "text": "out"}, {"title": "Captured stderr call", "text": "err"}],
    ),
    finished_test("tests/test_a.py::test_fails", "failed", failures=[failure("no", "E  no"), failure("nor that")]),
    finished_test("tests/test_a.py::test_breaks", "error", failures=[{**failure("gone"), "phase": "setup"}]),
    finished_test("tests/test_a.py::test_open", "inconclusive", failures=[failure("429")]),
    finished_test("tests/test_a.py::test_skips", "skipped", reason="not here"),
    finished_test(
        "tests/test_a.py::test_xfails", "xfailed", reason="known", failures=[failure("as known", "E  known")]
    ),
    finished_test("tests/test_a.py::test_xpasses", "xpassed"),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A whole run and one that was killed, in both forms."""
    folder = tmp_path_factory.mktemp("forms")
    written = {}
    for kind, ending in [("whole", "completed"), ("stopped", "stopped"), ("cut", None)]:
        keep(folder, lines(*TESTS, ending=ending))
        for option, form in [("--junit", "common"), ("--junit-strict", "strict")]:
            written[kind, form] = folder / f"{kind}-{form}.xml"
            results(folder, option, written[kind, form])
    return written


def broken_rules(node: ET.Element, beyond: dict[str, tuple[set[str], set[str]]]) -> list[str]:
    children, attributes, needed = RULES[node.tag]
    more_children, more_attributes = beyond.get(node.tag, (set(), set()))
    found = [f"{child.tag} in {node.tag}" for child in node if child.tag not in children | more_children]
    found += [f"{name} of {node.tag}" for name in set(node.attrib) - attributes - more_attributes]
    found += [f"no {name} of {node.tag}" for name in needed - set(node.attrib)]
    if node.tag.startswith("testsuite") and not TIME.fullmatch(node.get("time", "")):
        found.append(f"time {node.get('time')}")
    # The one that stands in mixed content is text; anything else holds elements alone.
    if len(node) and (node.text or "").strip():
        found.append(f"text in {node.tag}")
    return found + [rule for child in node for rule in broken_rules(child, beyond)]


@pytest.mark.parametrize("kind", ["whole", "stopped", "cut"])
def test_the_strict_form_keeps_every_rule_and_the_common_one_all_but_those_that_nobody_keeps(files, kind):
    assert broken_rules(ET.parse(files[kind, "strict"]).getroot(), {}) == []
    assert broken_rules(ET.parse(files[kind, "common"]).getroot(), BEYOND) == []


@pytest.mark.parametrize("form", ["common", "strict"])
def test_counts_are_those_of_the_elements(files, form):
    for kind in ("whole", "stopped", "cut"):
        root = ET.parse(files[kind, form]).getroot()
        (suite,) = root
        cases = suite.findall("testcase")
        count = {
            tag: len([case for case in cases if case.find(tag) is not None]) for tag in ("failure", "error", "skipped")
        }
        said = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
        extra = 1 if kind == "cut" else 0
        assert said == {"tests": 7 + extra, "failures": 1, "errors": 2 + extra, "skipped": 2}
        assert count == {"failure": said["failures"], "error": said["errors"], "skipped": said["skipped"]}
        assert len(cases) == said["tests"]


def test_what_is_known_of_a_passing_test_is_in_its_properties(files):
    case = ET.parse(files["whole", "common"]).getroot().find("testsuite/testcase")
    assert (case.get("classname"), case.get("name")) == ("tests.test_a.TestB", "test_passes[x/y::z]")
    assert (case.get("file"), case.get("line"), case.get("time")) == ("tests/test_a.py", "7", "1.250")
    found = {prop.get("name"): prop.get("value") for prop in case.iter("property")}
    assert found == {
        "unitai.test": "tests/test_a.py::TestB::test_passes[x/y::z]",
        "unitai.outcome": "passed",
        "unitai.duration": "1.250",
        "unitai.cost": "0.75",
        "unitai.paid": "0.25",
        "unitai.tokens": "900",
        "unitai.model_calls": "5",
        "unitai.unpriced_calls": "1",
        "unitai.replayed_calls": "2",
        "unitai.verdict": "passed",
        "unitai.passed": "19",
        "unitai.failed": "1",
        "unitai.inconclusive": "2",
        "unitai.planned": "25",
        "unitai.pass_rate": "0.95",
        "unitai.threshold": "0.9",
        "unitai.interval": "0.76 0.99",
        "unitai.interval_basis": "missing_runs",
        "unitai.confidence": "0.95",
        "unitai.mode": "all",
        "unitai.stopped": "Stopped after 22 of 25 runs: no money is left",
        "unitai.claim": "passes at least 9 of 10 times",
    }
    *_, last = ET.parse(files["whole", "common"]).getroot().iter("testcase")
    without = {prop.get("name"): prop.get("value") for prop in last.iter("property")}
    assert without == {
        "unitai.test": "tests/test_a.py::test_xpasses",
        "unitai.outcome": "xpassed",
        "unitai.duration": "1.250",
        "unitai.cost": "0",
        "unitai.paid": "0",
        "unitai.tokens": "0",
        "unitai.model_calls": "0",
    }
    suite = ET.parse(files["whole", "strict"]).getroot().find("testsuite")
    named = {prop.get("name"): prop.get("value") for prop in suite.iter("property")}
    assert named["unitai.cost[tests.test_a.TestB::test_passes[x/y::z]]"] == "0.75"
    assert (named["unitai.cost"], named["unitai.ending"], named["unitai.version"]) == ("0.75", "completed", "0.1.0")


def test_other_peoples_reader_sees_every_outcome(files):
    suites = junitparser.JUnitXml.fromfile(str(files["whole", "common"]))
    (suite,) = suites
    kinds = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert kinds == {
        "test_passes[x/y::z]": [],
        "test_fails": ["Failure", "Failure"],
        "test_breaks": ["Error"],
        "test_open": ["Error"],
        "test_skips": ["Skipped"],
        "test_xfails": ["Skipped"],
        "test_xpasses": [],
    }
    by_name = {case.name: case for case in suite}
    assert by_name["test_open"].result[0].type == "inconclusive"
    assert (by_name["test_breaks"].result[0].type, by_name["test_xfails"].result[0].type) == ("setup", "pytest.xfail")
    assert by_name["test_passes[x/y::z]"].system_out == "----- Captured stdout call -----\nout"
    assert by_name["test_passes[x/y::z]"].system_err == "----- Captured stderr call -----\nerr"


@pytest.mark.parametrize("form", ["common", "strict"])
def test_a_run_that_was_cut_short_has_an_error_of_its_own(files, form):
    *_, last = ET.parse(files["cut", form]).getroot().find("testsuite").findall("testcase")
    assert (last.get("classname"), last.get("name")) == ("unitai", "unitai.run")
    assert "its process was killed" in last.find("error").get("message")
    for kind in ("whole", "stopped"):
        names = [case.get("name") for case in ET.parse(files[kind, form]).getroot().iter("testcase")]
        assert "unitai.run" not in names
