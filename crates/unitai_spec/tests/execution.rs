//! Execution: what runs, in which order, and what comes of it, whatever happens in between.

#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;
#[path = "support/workshop.rs"]
#[allow(dead_code, reason = "each file of tests needs another part of it")]
mod workshop;

use std::time::Duration;

use stopwatch::Stopwatch;
use unitai_model::Action;
use unitai_spec::run::{Answer, Ending, Outcome, Recording, Ruling};
use workshop::{Scripted, ran, ran_with, replayed, replayed_cleanly, without_base};

const CHECKS: &str = "verdict: checks\n";

fn test(body: &str) -> String {
    format!("test: {{name: Some test}}\n{body}{CHECKS}")
}

#[test]
fn nested_repetition_multiplies_and_keeps_its_order() {
    let ran = ran(&test(
        "steps:
  - name: Cycle
    repeat: 3
    save_as: cycles
    steps:
      - {tool: count, repeat: 2, save_as: number}
  - tool: echo
    args: {last: '${number}', first: '${number.$all[0]}', of_second: '${cycles[1].number}'}
",
    ));
    assert_eq!(ran.said().0, "PASS", "{:?}", ran.steps());
    let counted = ran.calls.iter().filter(|it| it.starts_with("count")).count();
    assert_eq!(counted, 6);
    let paths: Vec<&str> = ran.run.evidence.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(&paths[..3], ["steps[0]#1.steps[0]#1", "steps[0]#1.steps[0]#2", "steps[0]#2.steps[0]#1"]);
    assert_eq!(ran.calls[6], "echo(last=6, first=1, of_second=4)");
    let numbers: Vec<usize> = ran.run.evidence.iter().map(|it| it.number).collect();
    assert_eq!(numbers, (1..=7).collect::<Vec<_>>());
}

#[test]
fn a_step_that_fails_does_not_stop_the_others_but_those_that_need_it() {
    let ran = ran(&test(
        "steps:
  - {name: Fetch, tool: fail, save_as: user}
  - {name: Use, tool: echo, args: {id: '${user.id}'}, save_as: used}
  - {name: Use again, tool: echo, args: {id: '${used.id}'}}
  - {name: Other, tool: count}
",
    ));
    assert_eq!(
        ran.steps(),
        [
            "steps[0] fail: it is broken",
            "steps[1] skip: depends on user, which Fetch did not save",
            "steps[2] skip: depends on used, which Use did not save",
            "steps[3] pass: ",
        ]
    );
    assert_eq!(ran.said(), ("FAIL", "Fetch (steps[0]): it is broken"));
    assert_eq!(ran.calls, ["fail()", "count()", "close plugins"]);
}

#[test]
fn checks_decide_without_a_judge() {
    let judge = Scripted::answering(&[]);
    let text = "test: {name: T}
steps:
  - tool: echo
    args: {status: 404}
    check: [status == 200, ms < 60000]
    expect: It looks nice
verdict: {pass_if: all good, fail_if: anything bad}
";
    let ran = ran_with(text, &judge, None);
    assert_eq!(ran.said().0, "FAIL");
    assert!(ran.said().1.contains("status == 200") && ran.said().1.contains("404"), "{}", ran.said().1);
    assert!(judge.asked().is_empty());
    assert_eq!(ran.run.questions, 0);
}

#[test]
fn a_judge_is_asked_what_checks_leave_open() {
    let text = "test: {name: T}
steps:
  - {name: Look, tool: echo, repeat: 2, expect: It looks nice}
verdict: {pass_if: All is well, fail_if: Something is bad}
";
    for (answers, word, steps) in [
        (&[("It", Answer::Yes), ("All", Answer::Yes), ("Some", Answer::No)], "PASS", "pass"),
        (&[("It", Answer::No), ("All", Answer::Yes), ("Some", Answer::No)], "FAIL", "fail"),
        (&[("It", Answer::Yes), ("All", Answer::Yes), ("Some", Answer::Yes)], "FAIL", "pass"),
        (&[("It", Answer::Yes), ("All", Answer::No), ("Some", Answer::No)], "UNCLEAR", "pass"),
        (&[("It", Answer::Unknown), ("All", Answer::Yes), ("Some", Answer::No)], "UNCLEAR", "pass"),
    ] {
        let judge = Scripted::answering(answers);
        let ran = ran_with(text, &judge, None);
        assert_eq!(ran.said().0, word, "{answers:?}");
        assert!(ran.steps().iter().all(|it| it.contains(steps)), "{:?}", ran.steps());
        assert_eq!(judge.asked(), ["It looks nice", "All is well", "Something is bad"]);
        assert_eq!(ran.run.questions, 3);
    }
    let silent = Scripted::answering(&[]);
    assert_eq!(ran_with(text, &silent, None).said().0, "UNCLEAR");
}

