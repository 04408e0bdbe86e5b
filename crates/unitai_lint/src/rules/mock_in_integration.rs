//! `mock-in-integration`.

use crate::known::mocks::first_mock;
use crate::{Check, Example, File, Layer, Report, Role, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "mock-in-integration",
    what: "A mock in an integration or contract test, or in one of their fixtures: `unittest.mock`, `mocker`, canned HTTP \
           answers, a fixture that is called a mock, or a part that `monkeypatch` replaces by an answer. The clock and the \
           environment may be set; a spy replaces nothing.",
    why: "These layers ask whether real parts work together. A mock answers what the test told it, so the test passes \
          whether or not the service does. `MockToolkit` and scripted models are not meant: they stand at the border of an agent, \
          refuse what nobody planned, and what is judged is what the agent did.",
    bad: Example {
        path: "tests/integration/test_knowledge.py",
        code: "async def test_search(knowledge, mock_embedder):\n    mock_embedder.embed.return_value = [0.1] * 1536\n    found = await knowledge.search(\"Who wrote it?\")\n    assert len(found) == 1\n",
    },
    good: Example {
        path: "tests/integration/test_knowledge.py",
        code: "async def test_search(knowledge):\n    await knowledge.add(\"Ada wrote the first program.\")\n    found = await knowledge.search(\"Who wrote it?\")\n    assert \"ada\" in found[0].text.lower()\n",
    },
    severity: Severity::Error,
    layers: &[Layer::Contract, Layer::Integration],
    is_fixable: false,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for def in file.defs().filter(|def| matches!(def.role, Role::Test | Role::Fixture)) {
        let Some(layer) = def.layer.filter(|layer| RULE.layers.contains(layer)) else { continue };
        if let Some(mock) = first_mock(def) {
            let kind = if def.role == Role::Test { "test" } else { "fixture" };
            report
                .at(
                    mock.range,
                    format!("{} stands in for a real part in `{}`, {} {} {kind}", mock.what, def.name(), article(layer), layer.word()),
                )
                .help("use the real part, and skip where it is missing; or move the test to the layer that it belongs to");
        }
    }
}

fn article(layer: Layer) -> &'static str {
    if layer == Layer::Integration { "an" } else { "a" }
}
