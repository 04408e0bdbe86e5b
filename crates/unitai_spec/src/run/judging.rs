//! What is asked of a judge, and what it may answer. The verdict itself is computed from the answers by code.

use std::path::Path;

use unitai_model::Money;

use super::{Evidence, Future};

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKind {
    /// What a step expects of its result. "No" fails the step.
    Expect {
        /// The step.
        path: String,
    },
    /// What the test passes by.
    PassIf,
    /// What the test fails by.
    FailIf,
}

impl QuestionKind {
    /// Its word in files.
    pub fn word(&self) -> &'static str {
        match self {
            QuestionKind::Expect { .. } => "expect",
            QuestionKind::PassIf => "pass_if",
            QuestionKind::FailIf => "fail_if",
        }
    }

    /// The step that it is about; empty where it is the whole test.
    pub fn path(&self) -> &str {
        match self {
            QuestionKind::Expect { path } => path,
            QuestionKind::PassIf | QuestionKind::FailIf => "",
        }
    }
}

/// One question, to be answered with yes or no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its name, such as `Q1`.
    pub id: String,
    /// What it is about.
    pub kind: QuestionKind,
    /// The words of the test.
    pub text: String,
}

/// All that a judge gets.
#[derive(Debug)]
pub struct Brief<'a> {
    /// The name of the test.
    pub name: &'a str,
    /// What the test is about.
    pub description: &'a str,
    /// Its markers.
    pub tags: &'a [String],
    /// The file in which answers about the test may be kept; none where the test itself stands in no file.
    pub keep_in: Option<&'a Path>,
    /// What is asked.
    pub questions: &'a [Question],
    /// What happened.
    pub evidence: &'a [Evidence],
}

/// An answer to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The evidence does not say.
    Unknown,
}

impl Answer {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::Unknown => "unknown",
        }
    }

    /// Reads it, in whatever case it is written.
    ///
    /// ```
    /// use unitai_spec::run::Answer;
    /// assert_eq!(Answer::from_word(" Yes"), Some(Answer::Yes));
    /// assert_eq!(Answer::from_word("perhaps"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Answer> {
        let word = word.trim();
        [Answer::Yes, Answer::No, Answer::Unknown].into_iter().find(|it| it.word().eq_ignore_ascii_case(word))
    }
}

/// What a judge points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The evidence, such as `E12`.
    pub reference: String,
    /// Its very words.
    pub quote: String,
}

/// A judge's answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The question.
    pub id: String,
    /// The answer.
    pub answer: Answer,
    /// What it rests on.
    pub quotes: Vec<Quote>,
    /// Why, for people.
    pub why: String,
}

/// What an answer took. Unknown is unknown, never nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Tokens that went in, those read from a cache included.
    pub input_tokens: Option<u64>,
    /// Tokens that came out.
    pub output_tokens: Option<u64>,
    /// Money, as the provider says or the price table does.
    pub cost: Option<Money>,
}

impl Spent {
    /// Nothing at all, and that for sure.
    pub const NOTHING: Spent =
        Spent { input_tokens: Some(0), output_tokens: Some(0), cost: Some(Money::ZERO) };

    /// Both together. What is unknown of one is unknown of the sum.
    ///
    /// ```
    /// use unitai_spec::run::Spent;
    /// let some = Spent { input_tokens: Some(3), ..Spent::default() };
    /// assert_eq!(Spent::NOTHING.plus(some), some);
    /// ```
    #[must_use]
    pub fn plus(self, other: Spent) -> Spent {
        let sum = |one: Option<u64>, two: Option<u64>| Some(one?.saturating_add(two?));
        Spent {
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            cost: self.cost.zip(other.cost).map(|(one, two)| one.plus(two)),
        }
    }
}

/// Who answered, and what that took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// Who, such as `claude-code sonnet`; empty if nobody says.
    pub by: String,
    /// What it took in this run.
    pub spent: Spent,
    /// Whether the answers were kept from an earlier run.
    pub is_kept: bool,
    /// What somebody should know though there are answers.
    pub notes: Vec<String>,
}

/// How often a question was answered how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Votes {
    /// With yes.
    pub yes: u32,
    /// With no.
    pub no: u32,
    /// With neither.
    pub unknown: u32,
}

