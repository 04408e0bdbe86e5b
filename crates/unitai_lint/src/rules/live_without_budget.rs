//! `live-without-budget`.

use crate::ast::{Expr, ExprCall};
use crate::{Call, Check, Def, Example, Report, Role, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "live-without-budget",
    what: "A test that is marked as live (`@pytest.mark.unitai_live`, `unitai_skip_if_no_api_key` or `live`) and that nothing keeps from \
           spending: no `unitai_budget` marker, no `budget=`, no `spending` block, no `cost_budget` in the project's settings.",
    why: "An agent that never stops asking spends until somebody looks. A budget sets the money aside before a call is sent.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "import pytest\n\n\n@pytest.mark.unitai_skip_if_no_api_key\ndef test_refund(mock_toolkit):\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.output_contains(\"refund\")\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "import pytest\n\n\n@pytest.mark.unitai_skip_if_no_api_key\n@pytest.mark.unitai_budget(max_cost=0.50)\ndef test_refund(mock_toolkit):\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.output_contains(\"refund\")\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

/// Libraries that ask models for money.
const SDKS: [&str; 16] = [
    "agent_framework",
    "agents",
    "anthropic",
    "cohere",
    "crewai",
    "google.adk",
    "google.genai",
    "langchain",
    "langchain_anthropic",
    "langchain_openai",
    "langgraph",
    "litellm",
    "mistralai",
    "openai",
    "pydantic_ai",
    "unitai",
];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    if test.file.options.has_budget {
        return;
    }
    let marker = test.markers().map(|(name, _)| name).find(|name| match *name {
        "unitai_live" | "unitai_skip_if_no_api_key" => true,
        "live" | "live_model" | "live_llm" => asks_models(test),
        _ => false,
    });
    let Some(marker) = marker else { return };
    if !is_limited(test) {
        let message = format!("`{}` is live by `{marker}`, and nothing limits what it spends", test.name());
        report.at(test, message).help(
            "add `@pytest.mark.unitai_budget(max_cost=0.50)`, or set `cost_budget_per_test` in `[tool.unitai]`",
        );
    }
}

/// Whether the test has to do with models: others are live, too.
fn asks_models(test: Def<'_, '_>) -> bool {
    test.takes("mock_toolkit")
        || test.file.imports().iter().any(|import| SDKS.iter().any(|sdk| is_of(import.module, sdk)))
}

fn is_of(module: &str, package: &str) -> bool {
    module.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_limited(test: Def<'_, '_>) -> bool {
    // Repeated tests have a budget unless they say otherwise.
    let keeps_it = |call: Option<&ExprCall>| {
        let budget = call.and_then(|call| call.arguments.find_keyword("budget"));
        budget.is_none_or(|budget| !budget.value.is_none_literal_expr())
    };
    let is_marked = test.markers().any(|(name, call)| match name {
        "unitai_budget" => true,
        "unitai_statistical" => keeps_it(call),
        _ => false,
    });
    let is_repeated = test.decorators().any(|decorator| {
        decorator.name.rsplit('.').next() == Some("statistical") && keeps_it(decorator.call)
    });
    // A fixture, a helper or the file itself may limit all of its tests.
    let is_of_others = |call: &&Call<'_>| {
        call.owner.is_none_or(|owner| test.file.functions[owner as usize].role != Role::Test)
    };
    let of_others = test.file.calls.iter().filter(is_of_others);
    is_marked || is_repeated || test.calls().iter().chain(of_others).any(limits)
}

/// Whether a call makes a budget, or gives one.
fn limits(call: &Call<'_>) -> bool {
    matches!(call.last, "spending" | "Budget" | "unitai_budget")
        || call.keyword("budget").is_some_and(|budget: &Expr| !budget.is_none_literal_expr())
}
