//! Which names say that a function checks something.

use crate::known::words::words;

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

/// Whether a fixture of this name is taken to check something with it: `snapshot`, `benchmark`, `check_output`.
pub(crate) fn is_taken_to_check(fixture: &str) -> bool {
    // Those of pytest-httpx and respx fail where an answer was never asked for.
    matches!(fixture, "httpx_mock" | "respx_mock")
        || words(fixture).any(|word| {
            matches!(&*word, "snapshot" | "regression" | "benchmark" | "golden" | "approval" | "doctest")
                || CHECKS.contains(&&*word)
        })
}
