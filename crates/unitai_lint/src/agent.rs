//! How tests of agents look: toolkits, runs, and what comes of them.

use unitai_check::checks::Method;

use crate::ast::{Expr, ExprCall};
use crate::known::asking::runs_agent;
use crate::known::words::has_word;
use crate::{Call, Def, dotted};

/// Methods of a toolkit that run an agent.
const RUNS: [&str; 4] = ["run", "arun", "run_callable", "run_generic"];
/// Methods of a toolkit that prepare it, and run nothing.
const PREPARES: [&str; 5] = ["mock", "allow", "patch", "auto_mock", "get_tool"];
/// Fixtures of pytest and of UnitAI that run no agent and hold no toolkit.
const PLAIN_FIXTURES: [&str; 17] = [
    "cache",
    "capfd",
    "caplog",
    "capsys",
    "cassette",
    "doctest_namespace",
    "monkeypatch",
    "mocker",
    "recwarn",
    "request",
    "scripted_model",
    "snapshot",
    "subtests",
    "tmp_path",
    "tmp_path_factory",
    "tmpdir",
    "mock_toolkit",
];

/// The toolkits of a test, as they are written: `toolkit`, `mock_toolkit`, `self.toolkit`.
pub(crate) fn toolkits<'a>(test: Def<'_, 'a>) -> Vec<&'a str> {
    let mut found: Vec<&'a str> = test
        .parameters()
        .map(|parameter| parameter.name.as_str())
        .filter(|name| *name == "mock_toolkit")
        .collect();
    let made = test.assigns().iter().filter(|assign| {
        let call = assign.value.and_then(Expr::as_call_expr);
        call.is_some_and(|call| is_toolkit(test, call)) && !assign.name.is_empty()
    });
    found.extend(made.map(|assign| assign.name));
    let is_case = test
        .class()
        .is_some_and(|class| class.bases(test.file.source).any(|base| base.ends_with("AgentTestCase")));
    if is_case {
        found.push("self.toolkit");
    }
    found
}

/// Whether a call makes a toolkit.
pub(crate) fn is_toolkit(test: Def<'_, '_>, call: &ExprCall) -> bool {
    dotted(&call.func, test.file.source).rsplit('.').next() == Some("MockToolkit")
}

/// Whether a call only prepares a toolkit.
pub(crate) fn prepares(call: &Call<'_>) -> bool {
    PREPARES.contains(&call.last)
}

/// Whether a call runs an agent, as far as its name tells: `toolkit.run(...)`, `agent.invoke(...)`.
pub(crate) fn runs(call: &ExprCall, toolkits: &[&str], source: &str) -> bool {
    let Expr::Attribute(method) = &*call.func else { return false };
    let receiver = dotted(&method.value, source);
    if toolkits.contains(&receiver) || has_word(receiver, &["toolkit"]) {
        return RUNS.contains(&method.attr.as_str());
    }
    runs_agent(receiver, method.attr.as_str())
}

/// Whether a toolkit runs an agent here. It keeps what the agent raises, as a part of the result.
pub(crate) fn is_run_by_toolkit(test: Def<'_, '_>) -> bool {
    let toolkits = toolkits(test);
    test.calls().iter().any(|call| {
        let receiver = call.receiver();
        // A fixture of the project's own; a module may be called `prompt_toolkit`.
        let is_fixture = || test.takes(receiver) && has_word(receiver, &["toolkit"]);
        RUNS.contains(&call.last) && (toolkits.contains(&receiver) || is_fixture())
    })
}

/// The names that hold what came of a run in this test, or a part of it.
pub(crate) fn results<'a>(test: Def<'_, 'a>) -> Vec<&'a str> {
    let toolkits = toolkits(test);
    let made = test.assigns().iter().filter(|assign| {
        let call = assign.value.and_then(origin);
        call.is_some_and(|call| runs(call, &toolkits, test.file.source))
    });
    made.map(|assign| assign.name).filter(|name| !name.is_empty() && !name.contains('.')).collect()
}

/// The call that a value is a part of: `Runner.run_sync(...)` in `Runner.run_sync(...).final_output`.
fn origin(value: &Expr) -> Option<&ExprCall> {
    let mut at = value;
    loop {
        at = match at {
            Expr::Call(call) => return Some(call),
            Expr::Await(awaited) => &awaited.value,
            Expr::Attribute(attribute) => &attribute.value,
            Expr::Subscript(subscript) => &subscript.value,
            _ => return None,
        }
    }
}

/// The check that a call is, if it is one on a value: `result.tool_was_called("x")`.
pub(crate) fn check_of(call: &ExprCall) -> Option<&'static Method> {
    let Expr::Attribute(method) = &*call.func else { return None };
    Method::of_name(method.attr.as_str()).filter(|it| !it.is_property)
}

/// The check that a call is, in any form: a method of a result, `self.assertToolNotCalled(...)` of an `AgentTestCase`, or a
/// link in the chain of `assert_trajectory`. `last` and `root` are the ends of the name that is called.
pub(crate) fn asserted_check(call: &ExprCall, last: &str, root: &str) -> Option<&'static Method> {
    if let Some(name) = test_case_check(last, root) {
        // `assertToolCallCount` stands for `tool_call_count_is`.
        return Method::of_name(&name).or_else(|| Method::of_name(&format!("{name}_is")));
    }
    if last == "never" && is_chained(call) {
        return Method::of_name("tool_not_called");
    }
    check_of(call)
}

/// The name of the check behind a method of a test case: `tool_not_called` behind `self.assertToolNotCalled`.
pub(crate) fn test_case_check(last: &str, root: &str) -> Option<String> {
    let name = snake(last.strip_prefix("assert").filter(|_| root == "self")?);
    Some(name.strip_prefix("agent_").map_or_else(|| name.clone(), str::to_owned))
}

/// `tool_not_called` of `ToolNotCalled`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Whether a call is `assert_trajectory(...)`, or a link of the chain behind it.
pub(crate) fn is_chained(call: &ExprCall) -> bool {
    let mut at = call;
    loop {
        match &*at.func {
            Expr::Name(name) => return name.id.as_str() == "assert_trajectory",
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Call(inner) => at = inner,
                _ => return attribute.attr.as_str() == "assert_trajectory",
            },
            _ => return false,
        }
    }
}

/// Whether a test asks for a fixture that may do anything: one of its own, which nobody sees from here.
pub(crate) fn has_unknown_fixture(test: Def<'_, '_>) -> bool {
    test.parameters().any(|parameter| {
        let name = parameter.name.as_str();
        !PLAIN_FIXTURES.contains(&name) && !test.is_parametrized(name)
    })
}

/// The name that an expression is about: `result` in `result.trajectory.steps[0]` and `len(result.output)`.
pub(crate) fn subject(expr: &Expr) -> Option<&str> {
    let mut at = expr;
    loop {
        at = match at {
            Expr::Name(name) => return Some(name.id.as_str()),
            Expr::Attribute(attribute) => &attribute.value,
            Expr::Subscript(subscript) => &subscript.value,
            Expr::Await(awaited) => &awaited.value,
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) if matches!(name.id.as_str(), "len" | "str" | "repr" | "list" | "bool") => {
                    call.arguments.args.first()?
                }
                func => func,
            },
            _ => return None,
        }
    }
}
