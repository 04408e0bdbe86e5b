"""The HTML report in a real browser: what a reader sees and does."""

from __future__ import annotations

import struct
import zlib

import pytest
from processes import soon
from stopwatch import Stopwatch

pytestmark = pytest.mark.integration

SHOWN = "[...document.querySelectorAll('.test')].filter((test) => test.offsetParent).map((test) => test.querySelector('.own').textContent)"
FOCUSED = "document.activeElement.closest('.test')?.querySelector('.own').textContent ?? document.activeElement.id"
SEARCHED = "new Promise((done) => setTimeout(done, 150))"
#: As they are shown: two that failed and one with an error, then the others, each in the order in which they ran.
ALL = [
    "test_refund_is_looked_up_first",
    "test_refund_amount_is_right",
    "test_order_history",
    "test_refund_is_paid_back[damaged]",
    "test_greeting_is_polite",
    "test_refund_in_japanese",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    from page_events import SAMPLE, report_of

    return report_of(tmp_path_factory.mktemp("sample"), SAMPLE)


@pytest.fixture
def opened(browser, page):
    with browser.page() as opened:
        opened.open(page)
        yield opened
        assert opened.complaints() == []
        assert set(opened.requests()) == {page.as_uri()}


def _click(opened, query):
    opened.run(f"document.querySelector({query!r}).click()")


def test_tests_are_filtered_by_outcome(opened):
    assert opened.run(SHOWN) == ALL
    _click(opened, ".filter.failed")
    assert opened.run(SHOWN) == ALL[:2]
    assert opened.run("document.querySelector('#shown').textContent") == "2 of 6"
    _click(opened, ".filter.skipped")
    assert opened.run(SHOWN) == [ALL[0], ALL[1], ALL[5]]
    _click(opened, ".filter.failed")
    _click(opened, ".filter.skipped")
    assert opened.run(SHOWN) == ALL
    assert opened.run("document.querySelector('#shown').textContent") == ""


def test_names_and_texts_are_searched(opened):
    opened.press("/")
    assert opened.run(FOCUSED) == "search"
    opened.type("upstream TIMED")
    opened.run(SEARCHED)
    # It is in the error of a tool, deep in a trajectory.
    assert opened.run(SHOWN) == [ALL[0]]
    opened.press("Escape")
    assert opened.run(SHOWN) == ALL
    opened.press("/")
    opened.type("nobody wrote this")
    opened.run(SEARCHED)
    assert opened.run(SHOWN) == []
    assert opened.run("document.querySelector('.none').innerText").startswith("No test is like that.")
    _click(opened, "#clear")
    assert opened.run(SHOWN) == ALL


def test_the_list_is_walked_and_opened_by_key(opened):
    opened.press("j")
    opened.press("j")
    assert opened.run(FOCUSED) == ALL[1]
    opened.press("Enter")
    assert opened.run("document.querySelector('#t2').open") is True
    opened.press("ArrowDown")
    assert opened.run(FOCUSED) == ALL[2]
    opened.press("k")
    opened.press("ArrowUp")
    opened.press("k")
    assert opened.run(FOCUSED) == ALL[0]
    opened.press("/")
    opened.type("greeting")
    opened.press("Enter")
    assert opened.run(FOCUSED) == ALL[4]
    assert opened.run(SHOWN) == [ALL[4]]


def test_a_failing_test_tells_what_was_expected_and_where_it_went_wrong(opened):
    _click(opened, "#t1 > summary")
    text = opened.run("document.querySelector('#t1').textContent")
    for told in (
        "AssertionError: lookup_order to be called before process_refund",
        'tool_called_before("lookup_order", "process_refund")',
        "process_refund was called first, at step 1; lookup_order came at step 3",
        "raised OrderServiceError: upstream timed out after 2 s",
        "fault: OrderServiceError, once",
    ):
        assert told in text
    cited = opened.run("[...document.querySelectorAll('#t1 .step.cited')].map((step) => step.id)")
    assert cited == ["t1r0s0", "t1r0s2"]
    _click(opened, "#t1 .cites a:last-child")
    assert opened.run("location.hash") == "#t1r0s2"
    box = "(() => { const box = document.querySelector('#t1r0s2').getBoundingClientRect(); return [box.top, innerHeight]; })()"
    top, height = opened.run(box)
    assert 0 <= top < height
    _click(opened, "#t1 .open-steps")
    assert opened.run("[...document.querySelectorAll('#t1 .step > details')].every((step) => step.open)") is True
    assert opened.run("document.querySelector('#t1r0s3 pre:last-of-type').textContent").startswith('{"order_id": "123"')
    assert '"sku": "MUG-01"' in opened.run("document.querySelector('#t1r0s3').textContent")


def test_a_repeated_test_shows_its_interval_and_leads_to_an_example(opened):
    _click(opened, "#t2 > summary")
    drawn = """(() => {
      const svg = document.querySelector("#t2 .interval svg");
      const box = svg.getBoundingClientRect();
      const at = (query, side) => (svg.querySelector(query).getBoundingClientRect()[side] - box.left) / box.width;
      return [at(".range", "left"), at(".range", "right"), at("line.threshold", "left"), svg.getAttribute("aria-label")];
    })()"""
    low, high, threshold, said = opened.run(drawn)
    assert (low, high, threshold) == pytest.approx((0.7089, 0.9145, 0.94), abs=0.005)
    assert said == "Pass rate 83.7%, 95% interval from 70.9% to 91.5%, threshold 94%"
    _click(opened, "#t2 .run > summary")
    _click(opened, "#t2 .modes a")
    assert opened.run("location.hash") == "#t2r0"
    opened.run(SEARCHED)
    assert opened.run("document.querySelector('#t2r0').open") is True


def test_the_list_is_sorted_by_its_columns(opened):
    _click(opened, ".sort.time")
    assert opened.run(SHOWN)[:2] == [ALL[1], ALL[4]]
    _click(opened, ".sort.time")
    assert opened.run(SHOWN)[:2] == [ALL[5], ALL[2]]
    _click(opened, ".sort.time")
    assert opened.run(SHOWN) == ALL
    _click(opened, ".sort.rate")
    assert opened.run(SHOWN)[:2] == [ALL[1], ALL[4]]


def test_the_theme_follows_the_system_until_somebody_chooses(browser, page):
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(251, 251, 250)", "rgb(16, 18, 20)"
    with browser.page(dark=True) as opened:
        opened.open(page)
        assert opened.run(ground) == dark
        opened.prefer(dark=False)
        assert opened.run(ground) == light
        _click(opened, "#theme")
        assert opened.run(ground) == dark

        def is_remembered() -> bool:
            opened.open(page)
            return opened.run(ground) == dark

        # A browser writes down what a page remembers a little later than it says.
        assert soon(is_remembered)
        opened.press("t")
        assert opened.run(ground) == light
        assert opened.complaints() == []


def test_where_nothing_may_be_remembered_the_page_works(browser, page):
    with browser.page() as opened:
        refused = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
        opened.ask("Page.addScriptToEvaluateOnNewDocument", source=refused)
        opened.open(page)
        _click(opened, "#theme")
        assert opened.run("document.documentElement.dataset.theme") == "dark"
        assert opened.complaints() == []


def test_without_script_everything_is_there_and_nothing_is_offered_that_would_not_work(browser, page):
    with browser.page() as opened:
        opened.ask("Emulation.setScriptExecutionDisabled", value=True)
        opened.open(page)
        opened.ask("Emulation.setScriptExecutionDisabled", value=False)
        assert opened.run(SHOWN) == ALL
        assert opened.run("document.querySelector('.toolbar').offsetParent === null") is True
        assert opened.run("document.querySelector('#theme').offsetParent === null") is True
        _click(opened, "#t1 > summary")
        assert "Decided by steps 1, 3" in opened.run("document.querySelector('#t1').innerText")


CONTRAST = """(() => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const light = (rgb) => rgb.map((c) => c / 255).map((c) => (c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4))
    .reduce((sum, c, n) => sum + c * [.2126, .7152, .0722][n], 0);
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length) continue;
    let ground = element;
    while (ground && parse(getComputedStyle(ground).backgroundColor).a < 1) ground = ground.parentElement;
    const pair = [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor].map((text) => light(parse(text).rgb));
    const ratio = (Math.max(...pair) + .05) / (Math.min(...pair) + .05);
    if (ratio < 4.5) poor.push(`${element.className || element.localName}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read(browser, page, dark):
    # What is not in view has no boxes, so everything is.
    with browser.page(height=9000, dark=dark) as opened:
        opened.open(page)
        opened.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        opened.picture()
        assert (
            opened.run(
                "document.querySelector('#t2r1 .step').lastElementChild.lastElementChild.getClientRects().length"
            )
            == 1
        )
        assert opened.run(CONTRAST) == []


def test_the_page_has_landmarks_and_everything_has_a_name(opened):
    tree = opened.ask("Accessibility.getFullAXTree")["nodes"]
    told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")]
    roles = {role for role, _ in told}
    assert {"main", "banner", "contentinfo", "search", "heading", "list", "listitem"} <= roles
    assert [role for role, name in told if role in ("button", "searchbox", "link", "image") and not name.strip()] == []
    assert ("heading", "3 of 6 tests did not pass") in told


def _is_blank(picture: bytes) -> bool:
    """Whether nothing is in a picture: one colour packs into next to nothing."""
    assert picture.startswith(b"\x89PNG")
    at, packed = 8, b""
    while at < len(picture):
        length, kind = struct.unpack(">I4s", picture[at : at + 8])
        packed += picture[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw = zlib.decompress(packed)
    return sum(byte != 0 for byte in raw) < len(raw) / 100


@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [("light", 1200, False), ("dark", 1200, True), ("narrow", 400, False), ("narrow-dark", 400, True)],
)
def test_it_looks_like_something_in_every_size(browser, page, tmp_path, name, width, dark):
    with browser.page(width=width, dark=dark) as opened:
        opened.open(page)
        picture = tmp_path / f"{name}.png"
        picture.write_bytes(opened.picture())
        assert not _is_blank(picture.read_bytes())
        opened.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        opened.size(width, 9000)
        opened.picture()
        assert opened.run("document.documentElement.scrollWidth") <= width
        opened.size(width, 900)
        opened.run("document.querySelector('#t2').scrollIntoView()")
        assert not _is_blank(opened.picture())
        opened.goto("about:blank")
        assert _is_blank(opened.picture())


def test_it_is_printed_with_what_is_open(opened):
    _click(opened, "#t1 > summary")
    _click(opened, "#theme")
    opened.ask("Emulation.setEmulatedMedia", media="print")
    ground, toolbar = opened.run(
        "[document.body, document.querySelector('.toolbar')].map((part) => getComputedStyle(part)).map((style) => [style.backgroundColor, style.display])"
    )
    # A dark page would drink the ink.
    assert ground[0] == "rgb(255, 255, 255)"
    assert toolbar[1] == "none"
    told = opened.ask("Page.printToPDF", printBackground=False)
    assert len(told["data"]) > 20_000


def test_a_run_that_did_not_end_says_so_in_red_at_the_top(browser, tmp_path):
    from page_events import STARTED, finished, report_of

    found = {"event": "tests_found", "at": 1.0, "count": 5}
    begun = {"event": "test_started", "at": 2.0, "test": "test_that_was_cut_off"}
    page = report_of(tmp_path, [STARTED, found, finished("test_a"), begun])
    with browser.page() as opened:
        opened.open(page)
        alarm = "document.querySelector('[role=alert]')"
        assert "did not come to its end" in opened.run(f"{alarm}.innerText")
        assert "3 of 5 tests were not run" in opened.run(f"{alarm}.innerText")
        assert opened.run(f"getComputedStyle({alarm}).color") == "rgb(191, 42, 34)"
        assert opened.run(f"{alarm}.getBoundingClientRect().top") < 100
        assert opened.run("document.querySelector('h1').innerText") == "1 of 2 tests did not pass"
        # No test was repeated, and none asked a model.
        assert opened.run("getComputedStyle(document.querySelector('.sort.rate')).visibility") == "hidden"
        assert opened.run("document.querySelector('.columns').getBoundingClientRect().height") < 40


def test_thousands_of_tests_and_steps_stay_usable(browser, tmp_path):
    from page_events import ENDED, STARTED, finished, report_of, trajectory

    def call(n):
        value = {"status": "pending", "n": n, "items": [{"sku": "MUG-01", "price": 12.5}] * 3}
        return {
            "step_type": "tool_call",
            "timestamp": 1.0,
            "tool_name": "poll",
            "tool_args": {"n": n},
            "tool_result": value,
        }

    events = [STARTED]
    for n in range(5000):
        name = f"tests/test_{n // 50}.py::test_{n}"
        steps = [call(n) for n in range(10_000 if n == 77 else 6)]
        failure = {"phase": "call", "message": "AssertionError: nope", "text": "E   nope\n" * 30}
        cites = [{"run_id": f"r{n}", "assertion": "a", "expected": "b", "actual": "c", "cites": [5000]}]
        is_red = n % 40 == 0 or n == 77
        more = {"failures": [{**failure, "broken": cites if n == 77 else []}]} if is_red else {}
        events.append({"event": "agent_ran", "test": name, "trajectory": trajectory(f"r{n}", steps)})
        events.append(finished(name, "failed" if is_red else "passed", **more))
    with Stopwatch() as watch:
        page = report_of(tmp_path, [*events, ENDED])
    # A build without optimisation. As released it is well under a second.
    assert watch.fair < 40
    assert page.stat().st_size < 20_000_000
    with browser.page() as opened:
        with Stopwatch() as watch:
            opened.open(page)
        assert watch.fair < 20

        def seconds_of(script):
            took = "(() => {{ const began = performance.now(); {}; document.body.offsetHeight; return performance.now() - began; }})()"
            with Stopwatch() as watch:
                milliseconds = opened.run(took.format(script))
            # The page cannot measure its own lag while it works, so that of this process is taken.
            return milliseconds / 1000 - watch.lag

        assert seconds_of("document.querySelector('.filter.failed').click()") < 3
        assert len(opened.run(SHOWN)) == 126
        assert seconds_of("document.querySelector('.filter.failed').click()") < 3
        assert seconds_of("document.querySelector('.sort.name').click()") < 5
        assert seconds_of("document.querySelector('#t77').open = true") < 3
        assert opened.run("document.querySelectorAll('#t77 .step').length") == 257
        gaps = opened.run("[...document.querySelectorAll('#t77 .gap')].map((gap) => gap.textContent)")
        assert [gap.split()[0] for gap in gaps] == ["4,797", "4,946"]
        opened.press("/")
        opened.type("test_4999")
        opened.run(SEARCHED)
        opened.run(SEARCHED)
        assert opened.run(SHOWN) == ["test_4999"]
        assert opened.complaints() == []
