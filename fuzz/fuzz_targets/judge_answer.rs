//! What a judge says: whatever it is, there is at most one answer to each question, and an answer that counts quotes words
//! that stand in the evidence.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_judge::{Said, Spent, asking};
use unitai_model::value::Value;
use unitai_spec::run::{Answer, Evidence, Outcome, Question, QuestionKind, Quotable, check_quotes};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // The first line is what a tool said, the rest is what the judge says of it.
    let (tool, said) = text.split_once('\n').unwrap_or(("", text));
    let evidence = [record(tool)];
    let questions = ["Q1", "Q2"].map(|id| Question {
        id: id.to_owned(),
        kind: QuestionKind::PassIf,
        text: "Is it so?".to_owned(),
    });
    let said = Said {
        text: said.to_owned(),
        structured: None,
        model: String::new(),
        spent: Spent::NOTHING,
        notes: Vec::new(),
    };
    let mut reading = asking::read(&said, &questions, &evidence);
    assert!(reading.replies.len() <= questions.len());
    assert!(reading.replies.len() == questions.len() || !reading.faults.is_empty());
    check_quotes(&mut reading.replies, &evidence);
    for reply in reading.replies.iter().filter(|it| it.answer != Answer::Unknown) {
        assert!(reply.quotes.iter().all(|it| Quotable::of(&evidence[0]).has(&it.quote)), "{reply:?}");
    }
});

fn record(text: &str) -> Evidence {
    Evidence {
        number: 1,
        path: "steps[0]".to_owned(),
        attempt: 1,
        server: "built-in".to_owned(),
        tool: "http_get".to_owned(),
        args: Vec::new(),
        started: 0.0,
        ms: 0.0,
        outcome: Outcome::Returned { value: Value::Str(text.to_owned()), text: text.to_owned() },
        sha256: String::new(),
    }
}
