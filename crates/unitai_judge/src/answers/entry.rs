//! The form of kept answers: for people who review them, and for whoever makes labelled cases of them.

use serde::{Deserialize, Serialize};
use unitai_spec::run::{Answer, Question, Quote, Reply, Votes};
use unitai_wire::digest;
use unitai_wire::redact::Secrets;

use crate::provider::Identity;

/// The version of the form.
pub(super) const FORMAT: u32 = 2;

/// The version before, whose entries have no checksum.
const WITHOUT_CHECKSUMS: u32 = 1;

/// The file of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The version of the form.
    pub format: u32,
    /// The name of the test, for whoever reads the file.
    pub test: String,
    /// What was asked and answered, the newest last.
    pub entries: Vec<Entry>,
}

/// What was asked once, and what was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The digest of template, questions and evidence.
    pub key: String,
    /// Who answered.
    pub judge: KeptJudge,
    /// Who was asked what the first judge had left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<KeptJudge>,
    /// When, as RFC 3339.
    pub date: String,
    /// The version of the words in which was asked.
    pub template: u32,
    /// How often each question was asked.
    pub repeats: u32,
    /// How steady the judge is about this very evidence, over all the times that it was asked live.
    #[serde(default, skip_serializing_if = "Steadiness::is_new")]
    pub steadiness: Steadiness,
    /// What was asked.
    pub questions: Vec<KeptQuestion>,
    /// What was answered.
    pub replies: Vec<KeptReply>,
    /// How often each question was answered how, where it was asked several times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<KeptVotes>,
    /// What it was about.
    pub evidence: Vec<KeptRecord>,
    /// Over everything above and the name of the test. Each entry has its own, so that two branches can each add one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub checksum: String,
}

/// How steady a judge is: how often it was asked the same again, and how often an answer was another than the time before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steadiness {
    /// How often the same was asked again.
    pub again: u32,
    /// How often some answer was another then.
    pub flips: u32,
}

impl Steadiness {
    fn is_new(&self) -> bool {
        self.again == 0
    }

    /// What it is after one more time.
    pub(super) fn after(before: &Entry, now: &[KeptReply]) -> Steadiness {
        let said = |replies: &[KeptReply]| -> Vec<(String, String)> {
            replies.iter().map(|it| (it.id.clone(), it.answer.clone())).collect()
        };
        let Steadiness { again, flips } = before.steadiness;
        let is_flip = said(&before.replies) != said(now);
        Steadiness { again: again + 1, flips: flips + u32::from(is_flip) }
    }
}

/// How often a question was answered how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptVotes {
    /// The question.
    pub id: String,
    /// With yes.
    pub yes: u32,
    /// With no.
    pub no: u32,
    /// With neither.
    pub unknown: u32,
}

impl KeptVotes {
    pub(super) fn of(id: &str, votes: Votes) -> KeptVotes {
        let Votes { yes, no, unknown } = votes;
        KeptVotes { id: id.to_owned(), yes, no, unknown }
    }
}

