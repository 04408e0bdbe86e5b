//! What is told when an expression or a pattern cannot be read, and that nothing can exhaust whoever reads it.

use serde_json::json;
use unitai_model::value::Value;
use unitai_spec::data::from_json;
use unitai_spec::expression::{
    EvalTrouble, Expression, Fields, Pattern, validate_expression, validate_pattern, validate_references,
};

#[test]
fn syntax_troubles_say_where_and_what_to_do() {
    for (text, at, message, remedy) in [
        ("", 0, "expected an expression, found nothing", "write one, such as `status_code == 200`"),
        ("status_code = 200", 12, "`=` has no meaning here", "write `==` to compare"),
        ("a &&b", 2, "`&&` is no sign of this language", "write `and`"),
        ("status_code is 200", 12, "expected the end, found `is`", "write `==` to compare"),
        (
            "a ==",
            4,
            "expected a value, found the end",
            "a value is a number, a text in quotes, a name or a list",
        ),
        ("(a == 1", 7, "expected `)`, found the end", "texts stand in quotes"),
        ("a == 1)", 6, "expected the end, found `)`", "it closes nothing"),
        ("a | len > 1", 4, "there is no function `len`", "did you mean `length`?"),
        ("length(a, b)", 0, "`length` takes 1 argument, found 2", "what stands before `|` is the first"),
        ("a | where", 4, "`where` takes 2 arguments, found 1", "as in `users | where(.age > 3)`"),
        ("a.0", 2, "expected a name after `.`, found `0`", "an element of a list is written `[0]`"),
        (
            "a[b]",
            2,
            "expected a number or a text in quotes, found `b`",
            "a path is written `users[0]`, `users[-1]` or `headers[\"content-type\"]`",
        ),
        (
            "_ > 3",
            0,
            "`_` has a meaning only where elements are asked",
            "as in `users | where(.age > 3)` or `#? _ > 3`; elsewhere begin with a name",
        ),
        ("a matches '('", 10, "this is no regex: unclosed group", "a `\\` makes a sign plain, as in `\\(`"),
        (
            "a == 1 in b",
            7,
            "`in` cannot follow another comparison",
            "put `and` between two comparisons, or one of them in parentheses",
        ),
        (
            "a not contains 'x'",
            2,
            "expected the end, found `not`",
            "write `not` before the whole comparison, as in `not text contains 'x'`",
        ),
        (
            "'${a}' == 'x'",
            1,
            "a text in quotes holds no reference",
            "write it without quotes, as in `${name}` or `'a' + str(${name})`; `$${` is a plain `${`",
        ),
        ("'abc", 0, "the text that begins with ' does not end", "close it with '"),
        (
            "length(a)?",
            9,
            "expected the end, found `?`",
            "`?` stands after a name or a part of a path, as in `user.email?`",
        ),
        (
            "a.b.$all",
            4,
            "expected a name after `.`, found `$all`",
            "`$all` stands after a saved name, and nowhere else",
        ),
    ] {
        let trouble = Expression::parse(text).expect_err(text);
        assert_eq!(
            (trouble.at, trouble.message.as_str(), trouble.remedy.as_str()),
            (at, message, remedy),
            "{text}"
        );
    }
}

#[test]
fn pattern_troubles_have_the_path_of_their_part() {
    for (pattern, path, at, message) in [
        (json!({"users": [{"id": "#uid"}]}), "users[0].id", 1, "there is no type \"#uid\""),
        (json!({"a": "##"}), "a", 2, "there is no type \"#\""),
        (json!({"a": "##nope"}), "a", 2, "there is no type \"#nope\""),
        (json!("###string"), "", 0, "a pattern begins with one `#`, or two where it may be missing"),
        (json!({"a b": "#regex ("}), "[\"a b\"]", 7, "this is no regex: unclosed group"),
        (json!("#regex"), "", 1, "`#regex` has no regex"),
        (json!("#contains"), "", 1, "`#contains` has no text"),
        (json!("#? _ >"), "", 6, "expected a value, found the end"),
        (json!("#[x]"), "", 2, "expected how many elements, found \"x\""),
        (json!("#[2"), "", 2, "`#[` is not closed"),
        (json!("#[2] string"), "", 5, "expected a type of elements, found \"string\""),
        (json!("#[2] #strng"), "", 6, "there is no type \"#strng\""),
        (json!("#string x"), "", 8, "`#string` takes nothing after it, found \"x\""),
        (json!({"#each": "#int", "a": 1}), "", 0, "`#each` stands with other keys; it stands alone"),
        (json!({"a": {"#every": 1}}), "a", 0, "there is no key \"#every\" of patterns; there is `#each`"),
        (json!({"a": ["${b"]}), "a[0]", 0, "`${` is not closed"),
    ] {
        let trouble = Pattern::parse(&from_json(&pattern)).expect_err(&pattern.to_string());
        assert_eq!(
            (trouble.path.as_str(), trouble.at, trouble.message.as_str()),
            (path, at, message),
            "{pattern}"
        );
    }
}

