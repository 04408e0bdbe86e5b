//! What is offered as a check, what is left to a judge, and that files keep every byte that is not asked for.

use serde_json::json;
use unitai_model::value::Value;
use unitai_spec::data::from_json;
use unitai_spec::document::{Check, Place, Step};
use unitai_spec::harden::{Proposal, propose, rewrite};

fn step(tool: &str, args: serde_json::Value) -> Step {
    let Value::Dict(args) = from_json(&args) else { panic!("arguments are a mapping") };
    Step {
        name: String::new(),
        tool: tool.to_owned(),
        args: args.into_iter().map(|(key, value)| (unitai_spec::data::key_text(&key), value)).collect(),
        expect: String::new(),
        analyze: String::new(),
        save_as: String::new(),
        repeat: 1,
        steps: Vec::new(),
        retry: None,
        timeout: None,
        when: String::new(),
        check: Vec::new(),
        stop_early: false,
        place: Place::default(),
    }
}

fn check(expect: &str, step: &Step, result: Option<serde_json::Value>) -> Option<String> {
    let result = result.map(|it| from_json(&it));
    propose(expect, step, result.as_ref()).map(|proposal| proposal.check)
}

#[test]
fn plain_expectations_of_built_in_tools_need_no_recording() {
    let get = step("http_get", json!({}));
    for (expect, offered) in [
        ("Status code should be 200", "status_code == 200"),
        ("Status should be 200.", "status_code == 200"),
        ("Should return 201", "status_code == 201"),
        ("status_code == 200", "status_code == 200"),
        ("200 <= status_code < 300 and ms < 500", "200 <= status_code < 300 and ms < 500"),
        ("status code 200", "status_code == 200"),
        ("Response time under 500 ms", "ms < 500"),
        ("Response time under load", ""),
        ("Response time should be under 500 ms", "ms < 500"),
        ("body contains 'x'", "body contains 'x'"),
        ("The body should contain \"it's\"", "body contains \"it's\""),
        (
            "Status code should be 200 and the body should contain 'a and b'",
            "status_code == 200 and body contains 'a and b'",
        ),
        ("Should create user and return 201", ""),
        ("Should return user list", ""),
        ("Should return exactly 10 users", ""),
        ("page should be 1", ""),
        ("users in list", ""),
        ("ready", ""),
        ("", ""),
    ] {
        assert_eq!(check(expect, &get, None).unwrap_or_default(), offered, "{expect}");
    }
    // What another tool gives is not known.
    assert_eq!(check("Should return 201", &step("shop_buy", json!({})), None), None);
    assert_eq!(check("Status code should be 200", &step("shop_buy", json!({})), None), None);
}

#[test]
fn fields_and_lists_must_be_in_a_recorded_result() {
    let tool = step("api_get_users", json!({}));
    let result = || {
        Some(
            json!({"users": [1, 2], "meta": {"page": 1}, "ok": true, "body": "{\"items\": [1], \"total\": 5}"}),
        )
    };
    for (expect, offered) in [
        ("Should return exactly 10 users", "users | length == 10"),
        ("Should return at least 1 items", "json(body).items | length >= 1"),
        ("Should return exactly 10 people", ""),
        ("meta.page should be 1", "meta.page == 1"),
        ("total is greater than 3", "json(body).total > 3"),
        ("total is greater than expected", ""),
        ("total should be greater than 3", "json(body).total > 3"),
        ("ok should be true", "ok == true"),
        ("name should be 'x'", ""),
        ("users should be 2", ""),
        ("ok should be at least 3", ""),
        ("Status code should be 200", ""),
        ("users contains 1", "users contains 1"),
    ] {
        assert_eq!(check(expect, &tool, result()).unwrap_or_default(), offered, "{expect}");
    }
    let recorded = Some(json!({"status_code": 404}));
    let proposal =
        propose("Should return 200", &tool, recorded.map(|it| from_json(&it)).as_ref()).expect("a proposal");
    assert_eq!(
        proposal.why,
        "it names the status code of the answer; the recorded result breaks it: expected status_code == 200, found 404"
    );
}

#[test]
fn comparing_tools_are_understood_by_what_they_give() {
    let within = "Values should be within 1% of each other";
    let compare = step("compare_values", json!({"value1": 100.5, "value2": 100.0, "tolerance": 0.01}));
    assert_eq!(check(within, &compare, None).as_deref(), Some("difference_percent <= 1"));
    assert_eq!(check(within, &step("compare_values", json!({"value1": 1, "value2": 1})), None), None);
    assert_eq!(check("Values should be equal", &compare, None).as_deref(), Some("equal == true"));
    assert_eq!(
        check("Values should be equal", &step("assert_equals", json!({})), None).as_deref(),
        Some("passed == true")
    );
    let sleep = step("sleep", json!({"seconds": 2.5}));
    assert_eq!(check("Should wait at least 2.5 seconds", &sleep, None).as_deref(), Some("slept >= 2.5"));
    assert_eq!(check("Should wait 2.5 seconds", &sleep, None), None);
}

