//! The page for users says what is so: every line of its blocks is run.

use serde_json::Deserializer;
use unitai_model::value::{Value, equal};
use unitai_spec::data::from_json;
use unitai_spec::expression::{EvalTrouble, Expression, Fields, Pattern, References, SyntaxTrouble};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/yaml-expressions.md");
    std::fs::read_to_string(path).expect("the page is there")
}

/// The lines of all blocks of a language.
fn lines(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}");
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == opening;
        } else if inside && !line.trim().is_empty() {
            found.push(line.to_owned());
        }
    }
    assert!(!found.is_empty(), "no block of {language}");
    found
}

fn value(json: &str) -> Value {
    from_json(&serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}")))
}

fn given(page: &str) -> Value {
    value(&lines(page, "json").join("\n"))
}

fn compare(line: &str, found: Result<Value, String>, expected: &str) {
    match (expected.strip_prefix("error: "), found) {
        (Some(expected), Err(found)) => assert_eq!(found, expected, "{line}"),
        (None, Ok(found)) => {
            let expected = value(expected);
            assert!(equal(&found, &expected), "{line}: found {found}");
            assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&expected), "{line}");
        }
        (_, found) => panic!("{line}: found {found:?}"),
    }
}

fn message(trouble: EvalTrouble) -> String {
    trouble.to_string()
}

fn split(line: &str) -> (&str, &str) {
    let (left, right) = line.split_once(" => ").unwrap_or_else(|| panic!("no `=>` in {line}"));
    (left.trim(), right.trim())
}

fn parse(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|trouble| panic!("{text}: {trouble}"))
}

#[test]
fn expressions_give_what_the_page_says() {
    let page = page();
    let given = given(&page);
    for line in lines(&page, "expressions") {
        let (text, expected) = split(&line);
        compare(&line, parse(text).eval(&Fields(&given)).map_err(message), expected);
    }
}

#[test]
fn broken_checks_say_what_the_page_says() {
    let page = page();
    let given = given(&page);
    for line in lines(&page, "broken") {
        let (text, expected) = split(&line);
        let verdict =
            parse(text).holds(&Fields(&given)).unwrap_or_else(|trouble| panic!("{text}: {trouble}"));
        assert_eq!(verdict.why(), expected);
    }
}

#[test]
fn references_become_what_the_page_says() {
    let page = page();
    let given = given(&page);
    for line in lines(&page, "references") {
        let (text, expected) = split(&line);
        compare(&line, References::fill(&value(text), &Fields(&given)).map_err(message), expected);
    }
}

#[test]
fn patterns_fit_and_miss_what_the_page_says() {
    let page = page();
    let given = given(&page);
    for line in lines(&page, "patterns") {
        let mut rest = line.as_str();
        let mut next = |word: &str| {
            rest = rest.trim().strip_prefix(word).unwrap_or_else(|| panic!("no `{word}` in {line}"));
            let mut values = Deserializer::from_str(rest).into_iter::<serde_json::Value>();
            let value = values.next().expect(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            rest = &rest[values.byte_offset()..];
            from_json(&value)
        };
        let (pattern, fits, misses) = (next(""), next("fits"), next("misses"));
        let pattern =
            Pattern::parse(&pattern).unwrap_or_else(|trouble: SyntaxTrouble| panic!("{line}: {trouble}"));
        let mismatches = |value: &Value| pattern.mismatches(value, &Fields(&given)).expect(&line);
        assert_eq!(mismatches(&fits), [], "{line}");
        assert_ne!(mismatches(&misses), [], "{line}");
    }
}

#[test]
fn the_page_has_an_example_of_everything() {
    let page = page();
    let expressions = lines(&page, "expressions").join("\n");
    for function in [
        "json", "length", "lower", "upper", "trim", "int", "float", "str", "keys", "values", "first", "last",
        "sum", "min", "max", "sort", "unique", "abs", "round", "type", "any", "all", "map", "where", "calls",
    ] {
        let called =
            [format!("{function}("), format!("| {function}")].iter().any(|form| expressions.contains(form));
        assert!(called, "no example of {function}");
    }
    for sign in [
        "==",
        "!=",
        "<",
        "<=",
        ">=",
        " in ",
        "not in",
        "contains",
        "matches",
        "starts_with",
        "ends_with",
        "%",
        "/",
    ] {
        assert!(expressions.contains(sign), "no example of {sign}");
    }
    let patterns = lines(&page, "patterns").join("\n");
    for kind in [
        "#string",
        "#number",
        "#int",
        "#bool",
        "#list",
        "#object",
        "#null",
        "#notnull",
        "#any",
        "#absent",
        "#uuid",
        "#date",
        "#datetime",
        "#email",
        "#url",
        "#regex ",
        "#contains ",
        "#[2]",
        "#[] #string",
        "#[1] #int",
        "#? ",
        "##string",
        "#each",
        "\\\\#",
    ] {
        assert!(patterns.contains(kind), "no example of {kind}");
    }
}
