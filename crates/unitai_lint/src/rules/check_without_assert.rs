//! `check-without-assert`.

use unitai_check::checks::Method;

use crate::agent::{check_of, results, runs, subject, toolkits};
use crate::ast::{Expr, ExprCall, Stmt, UnaryOp};
use crate::{Check, Def, Example, File, Finding, Fix, FunctionId, Ranged, Report, Rule, Severity, TextRange};

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
    for statement in &file.statements {
        // One that must raise is looked at by whoever waits for the error.
        if statement.context.in_raises() {
            continue;
        }
        let Stmt::Expr(line) = statement.node else { continue };
        if let Some(what) = finds(file, &line.value, statement.owner) {
            let start = statement.range().start();
            tell(&what, statement, report).fix(Fix::insert(FIX, start, "assert "));
        }
    }
    for assign in file.assigns.iter().filter(|assign| assign.name == "_" && !assign.context.in_raises()) {
        let Some(value) = assign.value else { continue };
        let Some(what) = finds(file, value, assign.owner) else { continue };
        let before = TextRange::new(assign.range().start(), value.start());
        let is_plain = file.text(before).split_whitespace().eq(["_", "="]);
        let finding = tell(&what, assign, report);
        if is_plain {
            finding.fix(Fix::replace(FIX, before, "assert ".to_owned()));
        }
    }
}

const FIX: &str = "add the missing assert";

fn tell<'r>(what: &str, place: impl Ranged, report: &'r mut Report<'_>) -> &'r mut Finding {
    report.at(place, format!("nobody looks at what `{what}` finds")).help("write `assert` before it")
}

/// What an expression would tell whoever looked at it, if it is made of checks of results alone: how they are called, for a
/// message.
fn finds(file: &File<'_>, expr: &Expr, owner: Option<FunctionId>) -> Option<String> {
    match expr {
        Expr::Call(call) => {
            let method = check_of(call)?;
            let Expr::Attribute(attribute) = &*call.func else { return None };
            let receiver = crate::dotted(&attribute.value, file.source);
            if !receiver.is_empty() {
                return is_result(file, method, receiver, owner)
                    .then(|| format!("{receiver}.{}(...)", method.name));
            }
            let run = attribute.value.as_call_expr()?;
            is_run(file, run, owner).then(|| format!("{}(...).{}(...)", file.text(&*run.func), method.name))
        }
        Expr::Attribute(attribute) => {
            let method = Method::of_name(attribute.attr.as_str())?;
            let receiver = crate::dotted(&attribute.value, file.source);
            (method.is_property && is_certain(file, receiver, owner)).then(|| file.text(expr).to_owned())
        }
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => finds(file, &unary.operand, owner),
        Expr::BoolOp(bool_op) => {
            let mut found = bool_op.values.iter().map(|value| finds(file, value, owner));
            let first = found.next()??;
            found.all(|other| other.is_some()).then_some(first)
        }
        Expr::Compare(compare) => {
            let mut sides = std::iter::once(&*compare.left).chain(&compare.comparators);
            sides
                .any(|side| subject(side).is_some_and(|name| is_certain(file, name, owner)))
                .then(|| file.text(expr).split('\n').next().unwrap_or_default().to_owned())
        }
        _ => None,
    }
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
    around(file, owner).any(|def| results(def).contains(&receiver))
}

/// Whether a call runs an agent, by what the function at hand knows.
fn is_run(file: &File<'_>, call: &ExprCall, owner: Option<FunctionId>) -> bool {
    around(file, owner).next().is_some_and(|def| runs(call, &toolkits(def), file.source))
}

/// A function, and those around it.
fn around<'f, 'a>(file: &'f File<'a>, owner: Option<FunctionId>) -> impl Iterator<Item = Def<'f, 'a>> {
    let def = |id: FunctionId| Def { file, function: &file.functions[id as usize] };
    std::iter::successors(owner.map(def), move |it| it.owner.map(def))
}
