//! What a run has left for the next: its calls and the judge's answers. Replaying needs no tool, no model and no network.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unitai_model::value::Value;

use super::{Answer, Called, Evidence, Outcome, Question, Quote, Reply, Ruling, Run};
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
    calls: Vec<RecordedCall>,
    answers: Vec<RecordedAnswer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedCall {
    path: String,
    attempt: u32,
    server: String,
    tool: String,
    args: serde_json::Value,
    ms: f64,
    outcome: RecordedOutcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedOutcome {
    Returned { value: serde_json::Value, text: String },
    Failed { message: String, details: String },
    Unfinished,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedAnswer {
    question: String,
    answer: RecordedWord,
    why: String,
    quotes: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedWord {
    Yes,
    No,
    Unknown,
}

/// A recording that answers instead of tools and judges. What it keeps was cleaned of secrets, and so is what it is
/// asked.
#[derive(Clone, Copy)]
pub struct Replay<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Takes secrets out of a text.
    pub clean: &'a (dyn Fn(&str) -> String + Sync),
}

/// A call as it was answered when it was recorded.
pub(super) struct Replayed {
    pub(super) server: String,
    pub(super) called: Option<Called>,
    pub(super) ms: f64,
}

impl Recording {
    /// What a run leaves for the next.
    pub fn of(test: &str, run: &Run) -> Recording {
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
            test: test.to_owned(),
            calls: run.evidence.iter().map(recorded).collect(),
            answers: run.answers.iter().map(answer).collect(),
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
        let name = match &spec.case {
            Some(case) => format!("{} {case}", spec.test.name),
            None => spec.test.name.clone(),
        };
        let digest: String = Sha256::digest(&name).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let plain: String =
            name.to_lowercase().chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
        let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
        let plain: String = parts.join("-").chars().take(60).collect();
        let stem = spec.place.file.file_stem().unwrap_or_default().to_string_lossy();
        let folder = spec.place.file.parent().unwrap_or(Path::new("")).join("recordings");
        let twin = if spec.twin > 1 { format!(".{}", spec.twin) } else { String::new() };
        folder.join(format!("{stem}.{plain}.{digest}{twin}.json"))
    }
}

impl Replay<'_> {
    /// The answer to a call that was recorded.
    pub(super) fn answer(
        self,
        path: &str,
        attempt: u32,
        tool: &str,
        args: &[(String, Value)],
    ) -> Result<Replayed, String> {
        let again = "record the test again";
        let Some(call) = self.recording.calls.iter().find(|it| it.path == path && it.attempt == attempt)
        else {
            return Err(format!("the recording has no call at {path}, attempt {attempt}; {again}"));
        };
        if call.tool != tool {
            return Err(format!(
                "at {path} the recording has a call of {}, not of {tool}; {again}",
                call.tool
            ));
        }
        let args =
            Value::Dict(args.iter().map(|(name, it)| (Value::Str(name.clone()), it.clone())).collect());
        let (asked, known) = ((self.clean)(&to_json(&args).to_string()), call.args.to_string());
        if asked != known {
            return Err(format!(
                "at {path} the recording has {tool} called with {known}, not with {asked}; {again}"
            ));
        }
        let called = match &call.outcome {
            RecordedOutcome::Returned { value, text } => {
                Some(Called::Returned { value: from_json(value), text: text.clone() })
            }
            RecordedOutcome::Failed { message, details } => {
                Some(Called::Failed { message: message.clone(), details: details.clone() })
            }
            RecordedOutcome::Unfinished => None,
        };
        Ok(Replayed { server: call.server.clone(), called, ms: call.ms })
    }

    /// What the judge said when it was recorded.
    pub(super) fn rule(self, questions: &[Question]) -> Ruling {
        if self.recording.answers.is_empty() {
            let message =
                "the recording was made without a judge, and questions are left that only one can answer";
            return Ruling::Absent(message.to_owned());
        }
        let mut replies = Vec::new();
        for question in questions {
            let text = (self.clean)(&question.text);
            let Some(known) = self.recording.answers.iter().find(|it| it.question == text) else {
                return Ruling::Trouble(format!(
                    "the recording has no answer to: {}; record the test again",
                    question.text
                ));
            };
            let answer = match known.answer {
                RecordedWord::Yes => Answer::Yes,
                RecordedWord::No => Answer::No,
                RecordedWord::Unknown => Answer::Unknown,
            };
            let quote = |(reference, quote): &(String, String)| Quote {
                reference: reference.clone(),
                quote: quote.clone(),
            };
            let quotes = known.quotes.iter().map(quote).collect();
            replies.push(Reply { id: question.id.clone(), answer, quotes, why: known.why.clone() });
        }
        Ruling::Answered(replies)
    }
}

fn recorded(evidence: &Evidence) -> RecordedCall {
    let args =
        Value::Dict(evidence.args.iter().map(|(name, it)| (Value::Str(name.clone()), it.clone())).collect());
    RecordedCall {
        path: evidence.path.clone(),
        attempt: evidence.attempt,
        server: evidence.server.clone(),
        tool: evidence.tool.clone(),
        args: to_json(&args),
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
