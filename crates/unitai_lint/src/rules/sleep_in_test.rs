//! `sleep-in-test`.

use crate::ast::{CmpOp, Expr, Number, UnaryOp};
use crate::literal::is_nothing;
use crate::{Call, Check, Def, Example, Ranged, Report, Rule, Severity, TextRange};

pub(crate) static RULE: Rule = Rule {
    name: "sleep-in-test",
    what: "A test that sleeps for a fixed time: `time.sleep(2)`, `await asyncio.sleep(0.5)`. Pauses in a loop that waits for \
           something, before a look at what did not happen, and those of agents and tools that a test makes up, are not meant.",
    why: "On a busy machine the time is too short and the test fails; on every other one it is too long, and the suite is slow.",
    bad: Example {
        path: "tests/integration/test_jobs.py",
        code: "import time\n\n\ndef test_job(queue):\n    job = queue.submit(\"index\")\n    time.sleep(2)\n    assert job.is_done\n",
    },
    good: Example {
        path: "tests/integration/test_jobs.py",
        code: "def test_job(queue):\n    job = queue.submit(\"index\")\n    job.wait(timeout=30)\n    assert job.is_done\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

const SLEEPS: [&str; 4] = ["time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep"];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for call in test.calls() {
        if call.last != "sleep" || !is_wait(call) || !test.owns(call.owner) {
            continue;
        }
        if !test.qualified(call.name).is_any(&SLEEPS) || replaces_sleep(test) {
            continue;
        }
        let seconds = call.argument("seconds", 0).or_else(|| call.argument("delay", 0));
        let Some(seconds) = seconds.filter(|seconds| is_positive(seconds)) else { continue };
        if shows_absence(test, call) {
            continue;
        }
        let message =
            format!("`{}` sleeps for {} s, whatever it waits for", test.name(), test.file.text(seconds));
        report
            .at(call, message)
            .help("wait for the thing itself: join it, await it, or ask in a loop with a deadline");
    }
}

/// Whether it stands in the flow of the test: not in a loop that asks again, not where it is to be interrupted, not in
/// something that runs beside the test.
fn is_wait(call: &Call<'_>) -> bool {
    let context = call.context;
    let is_line = context.is_statement();
    is_line && !context.in_loop() && !context.in_raises() && !context.in_lambda()
}

fn is_positive(expr: &Expr) -> bool {
    match expr {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) => *int != 0,
            Number::Float(float) => *float > 0.0,
            Number::Complex { .. } => false,
        },
        _ => false,
    }
}

/// Whether the test puts something else in the place of `sleep`, so that nobody waits.
fn replaces_sleep(test: Def<'_, '_>) -> bool {
    let is_patch = |call: &&Call<'_>| matches!(call.last, "setattr" | "patch" | "object");
    test.calls().iter().filter(is_patch).any(|call| {
        call.node.arguments.args.iter().any(|argument| {
            argument.as_string_literal_expr().is_some_and(|text| text.value.to_str().ends_with("sleep"))
        })
    })
}

/// Whether the next line says that something did not happen, which nobody can wait for.
fn shows_absence(test: Def<'_, '_>, call: &Call<'_>) -> bool {
    let Some(next) = test.asserts().iter().find(|assert| assert.range().start() >= call.range().end()) else {
        return false;
    };
    let between = &test.file.source[TextRange::new(call.range().end(), next.range().start())];
    let is_next = between.lines().skip(1).all(|line| line.trim().is_empty() || line.trim().starts_with('#'));
    let is_absence = match &*next.node.test {
        Expr::UnaryOp(unary) => unary.op == UnaryOp::Not,
        Expr::Compare(compare) => match (&compare.ops[..], &compare.comparators[..]) {
            ([CmpOp::NotIn | CmpOp::IsNot | CmpOp::NotEq], _) => true,
            ([CmpOp::Eq | CmpOp::Is], [right]) => {
                is_nothing(right) || is_as_before(test, &compare.left, right)
            }
            _ => false,
        },
        _ => false,
    };
    is_next && is_absence
}

/// Whether a name holds what the same expression gave before: nothing has changed since.
fn is_as_before(test: Def<'_, '_>, now: &Expr, before: &Expr) -> bool {
    let Some(name) = before.as_name_expr() else { return false };
    test.assigns().iter().any(|assign| {
        let is_same = |value: &Expr| test.file.text(value) == test.file.text(now);
        assign.name == name.id.as_str() && assign.value.is_some_and(is_same)
    })
}
