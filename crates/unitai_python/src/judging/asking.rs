//! A question about a run of an agent, asked of a judge.

use std::sync::OnceLock;

use pyo3::prelude::*;
use unitai_judge::about_run::{self, Record};
use unitai_mcp::client::Settings;
use unitai_mcp::engine::Engine;
use unitai_model::value::quoted;
use unitai_model::{Finding as Words, Verdict};
use unitai_spec::run::{Answer, Answered, Brief, Judge, Question, QuestionKind, Reply, Ruling, Stop};

use super::{Wanted, engage, keeping, settings};
use crate::asserting::Finding;
use crate::errors::{Trouble, invalid};
use crate::gate::without_interpreter;
use crate::run::Trajectory;
use crate::traffic::count_models;

/// The name of the only question.
const QUESTION: &str = "Q1";

/// Asks a judge, and finds whether it says yes.
pub(crate) fn ask_about(
    py: Python<'_>,
    trajectory: &Py<Trajectory>,
    question: &str,
    threshold: Option<f64>,
    wanted: Wanted<'_>,
) -> PyResult<Finding> {
    if question.trim().is_empty() {
        return Err(invalid(py, "a judge must be asked something, and the question is empty"));
    }
    if let Some(share) = threshold.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
        return Err(invalid(py, format!("threshold must be above 0 and at most 1, not {share}")));
    }
    let settings = settings(py, wanted)?;
    let engaged = engage(py, &settings)?;
    let records = about_run::records(trajectory.get().model());
    let evidence: Vec<_> = records.iter().map(|it| it.evidence.clone()).collect();
    let questions =
        [Question { id: QUESTION.to_owned(), kind: QuestionKind::PassIf, text: question.trim().to_owned() }];
    let kept = keeping::of_this_test(py)?;
    let brief = Brief {
        name: kept.as_ref().map_or("a run of an agent", |(name, _)| name),
        description: "",
        tags: &[],
        keep_in: kept.as_ref().map(|(_, path)| path.as_path()),
        questions: &questions,
        evidence: &evidence,
    };
    let ruling = waited_for(py, &engaged.judge, &brief);
    count_models(engaged.tally());
    let assertion = match threshold {
        Some(share) => format!("judge({}, threshold={share})", quoted(question)),
        None => format!("judge({})", quoted(question)),
    };
    let expected = match threshold {
        Some(share) => format!("a judge to say yes, {share} of the time: {}", question.trim()),
        None => format!("a judge to say yes: {}", question.trim()),
    };
    let (verdict, cites) = match ruling? {
        Ruling::Answered(answered) => weighed(py, &answered, threshold, &records)?,
        Ruling::Absent(how) => return Err(undecided(how).into_err(py)),
        Ruling::Trouble(message) => return Err(undecided(message).into_err(py)),
    };
    let words = Words { check: "judge".into(), assertion, expected, verdict, cites };
    Ok(Finding::told(trajectory.clone_ref(py), words))
}

/// Asks while the interpreter is free. Ctrl-C ends it.
fn waited_for(py: Python<'_>, judge: &dyn Judge, brief: &Brief<'_>) -> PyResult<Ruling> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::new(Settings::new(".")));
    let stop = Stop::default();
    let mut interrupted = None;
    let ruled = without_interpreter(py, || {
        let asked = async {
            tokio::select! {
                ruling = judge.judge(brief) => Some(ruling),
                () = stop.asked() => None,
            }
        };
        let mut poll = || {
            interrupted = Python::attach(|py| py.check_signals()).err();
            interrupted.is_some()
        };
        engine.block_on_checked(asked, &stop, &mut poll)
    });
    if let Some(raised) = interrupted {
        return Err(raised);
    }
    match ruled {
        Ok(Some(ruling)) => Ok(ruling),
        Ok(None) => Ok(Ruling::Trouble("the judge was stopped".to_owned())),
        Err(error) => Ok(Ruling::Trouble(format!("the judge cannot be asked: {error}"))),
    }
}

/// What the answers come to, and the steps that they quote.
fn weighed(
    py: Python<'_>,
    answered: &Answered,
    threshold: Option<f64>,
    records: &[Record],
) -> PyResult<(Verdict, Vec<usize>)> {
    let by = if answered.judged.by.is_empty() { "the judge" } else { &answered.judged.by };
    let Some(reply) = answered.replies.iter().find(|it| it.id == QUESTION) else {
        return Err(undecided(format!("{by} gave no answer")).into_err(py));
    };
    let votes = answered.votes_of(QUESTION);
    let verdict = match answered.holds(QUESTION, threshold) {
        None => return Err(undecided(format!("{by} does not know: {}", reply.why)).into_err(py)),
        Some(true) => Verdict::Held,
        Some(false) if votes.yes > 0 => {
            let all = votes.yes + votes.no + votes.unknown;
            // A reason for yes is none here: the votes have decided, and not whoever gave it.
            let why = if reply.answer == Answer::Yes { String::new() } else { format!(": {}", reply.why) };
            Verdict::Broken { actual: format!("{} of {all} answers of {by} are yes{why}", votes.yes) }
        }
        Some(false) => Verdict::Broken { actual: format!("{by} says no: {}{}", reply.why, quotes(reply)) },
    };
    Ok((verdict, cited(reply, records)))
}

fn quotes(reply: &Reply) -> String {
    reply.quotes.iter().map(|it| format!("\n{}: {}", it.reference, quoted(&it.quote))).collect()
}

fn cited(reply: &Reply, records: &[Record]) -> Vec<usize> {
    let is_quoted = |record: &&Record| {
        let reference = record.evidence.reference();
        reply.quotes.iter().any(|quote| quote.reference == reference)
    };
    records.iter().filter(is_quoted).filter_map(|record| record.step).collect()
}

fn undecided(message: impl Into<String>) -> Trouble {
    Trouble::new("JudgeUndecidedError", message)
}
