//! `mock-in-integration`.

use rustc_hash::FxHashMap;

use crate::known::around::is_set_up;
use crate::known::mocks::{Mock, first_mock, mock_of_class, mock_of_helper, shared_mocks};
use crate::{Check, ClassId, Def, Example, File, Layer, Report, Role, Rule, Severity, TextRange};

pub(crate) static RULE: Rule = Rule {
    name: "mock-in-integration",
    what: "A mock in an integration or contract test, or in what prepares them, a fixture, a `setUp`, a helper of the file: `unittest.mock`, `mocker`, canned HTTP \
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
    let mut shared = None;
    let mut told: Vec<TextRange> = Vec::new();
    for def in file.defs().filter(|def| matches!(def.role, Role::Test | Role::Fixture) || is_set_up(*def)) {
        let Some(layer) = def.layer.filter(|layer| RULE.layers.contains(layer)) else { continue };
        if let Some(mock) = first_mock(def) {
            let kind = if def.role == Role::Fixture { "fixture" } else { "test" };
            tell(&mock, &format!("`{}`", def.name()), layer, kind, report);
            continue;
        }
        let shared = shared.get_or_insert_with(|| Shared::of(file));
        for (place, mock) in shared.used_by(def) {
            // One mock for many tests is told once.
            if !told.contains(&mock.range) {
                told.push(mock.range);
                tell(&mock, &format!("`{place}`, which `{}` uses", def.name()), layer, "test", report);
            }
        }
    }
}

/// What the tests of a file share.
struct Shared<'f, 'a> {
    /// At the top of the file, by name.
    mocks: Vec<(&'a str, Mock)>,
    /// The helpers of each class, and of none, by name; the first of a name.
    helpers: FxHashMap<(Option<ClassId>, &'a str), Def<'f, 'a>>,
}

impl<'f, 'a> Shared<'f, 'a> {
    fn of(file: &'f File<'a>) -> Shared<'f, 'a> {
        let mut helpers = FxHashMap::default();
        for def in file.defs().filter(|def| def.role == Role::Other && def.owner.is_none()) {
            helpers.entry((def.class, def.name())).or_insert(def);
        }
        Shared { mocks: shared_mocks(file), helpers }
    }

    /// What a test uses that is a mock and stands elsewhere in its file: at its class, at the top, or in a helper.
    fn used_by(&self, def: Def<'_, 'a>) -> Vec<(&'a str, Mock)> {
        let mut found = Vec::new();
        if let Some(class) = def.class().filter(|_| def.role == Role::Test)
            && let Some(mock) = mock_of_class(def.file, class)
        {
            found.push((class.name(), mock));
        }
        let read = self.mocks.iter().filter(|(name, _)| def.reads(name));
        found.extend(read.map(|(name, mock)| (*name, mock.clone())));
        for call in def.calls() {
            let helper = match call.name.strip_prefix("self.") {
                Some(method) => self.helpers.get(&(def.class, method)),
                None => self.helpers.get(&(None, call.name)),
            };
            found.extend(helper.and_then(|helper| Some((helper.name(), mock_of_helper(*helper)?))));
        }
        found
    }
}

fn tell(mock: &Mock, place: &str, layer: Layer, kind: &str, report: &mut Report<'_>) {
    let article = if layer == Layer::Integration { "an" } else { "a" };
    report
        .at(
            mock.range,
            format!("{} stands in for a real part in {place}, {article} {} {kind}", mock.what, layer.word()),
        )
        .help("use the real part, and skip where it is missing; or move the test to the layer that it belongs to");
}
