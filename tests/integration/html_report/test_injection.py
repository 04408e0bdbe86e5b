"""Text of models, tools and tests is shown, and does nothing else: every payload through every place of the report."""

from __future__ import annotations

import html
import re

import pytest

pytestmark = pytest.mark.integration

TAGS = """html head meta title style script body a header span button svg circle path main section h1 h2 h3 rect dl div dt
dd small strong p input ul li details summary ol b code pre footer kbd line figure figcaption wbr""".split()

# What must be so of the parsed page, whatever was written into it.
CHECK = """(() => {
  const wrong = [];
  for (const element of document.querySelectorAll("*")) {
    if (!%s.includes(element.localName)) wrong.push("element " + element.localName);
    for (const attribute of element.attributes) {
      if (/^on|^style$|src|action|poster|background|ping|srcdoc/i.test(attribute.name)) wrong.push("attribute " + attribute.name);
      if (/href/i.test(attribute.name) && !/^#(t\\d+(r\\d+(s\\d+)?)?|tests)$/.test(attribute.value)) wrong.push("address " + attribute.value);
    }
  }
  if (document.scripts.length !== 1) wrong.push("scripts " + document.scripts.length);
  if (document.styleSheets.length !== 1) wrong.push("styles " + document.styleSheets.length);
  return [...new Set(wrong)];
})()"""

# Opens what can be opened, and touches what can be touched.
TOUCH = """(() => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  for (const element of document.querySelectorAll("main *")) {
    for (const kind of ["mouseover", "pointerenter", "focus", "animationstart", "toggle", "wheel"]) {
      element.dispatchEvent(new Event(kind, { bubbles: false }));
    }
  }
})()"""


def spelled(text: str) -> str:
    """The text with what is not seen spelled out; lines and tabulators stay."""
    return "".join(_spelled(c) for c in text.replace("\r\n", "\n"))


def _spelled(c: str) -> str:
    point = ord(c)
    if c in "\n\t":
        return c
    if c == "\r":
        return "\\r"
    if point < 0x20 or 0x7F <= point < 0xA0:
        return f"\\x{point:02x}"
    hidden = [
        (0x61C, 0x61C),
        (0x200B, 0x200F),
        (0x2028, 0x202E),
        (0x2060, 0x2069),
        (0xFEFF, 0xFEFF),
        (0xFFF9, 0xFFFB),
        (0xE0000, 0xE007F),
    ]
    return f"\\u{point:04x}" if any(low <= point <= high for low, high in hidden) else c


def one_line(text: str) -> str:
    return (
        spelled(text.replace("\r\n", "\r\x00\n"))
        .replace("\\r\\x00\n", "\\r\\n")
        .replace("\n", "\\n")
        .replace("\t", "\\t")
    )


def squeezed(text: str) -> str:
    return " ".join(text.split())


def tight(text: str) -> str:
    return spelled(squeezed(text))


def uncoloured(text: str) -> str:
    """What a terminal would have shown."""
    return spelled(re.sub(r"\x1b\[[0-9;]*m|\x1b\][^\x07]*\x07", "", text))


def quoted(text: str) -> str:
    return one_line(text.replace("\\", "\\\\").replace('"', '\\"'))


def test_the_payloads_are_many_and_differ():
    from payloads import PAYLOADS

    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 200


def test_the_check_sees_what_a_careless_page_does(browser, tmp_path):
    from payloads import ELSEWHERE, JS

    page = tmp_path / "careless.html"
    page.write_text(f"<!doctype html><body><img src={ELSEWHERE} onerror={JS}>", encoding="utf-8")
    with browser.page() as opened:
        opened.open(page)
        opened.settle(0.5)
        assert opened.run("window.__xss") == 1
        assert opened.requests() == [page.as_uri(), ELSEWHERE]
        assert opened.complaints()
        tags = ["html", "head", "body"]
        assert set(opened.run(CHECK % tags)) >= {"element img", "attribute onerror", "attribute src"}


