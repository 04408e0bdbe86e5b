//! What holds for every text and every test.

use std::path::Path;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use unitai_model::value::Value;
use unitai_spec::document::{
    Check, JudgeWhen, Meta, OnSetupFailure, OnTeardownError, Place, Retry, Server, ServerKind, Spec, Step,
    VerdictSpec, looks_like_test, read, to_value,
};
use unitai_spec::expression::{validate_expression, validate_pattern};

/// What a file is made of, in no order.
fn scraps() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "test",
        "name",
        "steps",
        "verdict",
        "checks",
        "tool",
        "args",
        "expect",
        "retry",
        "cases",
        "vars",
        "servers",
        "command",
        "include",
        "save_as",
        "check",
        "match",
        "compat",
        "llm-pytest",
        ": ",
        ":",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "${a.b}",
        "\"",
        "'",
        "&a ",
        "*a",
        "<<",
        "!!int ",
        "!x ",
        "|",
        ">",
        "#",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "? ",
        "~",
        "yes",
        "1",
        "0x1f",
        "1e5",
        "2024-01-01",
        ".inf",
        "\t",
        "\r\n",
        "\u{feff}",
        "é",
        "名",
        "\u{1b}[31m",
        "\0",
        "\u{2028}",
        "\\",
        "@",
    ]);
    let scrap = prop_oneof![9 => words.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    vec(scrap, 0..60).prop_map(|scraps| scraps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics_and_every_trouble_is_in_the_file(text in prop_oneof![scraps(), any::<String>()]) {
        let reading = read(&text, Path::new("a.yaml"));
        looks_like_test(&text);
        // YAML ends a line at a carriage return, too.
        let lines = text.split(['\n', '\r']).count() + 1;
        for trouble in &reading.troubles {
            prop_assert!((1..=lines).contains(&trouble.place.line), "{trouble:?}");
            prop_assert!(trouble.place.column >= 1);
            let shown = trouble.render(Some(&text));
            prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        }
        prop_assert!(!reading.specs.is_empty() || reading.troubles.iter().any(|trouble| trouble.is_error()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_json_of_a_test_reads_back_as_the_same_test(spec in spec()) {
        let json = to_value(&spec).pack();
        let reading = read(json.text(), Path::new("a.yaml"));
        let told: Vec<String> = reading.troubles.iter().filter(|it| it.is_error()).map(|it| it.render(None)).collect();
        prop_assert!(told.is_empty(), "{told:?}\n{}", json.text());
        let again = reading.specs.into_iter().next().map(placeless);
        prop_assert_eq!(again, Some(spec), "{}", json.text());
    }
}

/// The test as if it had been read from nowhere.
fn placeless(mut spec: Spec) -> Spec {
    spec.place = nowhere();
    for steps in [&mut spec.setup, &mut spec.steps, &mut spec.teardown] {
        steps.iter_mut().for_each(placeless_step);
    }
    spec.verdict.check.iter_mut().for_each(placeless_check);
    spec.servers.iter_mut().for_each(|server| server.place = nowhere());
    spec
}

fn placeless_step(step: &mut Step) {
    step.place = nowhere();
    step.check.iter_mut().for_each(placeless_check);
    step.steps.iter_mut().for_each(placeless_step);
}

fn placeless_check(check: &mut Check) {
    let (Check::Holds { place, .. } | Check::Match { place, .. }) = check;
    *place = nowhere();
}

fn nowhere() -> Place {
    Place { file: Arc::default(), line: 0, column: 0 }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z ]{1,12}",
        any::<String>().prop_map(|text| text.replace("${", "$ {")),
        prop::sample::select(vec![
            "no",
            "1",
            "~",
            "2024-01-01",
            "<<",
            "${a}",
            "a: b",
            "# x",
            "1e5",
            "\u{85}\u{2028}\u{feff}x",
            "\u{7f}"
        ])
        .prop_map(str::to_owned),
    ]
}

fn some_text() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("x{text}"))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        prop::num::f64::NORMAL.prop_map(Value::Float),
        text().prop_map(Value::Str),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            named(inner).prop_map(|all| {
                Value::Dict(all.into_iter().map(|(name, value)| (Value::Str(name), value)).collect())
            }),
        ]
    })
}

/// Values by names, each there once. `$unitai` would be a tag of ours.
fn named<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<(String, T)>> {
    vec((text(), value), 0..4).prop_map(|all| {
        let mut kept: Vec<(String, T)> = vec![];
        for (name, value) in all {
            if name != "$unitai" && kept.iter().all(|(known, _)| *known != name) {
                kept.push((name, value));
            }
        }
        kept
    })
}

