//! Whether a test checks anything: by itself, or through what it uses.

use crate::ast::ExprCall;
use crate::known::words::words;
use crate::{Assign, Call, Class, Def, File, Import, Role, With};

/// How far a helper is followed into the helpers that it uses.
const FAR: u32 = 3;

/// Words that begin or end the names of functions that check: `assert_equal`, `check_refund`, `run_and_verify`.
const CHECKS: [&str; 32] = [
    "approve",
    "assert",
    "asserts",
    "benchmark",
    "check",
    "checks",
    "compare",
    "compile",
    "confirm",
    "ensure",
    "ensures",
    "equal",
    "equals",
    "exit",
    "expect",
    "expects",
    "fail",
    "fails",
    "fnmatch",
    "lint",
    "match",
    "matches",
    "must",
    "passes",
    "raises",
    "should",
    "skip",
    "validate",
    "verifies",
    "verify",
    "warns",
    "xfail",
];

/// Short names of checks that are written like operators: `eq_(found, 1)`.
const OPERATORS: [&str; 9] = ["eq_", "in_", "is_", "is_false", "is_true", "le_", "ne_", "not_in", "ok_"];

/// Whether the name of a function says that it checks something, and raises if it does not hold.
pub(crate) fn is_check_name(name: &str) -> bool {
    if name.starts_with("assert") || name == "deprecated_call" || OPERATORS.contains(&name) {
        return true;
    }
    let plain = name.trim_start_matches('_');
    if plain.starts_with("test_") || plain.len() < name.len() && plain.starts_with("test") {
        return true;
    }
    // Most calls are of short plain names: those are told without taking them apart.
    if !CHECKS.iter().any(|word| contains_folded(name, word)) && !name.ends_with("est") {
        return false;
    }
    let mut last = String::new();
    for word in words(name) {
        if CHECKS.contains(&&*word) {
            return true;
        }
        last = word;
    }
    // `run_test`, `do_test`, `runTest`.
    last == "test" && name != "test"
}

fn contains_folded(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether anything in a test, or in what it uses of this file, can find something wrong; true in doubt.
pub(crate) fn checks(test: Def<'_, '_>) -> bool {
    does_itself(test)
        || !test.yields().is_empty()
        || test.withs().iter().any(|with| may_be_expectation(test, with))
        || fixtures_check(test)
        || uses_that_check(test, FAR)
        || test.calls().iter().any(|call| is_of_unknown_helper(test, call))
}

/// Whether a function checks something with its own lines.
fn does_itself(def: Def<'_, '_>) -> bool {
    !def.asserts().is_empty()
        || def.statements().iter().any(|it| it.node.is_raise_stmt() && def.owns(it.owner))
        || def
            .calls()
            .iter()
            .any(|call| is_check_name(call.last) || is_checked(call) || call.name == "self.test")
}

/// `subprocess.run(..., check=True)`.
fn is_checked(call: &Call<'_>) -> bool {
    call.keyword("check").and_then(|check| check.as_boolean_literal_expr()).is_some_and(|check| check.value)
}

/// `with expectation:` may be `pytest.raises(...)` or not, by the case at hand.
fn may_be_expectation(test: Def<'_, '_>, with: &With<'_>) -> bool {
    match (&with.item.context_expr, with.call()) {
        (crate::ast::Expr::Name(name), _) => {
            test.takes(name.id.as_str()) || words(name.id.as_str()).any(|word| is_expectation(&word))
        }
        (_, Some(call)) => words(test.file.text(&*call.func)).any(|word| is_expectation(&word)),
        _ => false,
    }
}

fn is_expectation(word: &str) -> bool {
    ["rais", "expect", "warn", "excep", "error", "captur"].iter().any(|stem| word.starts_with(stem))
}

/// Fixtures that check: at the end of the test, or when the test calls them.
fn fixtures_check(test: Def<'_, '_>) -> bool {
    let file = test.file;
    let is_autouse = |fixture: &Def<'_, '_>| {
        let calls = fixture.decorators().filter_map(|decorator| decorator.call);
        calls.into_iter().any(|call| call.arguments.find_keyword("autouse").is_some())
    };
    if file.fixtures().any(|fixture| is_autouse(&fixture) && does_itself(fixture)) {
        return true;
    }
    let taken = test.parameters().any(|parameter| {
        let name = parameter.name.as_str();
        match file.fixture(name) {
            Some(fixture) => does_itself(fixture) || uses_that_check(fixture, FAR),
            // One of another file: `snapshot`, `check_output`, or any that is called as a function.
            None => {
                words(name).any(|word| is_taken_to_check(&word)) && test.reads(name) || is_called(test, name)
            }
        }
    });
    let is_used = |(marker, call): (&str, Option<&ExprCall>)| {
        let names = call.into_iter().flat_map(|call| call.arguments.args.iter());
        let mut names = names.filter_map(|name| name.as_string_literal_expr());
        marker == "usefixtures" && names.any(|name| is_check_name(name.value.to_str()))
    };
    let is_end = |name: &str| name.to_lowercase().starts_with("teardown");
    taken
        || test.markers().any(is_used)
        || test.class().is_some_and(|class| {
            file.methods(class).any(|method| is_end(method.name()) && does_itself(method))
        })
}

/// Whether a parameter is called as a function, perhaps by another name: `run = runner`.
fn is_called(test: Def<'_, '_>, name: &str) -> bool {
    test.calls().iter().any(|call| {
        let is_renamed = |assign: &Assign<'_>| {
            let value = assign.value.and_then(|value| value.as_name_expr());
            assign.name == call.name && value.is_some_and(|value| value.id.as_str() == name)
        };
        !call.name.is_empty() && (call.name == name || test.assigns().iter().any(is_renamed))
    })
}

