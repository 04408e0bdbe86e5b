"""Every character there is goes through JUnit XML: parsers that know nothing of one another read the file, and nothing
is lost that XML can hold.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from lxml import etree
from told import failure, finished_test, keep, lines, results

pytestmark = pytest.mark.integration

#: Halves of pairs stand for nothing; whoever writes events writes U+FFFD for them.
EVERYTHING = "".join("\ufffd" if 0xD800 <= point <= 0xDFFF else chr(point) for point in range(0x110000))


def is_legal(char: str) -> bool:
    """Whether XML 1.0 has this character."""
    return char in "\t\n\r" or " " <= char <= "\ufffd" or char >= "\U00010000"


def spelled(char: str) -> str:
    return char if is_legal(char) else f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


EXPECTED = "".join(map(spelled, EVERYTHING))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Files of a run that says everything everywhere."""
    folder = tmp_path_factory.mktemp("everything")
    test = finished_test(
        f"test_a.py::{EVERYTHING}",
        "failed",
        failures=[failure(EVERYTHING, EVERYTHING)],
        captured=[{"title": "stdout", "text": EVERYTHING}, {"title": "stderr", "text": EVERYTHING}],
    )
    keep(folder, lines(test, finished_test("t", "skipped", reason=EVERYTHING), reason=EVERYTHING))
    done = results(folder, "--junit", "common.xml", "--junit-strict", "strict.xml", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    return folder


PARSERS = {"expat": ET.parse, "libxml2": lambda path: etree.parse(path, etree.XMLParser(resolve_entities=False))}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("form", ["common", "strict"])
def test_every_character_arrives(written, form, parser):
    root = PARSERS[parser](str(written / f"{form}.xml")).getroot()
    case, skipped = root.iter("testcase")
    assert case.get("name") == EXPECTED
    problem = case.find("failure")
    assert (problem.get("message") == EXPECTED, problem.text == EXPECTED) == (True, True)
    assert (case.findtext("system-out") == EXPECTED, case.findtext("system-err") == EXPECTED) == (True, True)
    assert skipped.find("skipped").get("message") == EXPECTED
    properties = {prop.get("name"): prop.get("value") for prop in root.iter("property")}
    assert properties["unitai.reason"] == EXPECTED
    owner = case if form == "common" else root.find("testsuite")
    ids = [prop.get("value") for prop in owner.iter("property") if prop.get("name").startswith("unitai.test")]
    assert f"test_a.py::{EXPECTED}" in ids


@pytest.mark.parametrize("form", ["common", "strict"])
def test_our_own_reader_reads_the_same(written, form):
    done = results(written, f"{form}.xml", "--junit", f"{form}-again.xml", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    again = ET.parse(written / f"{form}-again.xml").getroot()
    assert next(again.iter("testcase")).get("name") == EXPECTED
    assert next(again.iter("failure")).text == EXPECTED
    assert next(again.iter("system-out")).text == EXPECTED
