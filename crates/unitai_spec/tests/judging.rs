//! What a judge's answers come to, whoever it is: what it quotes is looked up before it counts.

use std::path::Path;

use unitai_model::Money;
use unitai_model::value::Value;
use unitai_spec::run::{Answer, Answered, Ending, Judged, Quote, Recording, Reply, Ruling, Spent};

#[path = "support/workshop.rs"]
#[expect(dead_code, reason = "not every test needs all of the workshop")]
mod workshop;

use workshop::{Scripted, ran_with, replayed};

const TEXT: &str = "test: {name: Orders, tags: [gate]}
steps: [{tool: echo, args: {status: shipped}}]
verdict: {pass_if: It is shipped, fail_if: It is lost}
";

fn reply(id: &str, answer: Answer, quotes: &[(&str, &str)], why: &str) -> Reply {
    let quote = |(reference, quote): &(&str, &str)| Quote {
        reference: (*reference).to_owned(),
        quote: (*quote).to_owned(),
    };
    let quotes = quotes.iter().map(quote).collect();
    Reply { id: id.to_owned(), answer, quotes, why: why.to_owned() }
}

/// A judge that quotes this for its yes.
fn quoting(reference: &'static str, quote: &'static str) -> Scripted {
    Scripted::ruling(move |_| {
        let lost = reply("Q2", Answer::No, &[], "it says nothing of loss");
        Ruling::Answered(vec![lost, reply("Q1", Answer::Yes, &[(reference, quote)], "it says so")].into())
    })
}

#[test]
fn words_that_stand_in_the_evidence_count() {
    for quote in ["shipped", "\"status\": \"shipped\"", "echo"] {
        let ran = ran_with(TEXT, &quoting("E1", quote), None);
        assert_eq!(ran.said(), ("PASS", "it says so"), "what the test passes by is the reason");
    }
}

#[test]
fn words_that_stand_nowhere_make_an_answer_unknown_and_a_replay_says_the_same() {
    for (reference, quote, part) in [
        ("E1", "delivered", "stands nowhere in E1"),
        ("E2", "shipped", "there is no such record"),
        ("E1", "steps[0]", "stands nowhere in E1"),
    ] {
        let ran = ran_with(TEXT, &quoting(reference, quote), None);
        let (word, reason) = ran.said();
        assert_eq!(word, "UNCLEAR", "{reference} {quote}");
        assert!(reason.contains(part) && reason.contains("had said yes: it says so"), "{reason}");
        let again = replayed(TEXT, &ran.recorded());
        assert_eq!(again.said(), (word, reason));
    }
}

#[test]
fn a_judge_that_checks_its_quotes_itself_is_believed() {
    // What was kept from an earlier run was looked up in that run's evidence.
    let judge = Scripted::ruling(|_| {
        let quotes = [("E1", "shipped at 12:30")];
        let replies = vec![reply("Q1", Answer::Yes, &quotes, ""), reply("Q2", Answer::No, &[], "")];
        Ruling::Answered(Answered { are_quotes_checked: true, ..replies.into() })
    });
    assert_eq!(ran_with(TEXT, &judge, None).said(), ("PASS", "every question was answered well"));
}

#[test]
fn a_judge_knows_the_tags_of_a_test_and_where_answers_are_kept() {
    let judge = Scripted::ruling(|brief| {
        assert_eq!(brief.tags, ["gate"]);
        let path = brief.keep_in.expect("a file");
        assert_eq!(path.parent(), Some(Path::new("tests/llm/answers")));
        assert!(path.file_name().unwrap().to_string_lossy().starts_with("some.orders."));
        Ruling::Absent("nobody".to_owned())
    });
    let ran = ran_with(TEXT, &judge, None);
    assert_eq!(ran.said(), ("UNCLEAR", "nobody"));
    assert_eq!(ran.run.judged, None);
}

