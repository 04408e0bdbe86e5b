//! Evidence and questions for the tests of this crate.

use unitai_spec::run::{Evidence, Outcome, Question, QuestionKind};

pub(crate) fn evidence(number: usize, tool: &str, outcome: Outcome) -> Evidence {
    Evidence {
        number,
        path: format!("steps[{}]", number - 1),
        attempt: 1,
        server: "shop".to_owned(),
        tool: tool.to_owned(),
        args: Vec::new(),
        started: 0.0,
        ms: 1.0,
        outcome,
        sha256: String::new(),
    }
}

pub(crate) fn question(id: &str, text: &str) -> Question {
    Question { id: id.to_owned(), kind: QuestionKind::PassIf, text: text.to_owned() }
}
