//! `exact-model-text`.

use crate::ast::{CmpOp, Expr};
use crate::known::answers::{Answers, is_about_live_answers};
use crate::known::claims::{Says, claims};
use crate::literal::constant;
use crate::{Check, Def, Example, Layer, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "exact-model-text",
    what: "A whole sentence of a model that is compared word for word, in integration, behavioral and live tests: `assert response.content == \"Your order was refunded.\"`. \
           Single words, numbers and labels may be compared, and so may answers that the file says are scripted, mocked or \
           recorded.",
    why: "A model says the same thing in other words the next time, and the test fails though the agent was right. Facts stay: \
          `\"refunded\" in response.content`.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "async def test_refund(agent):\n    response = await agent.run(\"Refund order 123\")\n    assert response.content == \"Order 123 was refunded.\"\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "async def test_refund(agent):\n    response = await agent.run(\"Refund order 123\")\n    assert \"refunded\" in response.content.lower()\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

/// Where agents are real. Tests that are marked as live are looked at in any layer.
const LAYERS: [Layer; 2] = [Layer::Integration, Layer::Behavioral];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    let mut answers = None;
    let mut look = |text: &Expr, answer: &Expr, place: &dyn Ranged| {
        if !is_sentence(test, text) || !is_about_live_answers(test, &LAYERS) {
            return;
        }
        if answers.get_or_insert_with(|| Answers::of(test)).is_answer(test, answer) {
            report
                .at(
                    place.range(),
                    format!(
                        "`{}` is compared word for word: a model may say it otherwise",
                        test.file.text(answer)
                    ),
                )
                .help("assert the facts that must be in it, such as `\"2024\" in response.content`");
        }
    };
    for claim in claims(test) {
        if let Says::Compared(left, CmpOp::Eq, right) = claim.says {
            look(right, left, &claim);
            look(left, right, &claim);
        }
    }
}

/// Three words or more, written out here or where the name got them.
fn is_sentence(test: Def<'_, '_>, expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(text) => text.value.to_str().split_whitespace().count() >= 3,
        Expr::Name(name) => {
            let value = constant(test, name.id.as_str());
            value.is_some_and(|value| value.is_string_literal_expr() && is_sentence(test, value))
        }
        _ => false,
    }
}
