//! What the word of a driver is worth: it can make a PASS unclear, and nothing better of anything.

use super::log::{Log, UNTAKEN};
use super::{Driven, Driving, Ending, Phase, Status, Word};

/// How to get somebody who drives, if there was nobody.
pub(super) fn nobody(log: &Log) -> Option<String> {
    match &log.driving.as_ref()?.driven {
        Some(Driven::Absent(how)) => Some(how.clone()),
        _ => None,
    }
}

/// Whoever says that a test passed without having called anything has shown nothing.
pub(super) fn no_calls(log: &Log) -> Option<String> {
    let Some(Driven::Reported(verdict)) = &log.driving.as_ref()?.driven else { return None };
    let steps = Phase::Steps.word();
    let has_called = log
        .evidence
        .iter()
        .any(|it| !it.server.is_empty() && (it.path.starts_with(steps) || it.path.starts_with(UNTAKEN)));
    let has_run = log.results.iter().any(|it| it.path.starts_with(steps) && it.status != Status::Skip);
    (verdict.word == Word::Pass && has_run && !has_called)
        .then(|| "the model reported PASS and called no tool".to_owned())
}

/// Compares the verdict with what the driver says itself.
pub(super) fn cross_check(ending: &mut Ending, driving: Option<&Driving>) {
    let Ending::Decided(verdict) = ending else { return };
    if verdict.word != Word::Pass {
        return;
    }
    let doubt = match driving.and_then(|it| it.driven.as_ref()) {
        Some(Driven::Reported(report)) if report.word != Word::Pass => {
            format!("everything holds, but the model reported {}: {}", report.word.text(), report.reason)
        }
        Some(Driven::Unread(said)) => {
            format!("everything holds, but the model gave no report that can be read: {said}")
        }
        _ => return,
    };
    verdict.word = Word::Unclear;
    verdict.issues.push(doubt.clone());
    verdict.reason = doubt;
}
