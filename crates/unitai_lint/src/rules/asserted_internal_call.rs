//! `asserted-internal-call`.

use crate::ast::Expr;
use crate::known::around::{before, is_set_up};
use crate::known::claims::claims;
use crate::known::mocks::{counts_calls, is_mock_name, is_patched};
use crate::known::tools::Tools;
use crate::known::words::has_word;
use crate::{Check, Def, Example, Layer, Ranged, Report, Rule, Severity, inside};

pub(crate) static RULE: Rule = Rule {
    name: "asserted-internal-call",
    what: "A behavioral test that asserts on calls inside of the agent: `agent.memory.recall.assert_called_once()`, \
           `assert store.search.call_count == 1`. Calls of tools are behavior and may be asserted.",
    why: "It is broken by every change of how the agent works, and passes when the answer is wrong. The agent may find its \
          answer in any way; what counts is the answer, and what it did to the world.",
    bad: Example {
        path: "tests/behavioral/test_memory.py",
        code: "async def test_name(agent):\n    await agent.run(\"What is my name?\")\n    agent.memory.recall.assert_called_once()\n",
    },
    good: Example {
        path: "tests/behavioral/test_memory.py",
        code: "async def test_name(agent):\n    await agent.memory.store(\"The user is called Ada.\")\n    response = await agent.run(\"What is my name?\")\n    assert \"ada\" in response.content.lower()\n",
    },
    severity: Severity::Error,
    layers: &[Layer::Behavioral],
    is_fixable: false,
    check: Check::Test(check),
};

const HELP: &str = "assert what the response says, or which tools were called";

/// Attributes that only mocks have.
const OF_MOCKS: [&str; 8] = [
    "await_args",
    "await_args_list",
    "await_count",
    "call_args",
    "call_args_list",
    "method_calls",
    "mock_calls",
    "awaited",
];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    let tools = Tools::of(test);
    for call in test.calls() {
        if is_assertion(call.last) && !tools.has(call.receiver(), test.file.text(&*call.node.func)) {
            let what = test.file.text(&*call.node.func);
            report.at(call, format!("`{what}` asserts on a call inside of the agent")).help(HELP);
        }
    }
    for claim in claims(test) {
        let mut first = None;
        for part in claim.parts() {
            inside(part, |expr| {
                if let Expr::Attribute(attribute) = expr
                    && first.is_none()
                    && is_of_mock(test, &tools, attribute.attr.as_str(), &attribute.value)
                {
                    first = Some(expr);
                }
            });
        }
        if let Some(expr) = first {
            let what = test.file.text(expr);
            report.at(expr, format!("`{what}` counts calls inside of the agent")).help(HELP);
        }
    }
}

/// `assert_called_once_with` and its kin.
fn is_assertion(name: &str) -> bool {
    name.strip_prefix("assert_").is_some_and(|rest| {
        ["called", "not_called", "any_call", "has_calls", "awaited", "not_awaited", "any_await", "has_awaits"]
            .iter()
            .any(|word| rest.starts_with(word))
    })
}

fn is_of_mock(test: Def<'_, '_>, tools: &Tools<'_, '_>, attribute: &str, of: &Expr) -> bool {
    let owner = crate::dotted(of, test.file.source);
    if owner.is_empty() || tools.has(owner, owner) {
        return false;
    }
    if OF_MOCKS.contains(&attribute) {
        return true;
    }
    // Results and counters of one's own have these, too.
    matches!(attribute, "call_count" | "called") && (is_part_of_agent(owner) || is_mock(test, owner))
}

/// `agent.memory.recall`: a method of a part of the agent.
fn is_part_of_agent(owner: &str) -> bool {
    let mut parts = owner.split('.').skip_while(|part| *part == "self");
    parts.next().is_some_and(|root| has_word(root, &["agent", "crew", "assistant"])) && parts.count() >= 2
}

/// Whether a name holds a mock or a spy: one that the test makes, or the `setUp` of its class, or a fixture that is called so.
fn is_mock(test: Def<'_, '_>, name: &str) -> bool {
    let root = name.split('.').next().unwrap_or(name);
    if let Some(own) = name.strip_prefix("self.") {
        let own = &name[.."self.".len() + own.find('.').unwrap_or(own.len())];
        return before(test).into_iter().filter(|it| is_set_up(*it)).any(|it| is_made(it, own));
    }
    is_mock_name(root) || test.takes(root) && is_patched(test) || is_made(test, root)
}

/// Whether a function makes a mock and gives it this name.
fn is_made(def: Def<'_, '_>, name: &str) -> bool {
    let is_mock = |value: &Expr| {
        def.calls().iter().any(|call| call.range() == value.range() && counts_calls(def, call))
    };
    def.assigns().iter().any(|assign| assign.name == name && assign.value.is_some_and(is_mock))
        || def.withs().iter().any(|with| with.bound() == Some(name) && is_mock(&with.item.context_expr))
}
