//! `key-in-unit`.

use crate::ast::Expr;
use crate::known::around::{asked, before};
use crate::known::clients::is_key;
use crate::known::words::has_word;
use crate::{Check, Def, Example, File, Layer, Ranged, Report, Role, Rule, Severity, TextRange, inside};

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
    for def in file.defs().filter(|def| matches!(def.role, Role::Test | Role::Fixture)) {
        if def.layer != Some(Layer::Unit) {
            continue;
        }
        let mut keys = read_keys(def);
        if keys.is_empty() || is_given_environment(def) {
            continue;
        }
        // Once for each key: where it is read first.
        keys.sort_by_key(|(range, key)| (*key, range.start()));
        keys.dedup_by_key(|(_, key)| *key);
        for (range, key) in keys {
            let is_asserted = def.asserts().iter().any(|assert| assert.range().contains_range(range));
            if !is_asserted {
                report
                    .at(range, format!("`{}` is a unit test and needs `{key}`", def.name()))
                    .help("move it to `tests/integration`, or give it a value that nobody checks");
            }
        }
    }
}

/// Where a function, or one of its decorators, reads a key.
fn read_keys<'a>(def: Def<'_, 'a>) -> Vec<(TextRange, &'a str)> {
    let mut found = Vec::new();
    for subscript in def.subscripts() {
        if subscript.node.ctx.is_load()
            && let Some(key) = subscript.key().filter(|key| is_key(key))
            && def.qualified(subscript.name).is("os.environ")
        {
            found.push((subscript.range(), key));
        }
    }
    for call in def.calls() {
        if let Some(key) = key_of(def, call.name, call.positional(0)) {
            found.push((call.range(), key));
        }
    }
    for decorator in &def.node.decorator_list {
        inside(&decorator.expression, |expr| match expr {
            Expr::Call(call) => {
                let name = crate::dotted(&call.func, def.file.source);
                if let Some(key) = key_of(def, name, call.arguments.find_positional(0)) {
                    found.push((call.range(), key));
                }
            }
            Expr::Compare(compare) => {
                // `"OPENAI_API_KEY" not in os.environ`
                if let (Expr::StringLiteral(key), [of]) = (&*compare.left, &*compare.comparators)
                    && is_key(key.value.to_str())
                    && def.file.qualified_expr(of).is_some_and(|of| of.is("os.environ"))
                {
                    found.push((compare.range, key.value.to_str()));
                }
            }
            _ => {}
        });
    }
    found
}

/// `os.getenv("OPENAI_API_KEY")`, `os.environ.get("OPENAI_API_KEY")`.
fn key_of<'a>(def: Def<'_, 'a>, name: &'a str, argument: Option<&'a Expr>) -> Option<&'a str> {
    let Expr::StringLiteral(key) = argument? else { return None };
    let key = key.value.to_str();
    (is_key(key) && def.qualified(name).is_any(&["os.getenv", "os.environ.get"])).then_some(key)
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
