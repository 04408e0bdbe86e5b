//! What a file may say: the table of what is accepted and what is rejected, with the words and the place of each.

use std::path::Path;

use unitai_model::value::Value;
use unitai_spec::document::{Check, Reading, Retry, ServerKind, Severity, Spec, read, read_file};

fn reading(text: &str) -> Reading {
    read(text, Path::new("tests/llm/a.yaml"))
}

/// The one test of a text that has nothing wrong with it.
fn spec(text: &str) -> Spec {
    let reading = reading(text);
    assert_eq!(reading.troubles, [], "{text}");
    reading.specs.into_iter().next().expect("a test")
}

/// A whole file around a step.
fn with_step(step: &str) -> String {
    format!("test: {{name: a}}\nsteps:\n  - {}\nverdict: checks\n", step.replace('\n', "\n    "))
}

/// A whole file around a part of `test`.
fn with_meta(meta: &str) -> String {
    format!("test:\n  name: a\n  {meta}\nsteps: []\nverdict: checks\n")
}

/// The errors and warnings of a text: severity, `line:column`, message, remedy, path.
fn told(text: &str) -> Vec<(Severity, String, String, String, String)> {
    let troubles = reading(text).troubles.into_iter();
    troubles
        .map(|it| {
            (it.severity, format!("{}:{}", it.place.line, it.place.column), it.message, it.remedy, it.path)
        })
        .collect()
}

fn one(text: &str) -> (Severity, String, String, String, String) {
    let mut all = told(text);
    assert_eq!(all.len(), 1, "{text}\n{all:#?}");
    all.remove(0)
}

#[test]
fn the_seeds_example_is_read_with_every_default() {
    let spec = spec(
        "test:\n  name: \"API Health Check\"\n  description: \"Verify the API is responding\"\n  timeout: 30\n\n\
         setup:\n  - tool: server_start\n    args: {port: 8080}\n\n\
         steps:\n  - name: \"Check health\"\n    tool: http_get\n    args: {url: \"http://localhost:8080/health\"}\n    \
         expect: \"Status should be 200\"\n\nteardown:\n  - tool: server_stop\n\n\
         verdict:\n  pass_if: \"Health endpoint returns 200\"\n  fail_if: \"Health endpoint is unreachable\"\n",
    );
    assert_eq!(spec.test.name, "API Health Check");
    assert_eq!((spec.test.timeout, spec.test.teardown_timeout, spec.test.max_calls), (30, 30, 1000));
    assert_eq!(spec.setup[0].args, [("port".to_owned(), Value::Int(8080))]);
    assert_eq!(spec.steps[0].expect, "Status should be 200");
    assert_eq!((spec.steps[0].repeat, spec.steps[0].place.line, spec.steps[0].place.column), (1, 11, 5));
    assert_eq!(spec.teardown[0].tool, "server_stop");
    assert_eq!(spec.verdict.fail_if, "Health endpoint is unreachable");
}

#[test]
fn what_upstream_accepts_is_accepted() {
    for (meta, timeout) in
        [("timeout: \"30\"", 30), ("timeout: 30.0", 30), ("timeout: \"30.0\"", 30), ("timeout: 0", 120)]
    {
        assert_eq!(spec(&with_meta(meta)).test.timeout, timeout, "{meta}");
    }
    assert_eq!(spec(&with_step("{tool: x, repeat: 0}")).steps[0].repeat, 0);
    assert_eq!(spec(&with_step("{tool: x, repeat: \"3\"}")).steps[0].repeat, 3);
    assert!(spec(&with_meta("tags: []")).steps.is_empty());
    // A number by the letter, and a person should look.
    let reading = reading(&with_meta("timeout: true"));
    assert_eq!(reading.specs[0].test.timeout, 1);
    assert_eq!(reading.troubles[0].message, "`timeout` is a whole number, and `true` is taken for 1");
}

