//! `skip-with-todo`.

use crate::ast::{Expr, ExprCall};
use crate::{Check, Def, Example, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "skip-with-todo",
    what: "A test that is skipped because it is still to be written: `@pytest.mark.skip(\"TODO\")`, without a reason, or \
           by a call of `pytest.skip`.",
    why: "Nobody comes back to it. It stands in the list of tests and protects nothing.",
    bad: Example {
        path: "tests/unit/test_search.py",
        code: "import pytest\n\n\n@pytest.mark.skip(\"TODO\")\ndef test_search():\n    assert search(\"refund\")\n",
    },
    good: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    assert search(\"refund\") == [\"refund policy\"]\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

const HELP: &str =
    "write the test now, or delete it; a skip says what is missing here, such as a key or a platform";
const LATER: [&str; 7] = ["todo", "fixme", "tbd", "wip", "not implemented", "implement", "later"];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for decorator in test.decorators() {
        if test.qualified(decorator.name).is("pytest.mark.skip") {
            look(test, decorator.call, decorator, report);
        }
    }
    for call in test.calls() {
        if call.last == "skip" && test.qualified(call.name).is("pytest.skip") && !call.context.in_branch() {
            look(test, Some(call.node), call, report);
        }
    }
}

fn look(test: Def<'_, '_>, call: Option<&ExprCall>, place: impl Ranged, report: &mut Report<'_>) {
    let reason = call.and_then(|call| call.arguments.find_argument_value("reason", 0));
    match reason {
        None => {
            report.at(place, format!("`{}` is skipped without a reason", test.name())).help(HELP);
        }
        Some(Expr::StringLiteral(reason)) => {
            let text = reason.value.to_str();
            let folded = text.to_lowercase();
            if folded.trim().is_empty() || LATER.iter().any(|word| has_word(&folded, word)) {
                report.at(place, format!("`{}` is skipped as \"{text}\"", test.name())).help(HELP);
            }
        }
        Some(_) => {}
    }
}

/// Whether a text has this word, and not only as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
