//! What kept answers are found by: the questions and the evidence, without what changes from run to run and does not matter.

use regex::Regex;
use unitai_spec::data::to_json;
use unitai_spec::run::{Evidence, Outcome, Question, dict};
use unitai_wire::digest;
use unitai_wire::redact::Secrets;

use super::entry::KeptQuestion;
use crate::asking::VERSION;

/// Stands for what changes from run to run.
const MASKED: &str = "[masked]";

/// What changes from run to run in evidence and does not matter.
#[derive(Debug, Clone, Default)]
pub struct Masks(Vec<Regex>);

impl Masks {
    /// Reads regular expressions, or says which is none.
    ///
    /// ```
    /// use unitai_judge::answers::Masks;
    /// assert!(Masks::new(["[0-9]{2}:[0-9]{2}"]).is_ok());
    /// assert!(Masks::new(["("]).unwrap_err().contains("judge.mask"));
    /// ```
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Masks, String> {
        let read = |pattern: &str| {
            Regex::new(pattern)
                .map_err(|error| format!("judge.mask has no regular expression in {pattern:?}: {error}"))
        };
        patterns.into_iter().map(read).collect::<Result<_, _>>().map(Masks)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text with everything masked.
    pub(crate) fn over(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, mask| mask.replace_all(&text, MASKED).into_owned())
    }
}

/// What kept answers are found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The version of the words in which is asked.
    pub template: u32,
    /// What is asked.
    pub questions: Vec<KeptQuestion>,
    /// A digest for each record: its step and attempt, its tool, its arguments and its outcome, cleaned and masked. Never how long it took.
    pub evidence: Vec<String>,
}

impl Key {
    /// The key of these questions about this evidence.
    pub fn of(questions: &[Question], evidence: &[Evidence], masks: &Masks, secrets: &Secrets) -> Key {
        Key {
            template: VERSION,
            questions: questions.iter().map(KeptQuestion::of).map(|it| it.cleaned(secrets)).collect(),
            evidence: evidence.iter().map(|it| record(it, masks, secrets)).collect(),
        }
    }

    /// The whole of it as one word.
    pub fn digest(&self) -> String {
        let template = self.template.to_string();
        let questions =
            self.questions.iter().flat_map(|it| [it.kind.as_str(), it.path.as_str(), it.text.as_str()]);
        let parts: Vec<&str> = std::iter::once(template.as_str())
            .chain(questions)
            // Between the two, so that no question can pass for a record.
            .chain(std::iter::once("evidence"))
            .chain(self.evidence.iter().map(String::as_str))
            .collect();
        digest(&parts)
    }
}

fn record(evidence: &Evidence, masks: &Masks, secrets: &Secrets) -> String {
    let parts = parts(evidence).map(|it| masks.over(&secrets.clean(&it)));
    digest(&parts.each_ref().map(String::as_str))
}

/// All that counts of a record.
fn parts(evidence: &Evidence) -> [String; 7] {
    let (outcome, text, more) = match &evidence.outcome {
        Outcome::Returned { value, text } => ("returned", text.clone(), to_json(value).to_string()),
        Outcome::Failed { message, details } => ("failed", message.clone(), details.clone()),
        Outcome::Unfinished => ("unfinished", String::new(), String::new()),
    };
    let (path, attempt) = (evidence.path.clone(), evidence.attempt.to_string());
    [
        path,
        attempt,
        evidence.tool.clone(),
        to_json(&dict(&evidence.args)).to_string(),
        outcome.to_owned(),
        text,
        more,
    ]
}

#[cfg(test)]
mod tests {
    use unitai_model::value::Value;

    use super::*;
    use crate::support::{evidence, question};

    fn at(text: &str) -> Evidence {
        evidence(1, "now", Outcome::Returned { value: Value::Str(text.to_owned()), text: text.to_owned() })
    }

    #[test]
    fn time_and_masked_words_do_not_count_and_all_else_does() {
        let masks = Masks::new([r"\d\d:\d\d"]).unwrap();
        let secrets = Secrets::none();
        let asked = [question("Q1", "Is it late?")];
        let key =
            |record: &Evidence| Key::of(&asked, std::slice::from_ref(record), &masks, &secrets).digest();
        let known = key(&at("it is 12:30"));
        let mut slow = at("it is 23:59");
        (slow.ms, slow.started, slow.sha256) = (99.0, 7.0, "other".to_owned());
        assert_eq!(key(&slow), known);
        assert_ne!(key(&at("it was 12:30")), known);
        let mut other = at("it is 12:30");
        other.args = vec![("zone".to_owned(), Value::Null)];
        assert_ne!(key(&other), known);
        other = at("it is 12:30");
        other.outcome = Outcome::Failed { message: "it is 12:30".to_owned(), details: String::new() };
        assert_ne!(key(&other), known);
        let two = [at("a"), at("b")];
        let swapped = [at("b"), at("a")];
        let keys = [&two, &swapped].map(|it| Key::of(&asked, it, &masks, &secrets).digest());
        assert_ne!(keys[0], keys[1]);
    }

    #[test]
    fn the_step_and_the_attempt_count() {
        let key = |record: &Evidence| {
            Key::of(&[], std::slice::from_ref(record), &Masks::default(), &Secrets::none()).digest()
        };
        let known = at("it is 12:30");
        let elsewhere = Evidence { path: "steps[4]".to_owned(), ..known.clone() };
        let again = Evidence { attempt: 2, ..known.clone() };
        assert_ne!(key(&elsewhere), key(&known));
        assert_ne!(key(&again), key(&known));
    }

    #[test]
    fn secrets_do_not_count_for_another_machine_has_others() {
        let (mine, yours) = (Secrets::none(), Secrets::none());
        mine.learn("Zk3vQ8xWn2LmR7tY");
        yours.learn("Bk4wR9yXm3KnS8uZ");
        let key = |text: &str, secrets: &Secrets| Key::of(&[], &[at(text)], &Masks::default(), secrets);
        assert_eq!(key("by Zk3vQ8xWn2LmR7tY", &mine), key("by Bk4wR9yXm3KnS8uZ", &yours));
    }
}
