//! What a run has left for the next: its calls and the judge's answers. Replaying needs no tool, no model and no network.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::calling::dict;
use super::proving::Ended;
use super::{
    Answer, Called, Driven, Driving, Evidence, Outcome, Question, Reply, Run, Verdict, Word, beside,
};
use crate::data::{from_json, to_json};
use crate::document::Spec;

/// The version of the form in which recordings are kept.
const FORMAT: u32 = 1;

/// A recorded run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    format: u32,
    /// The name of the test, for whoever reads the file.
    test: String,
    pub(super) calls: Vec<RecordedCall>,
    pub(super) answers: Vec<RecordedAnswer>,
    /// Whether a model gave them, whose yes needs a quote.
    #[serde(default)]
    pub(super) is_model: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) driving: Option<RecordedDriving>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ended: Option<Ended>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedDriving {
    pub(super) driven: RecordedDriven,
    pub(super) missed: Vec<(String, u32)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordedDriven {
    Passed(String),
    Failed(String),
    Unclear(String),
    Unread(String),
    Absent(String),
    Trouble(String),
    Unfinished,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedCall {
    pub(super) path: String,
    pub(super) attempt: u32,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) args: serde_json::Value,
    pub(super) ms: f64,
    pub(super) outcome: RecordedOutcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordedOutcome {
    Returned { value: serde_json::Value, text: String },
    Failed { message: String, details: String },
    Unfinished,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedAnswer {
    pub(super) question: String,
    pub(super) answer: RecordedWord,
    pub(super) why: String,
    pub(super) quotes: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordedWord {
    Yes,
    No,
    Unknown,
}

impl Recording {
    /// What a run leaves for the next.
    pub fn of(spec: &Spec, run: &Run) -> Recording {
        let answer = |(question, reply): &(Question, Reply)| RecordedAnswer {
            question: question.text.clone(),
            answer: match reply.answer {
                Answer::Yes => RecordedWord::Yes,
                Answer::No => RecordedWord::No,
                Answer::Unknown => RecordedWord::Unknown,
            },
            why: reply.why.clone(),
            quotes: reply.quotes.iter().map(|it| (it.reference.clone(), it.quote.clone())).collect(),
        };
        Recording {
            format: FORMAT,
            test: spec.test.name.clone(),
            calls: run.evidence.iter().map(recorded).collect(),
            answers: run.answers.iter().map(answer).collect(),
            // Whoever is no code of the project says who it is.
            is_model: run.judged.as_ref().is_some_and(|it| !it.by.is_empty()),
            driving: run.driving.as_ref().map(RecordedDriving::of),
            ended: Ended::of(spec, &run.ending),
        }
    }

    /// Reads a recording, or says what is wrong with it.
    pub fn from_text(text: &str) -> Result<Recording, String> {
        let recording: Recording = serde_json::from_str(text)
            .map_err(|error| format!("this is no recording of a YAML test: {error}"))?;
        if recording.format == FORMAT {
            Ok(recording)
        } else {
            Err(format!("recordings of format {} are not known here, only {FORMAT}", recording.format))
        }
    }

    /// The recording as a file for people and for the next run.
    pub fn to_text(&self) -> String {
        // Only maps with other than text keys cannot be written, and it has none.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The file in which a test is recorded, beside its own: in `recordings`, under a name that no other test has.
    pub fn path_of(spec: &Spec) -> PathBuf {
        beside(spec, "recordings")
    }
}

impl RecordedOutcome {
    pub(super) fn called(&self) -> Option<Called> {
        match self {
            RecordedOutcome::Returned { value, text } => {
                Some(Called::Returned { value: from_json(value), text: text.clone() })
            }
            RecordedOutcome::Failed { message, details } => {
                Some(Called::Failed { message: message.clone(), details: details.clone() })
            }
            RecordedOutcome::Unfinished => None,
        }
    }
}

impl RecordedDriving {
    fn of(driving: &Driving) -> RecordedDriving {
        let driven = match &driving.driven {
            None => RecordedDriven::Unfinished,
            Some(Driven::Reported(verdict)) => {
                let reason = verdict.reason.clone();
                match verdict.word {
                    Word::Pass => RecordedDriven::Passed(reason),
                    Word::Fail => RecordedDriven::Failed(reason),
                    Word::Unclear => RecordedDriven::Unclear(reason),
                }
            }
            Some(Driven::Unread(said)) => RecordedDriven::Unread(said.clone()),
            Some(Driven::Absent(how)) => RecordedDriven::Absent(how.clone()),
            Some(Driven::Trouble(why)) => RecordedDriven::Trouble(why.clone()),
        };
        RecordedDriving { driven, missed: driving.missed.clone() }
    }

    pub(super) fn driving(&self) -> Driving {
        let reported = |word, reason: &String| {
            let (reason, steps, issues) = (reason.clone(), Vec::new(), Vec::new());
            Some(Driven::Reported(Verdict { word, reason, steps, issues }))
        };
        let driven = match &self.driven {
            RecordedDriven::Passed(reason) => reported(Word::Pass, reason),
            RecordedDriven::Failed(reason) => reported(Word::Fail, reason),
            RecordedDriven::Unclear(reason) => reported(Word::Unclear, reason),
            RecordedDriven::Unread(said) => Some(Driven::Unread(said.clone())),
            RecordedDriven::Absent(how) => Some(Driven::Absent(how.clone())),
            RecordedDriven::Trouble(why) => Some(Driven::Trouble(why.clone())),
            RecordedDriven::Unfinished => None,
        };
        Driving { driven, missed: self.missed.clone() }
    }
}

fn recorded(evidence: &Evidence) -> RecordedCall {
    RecordedCall {
        path: evidence.path.clone(),
        attempt: evidence.attempt,
        server: evidence.server.clone(),
        tool: evidence.tool.clone(),
        args: to_json(&dict(&evidence.args)),
        ms: evidence.ms,
        outcome: match &evidence.outcome {
            Outcome::Returned { value, text } => {
                RecordedOutcome::Returned { value: to_json(value), text: text.clone() }
            }
            Outcome::Failed { message, details } => {
                RecordedOutcome::Failed { message: message.clone(), details: details.clone() }
            }
            Outcome::Unfinished => RecordedOutcome::Unfinished,
        },
    }
}