#[test]
fn what_is_checked_already_is_not_offered_again() {
    let mut get = step("http_get", json!({}));
    get.check = vec![Check::Holds { text: "(status_code)==200".to_owned(), place: Place::default() }];
    assert_eq!(check("Should return 200", &get, None), None);
    assert_eq!(check("Should return 201", &get, None).as_deref(), Some("status_code == 201"));
}

fn rewritten(text: &str, steps: &[(usize, usize, &str)]) -> (String, Vec<usize>) {
    let proposals: Vec<_> = steps
        .iter()
        .map(|(line, column, check)| {
            let place = Place { line: *line, column: *column, ..Place::default() };
            (place, Proposal { check: (*check).to_owned(), why: String::new() })
        })
        .collect();
    let rewritten = rewrite(text, &proposals);
    (rewritten.text, rewritten.left_out.iter().map(|place| place.line).collect())
}

#[test]
fn checks_stand_after_their_expectation_and_all_else_stays() {
    let text = "\
steps:
  # first
  - name: a   # odd   spaces
    expect: \"Status should be 200\"   # why
    tool: http_get

  - tool: http_get
    expect: |
      Status
      # not a comment
      should be 200

    args: {url: x}
  -   tool: b
      steps:
      - tool: c
        expect: Status should
          be 200
      expect: x
";
    let (new, left_out) = rewritten(
        text,
        &[
            (3, 5, "status_code == 200"),
            (7, 3, "body contains 'a: b'"),
            (16, 9, "ms < 5"),
            (14, 7, "ms < 6"),
            (14, 7, "x == 1"),
        ],
    );
    assert_eq!(left_out, [0; 0]);
    let expected = text
        .replace("# why\n", "# why\n    check: status_code == 200\n")
        .replace("      should be 200\n", "      should be 200\n    check: 'body contains ''a: b'''\n")
        .replace("          be 200\n", "          be 200\n        check: ms < 5\n")
        .replace("      expect: x\n", "      expect: x\n      check:\n        - ms < 6\n        - x == 1\n");
    assert_eq!(new, expected);
}

#[test]
fn lists_of_checks_grow() {
    let text = "- tool: a\n  check:\n    - x == 1\n    - match: {a: 1}\n  expect: y\n- tool: b\n  expect: z\n  check:\n  - x == 1\n";
    let (new, left_out) = rewritten(text, &[(1, 3, "ms < 5"), (6, 1, "ms < 6")]);
    assert_eq!(left_out, [0; 0]);
    assert_eq!(
        new,
        "- tool: a\n  check:\n    - x == 1\n    - match: {a: 1}\n    - ms < 5\n  expect: y\n- tool: b\n  expect: z\n  check:\n  - x == 1\n  - ms < 6\n"
    );
}

#[test]
fn what_no_line_can_be_put_into_is_left_out_and_told() {
    let text = "- {tool: a, expect: x}\n- tool: b\n- tool: c\n  check: x == 1\n  expect: y\n- tool: d\n  expect: \"a\n  b\"\n- tool: e\n  check: [x == 1]\n  expect: y\n";
    let places = [
        (1, 3, "ms < 1"),
        (2, 3, "ms < 1"),
        (3, 3, "ms < 1"),
        (6, 3, "ms < 1"),
        (9, 3, "ms < 1"),
        (99, 1, "ms < 1"),
        (0, 0, "ms < 1"),
    ];
    assert_eq!(rewritten(text, &places), (text.to_owned(), vec![1, 2, 3, 6, 9, 99, 0]));
}

#[test]
fn line_breaks_are_those_of_the_file() {
    assert_eq!(
        rewritten("- tool: a\r\n  expect: x\r\n", &[(1, 1, "ms < 5")]).0,
        "- tool: a\r\n  expect: x\r\n  check: ms < 5\r\n"
    );
    assert_eq!(
        rewritten("- tool: a\n  expect: x", &[(1, 1, "ms < 5")]).0,
        "- tool: a\n  expect: x\n  check: ms < 5"
    );
    assert_eq!(
        rewritten("- expect: ü\n  tool: ü", &[(1, 1, "ms < 5")]).0,
        "- expect: ü\n  check: ms < 5\n  tool: ü"
    );
}