#[test]
fn without_a_judge_open_questions_stay_open_and_say_so() {
    let ran = ran("test: {name: T}\nsteps: [{tool: count}]\nverdict: {pass_if: All is well, fail_if: Not}\n");
    let (word, reason) = ran.said();
    assert_eq!(word, "UNCLEAR");
    assert!(reason.contains("2 questions") && reason.contains("All is well"), "{reason}");
}

#[test]
fn a_judge_that_breaks_is_an_error_and_never_a_verdict() {
    let judge = Scripted::ruling(|_| Ruling::Trouble("rate limit".to_owned()));
    let text = "test: {name: T}\nsteps: [{tool: count}]\nteardown: [{tool: clean_up}]\nverdict: {pass_if: a, fail_if: b}\n";
    let ran = ran_with(text, &judge, None);
    assert!(matches!(&ran.run.ending, Ending::Error { message, .. } if message == "rate limit"));
    assert_eq!(ran.calls, ["count()", "clean_up()", "close plugins"]);
}

#[test]
fn teardown_runs_after_every_kind_of_ending() {
    let with = |setup: &str, steps: &str| {
        format!(
            "test: {{name: T, timeout: 1}}\nsetup: [{setup}]\nsteps: [{steps}]\n\
             teardown: [{{tool: fail}}, {{tool: clean_up}}]\nverdict: checks\n"
        )
    };
    let ends =
        |ran: &workshop::Ran| ran.calls[ran.calls.len() - 3..] == ["fail()", "clean_up()", "close plugins"];
    // A step fails.
    let step = ran(&with("", "{tool: fail}"));
    assert!(ends(&step) && step.said().0 == "FAIL", "{:?}", step.calls);
    // Setup fails: the steps are left out.
    let setup = ran(&with("{tool: fail, name: Prepare}", "{tool: count}"));
    assert!(ends(&setup), "{:?}", setup.calls);
    assert!(setup.said().1.starts_with("setup failed: Prepare"), "{}", setup.said().1);
    assert!(setup.steps().contains(&"steps[0] skip: setup failed".to_owned()));
    // The time is up.
    let watch = Stopwatch::start();
    let late = ran(&with("", "{tool: count}, {tool: slow}, {tool: count}"));
    assert!(watch.fair() < Duration::from_secs(2), "{:?}", watch.fair());
    assert!(ends(&late), "{:?}", late.calls);
    assert_eq!(late.said(), ("FAIL", "Test timed out after 1 seconds"));
    assert_eq!(late.verdict().issues[0], "Timeout: 1s exceeded");
    assert_eq!(late.steps()[1], "steps[1] fail: had not ended when the 1 s of the test were over");
    assert_eq!(late.steps()[2], "steps[2] skip: not run");
    assert!(matches!(late.run.evidence[1].outcome, Outcome::Unfinished));
    // Somebody stops it.
    let stopped = ran_with(&with("", "{tool: slow}"), &unitai_spec::run::NoJudge, Some(50));
    assert!(ends(&stopped), "{:?}", stopped.calls);
    assert!(matches!(stopped.run.ending, Ending::Stopped { .. }));
    // A server cannot be started.
    let text = format!("servers: {{shop: {{command: broken}}}}\n{}", with("", "{tool: count}"));
    let broken = ran(&text);
    assert!(ends(&broken), "{:?}", broken.calls);
    assert!(matches!(&broken.run.ending, Ending::Error { message, .. } if message.contains("shop")));
    assert!(broken.steps().contains(&"steps[0] skip: not run".to_owned()), "{:?}", broken.steps());
}

#[test]
fn a_failure_in_teardown_counts_unless_the_test_says_otherwise() {
    let text = test("steps: [{tool: count}]\nteardown: [{tool: fail}, {tool: clean_up}]\n");
    let ran_it = ran(&text);
    assert_eq!(ran_it.said(), ("FAIL", "teardown failed: teardown[0]: fail: it is broken"));
    let ran_it = ran(&text.replace("name: Some test", "name: T, teardown_errors: warn"));
    assert_eq!(ran_it.said().0, "PASS");
    assert_eq!(ran_it.run.warnings, ["teardown[0]: fail: it is broken"]);
}