#[test]
fn what_upstream_rejects_is_rejected_and_what_to_do_is_told() {
    for (step, place, message, remedy) in [
        (
            "{tool: x, args: }",
            "3:19",
            "`args` must be a mapping, found nothing",
            "leave it out, or write `{}`",
        ),
        ("{tool: x, args: [1]}", "3:21", "`args` must be a mapping, found a list", "write `name: value`"),
        (
            "{tool: x, args: {1: a}}",
            "3:22",
            "a name in `args` must be a text, found the number `1`",
            "quote it: \"1\"",
        ),
        (
            "{tool: x, args: {on: a}}",
            "3:22",
            "a name in `args` must be a text, found `on`, which YAML reads as true",
            "quote it: \"on\"",
        ),
        (
            "{tool: x, expect: 200}",
            "3:23",
            "`expect` must be a text, found the number `200`",
            "quote it: \"200\"",
        ),
        (
            "{tool: x, expect: [a]}",
            "3:23",
            "`expect` must be a text, found a list",
            "make one text of it; `|` begins one of several lines",
        ),
        ("{tool: x, name: 5}", "3:21", "`name` must be a text, found the number `5`", "quote it: \"5\""),
        (
            "{tool: x, name: yes}",
            "3:21",
            "`name` must be a text, found `yes`, which YAML reads as true",
            "quote it: \"yes\"",
        ),
        (
            "{tool: x, expect: {a: b}}",
            "3:23",
            "`expect` must be a text, found a mapping",
            "if it is a text with `: ` in it, quote it",
        ),
    ] {
        let found = one(&with_step(step));
        assert_eq!(
            (found.1.as_str(), found.2.as_str(), found.3.as_str()),
            (place, message, remedy),
            "{step}"
        );
    }
    for (meta, message) in [
        ("timeout: 30.5", "`timeout` must be a whole number, found the number `30.5`"),
        ("timeout: soon", "`timeout` must be a whole number, found the text `soon`"),
        ("tags: [1]", "`tags[0]` must be a text, found the number `1`"),
        ("description: 1.10", "`description` must be a text, found the number `1.10`"),
    ] {
        assert_eq!(one(&with_meta(meta)).2, message, "{meta}");
    }
    let text = "test: {name: a}\nsteps: []\nverdict: {pass_if: [a], fail_if: b}\n";
    assert_eq!(one(text).2, "`pass_if` must be a text, found a list");
    assert_eq!(one(text).4, "verdict.pass_if");
}

#[test]
fn what_upstream_got_wrong_is_repaired() {
    // Nothing is an empty section, and one tag is a list of one.
    let text = "test: {name: a, tags: smoke}\nsetup:\nsteps:\nteardown:\nservers:\nvars:\ninclude:\nverdict: checks\n";
    assert_eq!(spec(text).test.tags, ["smoke"]);
    for (step, message) in [
        ("{tool: x, repeat: -2}", "`repeat` cannot be negative, found the number `-2`"),
        ("{tool: x, timeout: \"-1\"}", "`timeout` cannot be negative, found the text `-1`"),
        ("{tool: x, tool: y}", "the key `tool` is there twice, in lines 3 and 3"),
        ("{}", "the step does nothing: it has no `tool` and no `steps`, and expects and checks nothing"),
        (
            "{name: a, save_as: b}",
            "the step does nothing: it has no `tool` and no `steps`, and expects and checks nothing",
        ),
        (
            "{tool: x, save_as: env}",
            "`save_as` cannot be `env`: `stored`, `env`, `vars`, `steps`, `result`, `text`, `ms`, `error` \
             or `is_error` are kept for values of ours",
        ),
        (
            "{tool: x, repeat: 99999999999999999999}",
            "`repeat` is too large, found the number `99999999999999999999`",
        ),
    ] {
        assert_eq!(one(&with_step(step)).2, message, "{step}");
    }
    assert_eq!(one(&with_meta("timeout: -1")).2, "`timeout` cannot be negative, found the number `-1`");
    let found = one(&with_step("{tool: x, exspect: y}"));
    assert_eq!(
        (found.2.as_str(), found.3.as_str()),
        ("a step has no key `exspect`", "did you mean `expect`?")
    );
    assert_eq!(found.4, "steps[0].exspect");
    // A date is its text.
    let args = spec(&with_step("{tool: x, args: {a: 2024-01-01, b: no, c: 1e5, d: '2024-01-01'}}")).steps[0]
        .args
        .clone();
    let text = |text: &str| Value::Str(text.to_owned());
    let values: Vec<Value> = args.into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, [text("2024-01-01"), Value::Bool(false), text("1e5"), text("2024-01-01")]);
}

