//! `client-per-test`.

use crate::known::clients::given_client;
use crate::{Check, Def, Example, File, Layer, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "client-per-test",
    what: "A fixture of integration tests that makes a client of a model or a database anew for each test: it gives back \
           `OpenAI(...)` and has no `scope`. Stores that are emptied after each test, asynchronous clients, and fixtures that \
           take other fixtures are left alone.",
    why: "To connect is slow, and services limit how often. A client keeps no state between tests: one for the whole session \
          does.",
    bad: Example {
        path: "tests/integration/conftest.py",
        code: "import pytest\n\n\n@pytest.fixture\ndef embedder():\n    return OpenAIEmbedder(model=\"text-embedding-3-small\")\n",
    },
    good: Example {
        path: "tests/integration/conftest.py",
        code: "import pytest\n\n\n@pytest.fixture(scope=\"session\")\ndef embedder():\n    return OpenAIEmbedder(model=\"text-embedding-3-small\")\n",
    },
    severity: Severity::Warning,
    layers: &[Layer::Integration],
    is_fixable: false,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for fixture in file.fixtures().filter(|fixture| fixture.layer == Some(Layer::Integration)) {
        if fixture.node.is_async || fixture.parameters().next().is_some() || is_scoped(fixture) {
            continue;
        }
        if let Some(client) = given_client(fixture).filter(|class| is_shareable(class)) {
            report
                .at(fixture, format!("`{}` makes a new `{client}` for each test", fixture.name()))
                .help("share it: `@pytest.fixture(scope=\"session\")`");
        }
    }
}

fn is_scoped(fixture: Def<'_, '_>) -> bool {
    let scope = |call: &crate::ast::ExprCall| call.arguments.find_argument_value("scope", 0).is_some();
    fixture.decorators().any(|decorator| decorator.call.is_some_and(scope))
}

/// Asynchronous clients belong to the loop of their test; stores are emptied after each one.
fn is_shareable(class: &str) -> bool {
    !class.starts_with("Async") && !class.ends_with("Store") && !class.ends_with("Index")
}
