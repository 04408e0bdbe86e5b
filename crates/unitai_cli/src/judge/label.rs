//! `unitai judge label`: what people say about an answer becomes a case.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use unitai_judge::answers::{Entry, Kept, KeptOutcome, KeptQuestion, KeptRecord};
use unitai_judge::calibration::{JudgeCase, Labelled, USUAL, add_label, file_name};
use unitai_spec::data::from_json;
use unitai_spec::document::{CaseCall, CaseKind, CaseOutcome, CaseQuestion, Place};
use unitai_wire::gate::write_public;

use super::kept::{Found, find_one, project, shown};
use crate::say::{note, say, secrets};

/// What `unitai judge label --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai judge label \"Refunds are polite\" Q1 yes\n  unitai judge label tests/llm/refunds.yaml \"handled politely\" no --note \"it blames the customer\"\n\nThe case is written into tests/llm/judge-cases, with the evidence that the judge saw. Read it, and commit it.";

/// The arguments of `unitai judge label`.
#[derive(Args)]
pub(crate) struct Label {
    /// The name of a YAML test, its file, FILE::NAME of any test, or a file of kept answers
    test: String,
    /// A question: its number, such as Q1, or some of its words
    question: String,
    /// What people answer
    #[arg(value_enum)]
    answer: YesOrNo,
    /// Why people say so
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum YesOrNo {
    Yes,
    No,
}

impl Label {
    /// Writes the case.
    pub(crate) fn done(&self) -> Result<(), String> {
        let found = find_one(&self.test)?;
        let (entry, question) = self.asked(&found.kept)?;
        let file = project()?.join(USUAL).join(file_name(&found.kept.test));
        let name = shown(&file);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{name}: {error}")),
        };
        let case = self.case(&found, entry, question);
        let told = match add_label(&text, &PathBuf::from(&name), &case)? {
            Labelled::Known(place) => format!("{place} says so already"),
            Labelled::Written(text) => {
                write_public(&file, text.as_bytes(), secrets())
                    .map_err(|error| format!("{name}: {error}"))?;
                for record in entry.evidence.iter().filter(|it| it.left_out > 0) {
                    note(&format!(
                        "{} characters of {} are missing in the kept answers, and so in the case; can it be answered without them?",
                        record.left_out, record.reference
                    ));
                }
                format!(
                    "{name}: people say {} to: {}",
                    word(self.answer),
                    unitai_model::value::plain(&question.text)
                )
            }
        };
        // Nobody may be reading any more.
        let _ = say(&told);
        Ok(())
    }

    /// The question, and the newest entry in which it was asked.
    fn asked<'k>(&self, kept: &'k Kept) -> Result<(&'k Entry, &'k KeptQuestion), String> {
        let wanted = self.question.trim().to_lowercase();
        for entry in kept.entries.iter().rev() {
            let by_name = entry.questions.iter().find(|it| it.id.to_lowercase() == wanted);
            let exact = || entry.questions.iter().find(|it| it.text.trim().to_lowercase() == wanted);
            if let Some(question) = by_name.or_else(exact) {
                return Ok((entry, question));
            }
            let has = |it: &&KeptQuestion| !wanted.is_empty() && it.text.to_lowercase().contains(&wanted);
            let some: Vec<&KeptQuestion> = entry.questions.iter().filter(has).collect();
            match some.as_slice() {
                [] => {}
                [one] => return Ok((entry, *one)),
                several => {
                    return Err(format!(
                        "several questions have these words:{}",
                        listed(several.iter().copied())
                    ));
                }
            }
        }
        let known = kept.entries.last().map(|it| listed(&it.questions)).unwrap_or_default();
        Err(format!("no question \"{}\" was asked about this test; there are:{known}", self.question))
    }

    fn case(&self, found: &Found, entry: &Entry, question: &KeptQuestion) -> JudgeCase {
        let nowhere = Place { file: Arc::new(PathBuf::new()), line: 0, column: 0 };
        let kind = CaseKind::WORDS.iter().find(|(word, _)| *word == question.kind).map(|(_, kind)| *kind);
        JudgeCase {
            name: found.kept.test.clone(),
            source: found.source.clone(),
            evidence: entry.evidence.iter().map(call).collect(),
            questions: vec![CaseQuestion {
                ask: question.text.trim().to_owned(),
                is_yes: self.answer == YesOrNo::Yes,
                kind: kind.unwrap_or(CaseKind::Expect),
                step: question.path.clone(),
                note: self.note.clone(),
                place: nowhere.clone(),
            }],
            place: nowhere,
        }
    }
}

fn word(answer: YesOrNo) -> &'static str {
    if answer == YesOrNo::Yes { "yes" } else { "no" }
}

fn listed<'a>(questions: impl IntoIterator<Item = &'a KeptQuestion>) -> String {
    questions
        .into_iter()
        .map(|it| format!("\n  {} {}", it.id, unitai_model::value::plain(&it.text)))
        .collect()
}

/// A record of kept answers, as a case says it.
fn call(record: &KeptRecord) -> CaseCall {
    let args = match &record.args {
        serde_json::Value::Object(args) => {
            args.iter().map(|(name, it)| (name.clone(), from_json(it))).collect()
        }
        // Arguments that were too long to be kept as they were.
        other => vec![("arguments".to_owned(), from_json(other))],
    };
    let outcome = match record.outcome {
        KeptOutcome::Returned => CaseOutcome::Returned { result: None, text: Some(record.text.clone()) },
        KeptOutcome::Failed => {
            CaseOutcome::Failed { error: record.text.clone(), details: record.details.clone() }
        }
        KeptOutcome::Unfinished => CaseOutcome::Unfinished,
    };
    CaseCall { step: record.path.clone(), tool: record.tool.clone(), args, outcome }
}
