//! `key-in-unit`.

use crate::ast::{Expr, ExprSubscript};
use crate::known::around::{asked, before};
use crate::known::clients::is_key;
use crate::known::words::has_word;
use crate::{
    Call, Check, Def, Example, File, Layer, Ranged, Report, Role, Rule, Severity, TextRange, inside,
};

pub(crate) static RULE: Rule = Rule {
    name: "key-in-unit",
    what: "A unit test, or a fixture of one, that reads somebody's key from the environment: `os.environ[\"OPENAI_API_KEY\"]`, \
           also in a `skipif`. Tests that set the variable, themselves or by a fixture, or assert on it, are about settings and are \
           left alone.",
    why: "Who needs a key asks a service, and that is no unit test. Without the key it fails or is skipped, so what it protects \
          is not protected everywhere.",
    bad: Example {
        path: "tests/unit/test_agent.py",
        code: "import os\n\n\ndef test_agent():\n    agent = make_agent(api_key=os.environ[\"OPENAI_API_KEY\"])\n    assert agent.name == \"refunds\"\n",
    },
    good: Example {
        path: "tests/unit/test_agent.py",
        code: "def test_agent():\n    agent = make_agent(api_key=\"none\")\n    assert agent.name == \"refunds\"\n",
    },
    severity: Severity::Error,
    layers: &[Layer::Unit],
    is_fixable: false,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    let mut shared = None;
    let mut told: Vec<TextRange> = Vec::new();
    for def in file.defs().filter(|def| matches!(def.role, Role::Test | Role::Fixture)) {
        if def.layer != Some(Layer::Unit) {
            continue;
        }
        let mut keys = read_keys(def);
        keys.retain(|(range, _)| !is_asserted(def, *range));
        let shared = shared.get_or_insert_with(|| shared_keys(file));
        keys.extend(shared.iter().filter(|it| def.reads(it.0)).map(|(_, range, key)| (*range, *key)));
        if keys.is_empty() || is_given_environment(def) {
            continue;
        }
        // Once for each key: where it is read first.
        keys.sort_by_key(|(range, key)| (*key, range.start()));
        keys.dedup_by_key(|(_, key)| *key);
        for (range, key) in keys {
            if !told.contains(&range) {
                told.push(range);
                report
                    .at(range, format!("`{}` is a unit test and needs `{key}`", def.name()))
                    .help("move it to `tests/integration`, or give it a value that nobody checks");
            }
        }
    }
}

/// Whether the key itself is what is asserted. One that is handed to something is only used.
fn is_asserted(def: Def<'_, '_>, key: TextRange) -> bool {
    let is_inside = |call: &Call<'_>| {
        let arguments = call.node.arguments.range;
        let is_plain = matches!(call.last, "bool" | "isinstance" | "len" | "repr" | "str");
        arguments.contains_range(key) && call.range() != key && !is_plain
    };
    def.asserts().iter().any(|assert| assert.range().contains_range(key))
        && !def.calls().iter().any(is_inside)
}

/// The names at the top of a file that hold a key, each with where it is read.
fn shared_keys<'a>(file: &File<'a>) -> Vec<(&'a str, TextRange, &'a str)> {
    let mut found = Vec::new();
    for assign in file.assigns.iter().filter(|assign| assign.owner.is_none() && !assign.name.is_empty()) {
        if let Some(value) = assign.value {
            each_key(file, value, |range, key| found.push((assign.name, range, key)));
        }
    }
    found
}

/// Where a function, or one of its decorators, reads a key.
fn read_keys<'a>(def: Def<'_, 'a>) -> Vec<(TextRange, &'a str)> {
    let mut found = Vec::new();
    for subscript in def.subscripts() {
        if let Some(key) = key_at(def.file, subscript.node) {
            found.push((subscript.range(), key));
        }
    }
    for call in def.calls() {
        if let Some(key) = key_of(def.file, call.name, call.positional(0)) {
            found.push((call.range(), key));
        }
    }
    for decorator in &def.node.decorator_list {
        each_key(def.file, &decorator.expression, |range, key| found.push((range, key)));
    }
    found
}

/// Shows where an expression reads a key, or asks whether there is one.
fn each_key<'a>(file: &File<'a>, expr: &'a Expr, mut each: impl FnMut(TextRange, &'a str)) {
    inside(expr, |expr| match expr {
        Expr::Call(call) => {
            let name = crate::dotted(&call.func, file.source);
            if let Some(key) = key_of(file, name, call.arguments.find_positional(0)) {
                each(call.range(), key);
            }
        }
        Expr::Subscript(subscript) => {
            if let Some(key) = key_at(file, subscript) {
                each(subscript.range(), key);
            }
        }
        Expr::Compare(compare) => {
            // `"OPENAI_API_KEY" not in os.environ`
            if let (Expr::StringLiteral(key), [of]) = (&*compare.left, &*compare.comparators)
                && is_key(key.value.to_str())
                && file.qualified_expr(of).is_some_and(|of| of.is("os.environ"))
            {
                each(compare.range, key.value.to_str());
            }
        }
        _ => {}
    });
}

/// `os.environ["OPENAI_API_KEY"]`.
fn key_at<'a>(file: &File<'a>, node: &'a ExprSubscript) -> Option<&'a str> {
    let key = node.slice.as_string_literal_expr()?.value.to_str();
    (node.ctx.is_load()
        && is_key(key)
        && file.qualified_expr(&node.value).is_some_and(|name| name.is("os.environ")))
    .then_some(key)
}

/// `os.getenv("OPENAI_API_KEY")`, `os.environ.get("OPENAI_API_KEY")`.
fn key_of<'a>(file: &File<'a>, name: &'a str, argument: Option<&'a Expr>) -> Option<&'a str> {
    let Expr::StringLiteral(key) = argument? else { return None };
    let key = key.value.to_str();
    (is_key(key) && file.qualified(name).is_any(&["os.getenv", "os.environ.get"])).then_some(key)
}

/// Whether the variables are set for it: by itself, by what runs before it, or by a fixture of another file whose name says so.
fn is_given_environment(def: Def<'_, '_>) -> bool {
    let is_named_so = |name: &str| has_word(name, &["env", "environ", "environment", "dotenv"]);
    sets_environment(def)
        || before(def).into_iter().any(|it| sets_environment(it) || asked(it).any(is_named_so))
        || asked(def).any(is_named_so)
}

/// Whether it sets variables itself: a test of settings.
fn sets_environment(def: Def<'_, '_>) -> bool {
    def.calls()
        .iter()
        .any(|call| matches!(call.last, "setenv" | "delenv") || call.name.ends_with("patch.dict"))
        || def.subscripts().iter().any(|it| !it.node.ctx.is_load() && it.name.ends_with("environ"))
}