#[test]
fn a_run_tells_who_answered_what_and_what_it_took() {
    let judge = Scripted::ruling(|_| {
        let spent = Spent { input_tokens: Some(120), output_tokens: None, cost: Money::from_dollars(0.25) };
        let notes = vec!["a permission was refused".to_owned()];
        let judged = Judged { by: "command mine".to_owned(), spent, is_kept: false, notes };
        let replies =
            vec![reply("Q1", Answer::Yes, &[("E1", "shipped")], ""), reply("Q2", Answer::No, &[], "")];
        Ruling::Answered(Answered { judged, ..replies.into() })
    });
    let ran = ran_with(TEXT, &judge, None);
    assert_eq!(ran.run.warnings, ["a permission was refused"]);
    let told = ran.run.to_value();
    let judge = told.get("judge").expect("a judge");
    let text = |text: &str| Value::Str(text.to_owned());
    assert_eq!(judge.get("by"), Some(&text("command mine")));
    assert_eq!(judge.get("input_tokens"), Some(&Value::Int(120)));
    assert_eq!(judge.get("output_tokens"), Some(&Value::Null));
    assert_eq!(judge.get("cost"), Some(&Value::Float(0.25)));
    let Some(Value::List(answers)) = told.get("answers") else { panic!("no answers") };
    assert_eq!(answers[0].get("question"), Some(&text("It is shipped")));
    assert_eq!(answers[0].get("answer"), Some(&text("yes")));
}

const TWICE: &str = "test: {name: Orders}
steps:
  - {tool: echo, args: {status: polite}, expect: It is polite}
  - {tool: echo, args: {status: rude}, expect: It is polite}
verdict: checks
";

#[test]
fn a_question_that_two_steps_ask_has_two_answers_in_a_replay_too() {
    let judge = Scripted::ruling(|_| {
        let polite = reply("Q1", Answer::Yes, &[("E1", "polite")], "it is");
        Ruling::Answered(vec![polite, reply("Q2", Answer::No, &[], "it is not")].into())
    });
    let ran = ran_with(TWICE, &judge, None);
    assert_eq!(ran.said(), ("FAIL", "It is polite: it is not"));
    assert_eq!(replayed(TWICE, &ran.recorded()).said(), ran.said());
}

#[test]
fn an_answer_that_was_edited_into_a_recording_is_no_answer() {
    let judge = Scripted::ruling(|_| {
        let judged = Judged { by: "command mine".to_owned(), ..Judged::default() };
        let replies =
            vec![reply("Q1", Answer::Yes, &[("E1", "shipped")], ""), reply("Q2", Answer::No, &[], "")];
        Ruling::Answered(Answered { judged, ..replies.into() })
    });
    let ran = ran_with(TEXT, &judge, None);
    assert_eq!(ran.said().0, "PASS");
    let kept = ran.recorded().to_text();
    // Another test than the one that was recorded may end otherwise: so it is seen what becomes of the answers.
    let text = TEXT.replace("echo, ", "echo, check: 'true', ");
    let quoted = "\"E1\",\n          \"shipped\"";
    for (found, edited, part) in [
        (quoted, "\"E1\",\n          \"shipped at last\"", "stands nowhere in E1"),
        (quoted, "\"E9\",\n          \"shipped\"", "there is no such record"),
        (quoted, "\"E1\",\n          \"-\"", "said yes and quoted nothing"),
    ] {
        assert!(kept.contains(found), "{kept}");
        let edited = Recording::from_text(&kept.replacen(found, edited, 1)).expect("a recording");
        let again = replayed(&text, &edited);
        assert_eq!(again.said().0, "UNCLEAR");
        assert!(again.said().1.contains(part), "{:?}", again.said());
        let same = replayed(TEXT, &edited).run.ending;
        assert!(
            matches!(&same, Ending::Error { message, .. } if message.contains("and was PASS")),
            "{same:?}"
        );
    }
}

#[test]
fn answers_about_calls_that_are_no_longer_made_are_none() {
    let steps = "steps: [{tool: echo, args: {status: shipped}}, {tool: echo, args: {status: paid}}]";
    let before = TEXT.replace("steps: [{tool: echo, args: {status: shipped}}]", steps);
    let recording = ran_with(&before, &quoting("E2", "paid"), None).recorded();
    assert_eq!(replayed(&before, &recording).said(), ("PASS", "it says so"));
    let again = replayed(TEXT, &recording);
    let Ending::Error { message, .. } = &again.run.ending else { panic!("{:?}", again.run.ending) };
    assert!(message.contains("asked about 2 calls when it was recorded, and there are 1 now"), "{message}");
}

#[test]
fn a_test_of_which_no_step_was_run_is_unclear_whatever_a_judge_says() {
    let text = TEXT.replace("{tool: echo, args:", "{tool: echo, when: 'false', args:");
    let judge = Scripted::ruling(|brief| {
        let yes = |it: &unitai_spec::run::Question| reply(&it.id, Answer::Yes, &[], "I believe so");
        Ruling::Answered(brief.questions.iter().map(yes).collect::<Vec<_>>().into())
    });
    assert_eq!(ran_with(&text, &judge, None).said(), ("UNCLEAR", "no step was run, so nothing is shown"));
}