fn is_taken_to_check(word: &str) -> bool {
    matches!(word, "snapshot" | "regression" | "benchmark" | "golden" | "approval" | "doctest")
        || CHECKS.contains(&word)
}

/// Whether it uses a function or a class of this file that checks: calls it, or gives it away to be called.
fn uses_that_check(def: Def<'_, '_>, far: u32) -> bool {
    if far == 0 {
        return false;
    }
    let file = def.file;
    let does = |other: Def<'_, '_>| {
        other.id != def.id
            && other.role != Role::Test
            && (does_itself(other) || uses_that_check(other, far - 1))
    };
    let by_name = def.names().iter().filter(|name| name.is_read()).any(|name| {
        let is_it =
            |other: &Def<'_, '_>| other.owner.is_none() && other.class.is_none() && other.name() == name.id();
        file.defs().filter(is_it).any(does)
            || file
                .classes
                .iter()
                .filter(|class| class.owner.is_none() && class.name() == name.id())
                .any(|class| file.methods(class).any(|method| does_itself(method)))
    });
    // `self.seen` that is given away, to be called by others.
    let gives_own = def.class().is_some_and(|class| {
        let text = file.text(def.function.node);
        file.methods(class).any(|method| {
            method.role == Role::Other
                && text.contains(&format!("self.{}", method.name()))
                && does_itself(method)
        })
    });
    by_name || gives_own || own_methods(def).any(|method| suite_has(file, def.class(), method, &does))
}

/// The methods of its own class that a function calls: `self.look_up(...)`.
fn own_methods<'f, 'a>(def: Def<'f, 'a>) -> impl Iterator<Item = &'a str> + use<'f, 'a> {
    def.calls().iter().filter_map(|call| {
        let method = call.name.strip_prefix("self.").or_else(|| call.name.strip_prefix("cls."))?;
        (!method.contains('.')).then_some(method)
    })
}

/// Whether the method of this name checks; true if it stands in a class that this file does not show.
fn suite_has(
    file: &File<'_>,
    class: Option<&Class<'_>>,
    method: &str,
    does: &dyn Fn(Def<'_, '_>) -> bool,
) -> bool {
    let mut open: Vec<&Class<'_>> = class.into_iter().collect();
    let mut seen = 0;
    while let Some(class) = open.pop() {
        seen += 1;
        if let Some(found) = file.methods(class).find(|other| other.name() == method) {
            return does(found);
        }
        for base in class.node.bases() {
            let name = crate::dotted(base, file.source);
            match file.classes.iter().find(|other| other.name() == name) {
                Some(base) if seen < 20 => open.push(base),
                _ if name == "object" || file.qualified(name).is_in("unittest") => {}
                _ => return true,
            }
        }
    }
    false
}

/// Whether a call is of a helper that another file of the tests has: nobody sees here whether it checks.
fn is_of_unknown_helper(test: Def<'_, '_>, call: &Call<'_>) -> bool {
    let imports = test.file.imports();
    let root = call.root();
    match test.file.import(root) {
        Some(import) => is_of_tests(import),
        // With `from helpers import *`, any plain name may be one.
        None => {
            !call.name.contains('.')
                && !call.name.is_empty()
                && imports.iter().any(|import| import.name == "*" && is_of_tests(import))
        }
    }
}

/// Whether something is imported from files of tests, or of helpers for them.
fn is_of_tests(import: &Import<'_>) -> bool {
    const HELPERS: [&str; 16] = [
        "common",
        "conftest",
        "fixtures",
        "harness",
        "helper",
        "helpers",
        "support",
        "test",
        "testing",
        "testlib",
        "tests",
        "testutil",
        "testutils",
        "util",
        "utils",
        "testsuite",
    ];
    import.is_relative
        || words(import.written).chain(words(import.name)).any(|word| HELPERS.contains(&word.as_str()))
}
