//! `too-few-runs`.

use unitai_check::trials::{Indifference, Plan, Sequential, notes};

use crate::ast::{Expr, ExprCall, Number};
use crate::{Check, Def, Example, File, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "too-few-runs",
    what: "A repeated test whose `n` is too small for its threshold: even if every run passes, nothing is shown.",
    why: "Three runs of three show next to nothing about a rate of 95%. Such a test is green by luck, and costs as if it were not.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "from unitai import statistical\n\n\n@statistical(n=3, threshold=0.95)\ndef test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=True)\n    assert mock_toolkit.run(shop_agent, \"Refund order 123\").tool_was_called(\"refund\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "from unitai import statistical\n\n\n@statistical(n=72, threshold=0.95)\ndef test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=True)\n    assert mock_toolkit.run(shop_agent, \"Refund order 123\").tool_was_called(\"refund\")\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for decorator in test.decorators() {
        let Some(call) = decorator.call else { continue };
        let is_plan = match decorator.name.rsplit('.').next() {
            Some("statistical") => test.qualified(decorator.name).is_in("unitai"),
            Some("unitai_statistical") => test.qualified(decorator.name).is_in("pytest.mark"),
            _ => false,
        };
        // What stands behind `**` may be anything.
        if !is_plan || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none()) {
            continue;
        }
        for note in told(test.file, call).into_iter().flatten() {
            report.at(call, note).help("raise `n`, or lower the threshold to what so few runs can show");
        }
    }
}

/// What the engine says of the plan, where all of it is written down. None where something is computed.
fn told(file: &File<'_>, call: &ExprCall) -> Option<Vec<String>> {
    let given = |name: &str| call.arguments.find_keyword(name).map(|keyword| &keyword.value);
    let (n, threshold) = (given("n"), given("threshold"));
    // What neither says is the project's own default, which is no fault of this test.
    if n.is_none() && threshold.is_none() {
        return None;
    }
    let n = n.map_or(file.options.default_n, |n| number(n).map(|n| n as u64))?;
    let threshold = threshold.map_or(file.options.default_threshold, number)?;
    let or = |name: &str, usual: f64| given(name).map_or(Some(usual), number);
    let usual = file.options.default_mode.as_deref().or(Some("all"));
    let mode = given("mode").map_or(usual, |mode| Some(mode.as_string_literal_expr()?.value.to_str()))?;
    let plan = match mode {
        "all" => Plan::All,
        "early" => Plan::Early,
        "sequential" => {
            let indifference = match given("indifference") {
                None => Indifference::default(),
                Some(Expr::Tuple(pair)) => match &pair.elts[..] {
                    [p0, p1] => Indifference::Between { p0: number(p0)?, p1: number(p1)? },
                    _ => return None,
                },
                Some(width) => Indifference::HalfWidth(number(width)?),
            };
            Plan::Sequential(
                Sequential::new(threshold, or("alpha", 0.05)?, or("beta", 0.05)?, indifference, n).ok()?,
            )
        }
        _ => return None,
    };
    Some(notes(n, threshold, or("confidence", 0.95)?, &plan))
}

fn number(expr: &Expr) -> Option<f64> {
    match &expr.as_number_literal_expr()?.value {
        Number::Int(int) => int.as_u64().map(|int| int as f64),
        Number::Float(float) => Some(*float),
        Number::Complex { .. } => None,
    }
}