#[test]
fn mismatches_name_the_place() {
    let told = |pattern: serde_json::Value, actual: serde_json::Value| {
        let scope = from_json(&json!({"saved": {"id": 7}, "sneaky": "#string"}));
        let pattern = Pattern::parse(&from_json(&pattern)).expect("a pattern");
        let mismatches = pattern.mismatches(&from_json(&actual), &Fields(&scope)).expect("no dependency");
        mismatches.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        told(
            json!({"json": {"users": [{"email": "#email", "id": "#int"}, {"id": 2}]}, "status_code": 200}),
            json!({"status_code": 404, "body": "{\"users\": [{\"id\": \"1\", \"email\": \"x\"}]}"})
        ),
        [
            "json.users[0].email: expected an email address, found \"x\"",
            "json.users[0].id: expected a whole number, found \"1\"",
            "json.users[1]: expected an object, found nothing there",
            "status_code: expected 200, found 404",
        ]
    );
    // A field of that name is itself, deeper ones are never the body.
    assert_eq!(told(json!({"json": 1}), json!({"json": 1, "body": "{}"})), [""; 0]);
    assert_eq!(
        told(json!({"a": {"json": 1}}), json!({"a": {"body": "1"}})),
        ["a.json: expected 1, found nothing there"]
    );
    assert!(
        told(json!({"json": 1}), json!({"body": "no"}))[0]
            .starts_with("json: expected a body that is JSON, found \"no\": ")
    );
    assert_eq!(
        told(json!("#[2] #int"), json!([1, "a", 3])),
        [
            "expected a list of 2 elements, each a whole number, found 3 elements: [1, \"a\", 3]",
            "[1]: expected a whole number, found \"a\"",
        ]
    );
    assert_eq!(told(json!({"id": "${saved.id}"}), json!({"id": 8})), ["id: expected 7, found 8"]);
    assert_eq!(told(json!("${sneaky}"), json!("any text")), ["expected \"#string\", found \"any text\""]);
    assert_eq!(
        told(json!("#? _ > 3"), json!("x")),
        ["expected _ > 3, found \"x\": `>` takes two numbers or two texts, found a string and an int"]
    );
    assert_eq!(told(json!([1, "#absent"]), json!([1])), [""; 0]);
    assert_eq!(told(json!([1, "#absent"]), json!([1, 2])), ["[1]: expected nothing there, found 2"]);
    assert_eq!(told(json!({"\\#x": "\\#y"}), json!({"#x": "#y"})), [""; 0]);
    assert_eq!(told(json!({"#each": 1}), json!(vec![2; 1000])).len(), 50);
}

#[test]
fn deep_and_long_texts_are_refused_within_the_stack_of_a_thread() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    let texts = [
        deep("(", ")"),
        deep("[", "]"),
        deep("-", ""),
        deep("not ", ""),
        deep("abs(", ")"),
        deep("", " | abs"),
        deep("", " + 1"),
        deep("", " + (1"),
    ];
    let asked = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for text in texts {
            let trouble = Expression::parse(&text).expect_err("too deep");
            assert!(trouble.message.contains("deeper than 100"), "{trouble}");
        }
        let trouble = Pattern::parse(&Value::Str("#[] ".repeat(100_000) + "#int")).expect_err("too deep");
        assert!(trouble.message.contains("deeper than 100"), "{trouble}");
        // What is just allowed can be read, printed and asked.
        for text in [
            "(1".to_owned() + &" + (1".repeat(90) + &")".repeat(91),
            format!("{}true", "not ".repeat(90)),
            format!("1{}", " + 1".repeat(90)),
        ] {
            let expression = Expression::parse(&text).expect("deep, but not too deep");
            assert!(expression.eval(&Fields(&Value::Null)).is_ok());
            assert_eq!(Expression::parse(&expression.to_string()), Ok(expression));
        }
        // What stands side by side is not deep.
        assert!(Expression::parse(&("a == 1".to_owned() + &" and a == 1".repeat(5000))).is_ok());
    });
    asked.expect("a thread").join().expect("no overflow");
}

#[test]
fn work_is_bounded() {
    let many = from_json(&json!({"l": (0..5_000).collect::<Vec<_>>(), "t": "x".repeat(600_000)}));
    let wrong = |text: &str| match Expression::parse(text).expect(text).eval(&Fields(&many)) {
        Err(EvalTrouble::Wrong { message, .. }) => message,
        other => panic!("{text}: {:?}", other.map(|_| ())),
    };
    assert!(wrong("l | map(l | map(l | map(_)))").contains("too much work"));
    assert!(wrong("l | map(t)").contains("too much work"));
    assert!(wrong("l | where(t contains 'y')").contains("too much work"));
    assert!(wrong("t + t").contains("1000000 is the limit"));
    assert!(
        wrong("t matches '(((((a{100}){100}){100}){100}){100})' + ''").contains("no regex: it is too large")
    );
}

#[test]
fn readers_of_files_can_ask_beforehand() {
    assert_eq!(validate_expression("200 <= status_code < 300 and users | length > 0"), Ok(()));
    assert!(validate_expression("users | nope").is_err());
    assert_eq!(validate_pattern(&from_json(&json!({"id": "#uuid"}))), Ok(()));
    assert!(validate_pattern(&from_json(&json!({"id": "#guid"}))).is_err());
    assert_eq!(validate_references(&from_json(&json!({"url": "${env.BASE}/x"}))), Ok(()));
    assert!(validate_references(&from_json(&json!({"url": "${env.BASE"}))).is_err());
}

#[test]
fn names_are_those_that_a_check_depends_on() {
    for (text, names) in [
        ("is_error and error contains 'x'", vec!["is_error", "error"]),
        ("${user.id} == ids[0] + zoom.$all | length", vec!["user", "ids", "zoom"]),
        ("users | where(.age > limit) | length == calls(\"x\")", vec!["users", "limit"]),
        ("1 == 1", vec![]),
    ] {
        assert_eq!(Expression::parse(text).expect(text).names(), names, "{text}");
    }
    let pattern = from_json(&json!({"a": "${user.id}", "b": ["#? _ > limit"], "c": "#contains ${env.X}"}));
    assert_eq!(Pattern::parse(&pattern).expect("a pattern").names(), ["user", "limit", "env"]);
}
