//! `check-without-assert`.

use unitai_check::checks::Method;

use crate::agent::{check_of, results};
use crate::ast::{Expr, Stmt};
use crate::{Check, Def, Example, File, Fix, FunctionId, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "check-without-assert",
    what: "A check of a result whose answer nobody looks at: `result.tool_was_called(\"refund\")` as a line of its own.",
    why: "A check gives a finding and raises nothing. Without `assert` the line decides nothing, whatever the agent did.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=True)\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    result.tool_was_called(\"refund\")\n    assert result.output_contains(\"refunded\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=True)\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.tool_was_called(\"refund\")\n    assert result.output_contains(\"refunded\")\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: true,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for call in &file.calls {
        // One that must raise is looked at by whoever waits for the error.
        if !call.context.is_statement() || call.context.is_awaited() || call.context.in_raises() {
            continue;
        }
        let Some(method) = check_of(call.node) else { continue };
        if is_result(file, method, call.receiver(), call.owner) {
            tell(method, call.receiver(), call, report);
        }
    }
    for statement in &file.statements {
        let Stmt::Expr(line) = statement.node else { continue };
        let Expr::Attribute(attribute) = &*line.value else { continue };
        let Some(method) = Method::of_name(attribute.attr.as_str()) else { continue };
        let receiver = crate::dotted(&attribute.value, file.source);
        if method.is_property && is_certain(file, receiver, statement.owner) {
            tell(method, receiver, statement, report);
        }
    }
}

fn tell(method: &Method, receiver: &str, place: impl Ranged + Copy, report: &mut Report<'_>) {
    let brackets = if method.is_property { "" } else { "(...)" };
    let message = format!("nobody looks at what `{receiver}.{}{brackets}` finds", method.name);
    report.at(place, message).help("write `assert` before it").fix(Fix::insert(
        "add the missing assert",
        place.range().start(),
        "assert ",
    ));
}

/// Whether the check is ours. Names such as `judge` and `matches` are those of others too; `self.output_contains` is likely
/// a helper that asserts.
fn is_result(file: &File<'_>, method: &Method, receiver: &str, owner: Option<FunctionId>) -> bool {
    let is_own_name =
        method.name.contains('_') && !receiver.is_empty() && receiver.split('.').next() != Some("self");
    is_own_name && is_about_agents(file) && !is_helper(file, method.name) || is_certain(file, receiver, owner)
}

/// Whether the file has to do with UnitAI at all.
fn is_about_agents(file: &File<'_>) -> bool {
    file.source.contains("toolkit") || file.source.contains("unitai")
}

/// Whether this file has a function of the name, which may assert by itself.
fn is_helper(file: &File<'_>, name: &str) -> bool {
    file.functions.iter().any(|function| function.node.name.as_str() == name)
}

/// Whether the name was given what came of a run, in the function at hand or one around it.
fn is_certain(file: &File<'_>, receiver: &str, owner: Option<FunctionId>) -> bool {
    let mut at = owner;
    while let Some(function) = at.map(|id| &file.functions[id as usize]) {
        if results(Def { file, function }).contains(&receiver) {
            return true;
        }
        at = function.owner;
    }
    false
}
