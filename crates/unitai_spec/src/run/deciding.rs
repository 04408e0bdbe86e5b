//! The verdict: what checks have decided, and otherwise what a judge's answers add up to.

use super::around::Source;
use super::checking::{self, Checked};
use super::execution::Execution;
use super::log::{Log, without_iterations};
use super::quoting::check_quotes;
use super::reporting;
use super::{
    Answer, Around, Brief, Ending, Event, Judged, Question, QuestionKind, Reply, Ruling, Status, StepResult,
    Verdict, Word, beside,
};
use crate::document::{JudgeWhen, OnTeardownError, Spec};

/// What ended a test before its time.
pub(super) enum Ruined {
    /// The time was up, after this many seconds.
    TimedOut(u32),
    /// Somebody stopped it.
    Stopped,
    /// Something around it is not as needed.
    Broken(String),
}

/// How a test ended, and what was asked for it.
pub(super) struct Decided {
    pub(super) ending: Ending,
    pub(super) questions: usize,
    pub(super) answers: Vec<(Question, Reply)>,
    pub(super) judged: Option<Judged>,
}

/// The checks of the verdict: over all that has happened.
pub(super) fn last_checks(execution: &Execution<'_>) -> Option<String> {
    match execution.look(None, |sight| checking::all(&execution.spec.verdict.check, sight)) {
        Checked::Holds => None,
        Checked::Fails(why) | Checked::Wrong(why) => Some(why),
        Checked::DependsOn { name, by } => Some(format!("depends on {name}, which {by} did not save")),
    }
}

/// Decides.
pub(super) async fn decide(
    spec: &Spec,
    around: &Around<'_>,
    log: &mut Log,
    ruined: Option<Ruined>,
    last_check: Option<String>,
) -> Decided {
    let without_judge = |ending| Decided { ending, questions: 0, answers: Vec::new(), judged: None };
    let broken = log.broken.take();
    match (ruined, broken) {
        (Some(Ruined::Stopped), _) => {
            return without_judge(Ending::Stopped { steps: std::mem::take(&mut log.results) });
        }
        (Some(Ruined::Broken(message)), _) | (None, Some(message)) => {
            return without_judge(error(message, log));
        }
        (Some(Ruined::TimedOut(seconds)), _) => {
            let mut issues = vec![format!("Timeout: {seconds}s exceeded")];
            issues.extend(failures(spec, log));
            let reason = format!("Test timed out after {seconds} seconds");
            return without_judge(decided(Word::Fail, reason, log, issues));
        }
        (None, None) => {}
    }
    let mut issues = failures(spec, log);
    issues.extend(last_check.map(|why| format!("verdict: {why}")));
    issues.extend(reporting::no_calls(log));
    let has_failed = !issues.is_empty();
    if !has_failed && let Some(how) = reporting::nobody(log) {
        return without_judge(decided(Word::Unclear, how, log, issues));
    }
    let questions = questions(spec, log);
    if has_failed && (spec.test.judge == JudgeWhen::Needed || questions.is_empty()) {
        let reason = reason(spec, log, &issues);
        return without_judge(decided(Word::Fail, reason, log, issues));
    }
    if questions.is_empty() {
        let (word, reason) =
            if log.results.iter().any(|it| it.path.starts_with("steps") && it.status == Status::Pass) {
                (Word::Pass, "every step did what it must")
            } else {
                (Word::Unclear, "no step was run, so nothing is shown")
            };
        return without_judge(decided(word, reason.to_owned(), log, issues));
    }
    let has_run = log.results.iter().any(|it| it.path.starts_with("steps") && it.status != Status::Skip);
    if !has_failed && !has_run {
        let reason = "no step was run, so nothing is shown".to_owned();
        return without_judge(decided(Word::Unclear, reason, log, issues));
    }
    around.observer.saw(&Event::Judging(questions.len()));
    let keep_in = (!spec.place.file.as_os_str().is_empty()).then(|| beside(spec, "answers"));
    let brief = Brief {
        name: &spec.test.name,
        description: &spec.test.description,
        tags: &spec.test.tags,
        keep_in: keep_in.as_deref(),
        questions: &questions,
        evidence: &log.evidence,
    };
    let mut ruling = match around.source {
        Source::Recording(replay) => replay.rule(&questions, &log.evidence),
        Source::Tools | Source::Driver(_) => around.judge.judge(&brief).await,
    };
    let (mut answers, mut judged) = (Vec::new(), None);
    if let Ruling::Answered(answered) = &mut ruling {
        if !answered.are_quotes_checked {
            check_quotes(&mut answered.replies, &log.evidence);
        }
        answers = paired(&questions, &answered.replies);
        log.warnings.append(&mut answered.judged.notes.clone());
        judged = Some(answered.judged.clone());
    }
    let ending = match ruling {
        // What checks have found stands, whatever becomes of the judge.
        _ if has_failed => {
            if let Ruling::Answered(answered) = ruling {
                issues.extend(weigh(&questions, &answered.replies, log).issues);
            }
            let reason = reason(spec, log, &issues);
            decided(Word::Fail, reason, log, issues)
        }
        Ruling::Trouble(message) => error(message, log),
        Ruling::Absent(how) => decided(Word::Unclear, how, log, issues),
        Ruling::Answered(answered) => {
            let weighed = weigh(&questions, &answered.replies, log);
            decided(weighed.word, weighed.reason, log, weighed.issues)
        }
    };
    Decided { ending, questions: questions.len(), answers, judged }
}

