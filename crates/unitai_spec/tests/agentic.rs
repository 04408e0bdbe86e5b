//! Steps that somebody else drives: what counts is what was called, whatever the driver says about it.

#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;
#[path = "support/workshop.rs"]
#[allow(dead_code, reason = "each file of tests needs another part of it")]
mod workshop;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use stopwatch::Stopwatch;
use unitai_spec::data::from_json;
use unitai_spec::run::{
    Answer, Called, Driven, Ending, Hands, NoJudge, Outcome, Recording, Status, StepResult, Verdict, Word,
};
use workshop::{Acted, Ran, Scripted, driven, ran, replayed};

fn test(rest: &str) -> String {
    format!("test: {{name: T, timeout: 20}}\nverdict: checks\n{rest}")
}

fn reported(word: Word, reason: &str) -> Driven {
    Driven::Reported(Verdict { word, reason: reason.to_owned(), steps: Vec::new(), issues: Vec::new() })
}

async fn call(hands: &Hands, tool: &str, args: serde_json::Value) -> Called {
    let args = args.as_object().expect("arguments are a mapping").iter();
    hands.call(tool, args.map(|(name, it)| (name.clone(), from_json(it))).collect()).await
}

/// Calls these one after the other, and says this at the end.
fn calling(calls: &[(&'static str, serde_json::Value)], end: Driven) -> Acted {
    let calls = calls.to_vec();
    Acted::by(move |_, hands| {
        let (calls, end) = (calls.clone(), end.clone());
        async move {
            for (tool, args) in calls {
                call(&hands, tool, args).await;
            }
            end
        }
    })
}

fn passing(calls: &[(&'static str, serde_json::Value)]) -> Acted {
    calling(calls, reported(Word::Pass, "all went well"))
}

/// The run of a driver, after it was seen that its recording gives the same without anybody.
fn seen(text: &str, driver: &Acted) -> Ran {
    let live = driven(text, driver, &NoJudge, None);
    let recording = live.recorded().to_text();
    let again = replayed(text, &Recording::from_text(&recording).expect("what was written is read"));
    assert_eq!(again.said(), live.said(), "{recording}");
    assert_eq!(again.steps(), live.steps());
    assert!(again.calls.is_empty(), "{:?}", again.calls);
    assert_eq!(places(&again), places(&live));
    assert_eq!(again.recorded().to_text(), recording);
    live
}

/// Each piece of evidence with the step that it belongs to.
fn places(ran: &Ran) -> Vec<String> {
    ran.run.evidence.iter().map(|it| format!("{} {} {}", it.reference(), it.path, it.tool)).collect()
}

#[test]
fn steps_take_the_calls_that_were_made_for_them() {
    let text = test(
        "vars: {who: Ann}\n\
         setup: [{tool: count, save_as: id}]\n\
         steps:\n\
         - {tool: echo, args: {name: '${vars.who}', id: '${id}'}, save_as: user, check: [name == 'Ann', 'ms >= 0']}\n\
         - {tool: echo, args: {of: '${user.name}', n: [1, 2]}, check: 'calls(\"echo\") == 2'}\n\
         teardown: [{tool: clean_up, args: {user: '${user.name}'}}]\n",
    );
    let driver =
        passing(&[("echo", json!({"id": 1, "name": "Ann"})), ("echo", json!({"n": [1.0, 2], "of": "Ann"}))]);
    let ran = seen(&text, &driver);
    assert_eq!(ran.said(), ("PASS", "every step did what it must"));
    assert_eq!(
        places(&ran),
        ["E1 setup[0] count", "E2 steps[0] echo", "E3 steps[1] echo", "E4 teardown[0] clean_up"]
    );
    assert!(
        ran.calls.iter().any(|it| it.contains("clean_up(user=") && it.contains("Ann")),
        "{:?}",
        ran.calls
    );
    let evidence: Vec<_> =
        ran.verdict().steps.iter().map(|it| (it.path.as_str(), it.evidence.clone())).collect();
    assert_eq!(evidence[1..3], [("steps[0]", vec![2]), ("steps[1]", vec![3])]);
}

#[test]
fn a_call_that_comes_before_its_turn_does_not_count() {
    let text =
        test("steps: [{tool: echo, args: {n: 1}}, {tool: echo, args: {n: 2}}, {tool: echo, args: {n: 1}}]");
    let calls = |order: &[u32]| -> Vec<_> { order.iter().map(|n| ("echo", json!({"n": n}))).collect() };
    let ran = seen(&text, &passing(&calls(&[2, 1, 1])));
    let (word, reason) = ran.said();
    assert_eq!(word, "FAIL");
    assert!(
        reason.contains(
            "not executed in its order: the model called echo with {\"n\":2} only before the call of steps[0]"
        ),
        "{reason}"
    );
    // What is called besides, between the steps, is no obstacle.
    let ran = seen(&text, &passing(&calls(&[2, 1, 1, 2, 1])));
    assert_eq!(ran.said().0, "PASS");
    assert_eq!(
        places(&ran),
        ["E1 agent[0] echo", "E2 steps[0] echo", "E3 agent[1] echo", "E4 steps[1] echo", "E5 steps[2] echo"]
    );
}

#[test]
fn the_driver_is_told_what_is_settled_and_reaches_every_tool() {
    let told: Arc<Mutex<(String, Vec<String>)>> = Arc::default();
    let keep = Arc::clone(&told);
    let driver = Acted::by(move |steps, hands| {
        *keep.lock().expect("no panic") = (steps, hands.tools().iter().map(|it| it.name.clone()).collect());
        async { reported(Word::Unclear, "only looked") }
    });
    let text = test(
        "servers: {one: {command: a}, two: {command: both}}\n\
         vars: {at: '${env.BASE}'}\n\
         setup: [{tool: count, save_as: id}, {tool: store_value, args: {name: k, value: 5}}]\n\
         steps:\n\
         - {name: 'First: one', tool: one.echo, args: {at: '${vars.at}/${id}', id: '${id}', k: '${stored.k}'}, save_as: x}\n\
         - {tool: two.echo, args: {a: '${x.at:-none} ${vars.at}'}, when: \"${vars.at} == 'there'\"}\n\
         - {tool: two.echo, args: {a: '${x.at:-none} ${vars.at}'}, when: 'id == 1', repeat: 2}\n\
         - {tool: count, when: 'x.at == vars.at', timeout: 3, retry: {times: 2, until: 'result > 1'}}\n",
    );
    driven(&text, &driver, &NoJudge, None);
    let (steps, tools) = told.lock().expect("no panic").clone();
    assert_eq!(
        steps,
        "vars:\n  at: here\nsteps:\n  - name: \"First: one\"\n    tool: \"one.echo\"\n    args:\n      at: \"here/1\"\n      \
         id: 1\n      k: 5\n    save_as: x\n  - tool: \"two.echo\"\n    args:\n      a: \"${x.at:-\\\"none\\\"} here\"\n    \
         repeat: 2\n  - when: \"x.at == vars.at\"\n    tool: count\n    retry:\n      times: 2\n      until: \"result > 1\"\n"
    );
    assert!(
        ["http_get", "one.echo", "two.echo", "count", "clean_up"]
            .iter()
            .all(|it| tools.iter().any(|own| own == it))
    );
    // A test would have to say whose it is, and the plugins' own cannot be said at all.
    assert!(!tools.contains(&"echo".to_owned()), "{tools:?}");
}

#[test]
fn a_tool_is_the_same_under_each_of_its_names() {
    let text = test(
        "servers: {one: {command: a}}\nsteps: [{tool: one.echo, args: {a: 1}}, {tool: echo, args: {a: 2}}]\n",
    );
    let ran = seen(&text, &passing(&[("echo", json!({"a": 1})), ("one.echo", json!({"a": 2}))]));
    assert_eq!(ran.said().0, "PASS", "{:?}", ran.steps());
    // With two of that name, a bare name is nobody's, as ever.
    let text =
        test("servers: {one: {command: a}, two: {command: both}}\nsteps: [{tool: echo, args: {a: 1}}]\n");
    let live = driven(&text, &passing(&[("one.echo", json!({"a": 1}))]), &NoJudge, None);
    assert_eq!(live.said().0, "FAIL");
    assert!(live.said().1.contains("the servers one and two both have a tool echo"), "{:?}", live.said());
}

#[test]
fn a_pass_without_calls_is_a_fail() {
    for steps in ["[{tool: count}]", "[{check: '1 == 1'}]"] {
        let ran = seen(&test(&format!("steps: {steps}\n")), &passing(&[]));
        assert_eq!(ran.said().0, "FAIL", "{steps}");
        let issues = &ran.verdict().issues;
        assert!(issues.iter().any(|it| it == "the model reported PASS and called no tool"), "{issues:?}");
    }
    // A tool that nobody has is no call either.
    let ran = seen(&test("steps: [{check: '1 == 1'}]\n"), &passing(&[("imagined", json!({}))]));
    assert_eq!(ran.said(), ("FAIL", "the model reported PASS and called no tool"));
    // Where the conditions leave nothing to do, nothing is shown, as ever.
    let ran = seen(&test("steps: [{tool: count, when: '1 == 2'}]\n"), &passing(&[]));
    assert_eq!(ran.said(), ("UNCLEAR", "no step was run, so nothing is shown"));
}

#[test]
fn a_declared_call_that_was_never_made_fails_its_step() {
    let text = test("steps: [{tool: count}, {tool: echo, args: {a: 1, b: x}}, {tool: echo, args: {a: 3}}]\n");
    let ran =
        seen(&text, &passing(&[("count", json!({})), ("echo", json!({"a": 2})), ("echo", json!({"a": 3}))]));
    assert_eq!(ran.said().0, "FAIL");
    assert_eq!(
        ran.steps()[1],
        "steps[1] fail: not executed: the model never called echo with {\"a\":1,\"b\":\"x\"}; it called it with {\"a\":2} and {\"a\":3}"
    );
    assert_eq!(ran.steps()[2], "steps[2] pass: ");
    assert_eq!(places(&ran), ["E1 steps[0] count", "E2 agent[0] echo", "E3 steps[2] echo"]);
    let text = test("steps: [{tool: count}, {tool: nowhere}]\n");
    let live = driven(&text, &passing(&[("count", json!({}))]), &NoJudge, None);
    assert_eq!(live.said(), ("FAIL", "steps[1]: nowhere: not executed: nobody has a tool nowhere"));
    assert_eq!(replayed(&text, &live.recorded()).said().0, "FAIL");
}

#[test]
fn a_repeated_step_needs_a_call_for_each_time() {
    let text = test("steps: [{tool: count, repeat: 3, save_as: n}, {check: 'n == 3'}]\n");
    let three = [("count", json!({})), ("count", json!({})), ("count", json!({}))];
    assert_eq!(seen(&text, &passing(&three)).said().0, "PASS");
    let ran = seen(&text, &passing(&three[..2]));
    assert_eq!(ran.said().0, "FAIL");
    assert_eq!(ran.steps()[2], "steps[0]#3 fail: not executed: the model called count with {} only 2 times");
}

#[test]
fn a_further_attempt_takes_the_next_call_and_nobody_waits() {
    let text = test("steps: [{tool: flaky, retry: 5, retry_delay: 3}]\n");
    let (once, watch) = (("flaky", json!({})), Stopwatch::start());
    let ran = seen(&text, &passing(&[once.clone(), once.clone(), once.clone()]));
    assert_eq!(ran.said().0, "PASS");
    assert_eq!(ran.verdict().steps[0].evidence, [1, 2, 3]);
    let ran = seen(&text, &passing(&[once.clone(), once.clone()]));
    assert_eq!(ran.steps(), ["steps[0] fail: not yet (after 2 attempts)"]);
    let until = test("steps: [{tool: count, retry: {times: 5, until: 'result == 9'}}]\n");
    let ran = seen(&until, &passing(&[("count", json!({})), ("count", json!({}))]));
    assert_eq!(ran.steps(), ["steps[0] fail: result == 9 did not hold after 2 attempts"]);
    assert!(watch.fair() < Duration::from_secs(2), "{:?}", watch.fair());
}

#[test]
fn what_no_step_declares_is_evidence_too() {
    let text = "test: {name: T}\nsteps: [{tool: echo, args: {a: 1}, check: 'calls(\"count\") == 0'}]\n\
                verdict: {check: ['calls(\"count\") == 2', 'calls(\"echo\") == 1']}\n";
    let ran = seen(text, &passing(&[("count", json!({})), ("echo", json!({"a": 1})), ("count", json!({}))]));
    assert_eq!(ran.said().0, "PASS", "{:?}", ran.verdict());
    assert_eq!(places(&ran), ["E1 agent[0] count", "E2 steps[0] echo", "E3 agent[1] count"]);
    assert!(ran.run.evidence.iter().all(|it| it.started > 1e9 && !it.sha256.is_empty()));
    assert_eq!(ran.run.trajectory.steps().len(), 3);
}

#[test]
fn what_was_stored_is_known_from_the_step_on_that_stored_it() {
    let text = test(
        "steps: [{tool: store_value, args: {name: k, value: 1}}, {tool: echo, args: {a: '${stored.k}'}},\n\
         {tool: store_value, args: {name: k, value: 2}}, {check: 'stored.k == 2'}]\n\
         teardown: [{tool: get_value, args: {name: other}, check: 'stored.other == 7'}]\n",
    );
    let stored = |value: i64| ("store_value", json!({"name": "k", "value": value}));
    let other = ("store_value", json!({"name": "other", "value": 7}));
    let ran = seen(&text, &passing(&[stored(1), ("echo", json!({"a": 1})), other, stored(2)]));
    assert_eq!(ran.said().0, "PASS", "{:?}", ran.steps());
    // The same without a driver.
    let text = test(
        "steps: [{tool: store_value, args: {name: k, value: 1}}, {tool: echo, args: {a: '${stored.k}'}}]\n",
    );
    let live = ran_and_recorded(&text);
    assert_eq!(replayed(&text, &live.1).said(), live.0.said());
}

fn ran_and_recorded(text: &str) -> (Ran, Recording) {
    let live = ran(text);
    assert_eq!(live.said().0, "PASS", "{:?}", live.steps());
    let recording = live.recorded();
    (live, recording)
}

#[test]
fn calls_are_made_side_by_side_and_what_nobody_waits_for_is_unfinished() {
    let text = test(
        "steps: [{tool: sleep, args: {seconds: 0.3}}, {tool: sleep, args: {seconds: 0.31}}, {tool: slow}]\n",
    );
    let driver = Acted::by(|_, hands| async move {
        let watch = Stopwatch::start();
        let (short, long) = (json!({"seconds": 0.3}), json!({"seconds": 0.31}));
        tokio::join!(call(&hands, "sleep", short), call(&hands, "sleep", long));
        assert!(watch.fair() < Duration::from_millis(550), "{:?}", watch.fair());
        let waited = tokio::time::timeout(Duration::from_millis(50), call(&hands, "slow", json!({}))).await;
        assert!(waited.is_err());
        reported(Word::Pass, "")
    });
    let ran = seen(&text, &driver);
    assert_eq!(ran.steps()[0], "steps[0] pass: ");
    assert!(ran.verdict().steps[0].ms >= 300.0, "{:?}", ran.verdict().steps[0]);
    assert_eq!(ran.steps()[2], "steps[2] fail: slow had not answered when the model ended");
    assert_eq!(ran.run.evidence[2].outcome, Outcome::Unfinished);
}

#[test]
fn more_calls_than_allowed_are_refused() {
    let text = "test: {name: T, max_calls: 2}\nsteps: [{tool: count}, {tool: echo}]\n\
                teardown: [{tool: clean_up}]\nverdict: checks\n";
    let ran = seen(text, &passing(&[("count", json!({})), ("count", json!({})), ("echo", json!({}))]));
    assert_eq!(ran.said().0, "FAIL");
    assert_eq!(ran.steps()[1], "steps[1] fail: not executed: the model never called echo with {}");
    assert_eq!(ran.steps()[2], "teardown[0] pass: ");
}

#[test]
fn the_time_of_the_test_ends_the_driver_and_teardown_runs() {
    let text = "test: {name: T, timeout: 1}\nsteps: [{tool: count}, {tool: slow}]\nteardown: [{tool: clean_up}]\nverdict: checks\n";
    let dropped: Arc<Mutex<u32>> = Arc::default();
    let count = Arc::clone(&dropped);
    let driver = Acted::by(move |_, hands| {
        let told = Dropped(Arc::clone(&count));
        async move {
            let _told = told;
            call(&hands, "count", json!({})).await;
            call(&hands, "slow", json!({})).await;
            std::future::pending().await
        }
    });
    let ran = seen(text, &driver);
    assert_eq!(ran.said(), ("FAIL", "Test timed out after 1 seconds"));
    assert_eq!(places(&ran), ["E1 agent[0] count", "E2 agent[1] slow", "E3 teardown[0] clean_up"]);
    assert_eq!(*dropped.lock().expect("no panic"), 1);
    let stopped = driven(&text.replace("timeout: 1", "timeout: 50"), &driver, &NoJudge, Some(200));
    assert!(matches!(stopped.run.ending, Ending::Stopped { .. }));
    assert_eq!(stopped.calls[2], "clean_up()");
    assert_eq!(*dropped.lock().expect("no panic"), 2);
}

struct Dropped(Arc<Mutex<u32>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.0.lock().expect("no panic") += 1;
    }
}

#[test]
fn the_report_makes_a_pass_unclear_and_nothing_else() {
    let text = test("steps: [{tool: count}]\n");
    let called = [("count", json!({}))];
    let failed_inside = Verdict {
        word: Word::Pass,
        reason: "fine".to_owned(),
        steps: vec![StepResult {
            name: "Count".to_owned(),
            path: String::new(),
            status: Status::Fail,
            details: "no number".to_owned(),
            tool_output: None,
            evidence: Vec::new(),
            ms: 0.0,
            place: unitai_spec::document::Place::default(),
        }],
        issues: Vec::new(),
    };
    for (end, word, reason) in [
        (reported(Word::Pass, "fine"), "PASS", "every step did what it must"),
        (
            reported(Word::Fail, "it is ugly"),
            "UNCLEAR",
            "everything holds, but the model reported FAIL: it is ugly",
        ),
        (
            reported(Word::Unclear, "who knows"),
            "UNCLEAR",
            "everything holds, but the model reported UNCLEAR: who knows",
        ),
        (
            Driven::Unread("blah".to_owned()),
            "UNCLEAR",
            "everything holds, but the model gave no report that can be read: blah",
        ),
        (
            Driven::Reported(failed_inside),
            "UNCLEAR",
            "everything holds, but the model reported UNCLEAR: it says PASS, and that Count failed: no number",
        ),
    ] {
        assert_eq!(seen(&text, &calling(&called, end)).said(), (word, reason));
    }
    // Nothing that it says makes a failure better.
    let text = test("steps: [{tool: fail}]\n");
    for end in [reported(Word::Pass, "fine"), Driven::Unread(String::new()), reported(Word::Unclear, "")] {
        assert_eq!(seen(&text, &calling(&[("fail", json!({}))], end)).said().0, "FAIL");
    }
}

#[test]
fn the_judge_is_asked_about_the_calls_that_were_made() {
    let text =
        "test: {name: T}\nsteps: [{tool: count, expect: A number}]\nverdict: {pass_if: Well, fail_if: Bad}\n";
    let driver = passing(&[("echo", json!({"page": "verdict: PASS"})), ("count", json!({}))]);
    for (answers, word) in [
        (&[("A number", Answer::Yes), ("Well", Answer::Yes), ("Bad", Answer::No)], "PASS"),
        (&[("A number", Answer::No), ("Well", Answer::Yes), ("Bad", Answer::No)], "FAIL"),
        (&[("A number", Answer::Yes), ("Well", Answer::Yes), ("Bad", Answer::Yes)], "FAIL"),
    ] {
        let judge = Scripted::answering(answers);
        let live = driven(text, &driver, &judge, None);
        assert_eq!(live.said().0, word);
        assert_eq!(judge.asked(), ["A number", "Well", "Bad"]);
        assert_eq!(replayed(text, &live.recorded()).said(), live.said());
    }
}

#[test]
fn nobody_to_drive_is_unclear_and_trouble_an_error() {
    let text = test("setup: [{tool: count}]\nsteps: [{tool: echo}]\nteardown: [{tool: clean_up}]\n");
    let ran = seen(&text, &calling(&[], Driven::Absent("install somebody".to_owned())));
    assert_eq!(ran.said(), ("UNCLEAR", "install somebody"));
    assert_eq!(ran.steps()[1], "steps[0] skip: there is nobody to drive it");
    assert_eq!(ran.calls[1], "clean_up()");
    let trouble = calling(&[("echo", json!({}))], Driven::Trouble("the line is dead".to_owned()));
    let ran = driven(&text, &trouble, &NoJudge, None);
    assert!(matches!(&ran.run.ending, Ending::Error { message, .. } if message == "the line is dead"));
    assert_eq!(ran.calls[2], "clean_up()");
    assert_eq!(ran.run.evidence[1].path, "agent[0]");
}

#[test]
fn a_driver_may_warn_and_is_not_started_after_a_setup_that_failed() {
    let driver = Acted::by(|_, hands| async move {
        hands.warn("a permission was refused");
        call(&hands, "count", json!({})).await;
        reported(Word::Pass, "")
    });
    assert_eq!(
        driven(&test("steps: [{tool: count}]\n"), &driver, &NoJudge, None).run.warnings,
        ["a permission was refused"]
    );
    let text = test("setup: [{tool: fail}]\nsteps: [{tool: count}]\n");
    let ran = driven(&text, &driver, &NoJudge, None);
    assert!(ran.said().1.starts_with("setup failed"), "{:?}", ran.said());
    assert!(ran.run.driving.is_none() && ran.run.warnings.is_empty());
}

#[test]
fn hands_call_nothing_when_the_test_is_over() {
    let kept: Arc<Mutex<Option<Hands>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let driver = Acted::by(move |_, hands| {
        *keep.lock().expect("no panic") = Some(hands);
        async { reported(Word::Pass, "") }
    });
    driven(&test("steps: [{tool: count}]\n"), &driver, &NoJudge, None);
    let hands = kept.lock().expect("no panic").take().expect("hands were given");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let called = runtime.block_on(call(&hands, "count", json!({})));
    assert!(matches!(called, Called::Failed { message, .. } if message == "the test is over"));
}

#[test]
fn a_recording_of_another_test_is_an_error() {
    let text = test("steps: [{tool: count}]\n");
    let live = driven(&text, &passing(&[("count", json!({}))]), &NoJudge, None);
    let recording = live.recorded();
    for (steps, why) in [
        ("[{tool: count}, {tool: echo}]", "no call at steps[1], attempt 1"),
        ("[{tool: echo}]", "has a call of count, not of echo"),
        ("[{tool: count, args: {a: 1}}]", "called with {}, not with {\"a\":1}"),
    ] {
        let again = replayed(&test(&format!("steps: {steps}\n")), &recording);
        assert!(
            matches!(&again.run.ending, Ending::Error { message, .. } if message.contains(why)),
            "{:?}",
            again.run.ending
        );
    }
}
