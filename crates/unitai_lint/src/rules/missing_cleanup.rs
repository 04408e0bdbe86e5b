//! `missing-cleanup`.

use crate::ast::{Expr, Stmt};
use crate::known::mocks::first_mock;
use crate::known::words::has_word;
use crate::{Call, Check, Class, Def, Example, File, Layer, Name, Ranged, Report, Role, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "missing-cleanup",
    what: "A fixture or a test of the contract, integration or behavioral layer that makes a collection, an index, a table, a \
           bucket or a temporary folder, and leaves it there: no `yield` with something behind it, no finalizer, no `with`, and \
           nothing in the file that deletes it.",
    why: "The next test, and the next run, find what this one left. They pass or fail by what was there before, and shared \
          databases fill up.",
    bad: Example {
        path: "tests/integration/test_search.py",
        code: "import pytest\n\n\n@pytest.fixture\ndef store():\n    return VectorStore(collection_name=\"test_orders\")\n\n\ndef test_search(store):\n    store.add(\"a\", text=\"refund\")\n    assert store.search(\"refund\") == [\"a\"]\n",
    },
    good: Example {
        path: "tests/integration/test_search.py",
        code: "import pytest\n\n\n@pytest.fixture\ndef store():\n    store = VectorStore(collection_name=\"test_orders\")\n    yield store\n    store.delete_collection()\n\n\ndef test_search(store):\n    store.add(\"a\", text=\"refund\")\n    assert store.search(\"refund\") == [\"a\"]\n",
    },
    severity: Severity::Warning,
    layers: &[Layer::Contract, Layer::Integration, Layer::Behavioral],
    is_fixable: false,
    check: Check::Python(check),
};

/// Keywords that name what is made in a store.
const NAMES: [&str; 7] =
    ["collection", "collection_name", "database_name", "index", "index_name", "table", "table_name"];

/// What classes are called that make it there. A class for settings counts if one of these takes it.
const STORES: [&str; 10] = [
    "chroma",
    "database",
    "db",
    "index",
    "knowledge",
    "milvus",
    "retriever",
    "store",
    "vectorstore",
    "weaviate",
];

/// What `create_...` may make there.
const MADE: [&str; 6] = ["bucket", "collection", "database", "index", "table", "topic"];

fn check(file: &File<'_>, report: &mut Report<'_>) {
    let is_meant = |def: &Def<'_, '_>| {
        matches!(def.role, Role::Test | Role::Fixture)
            && def.layer.is_some_and(|layer| RULE.layers.contains(&layer))
    };
    let mut does_file_clean = None;
    for def in file.defs().filter(is_meant) {
        let Some((call, what)) = def.calls().iter().find_map(|call| made(def, call).map(|what| (call, what)))
        else {
            continue;
        };
        if cleans_itself(def) || first_mock(def).is_some() || has_other_bases(file, def.class()) {
            continue;
        }
        if *does_file_clean.get_or_insert_with(|| cleans(file)) {
            continue;
        }
        let kind = if def.role == Role::Test { "test" } else { "fixture" };
        report.at(call, format!("`{}` makes {what} and leaves it there", def.name())).help(
            if kind == "test" {
                "make it in a fixture that deletes it behind its `yield`"
            } else {
                "`yield` it, and delete it behind the `yield`"
            },
        );
    }
}