impl Votes {
    /// One more.
    pub fn count(&mut self, answer: Answer) {
        *match answer {
            Answer::Yes => &mut self.yes,
            Answer::No => &mut self.no,
            Answer::Unknown => &mut self.unknown,
        } += 1;
    }

    /// Whether this share of all says yes; `None` where those who do not know could tip it.
    ///
    /// ```
    /// use unitai_spec::run::Votes;
    /// assert_eq!(Votes { yes: 4, no: 1, unknown: 0 }.reach(0.8), Some(true));
    /// assert_eq!(Votes { yes: 3, no: 2, unknown: 0 }.reach(0.8), Some(false));
    /// assert_eq!(Votes { yes: 1, no: 0, unknown: 4 }.reach(0.8), None);
    /// ```
    pub fn reach(self, share: f64) -> Option<bool> {
        let all = f64::from(self.yes + self.no + self.unknown);
        // A thousandth of a vote: 0.8 of five is four, whatever binary fractions say.
        let is_enough = |votes: u32| f64::from(votes) + 1e-3 >= share * all;
        if all > 0.0 && is_enough(self.yes) {
            Some(true)
        } else if is_enough(self.yes + self.unknown) {
            None
        } else {
            Some(false)
        }
    }
}

/// The answers of a judge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answered {
    /// One for each question, at most.
    pub replies: Vec<Reply>,
    /// How often each was answered how, by its question; empty where each was asked once.
    pub votes: Vec<(String, Votes)>,
    /// Who answered.
    pub judged: Judged,
    /// Whether each quote was looked up already, in evidence as it was when the judge saw it.
    pub are_quotes_checked: bool,
}

impl Answered {
    /// How often a question was answered how.
    pub fn votes_of(&self, id: &str) -> Votes {
        if let Some((_, votes)) = self.votes.iter().find(|(known, _)| known == id) {
            return *votes;
        }
        let mut votes = Votes::default();
        self.replies.iter().filter(|it| it.id == id).for_each(|it| votes.count(it.answer));
        votes
    }
}

impl Answered {
    /// Whether a question is answered with yes. With a share, the votes decide, and what stands as the answer only where they
    /// leave it open; `None` where nobody knows.
    ///
    /// ```
    /// use unitai_spec::run::{Answer, Answered, Reply, Votes};
    /// // Two of five say yes, and a second judge has had the last word.
    /// let reply = Reply { id: "Q1".into(), answer: Answer::Yes, quotes: vec![], why: String::new() };
    /// let votes = vec![("Q1".to_owned(), Votes { yes: 2, no: 3, unknown: 0 })];
    /// let answered = Answered { votes, ..vec![reply].into() };
    /// assert_eq!(answered.holds("Q1", None), Some(true));
    /// assert_eq!(answered.holds("Q1", Some(0.8)), Some(false));
    /// assert_eq!(answered.holds("Q1", Some(0.4)), Some(true));
    /// ```
    pub fn holds(&self, id: &str, share: Option<f64>) -> Option<bool> {
        let reply = self.replies.iter().find(|it| it.id == id)?;
        let counted = share.and_then(|share| self.votes_of(id).reach(share));
        counted.or(match reply.answer {
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            Answer::Unknown => None,
        })
    }
}

impl From<Vec<Reply>> for Answered {
    fn from(replies: Vec<Reply>) -> Answered {
        Answered { replies, ..Answered::default() }
    }
}

/// What came of asking a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It answered.
    Answered(Answered),
    /// There is none: the test stays undecided. Says how to get one.
    Absent(String),
    /// Asking went wrong: neither the test nor its subject is to blame.
    Trouble(String),
}

/// Answers what checks cannot.
pub trait Judge: Send + Sync {
    /// Asks it.
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling>;
}

/// Nobody who could answer.
#[derive(Debug, Clone, Copy)]
pub struct NoJudge;

impl Judge for NoJudge {
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling> {
        let count = brief.questions.len();
        let first = brief.questions.first().map_or("", |it| it.text.as_str());
        let noun = if count == 1 { "question is" } else { "questions are" };
        let message = format!(
            "{count} {noun} left that only a judge can answer, and there is none (first: {first}); \
             say it as a `check` to have the engine decide"
        );
        Box::pin(async move { Ruling::Absent(message) })
    }
}