fn paired(questions: &[Question], replies: &[Reply]) -> Vec<(Question, Reply)> {
    let reply_to = |question: &Question| replies.iter().find(|it| it.id == question.id);
    questions.iter().filter_map(|question| Some((question.clone(), reply_to(question)?.clone()))).collect()
}

/// What the answers add up to.
struct Weighed {
    word: Word,
    reason: String,
    issues: Vec<String>,
}

fn weigh(questions: &[Question], replies: &[Reply], log: &mut Log) -> Weighed {
    let (mut issues, mut unknown) = (Vec::new(), Vec::new());
    for question in questions {
        let reply = replies.iter().find(|reply| reply.id == question.id);
        let (answer, why) = reply.map_or((Answer::Unknown, "no answer"), |it| (it.answer, it.why.as_str()));
        let told = if why.is_empty() { question.text.clone() } else { format!("{}: {why}", question.text) };
        match (&question.kind, answer) {
            (QuestionKind::Expect { path }, Answer::No) => {
                fail(log, path, &told);
                issues.push(told);
            }
            (QuestionKind::FailIf, Answer::Yes) => issues.push(format!("fail_if holds: {told}")),
            (QuestionKind::FailIf, Answer::No)
            | (QuestionKind::Expect { .. } | QuestionKind::PassIf, Answer::Yes) => {}
            (QuestionKind::PassIf, Answer::No) => unknown.push(format!("pass_if does not hold: {told}")),
            (_, Answer::Unknown) => unknown.push(format!("not decided: {told}")),
        }
    }
    match (issues.first(), unknown.first()) {
        (Some(first), _) => Weighed { word: Word::Fail, reason: first.clone(), issues },
        (None, Some(first)) => Weighed { word: Word::Unclear, reason: first.clone(), issues: unknown },
        (None, None) => {
            let reason = well(questions, replies).unwrap_or("every question was answered well").to_owned();
            Weighed { word: Word::Pass, reason, issues }
        }
    }
}

/// Why a test passes, in the judge's words: those about what it passes by, before any other.
fn well<'a>(questions: &[Question], replies: &'a [Reply]) -> Option<&'a str> {
    let is_main =
        |reply: &&Reply| questions.iter().any(|it| it.id == reply.id && it.kind == QuestionKind::PassIf);
    let has_words = |reply: &&Reply| !reply.why.is_empty();
    let main = replies.iter().filter(is_main).find(has_words);
    main.or_else(|| replies.iter().find(has_words)).map(|reply| reply.why.as_str())
}

/// A judge says that a step does not do what it should. It cannot say in which iteration.
fn fail(log: &mut Log, path: &str, why: &str) {
    for result in
        log.results.iter_mut().filter(|it| it.status == Status::Pass && without_iterations(&it.path) == path)
    {
        result.status = Status::Fail;
        why.clone_into(&mut result.details);
    }
}

/// What is left to ask when checks have had their say.
fn questions(spec: &Spec, log: &Log) -> Vec<Question> {
    let expect =
        log.expectations.iter().map(|it| (QuestionKind::Expect { path: it.path.clone() }, it.text.as_str()));
    let verdict = [
        (QuestionKind::PassIf, spec.verdict.pass_if.as_str()),
        (QuestionKind::FailIf, &spec.verdict.fail_if),
    ];
    let all = expect.chain(verdict).filter(|(_, text)| !text.trim().is_empty());
    all.enumerate()
        .map(|(n, (kind, text))| Question { id: format!("Q{}", n + 1), kind, text: text.trim().to_owned() })
        .collect()
}

/// What failed, one line each. A group fails by what is in it, which is told already.
fn failures(spec: &Spec, log: &mut Log) -> Vec<String> {
    let mut issues = Vec::new();
    let mut warnings = Vec::new();
    for result in log.results.iter().filter(|it| it.status == Status::Fail) {
        let is_told = log.results.iter().any(|it| {
            it.status == Status::Fail
                && it.path != result.path
                && it.path.starts_with(&format!("{}.", result.path))
                || it.status == Status::Fail && it.path.starts_with(&format!("{}#", result.path))
        });
        if is_told {
            continue;
        }
        let issue = told(result);
        if result.path.starts_with("teardown") && spec.test.teardown_errors == OnTeardownError::Warn {
            warnings.push(issue);
        } else {
            issues.push(issue);
        }
    }
    log.warnings.extend(warnings);
    issues
}

/// What a step says of itself, as an issue of its test.
pub(super) fn told(result: &StepResult) -> String {
    if result.name.starts_with(&result.path) {
        format!("{}: {}", result.name, result.details)
    } else {
        format!("{} ({}): {}", result.name, result.path, result.details)
    }
}

/// The first thing that went wrong, and how many more did.
fn reason(spec: &Spec, log: &Log, issues: &[String]) -> String {
    let first = issues.first().map_or("", String::as_str);
    let has_failed =
        |phase: &str| log.results.iter().any(|it| it.status == Status::Fail && it.path.starts_with(phase));
    let which = if has_failed("setup") {
        "setup failed: "
    } else if !has_failed("steps")
        && has_failed("teardown")
        && spec.test.teardown_errors == OnTeardownError::Fail
    {
        "teardown failed: "
    } else {
        ""
    };
    match issues.len() {
        0 | 1 => format!("{which}{first}"),
        n => format!("{which}{first} (and {} more)", n - 1),
    }
}

fn decided(word: Word, reason: String, log: &mut Log, issues: Vec<String>) -> Ending {
    Ending::Decided(Verdict { word, reason, steps: std::mem::take(&mut log.results), issues })
}

fn error(message: String, log: &mut Log) -> Ending {
    Ending::Error { message, remedy: String::new(), steps: std::mem::take(&mut log.results) }
}