def _test(number: int, text: str) -> tuple[list[dict], list[str]]:
    """A test that has the text everywhere, and how it must be shown there."""
    from page_events import finished

    count = iter(range(1000))
    shown: list[str] = []

    def sink(form=spelled) -> str:
        """The text for another place, by a name of its own."""
        mine = f"Q{number}.{next(count)}{text}Z"
        shown.append(form(mine))
        return mine

    run_id = sink()
    name = sink(tight)
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    exchange = {"dialect": sink(), "source": "live", "request_digest": "d", "streamed": True, "latency": 0.1}
    answered = {**exchange, "end": "answered", "finish_reason": sink(), "usage": {sink(quoted): sink(quoted)}}
    failed = {**exchange, "end": "failed", "status": 500, "error": sink()}
    error = {"type": sink(), "bases": [text], "message": sink(), "place": sink()}
    opaque = {"$unitai": "object", "type": text, "repr": sink(one_line)}
    steps = [
        {
            "step_type": "tool_call",
            "timestamp": 1.0,
            "agent_id": sink(one_line),
            "fault": {"kind": "corrupt", "text": sink(), "seed": 7, "instead_of": [sink(quoted)]},
            "tool_name": sink(one_line),
            "tool_args": {sink(quoted): {"deep": [sink(quoted), opaque]}},
            "tool_result": {"$unitai": "tuple", "items": [sink(quoted), {sink(quoted): [sink(quoted)]}]},
        },
        {"step_type": "tool_call", "timestamp": 1.0, "tool_name": "a", "tool_args": {}, "tool_error": error},
        {"step_type": "llm_call", "timestamp": 1.0, "model": sink(one_line), **usage, "exchange": answered},
        {"step_type": "llm_call", "timestamp": 1.0, "model": "m", "exchange": failed},
        {
            "step_type": "state_change",
            "timestamp": 1.0,
            "key": sink(one_line),
            "old_value": {"old": sink(quoted)},
            "new_value": {"new": sink(quoted)},
        },
    ]
    whole = {"format": "unitai.trajectory", "version": 1, "run_id": run_id, "input": f"{sink()}\n", "started_at": 0.0}
    whole |= {"duration_seconds": 1.0, "steps": steps}
    raised = {
        **whole,
        "run_id": f"{run_id}2",
        "steps": [],
        "error": {"type": sink(), "message": sink(), "place": sink()},
    }
    broken = {"run_id": run_id, "assertion": sink(), "expected": sink(), "actual": sink(), "cites": [0]}
    failure = {"phase": "call", "message": sink(), "text": sink(uncoloured), "report": sink(), "broken": [broken]}
    mode = {"count": 3, "example": f"{run_id}-nowhere"}
    statistics = {
        "verdict": "failed",
        "passed": 1,
        "failed": 3,
        "inconclusive": 1,
        "planned": 9,
        "pass_rate": 0.25,
        "threshold": 0.9,
        "interval": [0.1, 0.6],
        "confidence": 0.95,
        "cost": 0.1,
        "is_cost_known": False,
        "claim": sink(),
        "mode": sink(),
        "stopped": sink(),
        "failure_modes": [{**mode, "text": sink(tight), "parting": sink(tight)}],
        "causes": [{**mode, "text": sink(tight)}],
        "notes": [sink()],
    }
    events = [
        {
            "event": "agent_ran",
            "test": name,
            "example_of": sink(tight),
            "trajectory": {**whole, "final_output": f"{sink()}\n"},
        },
        {"event": "agent_ran", "test": name, "trajectory": raised},
        finished(
            name,
            "failed",
            file=sink(),
            line=7,
            reason=sink(),
            failures=[failure],
            captured=[{"title": sink(tight), "text": sink(uncoloured)}],
            statistics=statistics,
            worker=sink(),
        ),
    ]
    return events, shown


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """A report with every payload in every place, and the texts that each of its tests must show."""
    from page_events import ENDED, STARTED, report_of
    from payloads import PAYLOADS

    everything = "\n".join(PAYLOADS)
    started = dict.fromkeys(("run_id", "unitai", "python", "pytest", "model_override", "cache_mode"), everything)
    events: list[dict] = [{**STARTED, **started, "arguments": PAYLOADS}]
    shown = []
    for number, text in enumerate(PAYLOADS):
        made, texts = _test(number, text)
        events += made
        shown.append(texts)
    events.append({**ENDED, "ending": "interrupted", "reason": everything})
    return report_of(tmp_path_factory.mktemp("attacked"), events), shown


def test_no_payload_does_anything_in_any_place(browser, attacked):
    from payloads import PAYLOADS

    page, shown = attacked
    with browser.page() as opened:
        opened.open(page)
        opened.run(TOUCH)
        opened.settle(1.5)
        assert opened.run("window.__xss") is None
        assert opened.seen("Page.javascriptDialogOpening") == []
        assert opened.requests() == [page.as_uri()]
        assert opened.complaints() == []
        assert opened.run(CHECK % TAGS) == []
        texts = opened.run("[...document.querySelectorAll('.test')].map((test) => test.textContent)")
        assert len(texts) == len(PAYLOADS)
        for payload, whole, expected in zip(PAYLOADS, texts, shown, strict=True):
            assert len(expected) > 40
            assert [text for text in expected if text not in whole] == [], repr(payload)
        top = opened.run("document.querySelector('.alarm').textContent + document.querySelector('.about').textContent")
        everything = spelled("\n".join(PAYLOADS))
        assert top.count(everything) == 6
        assert one_line("\n".join(PAYLOADS)) in top
        assert spelled(" ".join(PAYLOADS)) in top


def test_even_a_page_that_let_a_payload_through_would_not_run_it(browser, attacked, tmp_path):
    """The policy is a second wall: with all the escaping undone, nothing runs and nothing leaves."""
    page, _ = attacked
    text = page.read_text(encoding="utf-8")
    head, rest = text.split("</head>", 1)
    careless = tmp_path / "careless.html"
    # A page may be left for another one by a policy's leave; that is the browser's to decide, not a load of this page.
    rest = re.sub(r"&lt;meta http-equiv=refresh.*?&gt;", "", rest)
    careless.write_text(f"{head}</head>{html.unescape(rest)}", encoding="utf-8")
    with browser.page() as opened:
        opened.open(careless)
        opened.settle(1.5)
        assert opened.run("window.__xss") is None
        assert opened.seen("Page.javascriptDialogOpening") == []
        assert any("Content Security Policy" in text for text in opened.complaints())
