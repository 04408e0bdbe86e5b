//! `network-in-unit`.

use crate::ast::Expr;
use crate::known::asking::is_sending;
use crate::known::clients::{bound_client, client_of, given_client, sends_to};
use crate::known::mocks::first_mock;
use crate::{Call, Check, Def, Example, File, Layer, Report, Role, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "network-in-unit",
    what: "A unit test, or a fixture of one, that sends a request out of this machine, connects to a database, or asks a client \
           of a model or a store: `requests.get(\"https://...\")`, `OpenAIEmbedder(...).embed(...)`.",
    why: "It is slow, costs money, needs a key, and fails when somebody else's service does. That is an integration test, \
          which is skipped where the service is missing; a unit test runs everywhere, in less than a second.",
    bad: Example {
        path: "tests/unit/test_embedding.py",
        code: "def test_embedding():\n    embedder = OpenAIEmbedder(model=\"text-embedding-3-small\")\n    assert len(embedder.embed(\"hello\")) == 1536\n",
    },
    good: Example {
        path: "tests/integration/test_embedding.py",
        code: "def test_embedding(openai_embedder):\n    assert len(openai_embedder.embed(\"hello\")) == 1536\n",
    },
    severity: Severity::Error,
    layers: &[Layer::Unit],
    is_fixable: false,
    check: Check::Python(check),
};

const HELP: &str = "move it to `tests/integration`, or test the part that needs nobody";

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for def in file.defs().filter(|def| matches!(def.role, Role::Test | Role::Fixture)) {
        if def.layer != Some(Layer::Unit) || first_mock(def).is_some() || is_kept_inside(def) {
            continue;
        }
        for call in def.calls().iter().filter(|call| !call.context.in_raises()) {
            if let Some(address) = sends_to(def, call) {
                report
                    .at(call, format!("`{}` reaches {address} in `{}`, a unit test", call.name, def.name()))
                    .help(HELP);
            } else if let Some(client) = asked_client(def, call) {
                let what = file.text(&*call.node.func);
                report.at(call, format!("`{what}` asks a service: it is of `{client}`")).help(HELP);
            }
        }
    }
}

/// Something sees to it that nothing goes out: blocked, recorded, or scripted.
fn is_kept_inside(def: Def<'_, '_>) -> bool {
    let text = def.file.text(def.function.node);
    ["block", "vcr", "cassette", "replay", "script", "disable_socket"].iter().any(|word| text.contains(word))
        || def.markers().any(|(marker, _)| matches!(marker, "vcr" | "block_network" | "disable_socket"))
}

/// The client that a call asks: made on the spot, bound in this function, or by a fixture of this file.
fn asked_client<'a>(def: Def<'_, 'a>, call: &Call<'a>) -> Option<&'a str> {
    if !is_sending(call.last) {
        return None;
    }
    if let Expr::Attribute(attribute) = &*call.node.func
        && let Expr::Call(made) = &*attribute.value
    {
        return client_of(def.file, made);
    }
    let root = call.root();
    bound_client(def, root).or_else(|| {
        let fixture = def.takes(root).then(|| def.file.fixture(root)).flatten()?;
        given_client(fixture)
    })
}