/// Who answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptJudge {
    /// The provider.
    pub provider: String,
    /// The model that was asked for; empty where the provider chose.
    pub model: String,
    /// The version of the program or the interface.
    pub version: String,
    /// What a program of one's own is: its command, and a digest of the files of the project in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// The model that answered, as it says itself.
    pub answered_by: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptQuestion {
    /// Its name, such as `Q1`.
    pub id: String,
    /// `expect`, `pass_if` or `fail_if`.
    pub kind: String,
    /// The step that it is about; empty where it is the whole test.
    pub path: String,
    /// Its words.
    pub text: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptReply {
    /// The question.
    pub id: String,
    /// `yes`, `no` or `unknown`.
    pub answer: String,
    /// Why.
    pub why: String,
    /// What it rests on.
    pub quotes: Vec<KeptQuote>,
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptQuote {
    /// The record, such as `E1`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its words.
    pub quote: String,
}

/// A record of evidence, as much of it as is needed to look at the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptRecord {
    /// Its name, such as `E1`.
    pub reference: String,
    /// The step.
    pub path: String,
    /// The tool.
    pub tool: String,
    /// Its arguments; very long ones as a text that was cut.
    pub args: serde_json::Value,
    /// What came of the call.
    pub outcome: KeptOutcome,
    /// What the tool said, or what went wrong; long texts without their middle.
    pub text: String,
    /// What is known of an error besides.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// How many characters of the text are missing in its middle.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The digest of all that counts of it.
    pub digest: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptOutcome {
    /// The tool answered.
    Returned,
    /// It failed.
    Failed,
    /// It never answered.
    Unfinished,
}

impl Kept {
    /// Reads a file of kept answers, or says what is wrong with it.
    pub fn from_text(text: &str) -> Result<Kept, String> {
        let kept = Kept::unverified(text)?;
        if ![FORMAT, WITHOUT_CHECKSUMS].contains(&kept.format) {
            return Err(format!("kept answers of format {} are not known here, only {FORMAT}", kept.format));
        }
        let is_sound = |entry: &Entry| match kept.format {
            WITHOUT_CHECKSUMS => entry.checksum.is_empty(),
            _ => entry.checksum == entry.checksum_of(&kept.test),
        };
        match kept.entries.iter().position(|entry| !is_sound(entry)) {
            None => Ok(kept),
            Some(at) => {
                Err(format!("entry {} was changed after it was written: its checksum does not match", at + 1))
            }
        }
    }

    /// Reads a file whose checksums are still to be computed.
    pub(super) fn unverified(text: &str) -> Result<Kept, String> {
        serde_json::from_str(text).map_err(|error| format!("these are no kept answers: {error}"))
    }

    /// The file as it is written, with the checksum of every entry.
    pub fn to_text(&self) -> String {
        let seal = |entry: &Entry| Entry { checksum: entry.checksum_of(&self.test), ..entry.clone() };
        let sealed = Kept {
            format: FORMAT,
            test: self.test.clone(),
            entries: self.entries.iter().map(seal).collect(),
        };
        // Only maps with other than text keys cannot be written, and it has none.
        serde_json::to_string_pretty(&sealed).unwrap_or_default() + "\n"
    }
}

impl Entry {
    fn checksum_of(&self, test: &str) -> String {
        let plain = Entry { checksum: String::new(), ..self.clone() };
        digest(&[test, &serde_json::to_string(&plain).unwrap_or_default()])
    }

    /// The answers, for whoever decides. Words that are none of ours are unknown.
    pub fn replies(&self) -> Vec<Reply> {
        let quote = |it: &KeptQuote| Quote { reference: it.reference.clone(), quote: it.quote.clone() };
        let reply = |it: &KeptReply| Reply {
            id: it.id.clone(),
            answer: Answer::from_word(&it.answer).unwrap_or(Answer::Unknown),
            quotes: it.quotes.iter().map(quote).collect(),
            why: it.why.clone(),
        };
        self.replies.iter().map(reply).collect()
    }

    /// How often each question was answered how.
    pub fn votes(&self) -> Vec<(String, Votes)> {
        let votes = |it: &KeptVotes| Votes { yes: it.yes, no: it.no, unknown: it.unknown };
        self.votes.iter().map(|it| (it.id.clone(), votes(it))).collect()
    }
}

impl KeptJudge {
    pub(crate) fn of(identity: &Identity, answered_by: &str) -> KeptJudge {
        KeptJudge {
            provider: identity.provider.clone(),
            model: identity.model.clone(),
            version: identity.version.clone(),
            program: identity.program.clone(),
            answered_by: answered_by.to_owned(),
        }
    }

    /// Whether it is the same judge. Versions come and go, and who answers for it is the provider's choice.
    pub(super) fn is_same(&self, other: &KeptJudge) -> bool {
        (&self.provider, &self.model, &self.program) == (&other.provider, &other.model, &other.program)
    }

    /// Who, in a few words.
    pub fn name(&self) -> String {
        let model = if self.answered_by.is_empty() { &self.model } else { &self.answered_by };
        format!("{} {model}", self.provider).trim_end().to_owned()
    }
}

impl KeptQuestion {
    pub(super) fn of(question: &Question) -> KeptQuestion {
        KeptQuestion {
            id: question.id.clone(),
            kind: question.kind.word().to_owned(),
            path: question.kind.path().to_owned(),
            text: question.text.clone(),
        }
    }

    /// Whether the same is asked about the same.
    pub(super) fn is_same(&self, other: &KeptQuestion) -> bool {
        (&self.kind, &self.path, &self.text) == (&other.kind, &other.path, &other.text)
    }

    pub(super) fn cleaned(self, secrets: &Secrets) -> KeptQuestion {
        KeptQuestion { text: secrets.clean(&self.text).into_owned(), ..self }
    }
}