#[test]
fn teardown_has_a_limit_of_its_own() {
    let text = "test: {name: T, teardown_timeout: 1}\nsteps: [{tool: count}]\n\
                teardown: [{tool: slow}, {tool: clean_up}]\nverdict: checks\n";
    let watch = Stopwatch::start();
    let ran = ran(text);
    assert!(watch.fair() < Duration::from_secs(2), "{:?}", watch.fair());
    assert_eq!(ran.said().0, "FAIL");
    assert_eq!(ran.steps()[2], "teardown[1] skip: not run");
}

#[test]
fn setup_may_fail_where_the_test_goes_on() {
    let text = "test: {name: T, on_setup_failure: continue}\nsetup: [{tool: fail}]\nsteps: [{tool: count}]\nverdict: checks\n";
    let ran = ran(text);
    assert_eq!(ran.steps()[1], "steps[0] pass: ");
    assert_eq!(ran.said().0, "FAIL");
}

#[test]
fn a_call_is_tried_again() {
    let ran_it = ran(&test("steps: [{tool: flaky, retry: 3, retry_delay: 0.01}]\n"));
    assert_eq!(ran_it.said().0, "PASS", "{:?}", ran_it.steps());
    let attempts: Vec<u32> = ran_it.run.evidence.iter().map(|it| it.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
    let ran_it = ran(&test("steps: [{tool: flaky, retry: 1, retry_delay: 0.01}]\n"));
    assert_eq!((ran_it.said().0, ran_it.run.evidence.len()), ("FAIL", 2));
    let until = test("steps: [{tool: count, retry: {times: 5, delay: 0.01, until: result >= 3}}]\n");
    assert_eq!(ran(&until).run.evidence.len(), 3);
    let never = ran(&test("steps: [{tool: count, retry: {times: 1, delay: 0.01, until: result >= 3}}]\n"));
    assert_eq!(never.steps(), ["steps[0] fail: result >= 3 did not hold after 2 attempts"]);
}

#[test]
fn a_call_has_a_limit_of_its_own() {
    let watch = Stopwatch::start();
    let ran = ran(&test("steps: [{tool: slow, timeout: 0.1}, {tool: count}]\n"));
    assert!(watch.fair() < Duration::from_secs(1), "{:?}", watch.fair());
    assert_eq!(ran.steps(), ["steps[0] fail: slow did not answer within 0.1 s", "steps[1] pass: "]);
}

#[test]
fn a_condition_leaves_steps_out_and_a_wrong_one_fails_them() {
    let text = "test: {name: T}\nvars: {backend: mysql}\nsteps:
  - {tool: count, when: \"${vars.backend} == 'mysql'\"}
  - {tool: fail, when: \"${vars.backend} == 'ldap'\"}
verdict: checks\n";
    let ran_it = ran(text);
    assert_eq!(ran_it.said().0, "PASS");
    assert_eq!(ran_it.steps()[1], "steps[1] skip: when: ${vars.backend} == 'ldap' does not hold");
    let wrong = ran(&text.replace("${vars.backend} == 'ldap'", "${vars.backend} == 'ldap' and nonsense"));
    assert_eq!(wrong.said().0, "PASS", "what is false needs no other side: {:?}", wrong.steps());
    let wrong = ran(&text.replace("${vars.backend} == 'ldap'", "nonsense == 1"));
    assert_eq!(wrong.said().0, "FAIL", "{:?}", wrong.steps());
}

#[test]
fn a_tool_that_fails_may_be_what_is_expected() {
    let ran = ran(&test("steps: [{tool: fail, check: ['is_error', 'error contains \"broken\"']}]\n"));
    assert_eq!(ran.said().0, "PASS", "{:?}", ran.steps());
}

#[test]
fn comparisons_of_built_in_tools_are_checks() {
    let ran = ran(&test(
        "steps:
  - {name: Same, tool: assert_equals, args: {actual: 1, expected: 2, message: ids}}
  - {name: Near, tool: compare_values, args: {value1: 100, value2: 110, tolerance: 0.05}}
  - {name: Truth, tool: assert_true, args: {condition: true}}
",
    ));
    assert_eq!(
        ran.steps(),
        [
            "steps[0] fail: ids: expected 2, found 1",
            "steps[1] fail: 100 and 110 are not equal: they differ by 9.091%, and 5.000% is allowed",
            "steps[2] pass: ",
        ]
    );
}

#[test]
fn a_tool_that_nobody_has_fails_its_step_alone() {
    let ran = ran(&test("steps: [{tool: http_gte}, {tool: count}]\n"));
    assert_eq!(ran.steps()[0], "steps[0] fail: nobody has a tool http_gte; did you mean http_get?");
    assert_eq!(ran.steps()[1], "steps[1] pass: ");
    assert_eq!(ran.said().0, "FAIL");
}

#[test]
fn a_tool_that_nobody_has_is_no_error_that_a_step_can_expect() {
    for step in [
        "check: is_error",
        "check: ['error contains \"nobody\"']",
        "check: not is_error or is_error",
        "retry: {times: 2, delay: 9, until: is_error}, check: is_error",
        "retry: {times: 2, delay: 9, until: result >= 3}",
    ] {
        let text = test(&format!("steps: [{{tool: http_gte, {step}}}, {{tool: count}}]\n"));
        let watch = Stopwatch::start();
        let live = ran(&text);
        assert_eq!(
            live.steps()[0],
            "steps[0] fail: nobody has a tool http_gte; did you mean http_get?",
            "{step}"
        );
        assert_eq!(live.said().0, "FAIL", "{step}");
        assert!(watch.fair() < Duration::from_secs(5), "it is not tried again: {step}");
        let again = replayed(&text, &live.recorded());
        assert_eq!((again.said().0, again.steps()), ("FAIL", live.steps()), "{step}");
    }
    let group = ran(&test("steps: [{tool: http_gte, check: is_error, steps: [{tool: count}]}]\n"));
    assert_eq!(group.said().0, "FAIL", "{:?}", group.steps());
    let servers = "servers: {one: {command: a}, two: {command: b}}\n";
    for tool in ["one.eco", "echo", "three.echo"] {
        let ran =
            ran(&format!("{servers}{}", test(&format!("steps: [{{tool: {tool}, check: is_error}}]\n"))));
        assert_eq!(ran.said().0, "FAIL", "{tool}");
    }
}

#[test]
fn a_tool_of_two_servers_is_told_apart_by_the_server() {
    let servers = "servers: {one: {command: a}, two: {command: b}}\n";
    let both = ran(&format!("{servers}{}", test("steps: [{tool: echo}]\n")));
    assert!(both.steps()[0].contains("write one.echo or two.echo"), "{:?}", both.steps());
    let one = ran(&format!("{servers}{}", test("steps: [{tool: two.echo}]\n")));
    assert_eq!((one.said().0, one.run.evidence[0].server.as_str()), ("PASS", "two"));
    let wrong = ran(&format!("{servers}{}", test("steps: [{tool: two.eco}]\n")));
    assert!(
        wrong.steps()[0].contains("the server two has no tool eco; did you mean echo?"),
        "{:?}",
        wrong.steps()
    );
}

#[test]
fn a_slip_in_repeat_does_not_run_for_days() {
    let text = "test: {name: T, max_calls: 5}\nsteps: [{tool: count, repeat: 1000000, stop_early: true}]\nverdict: checks\n";
    let ran = ran(text);
    assert_eq!(ran.run.evidence.len(), 5);
    assert_eq!(
        ran.steps().last().expect("a step"),
        "steps[0]#6 fail: the test has made its 5 calls; max_calls allows no more"
    );
}

#[test]
fn teardown_runs_after_too_many_calls() {
    let text = "test: {name: T, max_calls: 2}\nsteps: [{tool: count, repeat: 9}]\nteardown: [{tool: count}, {tool: count}, {tool: count}]\nverdict: checks\n";
    let ran = ran(text);
    let steps = ran.steps();
    let teardown: Vec<&String> = steps.iter().filter(|it| it.starts_with("teardown")).collect();
    assert!(
        teardown[0].starts_with("teardown[0] pass") && teardown[1].starts_with("teardown[1] pass"),
        "{teardown:?}"
    );
    assert!(teardown[2].contains("max_calls allows no more"), "{teardown:?}");
}

#[test]
fn nothing_that_was_run_is_nothing_that_passed() {
    let ran = ran(&test("steps: [{tool: count, repeat: 0}]\n"));
    assert_eq!(ran.steps(), ["steps[0] skip: repeat: 0"]);
    assert_eq!(ran.said().0, "UNCLEAR");
}

#[test]
fn checks_of_the_verdict_see_all_that_happened() {
    let text = "test: {name: T}\nsteps: [{tool: count, repeat: 3, save_as: n}]\nverdict: {check: ['calls(\"count\") == 3', n == 3]}\n";
    assert_eq!(ran(text).said().0, "PASS");
    let ran = ran(&text.replace("n == 3", "n == 4"));
    assert_eq!(ran.said().0, "FAIL");
    assert!(ran.said().1.starts_with("verdict: "), "{}", ran.said().1);
}

#[test]
fn a_checkpoint_looks_at_what_has_happened() {
    let ran = ran(&test(
        "steps: [{tool: count, save_as: n}, {name: So far, check: n == 1}, {name: Otherwise, check: n == 2}]\n",
    ));
    assert_eq!(ran.steps()[1], "steps[1] pass: ");
    assert!(ran.steps()[2].starts_with("steps[2] fail: "), "{:?}", ran.steps());
}

#[test]
fn a_run_is_a_trajectory_too() {
    let ran = ran(&test("steps: [{tool: echo, args: {a: 1}}, {tool: fail}]\n"));
    let tools: Vec<String> = ran
        .run
        .trajectory
        .steps()
        .iter()
        .filter_map(|step| match &step.action {
            Action::ToolCall(call) => Some(format!("{}({}) {:?}", call.tool, call.args.text(), call.outcome)),
            _ => None,
        })
        .collect();
    assert!(tools[0].starts_with("echo({\"a\":1}) Returned"), "{tools:?}");
    assert!(tools[1].contains("it is broken"), "{tools:?}");
}

#[test]
fn a_recording_gives_the_same_verdict_without_tools_and_judge() {
    let judge = Scripted::answering(&[("It looks", Answer::Yes), ("Well", Answer::Yes), ("Bad", Answer::No)]);
    let texts = [
        test("steps: [{tool: flaky, retry: 5, retry_delay: 0.2}, {tool: sleep, args: {seconds: 0.3}}]\n"),
        test("steps: [{tool: fail, save_as: x}, {tool: echo, args: {a: '${x}'}}, {tool: nowhere}]\n"),
        "test: {name: T, timeout: 1}\nsteps: [{tool: count}, {tool: slow}]\nverdict: checks\n".to_owned(),
        "servers: {one: {command: a}}\ntest: {name: T}\nsteps: [{tool: one.echo, args: {a: [1, 2.5]}, expect: It looks fine}]\n\
         verdict: {pass_if: Well, fail_if: Bad}\n"
            .to_owned(),
    ];
    let open = "test: {name: T}\nsteps: [{tool: count}]\nverdict: {pass_if: Well, fail_if: Bad}\n";
    let unclear = ran(open);
    assert_eq!(replayed(open, &unclear.recorded()).said().0, unclear.said().0);
    for text in &texts {
        let live = ran_with(text, &judge, None);
        let recording = live.recorded();
        let recording = Recording::from_text(&recording.to_text()).expect("what was written is read");
        let watch = Stopwatch::start();
        let again = replayed(text, &recording);
        assert_eq!(again.verdict().word, live.verdict().word);
        assert_eq!(again.steps(), live.steps());
        assert!(again.calls.is_empty(), "{:?}", again.calls);
        assert!(text.contains("slow") || watch.fair() < Duration::from_millis(150), "{:?}", watch.fair());
    }
}

#[test]
fn a_recording_without_secrets_gives_the_same_verdict_or_an_error() {
    let recorded = |text: &str| {
        let live = ran(text);
        let kept = Recording::from_text(&without_base(&live.recorded().to_text()));
        (live, kept.expect("what was written is read"))
    };
    // What is the same word before and after is decided alike.
    for check in ["a == ${env.BASE}", "${env.BASE} in text", "not (${env.BASE} in text)", "a != 'there'"] {
        let text = test(&format!(
            "steps: [{{tool: echo, args: {{a: '${{env.BASE}}'}}, check: \"{check}\"}}, {{tool: count}}]\n"
        ));
        let (live, kept) = recorded(&text);
        assert_eq!(replayed_cleanly(&text, &kept).said().0, live.said().0, "{check}");
    }
    // What looks at the secret itself is not decided by what stands in its place.
    for check in ["a | length == 4", "a | length > 4", "a == 'here'", "not ('redacted' in a)"] {
        let text = test(&format!(
            "steps: [{{tool: count}}, {{tool: echo, args: {{a: '${{env.BASE}}'}}, check: \"{check}\"}}]\n"
        ));
        let (live, kept) = recorded(&text);
        let again = replayed_cleanly(&text, &kept).run.ending;
        let Ending::Error { message, .. } = again else { panic!("{check}: {again:?}") };
        let was = live.said().0;
        assert!(message.contains(&format!("and was {was}; at steps[1] it is")), "{message}");
        // Another test may end as it likes.
        let other =
            test("steps: [{tool: count}, {tool: echo, args: {a: '${env.BASE}'}, check: a != 'there'}]\n");
        assert_eq!(replayed_cleanly(&other, &kept).said().0, "PASS");
    }
}

#[test]
fn what_a_recording_does_not_have_is_an_error() {
    let recording = ran(&test("steps: [{tool: echo, args: {a: 1}}]\n")).recorded();
    for (steps, why) in [
        ("[{tool: echo, args: {a: 2}}]", "called with {\"a\":1}, not with {\"a\":2}"),
        ("[{tool: count}]", "has a call of echo, not of count"),
        ("[{tool: echo, args: {a: 1}}, {tool: echo}]", "no call at steps[1], attempt 1"),
    ] {
        let again = replayed(&test(&format!("steps: {steps}\n")), &recording);
        assert!(
            matches!(&again.run.ending, Ending::Error { message, .. } if message.contains(why)),
            "{:?}",
            again.run.ending
        );
    }
    assert!(Recording::from_text("{}").is_err());
    let later = recording.to_text().replace("\"format\": 1", "\"format\": 2");
    assert!(Recording::from_text(&later).expect_err("another format").contains("format 2"));
}

#[test]
fn a_variable_that_is_not_set_tells_nothing_of_the_others() {
    let ran = ran(&test(
        "steps: [{tool: echo, args: {a: '${env.BASES}'}}, {tool: echo, args: {a: '${env.BASE}'}}]\n",
    ));
    assert_eq!(
        ran.steps()[0],
        "steps[0] fail: there is no variable `BASES` in the environment; set it, or give a default: `${env.BASES:-...}`"
    );
    assert_eq!(ran.calls[0], "echo(a=\"here\")");
}

#[test]
fn a_group_in_which_nothing_was_run_shows_nothing() {
    let ran = ran(&test("steps: [{repeat: 2, steps: [{tool: count, when: 'false'}]}]\n"));
    assert_eq!(ran.said().0, "UNCLEAR", "{:?}", ran.steps());
    assert_eq!(ran.steps().last().expect("the group"), "steps[0] skip: no step in it was run");
}

#[test]
fn values_of_a_test_take_from_the_environment_and_from_one_another() {
    let text = "test: {name: T}\nvars: {base: '${env.BASE}', url: '${vars.base}/users', n: '${env.N:-3}'}\n\
                steps: [{tool: echo, args: {u: '${vars.url}', n: '${vars.n}'}}]\nverdict: checks\n";
    assert_eq!(ran(text).calls[0], "echo(u=\"here/users\", n=3)");
    let broken = ran(&text.replace("env.BASE}", "env.NOWHERE}"));
    assert!(
        matches!(&broken.run.ending, Ending::Error { message, .. } if message.starts_with("vars.base: there is no variable")),
        "{:?}",
        broken.run.ending
    );
}

#[test]
fn two_tests_of_one_name_have_a_recording_each() {
    let one = "test: {name: Same}\nsteps: [{tool: count}]\nverdict: checks\n";
    let reading =
        unitai_spec::document::read(&format!("{one}---\n{one}"), std::path::Path::new("tests/llm/a.yaml"));
    let paths: Vec<_> = reading.specs.iter().map(Recording::path_of).collect();
    assert_eq!(paths.len(), 2);
    assert_ne!(paths[0], paths[1]);
}

#[test]
fn what_has_no_effect_on_a_group_is_told() {
    let text = test("steps: [{retry: 2, steps: [{tool: count}]}]\n");
    let reading = unitai_spec::document::read(&text, std::path::Path::new("a.yaml"));
    assert_eq!(reading.specs.len(), 1);
    assert!(
        reading.troubles[0].message.contains("`retry` is about the call of a tool"),
        "{:?}",
        reading.troubles
    );
}
