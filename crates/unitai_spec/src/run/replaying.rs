//! A recording answers instead of tools and judges, and says where the test is no longer the one that was recorded.

use unitai_model::value::equal;

use super::calling::dict;
use super::log::UNTAKEN;
use super::quoting::{check_quotes, doubt_without_quotes};
use super::recording::{RecordedCall, RecordedDriving, RecordedWord, Recording};
use super::{Answer, Answered, Called, Driving, Evidence, Outcome, Phase, Question, Quote, Reply, Ruling};
use crate::data::{from_json, to_json};
use crate::document::Arguments;

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

impl Replay<'_> {
    /// The answer to a call that was recorded.
    pub(super) fn answer(
        self,
        path: &str,
        attempt: u32,
        tool: &str,
        args: &Arguments,
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
        let (asked, known) = ((self.clean)(&to_json(&dict(args)).to_string()), call.args.to_string());
        if !is_same(&asked, &call.args) {
            return Err(format!(
                "at {path} the recording has {tool} called with {known}, not with {asked}; {again}"
            ));
        }
        Ok(Replayed { server: call.server.clone(), called: call.outcome.called(), ms: call.ms })
    }

    /// The environment without secrets: one that stands in an answer is still equal to its variable.
    pub(super) fn environment(self, env: &[(String, String)]) -> Vec<(String, String)> {
        env.iter().map(|(name, it)| (name.clone(), (self.clean)(it))).collect()
    }

    /// A record as it would be recorded. What came of the call is from the recording itself.
    fn cleaned(self, evidence: &Evidence) -> Evidence {
        let args = (self.clean)(&to_json(&dict(&evidence.args)).to_string());
        let args = serde_json::from_str(&args).map_or_else(|_| evidence.args.clone(), |it| arguments(&it));
        Evidence { args, ..evidence.clone() }
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
        // Once more: a file can be edited. Both are without secrets, what was quoted and what it is looked up in.
        check_quotes(&mut replies, &evidence.iter().map(|it| self.cleaned(it)).collect::<Vec<_>>());
        if self.recording.is_model {
            doubt_without_quotes(&mut replies);
        }
        Ruling::Answered(Answered { are_quotes_checked: true, ..replies.into() })
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
