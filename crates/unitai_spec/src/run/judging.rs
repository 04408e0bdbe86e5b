//! What is asked of a judge, and what it may answer. The verdict itself is computed from the answers by code.

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

/// What came of asking a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It answered.
    Answered(Vec<Reply>),
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
