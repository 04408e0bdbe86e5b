//! Asks a judge about cases, a few at once, and puts its answers beside what people say.

use std::sync::Arc;

use tokio::task::JoinSet;
use unitai_spec::document::JudgeCase;
use unitai_spec::run::{
    Answer, Answered, Brief, Evidence, Judge, Judged, Question, Reply, Ruling, Spent, check_quotes,
};

use super::case::{evidence, questions};
use super::{Heard, Score};

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The case that was answered last.
    pub case: &'a str,
    /// How many were.
    pub answered: usize,
    /// Of how many.
    pub of: usize,
}

/// Why there is no score. What is known by then is not told as one: it would be of a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// There is no judge. Says how to get one.
    #[error("{0}")]
    Absent(String),
    /// Asking went wrong.
    #[error("{message} (asked about \"{case}\", after {answered} of {of} cases)")]
    Trouble {
        /// The case.
        case: String,
        /// What happened.
        message: String,
        /// How many were answered before.
        answered: usize,
        /// Of how many.
        of: usize,
    },
}

/// Asks a judge about every case, at most so many `at_once`. The first trouble ends it.
///
/// # Errors
/// Where a case was not answered.
pub async fn interview(
    judge: Arc<dyn Judge>,
    cases: &[JudgeCase],
    at_once: usize,
    mut told: impl FnMut(Progress<'_>),
) -> Result<Score, Unanswered> {
    let mut waiting = cases.iter().enumerate();
    let mut asked = JoinSet::new();
    let mut answers: Vec<Option<Answered>> = cases.iter().map(|_| None).collect();
    let mut answered = 0;
    loop {
        while asked.len() < at_once.max(1)
            && let Some((at, case)) = waiting.next()
        {
            let sheet = Sheet::of(case);
            let judge = Arc::clone(&judge);
            asked.spawn(async move { (at, sheet.ask(judge.as_ref()).await) });
        }
        let Some(ended) = asked.join_next().await else { break };
        let (at, ruling) = match ended {
            Ok(ended) => ended,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // Nobody cancels one, but for the end of everything.
            Err(error) => return Err(Unanswered::Absent(error.to_string())),
        };
        let case = cases[at].name.as_str();
        match ruling {
            Ruling::Answered(it) => answers[at] = Some(it),
            Ruling::Absent(how) => return Err(Unanswered::Absent(how)),
            Ruling::Trouble(message) => {
                let case = case.to_owned();
                return Err(Unanswered::Trouble { case, message, answered, of: cases.len() });
            }
        }
        answered += 1;
        told(Progress { case, answered, of: cases.len() });
    }
    Ok(scored(cases, answers.into_iter().flatten()))
}

/// What a judge gets of one case.
struct Sheet {
    name: String,
    questions: Vec<Question>,
    evidence: Vec<Evidence>,
}

impl Sheet {
    fn of(case: &JudgeCase) -> Sheet {
        Sheet { name: case.name.clone(), questions: questions(case), evidence: evidence(case) }
    }

    async fn ask(&self, judge: &dyn Judge) -> Ruling {
        let brief = Brief {
            name: &self.name,
            description: "",
            tags: &[],
            // What a judge says today is measured, not what it said once.
            keep_in: None,
            questions: &self.questions,
            evidence: &self.evidence,
        };
        let mut ruling = judge.judge(&brief).await;
        if let Ruling::Answered(answered) = &mut ruling
            && !answered.are_quotes_checked
        {
            check_quotes(&mut answered.replies, &self.evidence);
        }
        ruling
    }
}

fn scored(cases: &[JudgeCase], answers: impl Iterator<Item = Answered>) -> Score {
    let mut score =
        Score { heard: Vec::new(), judged: Judged { spent: Spent::NOTHING, ..Judged::default() } };
    for (case, Answered { replies, judged, .. }) in cases.iter().zip(answers) {
        for (question, asked) in case.questions.iter().zip(questions(case)) {
            let reply = replies.iter().find(|it| it.id == asked.id).cloned().unwrap_or_else(|| Reply {
                id: asked.id,
                answer: Answer::Unknown,
                quotes: Vec::new(),
                why: "no answer".to_owned(),
            });
            score.heard.push(Heard { case: case.name.clone(), question: question.clone(), reply });
        }
        score.judged.spent = score.judged.spent.plus(judged.spent);
        if score.judged.by.is_empty() {
            score.judged.by = judged.by;
        }
        let new = judged.notes.into_iter().filter(|it| !score.judged.notes.contains(it)).collect::<Vec<_>>();
        score.judged.notes.extend(new);
    }
    score
}