/// What a call makes that stays after the test.
fn made(def: Def<'_, '_>, call: &Call<'_>) -> Option<String> {
    if call.context.in_with_item() || call.context.in_raises() || call.context.in_lambda() {
        return None;
    }
    if call.last == "mkdtemp" && def.qualified(call.name).is("tempfile.mkdtemp") {
        return Some("a temporary folder".to_owned());
    }
    if let Some(what) = call.last.strip_prefix("create_").or_else(|| call.last.strip_prefix("get_or_create_"))
    {
        // Whoever gives a client to others may clean up behind them.
        let is_given = is_given(def, call.root());
        let is_it =
            !call.receiver().is_empty() && !is_given && MADE.contains(&what) && !is_temporary(def, call);
        let article = if what == "index" { "an" } else { "a" };
        return is_it.then(|| format!("{article} {what} with `{}`", call.name));
    }
    let is_store = |call: &Call<'_>| {
        call.last.starts_with(|first: char| first.is_ascii_uppercase())
            && has_word(call.last, &STORES)
            && !is_temporary(def, call)
    };
    let is_settings = has_word(call.last, &["config", "options", "params", "settings"]);
    let takes_it = |other: &Call<'_>| {
        let is_around = other.range() != call.range() && other.range().contains_range(call.range());
        is_around && is_store(other)
    };
    // A test that only makes the object has put nothing anywhere; what a fixture gives is for others to write to.
    let writes = |other: &Call<'_>| {
        other.node.func.is_attribute_expr()
            && has_word(
                other.last,
                &["add", "index", "ingest", "insert", "put", "save", "store", "upsert", "write"],
            )
    };
    let name = call.node.arguments.keywords.iter().find(|keyword| {
        let is_named = matches!(keyword.value, Expr::StringLiteral(_) | Expr::FString(_));
        is_named && keyword.arg.as_deref().is_some_and(|name| NAMES.contains(&name))
    })?;
    // Every other call is asked only then: few calls come this far.
    if def.role == Role::Test && !def.calls().iter().any(writes) {
        return None;
    }
    let is_it = if is_settings { def.calls().iter().any(takes_it) } else { is_store(call) };
    is_it.then(|| format!("`{}`", def.file.text(name)))
}

/// Whether something is a fixture of another file, or made from one.
fn is_given(def: Def<'_, '_>, name: &str) -> bool {
    let is_other = |name: &str| def.takes(name) && def.file.fixture(name).is_none();
    let made = def.assigns().iter().filter(|assign| assign.name == name).filter_map(|assign| assign.value);
    is_other(name)
        || made.into_iter().any(|value| {
            let of = |name: &Name<'_>| value.range().contains_range(name.range()) && is_other(name.id());
            def.names().iter().any(of)
        })
}

/// In memory, or in a folder that pytest takes away.
fn is_temporary(def: Def<'_, '_>, call: &Call<'_>) -> bool {
    let text = def.file.text(call.node).to_ascii_lowercase();
    ["memory", "tmp", "ephemeral", "temp_"].iter().any(|word| text.contains(word))
}

/// Something behind the `yield`, a finalizer, a `with`, a `finally`, or a call that deletes.
fn cleans_itself(def: Def<'_, '_>) -> bool {
    let yields = def.yields().iter().any(|it| def.owns(it.owner));
    let is_last = matches!(def.body().last(), Some(Stmt::Expr(last)) if last.value.is_yield_expr());
    yields && !is_last
        || !def.withs().is_empty()
        || def.statements().iter().any(|it| matches!(it.node, Stmt::Try(node) if !node.finalbody.is_empty()))
        || def
            .calls()
            .iter()
            .any(|call| deletes(call.last) || matches!(call.last, "addfinalizer" | "callback" | "push"))
}

/// `delete_collection`, `drop_table`, `cleanup`, `rmtree`.
fn deletes(name: &str) -> bool {
    has_word(
        name,
        &[
            "cleanup", "clean", "clear", "destroy", "drop", "flush", "purge", "reset", "rmtree", "teardown",
            "truncate", "wipe",
        ],
    ) || has_word(name, &["delete", "remove", "adelete"]) && has_word(name, &MADE)
}

/// Whether somebody in the file cleans up for others: a fixture for all tests, or anything that deletes.
fn cleans(file: &File<'_>) -> bool {
    file.calls.iter().any(|call| deletes(call.last))
        || file.defs().any(|def| has_word(def.name(), &["cleanup", "clean", "teardown"]))
}

/// Whether a class inherits from one that this file does not show: it may clean up.
fn has_other_bases(file: &File<'_>, class: Option<&Class<'_>>) -> bool {
    class.is_some_and(|class| {
        class
            .bases(file.source)
            .any(|base| base != "object" && file.classes.iter().all(|known| known.name() != base))
    })
}
