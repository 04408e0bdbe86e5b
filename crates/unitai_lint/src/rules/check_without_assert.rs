//! `check-without-assert`.

use rustc_hash::FxHashMap;
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
    let mut known = Known { file, is_about_agents: None, results: FxHashMap::default() };
    for statement in &file.statements {
        // One that must raise is looked at by whoever waits for the error.
        if statement.context.in_raises() {
            continue;
        }
        let Stmt::Expr(line) = statement.node else { continue };
        if let Some(what) = known.finds(&line.value, statement.owner) {
            // The line may begin with a bracket, before which the word belongs.
            tell(&what, &*line.value, report).fix(Fix::insert(FIX, line.start(), "assert "));
        }
    }
    for assign in file.assigns.iter().filter(|assign| assign.name == "_" && !assign.context.in_raises()) {
        let Some(value) = assign.value else { continue };
        let Some(what) = known.finds(value, assign.owner) else { continue };
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

/// What is known of a file, found out once.
struct Known<'f, 'a> {
    file: &'f File<'a>,
    is_about_agents: Option<bool>,
    results: FxHashMap<FunctionId, Vec<&'a str>>,
}

impl<'f, 'a> Known<'f, 'a> {
    /// What an expression would tell whoever looked at it, if it is made of checks of results alone: how they are called, for
    /// a message.
    fn finds(&mut self, expr: &Expr, owner: Option<FunctionId>) -> Option<String> {
        let source = self.file.source;
        match expr {
            Expr::Call(call) => {
                let method = check_of(call)?;
                let Expr::Attribute(attribute) = &*call.func else { return None };
                let receiver = crate::dotted(&attribute.value, source);
                if !receiver.is_empty() {
                    return self
                        .is_result(method, receiver, owner)
                        .then(|| format!("{receiver}.{}(...)", method.name));
                }
                let run = attribute.value.as_call_expr()?;
                let func = self.file.text(&*run.func);
                self.is_run(run, owner).then(|| format!("{func}(...).{}(...)", method.name))
            }
            Expr::Attribute(attribute) => {
                let method = Method::of_name(attribute.attr.as_str())?;
                let receiver = crate::dotted(&attribute.value, source);
                (method.is_property && self.is_certain(receiver, owner))
                    .then(|| self.file.text(expr).to_owned())
            }
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => self.finds(&unary.operand, owner),
            Expr::BoolOp(bool_op) => {
                let mut found = bool_op.values.iter().map(|value| self.finds(value, owner));
                let first = found.next()??;
                found.all(|other| other.is_some()).then_some(first)
            }
            Expr::Compare(compare) => {
                let mut sides = std::iter::once(&*compare.left).chain(&compare.comparators);
                sides
                    .any(|side| subject(side).is_some_and(|name| self.is_certain(name, owner)))
                    .then(|| self.file.text(expr).split('\n').next().unwrap_or_default().to_owned())
            }
            _ => None,
        }
    }

    /// Whether the check is ours. Names such as `judge` and `matches` are those of others too; `self.output_contains` is
    /// likely a helper that asserts.
    fn is_result(&mut self, method: &Method, receiver: &str, owner: Option<FunctionId>) -> bool {
        let is_own_name =
            method.name.contains('_') && !receiver.is_empty() && receiver.split('.').next() != Some("self");
        // A function of the name may assert by itself.
        is_own_name && self.is_about_agents() && !self.file.has_function(method.name)
            || self.is_certain(receiver, owner)
    }

    /// Whether the file has to do with UnitAI at all.
    fn is_about_agents(&mut self) -> bool {
        let source = self.file.source;
        *self.is_about_agents.get_or_insert_with(|| source.contains("toolkit") || source.contains("unitai"))
    }

    /// Whether the name was given what came of a run, in the function at hand or one around it.
    fn is_certain(&mut self, receiver: &str, owner: Option<FunctionId>) -> bool {
        let (file, mut at) = (self.file, owner);
        while let Some(function) = at.map(|id| &file.functions[id as usize]) {
            let results = self.results.entry(function.id).or_insert_with(|| results(Def { file, function }));
            if results.contains(&receiver) {
                return true;
            }
            at = function.owner;
        }
        false
    }

    /// Whether a call runs an agent, by what the function at hand knows.
    fn is_run(&self, call: &ExprCall, owner: Option<FunctionId>) -> bool {
        let file = self.file;
        let def = |id: FunctionId| Def { file, function: &file.functions[id as usize] };
        owner.map(def).is_some_and(|def| runs(call, &toolkits(def), file.source))
    }
}