#[test]
fn a_checkpoint_asks_and_a_group_may_call() {
    for step in ["{expect: a}", "{analyze: a}", "{check: a == 1}"] {
        assert_eq!(spec(&with_step(step)).steps[0].tool, "");
    }
    let reading = reading(&with_step("{tool: x, steps: [{tool: y}]}"));
    assert_eq!(reading.specs[0].steps[0].steps[0].tool, "y");
    assert!(reading.specs[0].steps[0].is_nested());
    assert_eq!(reading.troubles[0].severity, Severity::Warning);
}

#[test]
fn a_list_of_no_checks_is_an_error() {
    let message = "`check` is an empty list, which checks nothing";
    for step in ["{tool: x, check: []}", "{check: []}", "{steps: [{tool: x}], check: []}"] {
        let found = one(&with_step(step));
        assert_eq!(
            (found.0, found.2.as_str(), found.3.as_str(), found.4.as_str()),
            (Severity::Error, message, "write what must hold, or leave it out", "steps[0].check"),
            "{step}"
        );
    }
    let verdict = |text: &str| one(&format!("test: {{name: a}}\nsteps: []\nverdict: {text}\n"));
    for text in ["{check: []}", "{pass_if: a, fail_if: b, check: []}"] {
        let found = verdict(text);
        assert_eq!(
            (found.0, found.2.as_str(), found.4.as_str()),
            (Severity::Error, message, "verdict.check")
        );
    }
    assert_eq!(one(&with_step("{check: ''}")).2, "a check cannot be empty");
    assert_eq!(verdict("{check: ''}").2, "a check cannot be empty");
}

#[test]
fn our_own_keys_are_read_in_each_of_their_forms() {
    let retry = |step: &str| spec(&with_step(step)).steps[0].retry.clone();
    let expected = |times, delay, until: &str| Some(Retry { times, delay, until: until.into() });
    assert_eq!(retry("{tool: x, retry: 3}"), expected(3, 1.0, ""));
    assert_eq!(retry("{tool: x, retry: 3, retry_delay: 0.5}"), expected(3, 0.5, ""));
    assert_eq!(retry("{tool: x, retry: {times: 2, until: a == 1}}"), expected(2, 1.0, "a == 1"));
    assert_eq!(retry("{tool: x, retry: {times: 2, delay: 2}, timeout: 1.5}"), expected(2, 2.0, ""));
    assert_eq!(retry("{tool: x, retry: 0}"), None);
    assert_eq!(retry("{tool: x, retry: {times: 0}}"), None);
    assert_eq!(spec(&with_step("{tool: x, timeout: null}")).steps[0].timeout, None);
    let step = &spec(&with_step(
        "tool: x\ncheck:\n  - a == 1\n  - match: {b: '#string'}\nwhen: c\nstop_early: yes\ntimeout: 2",
    ))
    .steps[0];
    assert!(matches!(&step.check[0], Check::Holds { text, place } if text == "a == 1" && place.line == 5));
    assert!(matches!(&step.check[1], Check::Match { pattern, .. } if pattern.get("b").is_some()));
    assert_eq!((step.when.as_str(), step.stop_early, step.timeout), ("c", true, Some(2.0)));
    let meta = spec(&with_meta(
        "on_setup_failure: continue\n  teardown_errors: warn\n  judge: always\n  max_calls: 5\n  teardown_timeout: 7",
    ))
    .test;
    let shown = format!("{:?} {:?} {:?}", meta.on_setup_failure, meta.teardown_errors, meta.judge);
    assert_eq!((shown.as_str(), meta.max_calls, meta.teardown_timeout), ("Continue Warn Always", 5, 7));
}

