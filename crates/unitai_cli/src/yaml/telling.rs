//! What came of tests, or would come of them, for people and for programs.

use unitai_model::value::plain;
use unitai_spec::data::to_json;
use unitai_spec::document::Spec;
use unitai_spec::run::{
    Ending, Event, Observer, Run as Ran, Signs, Word, plan, step_line, tell, tell_answers,
};

use crate::say::{note, say, style};

/// How many tests ended how.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) unclear: usize,
    pub(super) errors: usize,
}

/// Says each step as it ends.
pub(super) struct Watched;

impl Observer for Watched {
    fn saw(&self, event: &Event<'_>) {
        match event {
            Event::Ended(result) => note(&step_line(result, Signs::Drawn)),
            Event::Judging(count) => note(&format!("{count} questions for the judge")),
            _ => {}
        }
    }
}

/// Tells what tests would do. That they were not run is no failure.
pub(super) fn plans(specs: &[Spec], is_json: bool) -> i32 {
    for spec in specs {
        let plan = plan(spec);
        if is_json {
            let told = serde_json::json!({
                "name": plan.name,
                "file": spec.place.file.display().to_string(),
                "at_least": plan.at_least,
                "at_most": plan.at_most,
                "questions": plan.questions.len(),
                "plan": plan.tell(),
            });
            let _ = say(&told.to_string());
        } else {
            let _ = say(&format!("{}\n", plan.tell()));
        }
    }
    if !is_json {
        let noun = if specs.len() == 1 { "test" } else { "tests" };
        let _ = say(&format!("{} {noun} planned, none run", specs.len()));
    }
    0
}

/// Tells what came of one test.
pub(super) fn result(spec: &Spec, ran: &Ran, tally: &mut Tally, is_json: bool) {
    let word = tally.count(&ran.ending);
    let name = match &spec.case {
        Some(case) => format!("{} [{case}]", spec.test.name),
        None => spec.test.name.clone(),
    };
    if is_json {
        let mut json = to_json(&ran.to_value());
        json["name"] = name.into();
        json["file"] = spec.place.file.display().to_string().into();
        let _ = say(&json.to_string());
        return;
    }
    let name = plain(&name);
    let style = style();
    let word = match word {
        "PASS" => style.good(word),
        "UNCLEAR" => style.doubtful(word),
        _ => style.bad(word),
    };
    let _ = say(&format!("{word} {name} ({}, {:.2} s)", spec.place, ran.seconds));
    let is_good = matches!(&ran.ending, Ending::Decided(verdict) if verdict.word == Word::Pass);
    if !is_good {
        let _ = say(&format!("  {}", tell(&ran.ending, Signs::Drawn).replace('\n', "\n  ")));
        let answers = tell_answers(&spec.test.name, ran);
        if !answers.is_empty() {
            let _ = say(&format!("\n  {}", answers.replace('\n', "\n  ")));
        }
    }
    for warning in &ran.warnings {
        note(&format!("{name}: {warning}"));
    }
}

impl Tally {
    fn count(&mut self, ending: &Ending) -> &'static str {
        let (counter, word) = match ending {
            Ending::Decided(verdict) => match verdict.word {
                Word::Pass => (&mut self.passed, "PASS"),
                Word::Fail => (&mut self.failed, "FAIL"),
                Word::Unclear => (&mut self.unclear, "UNCLEAR"),
            },
            Ending::Error { .. } => (&mut self.errors, "ERROR"),
            Ending::Stopped { .. } => (&mut self.errors, "STOPPED"),
        };
        *counter += 1;
        word
    }

    pub(super) fn text(&self) -> String {
        let parts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.unclear, "unclear (nobody could decide them)"),
            (self.errors, "not run as they should"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }
}
