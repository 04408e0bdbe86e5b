//! `snapshot-of-model`.

use crate::ast::Expr;
use crate::known::answers::{Answers, is_about_live_answers};
use crate::known::words::has_word;
use crate::{Check, Def, Example, Layer, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "snapshot-of-model",
    what: "A snapshot of what a model said, in integration, behavioral, regression and live tests: `snapshot.assert_match(response.content, ...)`, `assert response.content == snapshot`. \
           Answers that the file says are scripted, mocked or recorded may be kept.",
    why: "A snapshot is for what comes out the same every time: prompts, chunks, routes. A model says it otherwise the next \
          time, and whoever updates the snapshot without reading approves anything.",
    bad: Example {
        path: "tests/regression/test_refund.py",
        code: "def test_refund(agent, snapshot):\n    response = agent.run(\"Refund order 123\")\n    snapshot.assert_match(response.content, \"refund.txt\")\n",
    },
    good: Example {
        path: "tests/regression/test_refund.py",
        code: "def test_refund(agent, snapshot):\n    snapshot.assert_match(agent.system_prompt(), \"prompt.txt\")\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

/// Where agents are real. Tests that are marked as live are looked at in any layer.
const LAYERS: [Layer; 3] = [Layer::Integration, Layer::Behavioral, Layer::Regression];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    let mut answers = None;
    let mut look = |kept: &Expr, place: &dyn Ranged| {
        if is_about_live_answers(test, &LAYERS)
            && answers.get_or_insert_with(|| Answers::of(test)).is_answer(test, kept)
        {
            report
                .at(
                    place.range(),
                    format!("`{}` is what a model said: no snapshot of it stays true", test.file.text(kept)),
                )
                .help("keep what is deterministic, and assert the facts of an answer");
        }
    };
    for call in test.calls() {
        let of = if call.receiver().is_empty() { call.name } else { call.receiver() };
        let keeps = call.last.starts_with("assert_match") || call.last == "check" || call.name == of;
        if is_snapshot(of)
            && keeps
            && let Some(kept) = call.argument("value", 0)
        {
            look(kept, call);
        }
    }
    for assert in test.asserts() {
        if let Expr::Compare(compare) = &*assert.node.test
            && let [right] = &*compare.comparators
        {
            let left = &*compare.left;
            if holds_snapshot(test, right) {
                look(left, assert);
            } else if holds_snapshot(test, left) {
                look(right, assert);
            }
        }
    }
}

fn is_snapshot(name: &str) -> bool {
    has_word(name, &["snapshot", "snapshots"])
}

/// `snapshot`, `snapshot(name="refund")`, or `snapshot("...")` that is written beside it.
fn holds_snapshot(test: Def<'_, '_>, expr: &Expr) -> bool {
    let named = expr.as_call_expr().map_or(expr, |call| &call.func);
    is_snapshot(crate::dotted(named, test.file.source))
}