#[test]
fn servers_are_programs_or_addresses() {
    let spec = spec(
        "test: {name: a}\nsteps: []\nverdict: checks\nservers:\n  shop: {command: [node, server.js, 80], env: {PORT: 8080, DEBUG: yes}, cwd: x}\n  \
         bank: {url: \"http://127.0.0.1:1/mcp\", headers: {A: b}, protocol: 2025-06-18, start_timeout: 5}\n  \
         mill: {command: \"python -m 'my mill' --x=\\\"a b\\\"\"}\n",
    );
    let [shop, bank, mill] = spec.servers.as_slice() else { panic!("{:?}", spec.servers) };
    let pairs = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    let ServerKind::Command { command, env, cwd } = &shop.kind else { panic!() };
    assert_eq!(
        (command.join("|"), env, cwd.as_str()),
        ("node|server.js|80".into(), &pairs(&[("PORT", "8080"), ("DEBUG", "yes")]), "x")
    );
    let ServerKind::Url { url, headers } = &bank.kind else { panic!() };
    assert_eq!((url.as_str(), headers), ("http://127.0.0.1:1/mcp", &pairs(&[("A", "b")])));
    assert_eq!((bank.protocol.as_str(), bank.start_timeout, shop.start_timeout), ("2025-06-18", 5.0, 30.0));
    let ServerKind::Command { command, .. } = &mill.kind else { panic!() };
    assert_eq!(command.join("|"), "python|-m|my mill|--x=a b");
}

#[test]
fn a_verdict_is_texts_checks_or_a_word() {
    let verdict = |text: &str| spec(&format!("test: {{name: a}}\nsteps: []\nverdict: {text}\n")).verdict;
    assert_eq!(verdict("{pass_if: a, fail_if: b}").pass_if, "a");
    assert_eq!(verdict("checks"), verdict("{pass_if: '', fail_if: ''}"));
    assert_eq!(verdict("{check: [a == 1, b]}").check.len(), 2);
    let wrong = |text: &str| one(&format!("test: {{name: a}}\nsteps: []\nverdict: {text}\n")).2;
    assert_eq!(wrong("{pass_if: a}"), "`verdict` has `pass_if` and no `fail_if`");
    assert_eq!(wrong("{}"), "`verdict` says nothing");
    assert_eq!(wrong("check"), "`verdict` must be a mapping or the word `checks`, found the text `check`");
}

#[test]
fn every_document_is_a_test_and_every_row() {
    let text = "test: {name: a}\nsteps: []\nverdict: checks\n---\n---\ntest: {name: b}\nvars: {backend: none, port: 1}\n\
                cases:\n  - {backend: mysql}\n  - {backend: ldap, name: Directory}\n  - {backend: mysql}\n  - {}\nsteps: []\nverdict: checks\n";
    let specs = reading(text).specs;
    let names: Vec<_> = specs.iter().map(|spec| (spec.test.name.as_str(), spec.case.as_deref())).collect();
    assert_eq!(
        names,
        [
            ("a", None),
            ("b", Some("backend=mysql")),
            ("b", Some("Directory")),
            ("b", Some("backend=mysql #3")),
            ("b", Some("row 4"))
        ]
    );
    let vars = |name: &str| {
        vec![("backend".to_owned(), Value::Str(name.into())), ("port".to_owned(), Value::Int(1))]
    };
    assert_eq!(
        (&specs[1].vars, &specs[2].vars, &specs[4].vars),
        (&vars("mysql"), &vars("ldap"), &vars("none"))
    );
    assert_eq!((specs[0].place.line, specs[1].place.line, specs[2].place.line), (1, 9, 10));
}

#[test]
fn one_error_leaves_no_test_and_all_errors_are_told() {
    let text = "test: {name: 1, timout: 3}\nsteps:\n  - {tol: x}\n  - {tool: 2}\n  - 5\nverdict: {pass_if: a}\ncases: []\n---\n\
                test: {name: b}\nsteps: []\nverdict: checks\n";
    assert!(reading(text).specs.is_empty());
    let places: Vec<String> = told(text).into_iter().map(|it| format!("{} {}", it.1, it.4)).collect();
    assert_eq!(
        places,
        [
            "1:14 test.name",
            "1:17 test.timout",
            "3:6 steps[0].tol",
            "4:12 steps[1].tool",
            "5:5 steps[2]",
            "6:10 verdict",
            "7:8 cases"
        ]
    );
}

