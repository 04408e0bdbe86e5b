//! `skip-with-todo`.

use crate::ast::{Expr, ExprCall};
use crate::known::words::words;
use crate::{Check, Def, Example, File, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "skip-with-todo",
    what: "A test that is skipped because it is still to be written: `@pytest.mark.skip(\"TODO\")`, without a reason, or \
           by a call of `pytest.skip`; on a test, a case of it, a class or a whole file. An `xfail` needs no reason, but \"TODO\" is none \
           either.",
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
    check: Check::Python(check),
};

const HELP: &str =
    "write the test now, or delete it; a skip says what is missing here, such as a key or a platform";

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for mark in file.module_marks() {
        decorated(file, mark, "this file", report);
    }
    for class in file.classes.iter().filter(|class| class.name().contains("Test")) {
        for mark in class.marks() {
            decorated(file, mark, &format!("`{}`", class.name()), report);
        }
    }
    // One case of many: `pytest.param(..., marks=pytest.mark.skip(...))`.
    for call in file.calls.iter().filter(|call| call.last == "param") {
        match call.keyword("marks") {
            Some(Expr::List(list)) => {
                list.elts.iter().for_each(|mark| decorated(file, mark, "this case", report));
            }
            Some(mark) => decorated(file, mark, "this case", report),
            None => {}
        }
    }
    for test in file.tests() {
        for decorator in &test.node.decorator_list {
            decorated(file, &decorator.expression, &format!("`{}`", test.name()), report);
        }
        called(test, report);
    }
}

/// A marker or a decorator on a test, a class or a file.
fn decorated(file: &File<'_>, expr: &Expr, whose: &str, report: &mut Report<'_>) {
    let call = expr.as_call_expr();
    let named = call.map_or(expr, |call| &call.func);
    let name = crate::dotted(named, file.source);
    // A cheap look first: nearly every decorator is something else.
    let Some(last @ ("skip" | "xfail")) = name.rsplit('.').next() else { return };
    let qualified = file.qualified(name);
    if !qualified.is_any(&["pytest.mark.skip", "pytest.mark.xfail", "unittest.skip"]) {
        return;
    }
    look(call, last == "skip", expr, whose, report);
}

/// `pytest.skip(...)` in the body of a test, where nothing asks for a reason first.
fn called(test: Def<'_, '_>, report: &mut Report<'_>) {
    for call in test.calls() {
        let is_skip = matches!(call.last, "skip" | "skipTest");
        if !is_skip || call.context.in_branch() || call.context.in_handler() || call.context.in_loop() {
            continue;
        }
        if call.name == "self.skipTest" || test.qualified(call.name).is("pytest.skip") {
            look(Some(call.node), true, call, &format!("`{}`", test.name()), report);
        }
    }
}

fn look(
    call: Option<&ExprCall>,
    needs_reason: bool,
    place: impl Ranged,
    whose: &str,
    report: &mut Report<'_>,
) {
    let is_skip = if needs_reason { "skipped" } else { "expected to fail" };
    let place = place.range();
    // The first argument of `xfail` is a condition.
    let at = if needs_reason { 0 } else { 1 };
    let reason = call.and_then(|call| {
        let arguments = &call.arguments;
        arguments
            .find_argument_value("reason", at)
            .or_else(|| arguments.find_keyword("msg").map(|it| &it.value))
    });
    match reason {
        None if needs_reason => {
            report.at(place, format!("{whose} is skipped without a reason")).help(HELP);
        }
        Some(Expr::StringLiteral(reason)) => {
            let text = reason.value.to_str();
            if is_promise(text, needs_reason) || needs_reason && text.trim().is_empty() {
                report.at(place, format!("{whose} is {is_skip} as \"{text}\"")).help(HELP);
            }
        }
        _ => {}
    }
}

/// Whether a reason only says that somebody will come back. One that names where it is written down can be looked up.
fn is_promise(reason: &str, is_skip: bool) -> bool {
    let is_number = |(at, _): (usize, &str)| reason[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    if reason.contains("://") || reason.match_indices('#').any(is_number) {
        return false;
    }
    let words: Vec<String> = words(reason).collect();
    let has = |word: &str| words.iter().any(|it| it == word);
    let has_pair = |a: &str, b: &str| words.windows(2).any(|pair| pair[0] == a && pair[1] == b);
    // `not implemented on Windows` is a reason; `not implemented` and `not implemented yet` are none.
    let is_short = words.len() <= 4 && (is_skip || has("test"));
    // A list of things to do is a thing of its own: "the todo service is down".
    let is_of_list = |word: &str| {
        word == "todo"
            && !reason.contains("TODO")
            && ["api", "app", "item", "items", "list", "lists", "page", "server", "service"]
                .iter()
                .any(|thing| has_pair("todo", thing))
    };
    ["todo", "fixme", "tbd", "wip", "xxx"].iter().any(|word| has(word) && !is_of_list(word))
        || has_pair("implement", "me")
        || is_short && has_pair("not", "implemented")
        || is_short && has_pair("for", "now")
        || is_short && has("later")
        || is_short && has("placeholder")
}
