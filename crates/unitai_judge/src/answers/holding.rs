//! Whether kept answers still rest on what they quote. A file can be edited: what stands neither in the evidence of this run
//! nor in what was kept of the other is no ground for an answer.

use unitai_model::value::Value;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::run::{Evidence, Outcome, Quotable, Reply, check_quotes_by, dict, doubt_without_quotes};
use unitai_wire::redact::Secrets;

use super::entry::{Entry, KeptOutcome, KeptRecord};
use super::key::Masks;
use super::making::cleaned;

/// What can be quoted of one record.
struct Shown {
    reference: String,
    now: Quotable,
    masked: Quotable,
    /// What is masked was another word then.
    then: Option<Quotable>,
}

/// The answers, those whose quotes stand nowhere as unknown.
pub(crate) fn checked(entry: &Entry, evidence: &[Evidence], masks: &Masks, secrets: &Secrets) -> Vec<Reply> {
    let shown = |it: &Evidence| {
        let reference = it.reference();
        let now = cleaned(it, secrets);
        // Without masks both are the same, and the file has no say in what the tools said.
        let then = entry.evidence.iter().find(|kept| !masks.is_empty() && kept.reference == reference);
        Shown {
            masked: Quotable::of(&masked(&now, masks)),
            then: then.map(|kept| Quotable::of(&as_evidence(it, kept))),
            now: Quotable::of(&now),
            reference,
        }
    };
    let shown: Vec<Shown> = evidence.iter().map(shown).collect();
    let mut replies = entry.replies();
    check_quotes_by(&mut replies, |quote| {
        let record = shown.iter().find(|it| it.reference == quote.reference)?;
        let text = &quote.quote;
        let was_there = record.then.as_ref().is_some_and(|it| it.has(text));
        Some(record.now.has(text) || was_there || record.masked.has(&masks.over(text)))
    });
    doubt_without_quotes(&mut replies);
    replies
}

fn masked(evidence: &Evidence, masks: &Masks) -> Evidence {
    let value = |value: &Value| Value::Str(masks.over(&to_json(value).to_string()));
    let outcome = match &evidence.outcome {
        Outcome::Returned { value: it, text } => {
            Outcome::Returned { value: value(it), text: masks.over(text) }
        }
        Outcome::Failed { message, details } => {
            Outcome::Failed { message: masks.over(message), details: masks.over(details) }
        }
        Outcome::Unfinished => Outcome::Unfinished,
    };
    let args = vec![(String::new(), value(&dict(&evidence.args)))];
    Evidence { args, outcome, ..evidence.clone() }
}

fn as_evidence(now: &Evidence, kept: &KeptRecord) -> Evidence {
    let (text, details) = (kept.text.clone(), kept.details.clone());
    let outcome = match kept.outcome {
        KeptOutcome::Returned => Outcome::Returned { value: Value::Null, text },
        KeptOutcome::Failed => Outcome::Failed { message: text, details },
        KeptOutcome::Unfinished => Outcome::Unfinished,
    };
    let args = vec![("args".to_owned(), from_json(&kept.args))];
    Evidence { tool: kept.tool.clone(), args, outcome, ..now.clone() }
}