/// Something that can be read: what cannot is an error of its file.
fn expression() -> impl Strategy<Value = String> {
    let known = [
        "a == 1",
        "json(body).users | length > 2",
        "not is_error",
        "${a.b} in [1, 'no']",
        "text contains \"# x\"",
    ];
    prop_oneof![
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        text()
            .prop_map(|text| format!("text == '{text}'"))
            .prop_filter("no expression", |it| validate_expression(it).is_ok()),
    ]
}

fn maybe_expression() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), expression()]
}

fn check() -> impl Strategy<Value = Check> {
    let pattern = value().prop_filter("no pattern", |it| validate_pattern(it).is_ok());
    prop_oneof![
        expression().prop_map(|text| Check::Holds { text, place: nowhere() }),
        pattern.prop_map(|pattern| Check::Match { pattern, place: nowhere() }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let seconds = || 0.001f64..1e6;
    let retry = (1u32..9, seconds(), maybe_expression()).prop_map(|(times, delay, until)| Retry {
        times,
        delay,
        until,
    });
    // Names that are kept for values of ours are words; with a mark behind it, none of them is one.
    let save_as = prop_oneof![Just(String::new()), text().prop_map(|it| format!("{it}_"))];
    let words = (text(), some_text(), text(), text(), save_as);
    let ours =
        (option::of(retry), option::of(seconds()), maybe_expression(), vec(check(), 0..3), any::<bool>());
    let leaf = (words, named(value()), 0u32..999_999_999, ours).prop_map(
        |(
            (name, tool, expect, analyze, save_as),
            args,
            repeat,
            (retry, timeout, when, check, stop_early),
        )| Step {
            name,
            tool,
            args,
            expect,
            analyze,
            save_as,
            repeat,
            steps: vec![],
            retry,
            timeout,
            when,
            check,
            stop_early,
            place: nowhere(),
        },
    );
    leaf.prop_recursive(2, 8, 3, |inner| {
        vec(inner, 1..3).prop_map(|steps| Step {
            name: String::new(),
            tool: String::new(),
            args: vec![],
            expect: String::new(),
            analyze: String::new(),
            save_as: String::new(),
            repeat: 1,
            steps,
            retry: None,
            timeout: None,
            when: String::new(),
            check: vec![],
            stop_early: false,
            place: nowhere(),
        })
    })
}

fn server() -> impl Strategy<Value = (ServerKind, String, f64)> {
    let command =
        (some_text(), vec(text(), 0..3), named(text()), text()).prop_map(|(program, rest, env, cwd)| {
            ServerKind::Command { command: std::iter::once(program).chain(rest).collect(), env, cwd }
        });
    let url = (text(), named(text()))
        .prop_map(|(rest, headers)| ServerKind::Url { url: format!("http://{rest}"), headers });
    (prop_oneof![command, url], text(), 0.001f64..1e6)
}

fn spec() -> impl Strategy<Value = Spec> {
    let choices = (
        prop::sample::select(vec![OnSetupFailure::Stop, OnSetupFailure::Continue]),
        prop::sample::select(vec![OnTeardownError::Fail, OnTeardownError::Warn]),
        prop::sample::select(vec![JudgeWhen::Needed, JudgeWhen::Always]),
    );
    let numbers = (1u32..999_999_999, 1u32..999_999_999, 1u32..999_999_999);
    let meta = (text(), text(), vec(text(), 0..3), numbers, choices).prop_map(
        |(
            name,
            description,
            tags,
            (timeout, teardown_timeout, max_calls),
            (on_setup_failure, teardown_errors, judge),
        )| Meta {
            name,
            description,
            tags,
            timeout,
            teardown_timeout,
            on_setup_failure,
            teardown_errors,
            judge,
            max_calls,
        },
    );
    let verdict = (text(), text(), vec(check(), 0..3)).prop_map(|(pass_if, fail_if, check)| VerdictSpec {
        pass_if,
        fail_if,
        check,
    });
    let servers = named(server()).prop_map(|all| {
        all.into_iter()
            .map(|(name, (kind, protocol, start_timeout))| Server {
                name,
                kind,
                protocol,
                start_timeout,
                place: nowhere(),
            })
            .collect()
    });
    let steps = || vec(step(), 0..3);
    (meta, servers, named(value()), option::of(text()), steps(), steps(), steps(), verdict).prop_map(
        |(test, servers, vars, case, setup, steps, teardown, verdict)| Spec {
            test,
            servers,
            vars,
            case,
            twin: 1,
            setup,
            steps,
            teardown,
            verdict,
            place: nowhere(),
        },
    )
}
