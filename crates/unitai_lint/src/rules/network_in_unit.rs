//! `network-in-unit`.

use crate::ast::Expr;
use crate::known::around::before;
use crate::known::asking::is_sending;
use crate::known::clients::{bound_client, client_of, given_client, sends_to};
use crate::known::mocks::{first_mock, mock_of_class};
use crate::{Call, Check, Def, Example, File, Import, Layer, Report, Role, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "network-in-unit",
    what: "A unit test, or a fixture of one, that sends a request out of this machine, connects to a database, or asks a client \
           of a model or a store: `requests.get(\"https://...\")`, `OpenAIEmbedder(...).embed(...)`, `litellm.completion(...)`. One \
           with a transport of its own, a mock, a cassette or a script stays inside.",
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
        if def.layer != Some(Layer::Unit) {
            continue;
        }
        let mut is_kept = None;
        for call in def.calls().iter().filter(|call| !call.context.in_raises()) {
            let message = if let Some(address) = sends_to(def, call) {
                let what = file.text(&*call.node.func);
                format!("`{what}` reaches {address} in `{}`, a unit test", def.name())
            } else if let Some(client) = asked_client(def, call) {
                format!("`{}` asks a service: it is of `{client}`", file.text(&*call.node.func))
            } else {
                continue;
            };
            if !*is_kept.get_or_insert_with(|| first_mock(def).is_some() || is_kept_inside(def)) {
                report.at(call, message).help(HELP);
            }
        }
    }
}

/// Something sees to it that nothing goes out: blocked, recorded, scripted, or answered by somebody else.
fn is_kept_inside(def: Def<'_, '_>) -> bool {
    const WORDS: [&str; 8] =
        ["block", "vcr", "cassette", "replay", "script", "disable_socket", "mock", "Stubber"];
    const LIBRARIES: [&str; 9] = [
        "aioresponses",
        "httpretty",
        "moto",
        "pook",
        "pytest_httpx",
        "requests_mock",
        "responses",
        "respx",
        "vcr",
    ];
    let says = |def: Def<'_, '_>| {
        let text = def.file.text(def.function.node);
        WORDS.iter().any(|word| text.contains(word))
    };
    let is_library = |import: &Import<'_>| {
        !import.is_relative && LIBRARIES.contains(&import.module.split('.').next().unwrap_or_default())
    };
    says(def)
        || def.markers().any(|(marker, _)| matches!(marker, "vcr" | "block_network" | "disable_socket"))
        || def.file.imports().iter().any(is_library)
        || def.class().is_some_and(|class| mock_of_class(def.file, class).is_some())
        || before(def).into_iter().any(|it| says(it) || first_mock(it).is_some())
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
