//! Scripts: order, conditions, what is left, seeded choices.

use std::sync::Arc;
use std::time::Duration;

use unitai_wire::common::{Message, Part, Refusal, Request, Role, Said, Stamp};
use unitai_wire::script::{
    Choice, Condition, Fail, Line, Move, Play, Playback, Rule, Script, Step, Subject, Test, TextMatcher,
    Trouble,
};

struct Has(&'static str);

impl TextMatcher for Has {
    fn matches(&self, text: &str) -> Result<bool, String> {
        Ok(text.contains(self.0))
    }

    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

struct Broken;

impl TextMatcher for Broken {
    fn matches(&self, _text: &str) -> Result<bool, String> {
        Err("it raised ZeroDivisionError".to_owned())
    }

    fn shown(&self) -> String {
        "<lambda>".to_owned()
    }
}

fn say(text: &str) -> Step {
    Step::Play(Play {
        parts: vec![Said::Text(text.to_owned())],
        unchecked: Vec::new(),
        usage: None,
        finish: None,
        delay: Duration::ZERO,
        pace: Duration::ZERO,
    })
}

fn when(subject: Subject, matcher: impl TextMatcher + 'static) -> Condition {
    Condition(vec![Test::Text { subject, matcher: Arc::new(matcher) }])
}

fn rule(condition: Condition, steps: Vec<Step>, is_standing: bool) -> Line {
    Line::Rule(Rule { condition, steps, is_standing })
}

fn asks(text: &str) -> Request {
    Request {
        model: "gpt-4o".to_owned(),
        messages: vec![Message::text(Role::User, text)],
        ..Request::default()
    }
}

fn said(next: Result<(Move<'_>, Stamp), Trouble>) -> String {
    match next {
        Ok((Move::Play(play), stamp)) => format!("{}:{:?}", stamp.turn, play.parts),
        Ok((Move::Fail(fail), stamp)) => format!("{}:{}", stamp.turn, fail.refusal.status),
        Err(trouble) => format!("{trouble:?}"),
    }
}

#[test]
fn steps_are_played_in_order_and_then_no_more() {
    let script = Script::new(vec![Line::Step(say("one")), Line::Step(say("two"))]);
    let playback = Playback::new(0);
    assert_eq!(playback.unplayed(&script), ["say(\"one\")", "say(\"two\")"]);
    assert_eq!(said(playback.next(&script, &asks("a"))), r#"1:[Text("one")]"#);
    assert_eq!(playback.unplayed(&script), ["say(\"two\")"]);
    assert_eq!(said(playback.next(&script, &asks("b"))), r#"2:[Text("two")]"#);
    assert!(playback.unplayed(&script).is_empty());
    let Err(Trouble::NothingLeft { turn: 3, came, left }) = playback.next(&script, &asks("once more")) else {
        panic!("a third request must not be answered");
    };
    assert!(came.contains("once more") && came.contains("gpt-4o"), "{came}");
    assert!(left.is_empty());
}

#[test]
fn a_rule_answers_before_the_steps_when_it_holds_and_has_something_left() {
    let script = Script::new(vec![
        Line::Step(say("plain")),
        rule(when(Subject::LastMessage, Has("refund")), vec![say("first"), say("second")], false),
    ]);
    let playback = Playback::new(0);
    assert_eq!(said(playback.next(&script, &asks("refund"))), r#"1:[Text("first")]"#);
    assert_eq!(said(playback.next(&script, &asks("other"))), r#"2:[Text("plain")]"#);
    assert_eq!(playback.unplayed(&script), [r#"when(last_message="refund").then(say("second"))"#]);
    assert_eq!(said(playback.next(&script, &asks("refund"))), r#"3:[Text("second")]"#);
    let Err(Trouble::NothingLeft { left, .. }) = playback.next(&script, &asks("refund")) else {
        panic!("nothing is left");
    };
    assert_eq!(left.len(), 1, "the rule is shown, so that one sees why it did not answer");
}

#[test]
fn a_standing_rule_answers_again_and_again_and_need_not_be_met() {
    let script = Script::new(vec![rule(when(Subject::Model, Has("gpt")), vec![say("always")], true)]);
    let playback = Playback::new(0);
    assert!(playback.unplayed(&script).is_empty());
    for turn in 1..=3 {
        assert_eq!(said(playback.next(&script, &asks("x"))), format!(r#"{turn}:[Text("always")]"#));
    }
}

#[test]
fn conditions_see_the_system_prompt_the_turn_and_the_results_since_the_last_answer() {
    let mut request = asks("hello");
    request.messages.insert(0, Message::text(Role::System, "be kind"));
    let call = Part::ToolCall { id: "1".to_owned(), name: "lookup".to_owned(), args: serde_json::json!({}) };
    let result = |text: &str| Message {
        role: Role::Tool,
        parts: vec![Part::ToolResult { id: "1".to_owned(), name: None, content: text.to_owned() }],
    };
    request.messages.push(Message { role: Role::Assistant, parts: vec![call.clone()] });
    request.messages.push(result("old"));
    request.messages.push(Message { role: Role::Assistant, parts: vec![call] });
    request.messages.push(result("fresh"));
    let holds = |subject, text| when(subject, Has(text)).holds(&request, 2).unwrap();
    assert!(holds(Subject::System, "kind") && !holds(Subject::System, "hello"));
    assert!(holds(Subject::ToolResult, "fresh") && !holds(Subject::ToolResult, "old"));
    assert!(holds(Subject::ToolName, "lookup"), "the tool is known by the id of its call");
    assert!(Condition(vec![Test::Turn(2)]).holds(&request, 2).unwrap());
    assert!(!Condition(vec![Test::Turn(1)]).holds(&request, 2).unwrap());
}

#[test]
fn a_condition_that_fails_is_told() {
    let script = Script::new(vec![rule(when(Subject::System, Broken), vec![say("x")], false)]);
    let Err(Trouble::Condition { reason }) = Playback::new(0).next(&script, &asks("x")) else {
        panic!("the failure must come out");
    };
    assert!(reason.contains("ZeroDivisionError"));
}

#[test]
fn a_seeded_choice_repeats_differs_from_run_to_run_and_keeps_to_its_weights() {
    let fail = Step::Fail(Fail {
        refusal: Refusal { status: 500, message: "no".to_owned() },
        retry_after: None,
        delay: Duration::ZERO,
    });
    let choice = Choice { options: vec![(say("good"), 0.9), (fail, 0.1)], seed: 7 };
    let script = Script::new(vec![Line::Step(Step::Choice(choice.clone()))]);
    let play = |run| said(Playback::new(run).next(&script, &asks("x")));
    let first: Vec<String> = (0..2000).map(play).collect();
    assert_eq!(first, (0..2000).map(play).collect::<Vec<_>>());
    let failures = first.iter().filter(|said| said.ends_with("500")).count();
    // 200 are expected with a deviation of 13.4; five of those are allowed.
    assert!((133..=267).contains(&failures), "{failures} of 2000");
    let other = Choice { seed: 8, ..choice };
    let other = Script::new(vec![Line::Step(Step::Choice(other))]);
    assert_ne!(
        first,
        (0..2000).map(|run| said(Playback::new(run).next(&other, &asks("x")))).collect::<Vec<_>>()
    );
}

#[test]
fn many_threads_get_each_step_once() {
    let script = Script::new((0..640).map(|n| Line::Step(say(&n.to_string()))).collect());
    let playback = Playback::new(0);
    let ten = || (0..10).map(|_| said(playback.next(&script, &asks("x")))).collect::<Vec<_>>();
    let mut got: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..64).map(|_| scope.spawn(ten)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    for said in &mut got {
        *said = said.split_once(':').unwrap().1.to_owned();
    }
    got.sort();
    got.dedup();
    assert_eq!(got.len(), 640);
    assert!(playback.unplayed(&script).is_empty());
}