#[test]
fn files_of_the_first_system_may_have_keys_that_nobody_knows() {
    let text = "test: {name: a, compat: llm-pytest, owner: me}\nsteps: [{tool: x, when_done: y}]\nverdict: {pass_if: a, fail_if: b, why: c}\n";
    let reading = reading(text);
    assert_eq!(reading.specs.len(), 1);
    assert_eq!(reading.troubles.len(), 3);
    assert!(reading.troubles.iter().all(|trouble| trouble.severity == Severity::Warning));
}

#[test]
fn steps_that_save_under_one_name_are_told_unless_they_are_alternatives() {
    let text = |a: &str, b: &str| {
        format!("test: {{name: a}}\nsetup: [{a}]\nsteps: [{{repeat: 2, steps: [{b}]}}]\nverdict: checks\n")
    };
    let found = one(&text("{tool: x, save_as: s}", "{tool: y, save_as: s}"));
    assert_eq!((found.0, found.4.as_str()), (Severity::Warning, "steps[0].steps[0].save_as"));
    assert_eq!(found.2, "`s` is saved by another step too, in line 2");
    assert_eq!(told(&text("{tool: x, save_as: s, when: a}", "{tool: y, save_as: s, when: b}")), []);
}

#[test]
fn anchors_and_merge_keys_are_filled_in() {
    let spec = spec(
        "test: {name: a}\nvars:\n  base: &base {url: x, n: 1}\n  more: &more {n: 2, m: 3}\nsteps:\n  - tool: t\n    args:\n      \
         <<: [*base, *more]\n      url: y\n      whole: *base\n      \"<<\": z\nverdict: checks\n",
    );
    let shown: Vec<String> =
        spec.steps[0].args.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(shown, ["n=1", "m=3", "url=\"y\"", r#"whole={"url": "x", "n": 1}"#, "<<=\"z\""]);
}

#[test]
fn marks_and_line_ends_of_other_systems_do_not_matter() {
    let text = "\u{feff}test: {name: a}\r\nsteps:\r\n  - tool: x\r\n    expect: |\r\n      one\r\n      two\r\nverdict: checks\r\n";
    assert_eq!(spec(text).steps[0].expect, "one\ntwo\n");
    let found = one(&text.replace("tool", "tol"));
    assert_eq!(found.1, "3:5");
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    let told = |file: &Path| read_file(file).troubles.remove(0);
    assert!(told(&file).message.ends_with("there is no such file"), "{}", told(&file));
    assert!(told(folder.path()).message.ends_with("is no file"), "{}", told(folder.path()));
    std::fs::write(&file, b"test:\n  name: \xe9t\xe9\n").unwrap();
    assert_eq!((told(&file).place.line, told(&file).place.column), (2, 9));
    assert_eq!(told(&file).message, "the file is not UTF-8: byte 0xe9 begins no character");
    std::fs::write(&file, vec![b' '; 1_000_001]).unwrap();
    assert!(told(&file).message.ends_with("has more than 1000000 bytes"));
    std::fs::write(&file, "test: {name: a}\nsteps: []\nverdict: checks\n").unwrap();
    assert_eq!(read_file(&file).specs[0].place.file.as_path(), file);
}

#[test]
fn json_is_read_as_json() {
    let text = concat!(
        r#"{"test": {"name": "a \ud83d\ude00 "#,
        "\u{7f}",
        r#""}, "steps": [{"tool": "x", "args": {"n": 1e5}}], "verdict": "checks"}"#
    );
    let spec = spec(text);
    assert_eq!(spec.test.name, "a 😀 \u{7f}");
    assert_eq!(spec.steps[0].args[0].1, Value::Float(1e5));
}

#[test]
fn of_very_many_troubles_the_first_are_told_and_the_others_counted() {
    let text = "--- a\n".repeat(5_000);
    let reading = read(&text, Path::new("a.yaml"));
    assert_eq!(reading.troubles.len(), 101);
    let last = reading.troubles.last().expect("the last one");
    assert_eq!((last.place.line, last.message.as_str()), (101, "4900 more things are wrong from here on"));
    assert!(last.is_error() && reading.specs.is_empty());
}
