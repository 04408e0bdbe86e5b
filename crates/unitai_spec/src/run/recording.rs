//! What a run has left for the next: its calls and the judge's answers. Replaying needs no tool, no model and no network.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use unitai_model::value::{Value, equal};

use super::log::UNTAKEN;
use super::{
    Answer, Answered, Called, Driven, Driving, Evidence, Outcome, Phase, Question, Quote, Reply, Ruling, Run,
    Verdict, Word, beside,
};
use crate::data::{from_json, to_json};
use crate::document::{Arguments, Spec};

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    driving: Option<RecordedDriving>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedDriving {
    driven: RecordedDriven,
    missed: Vec<(String, u32)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedDriven {
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

/// A call of a driver as it was recorded.
pub(super) struct DrivenCall {
    pub(super) path: String,
    pub(super) attempt: u32,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) args: Arguments,
    pub(super) ms: f64,
    pub(super) outcome: Outcome,
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
            driving: run.driving.as_ref().map(RecordedDriving::of),
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
        if !is_same(&asked, &call.args) {
            return Err(format!(
                "at {path} the recording has {tool} called with {known}, not with {asked}; {again}"
            ));
        }
        Ok(Replayed { server: call.server.clone(), called: call.outcome.called(), ms: call.ms })
    }

    /// How the steps were driven, if they were.
    pub(super) fn driving(self) -> Option<Driving> {
        self.recording.driving.as_ref().map(RecordedDriving::driving)
    }

    /// What a driver called, in order, each with the step that took it or `agent[n]`.
    pub(super) fn driven_calls(self) -> impl Iterator<Item = DrivenCall> {
        let is_driven =
            |it: &&RecordedCall| [Phase::Steps.word(), UNTAKEN].iter().any(|own| it.path.starts_with(own));
        self.recording.calls.iter().filter(is_driven).map(|call| DrivenCall {
            path: call.path.clone(),
            attempt: call.attempt,
            server: call.server.clone(),
            tool: call.tool.clone(),
            args: arguments(&call.args),
            ms: call.ms,
            outcome: call.outcome.called().map_or(Outcome::Unfinished, Outcome::from),
        })
    }

    /// What the judge said when it was recorded, if it was asked the same about the same calls.
    pub(super) fn rule(self, questions: &[Question], evidence: &[Evidence]) -> Ruling {
        if self.recording.answers.is_empty() {
            let message =
                "the recording was made without a judge, and questions are left that only one can answer";
            return Ruling::Absent(message.to_owned());
        }
        // Each call has its place in the recording. What was left out may be what an answer rests on.
        let (recorded, made) = (self.recording.calls.len(), evidence.len());
        if recorded != made {
            return Ruling::Trouble(format!(
                "the judge was asked about {recorded} calls when it was recorded, and there are {made} now; record the \
                 test again"
            ));
        }
        let mut replies = Vec::new();
        let mut known = self.recording.answers.iter();
        for question in questions {
            let text = (self.clean)(&question.text);
            // By their order: two steps may ask the same in the same words.
            let Some(known) = known.next().filter(|it| it.question == text) else {
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
        // They were looked up when it was recorded. What was cleaned since then may no longer hold them.
        Ruling::Answered(Answered { are_quotes_checked: true, ..replies.into() })
    }
}

impl RecordedOutcome {
    fn called(&self) -> Option<Called> {
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

    fn driving(&self) -> Driving {
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

/// Whether what is asked is what was recorded: by the values, for a driver may write them otherwise than the test.
fn is_same(asked: &str, known: &serde_json::Value) -> bool {
    let asked = serde_json::from_str::<serde_json::Value>(asked);
    asked.is_ok_and(|asked| equal(&from_json(&asked), &from_json(known)))
}

fn arguments(args: &serde_json::Value) -> Arguments {
    let entries = args.as_object().into_iter().flatten();
    entries.map(|(name, it)| (name.clone(), from_json(it))).collect()
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
