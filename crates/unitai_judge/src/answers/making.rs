//! What is kept of replies and evidence: without secrets, and not too long for a reviewer.

use unitai_model::value::Value;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::run::{Evidence, Outcome, Question, Quotable, Quote, Reply, dict};
use unitai_wire::redact::Secrets;

use super::entry::{KeptOutcome, KeptQuote, KeptRecord, KeptReply};
use crate::asking::{Left, cut};

/// The most of a text of evidence that is kept, in characters.
const TEXT: usize = 20_000;

/// Stands for a quote that holds a part of a secret.
const HIDDEN: &str = "[redacted]";

/// Answers without secrets: a quote that holds a part of one is hidden as a whole.
pub(super) fn kept_replies(replies: &[Reply], evidence: &[Evidence], secrets: &Secrets) -> Vec<KeptReply> {
    let cleaned: Vec<(String, Quotable)> =
        evidence.iter().map(|it| (it.reference(), Quotable::of(&cleaned(it, secrets)))).collect();
    let quote = |it: &Quote| {
        let text = secrets.clean(&it.quote);
        let is_there = cleaned.iter().any(|(known, record)| *known == it.reference && record.has(&text));
        let quote = if is_there { text.into_owned() } else { HIDDEN.to_owned() };
        KeptQuote { reference: it.reference.clone(), quote }
    };
    let reply = |it: &Reply| KeptReply {
        id: it.id.clone(),
        answer: it.answer.word().to_owned(),
        why: secrets.clean(&it.why).into_owned(),
        quotes: it.quotes.iter().map(quote).collect(),
    };
    replies.iter().map(reply).collect()
}

pub(super) fn kept_record(evidence: &Evidence, digest: &str, secrets: &Secrets) -> KeptRecord {
    let mut args = to_json(&dict(&evidence.args));
    secrets.clean_json(&mut args);
    let written = args.to_string();
    if let (short, 1..) = shortened(&written) {
        args = short.into();
    }
    let (outcome, text, details) = match &evidence.outcome {
        Outcome::Returned { text, .. } => (KeptOutcome::Returned, text.as_str(), ""),
        Outcome::Failed { message, details } => (KeptOutcome::Failed, message.as_str(), details.as_str()),
        Outcome::Unfinished => (KeptOutcome::Unfinished, "", ""),
    };
    // Cut only when it is clean: a half of a secret would not be known any more.
    let (text, left_out) = shortened(&secrets.clean(text));
    let (details, _) = shortened(&secrets.clean(details));
    KeptRecord {
        reference: evidence.reference(),
        path: evidence.path.clone(),
        tool: evidence.tool.clone(),
        args,
        outcome,
        text,
        details,
        left_out,
        digest: digest.to_owned(),
    }
}

fn shortened(text: &str) -> (String, usize) {
    match cut(text, TEXT) {
        Left::All(text) => (text.to_owned(), 0),
        Left::Ends(head, missing, tail) => {
            (format!("{head}\n[{missing} characters are left out here]\n{tail}"), missing)
        }
    }
}

/// A question without secrets.
pub fn cleaned_question(question: &Question, secrets: &Secrets) -> Question {
    Question { text: secrets.clean(&question.text).into_owned(), ..question.clone() }
}

/// A record without secrets.
pub fn cleaned(evidence: &Evidence, secrets: &Secrets) -> Evidence {
    let clean = |text: &str| secrets.clean(text).into_owned();
    let clean_value = |value: &Value| {
        let mut json = to_json(value);
        secrets.clean_json(&mut json);
        from_json(&json)
    };
    let args = evidence.args.iter().map(|(name, it)| (name.clone(), clean_value(it))).collect();
    let outcome = match &evidence.outcome {
        Outcome::Returned { value, text } => {
            Outcome::Returned { value: clean_value(value), text: clean(text) }
        }
        Outcome::Failed { message, details } => {
            Outcome::Failed { message: clean(message), details: clean(details) }
        }
        Outcome::Unfinished => Outcome::Unfinished,
    };
    Evidence { args, outcome, ..evidence.clone() }
}
