//! What has happened in a test so far. It outlives the code that writes it, which a time limit may end anywhere.

use std::time::Instant;

use unitai_model::value::Value;

use super::memory::Memory;
use super::{Driving, Evidence, Outcome, Phase, Status, StepResult};
use crate::document::{Place, Step};

/// The path of calls that a driver has made and no step has taken yet.
pub(super) const UNTAKEN: &str = "agent";

/// The record of a test under way.
#[derive(Default)]
pub(super) struct Log {
    pub(super) evidence: Vec<Evidence>,
    pub(super) results: Vec<StepResult>,
    pub(super) memory: Memory,
    /// What a judge may have to answer, by the place of the step in the file.
    pub(super) expectations: Vec<Expectation>,
    /// Steps that have begun and not ended, outermost first.
    open: Vec<Open>,
    /// Something around the test that is not as needed.
    pub(super) broken: Option<String>,
    pub(super) warnings: Vec<String>,
    /// How the steps are driven, where they are.
    pub(super) driving: Option<Driving>,
    /// Where the calls of a driver belong, as a recording knows it: step, attempt, and number of the evidence.
    pub(super) belonging: Vec<(String, u32, usize)>,
}

/// What a step expects in words.
pub(super) struct Expectation {
    /// The step as it stands in the file, without iterations.
    pub(super) path: String,
    pub(super) text: String,
}

struct Open {
    path: String,
    name: String,
    place: Place,
    began: Instant,
    evidence: Vec<usize>,
}

impl Log {
    /// A step begins.
    pub(super) fn begin(&mut self, step: &Step, path: &str) {
        self.open.push(Open {
            path: path.to_owned(),
            name: name_of(step, path),
            place: step.place.clone(),
            began: Instant::now(),
            evidence: Vec::new(),
        });
    }

    /// The step that began last has ended.
    pub(super) fn end(
        &mut self,
        status: Status,
        details: String,
        tool_output: Option<Value>,
    ) -> Option<&StepResult> {
        let open = self.open.pop()?;
        let mut ended = open.ended(status, details, tool_output);
        if self.driving.is_some() && ended.path.starts_with(Phase::Steps.word()) {
            // The calls were made before the step looked for them: how long they took is how long it took.
            ended.ms = ended.evidence.iter().filter_map(|it| self.evidence.get(it - 1)).map(|it| it.ms).sum();
        }
        self.results.push(ended);
        self.results.last()
    }

    /// A step is not run at all.
    pub(super) fn skip(&mut self, step: &Step, path: &str, why: String) -> Option<&StepResult> {
        self.begin(step, path);
        self.end(Status::Skip, why, None)
    }

    /// The time is up, or somebody has stopped the test: what is open has failed.
    pub(super) fn cut_off(&mut self, why: &str) {
        while self.end(Status::Fail, why.to_owned(), None).is_some() {}
    }

    /// Whether a step with this path has begun.
    pub(super) fn has(&self, path: &str) -> bool {
        self.results.iter().any(|result| is_within(&result.path, path))
    }

    /// Whether something within this path has been run and holds.
    pub(super) fn has_passed(&self, path: &str) -> bool {
        self.results.iter().any(|result| result.status == Status::Pass && is_within(&result.path, path))
    }

    /// A call begins. It counts as unfinished until it is settled.
    pub(super) fn call(&mut self, mut evidence: Evidence) -> usize {
        let number = self.evidence.len() + 1;
        evidence.number = number;
        self.evidence.push(evidence);
        // Evidence of a child is evidence of its group.
        for open in &mut self.open {
            open.evidence.push(number);
        }
        number
    }

    /// A call has ended.
    pub(super) fn settle(&mut self, number: usize, ms: f64, outcome: Outcome) -> Option<&Evidence> {
        let evidence = self.evidence.get_mut(number.checked_sub(1)?)?;
        evidence.sha256 = outcome.sha256();
        (evidence.ms, evidence.outcome) = (ms, outcome);
        Some(evidence)
    }

    /// A step takes a call that a driver has made.
    pub(super) fn take(&mut self, number: usize, path: &str, attempt: u32, tool: &str) -> Option<&Evidence> {
        let evidence = self.evidence.get_mut(number.checked_sub(1)?)?;
        (evidence.path, evidence.tool, evidence.attempt) = (path.to_owned(), tool.to_owned(), attempt);
        for open in &mut self.open {
            open.evidence.push(number);
        }
        Some(evidence)
    }

    /// The latest call that a step has taken.
    pub(super) fn last_taken(&self) -> Option<&Evidence> {
        self.evidence.iter().rev().find(|it| it.path.starts_with(Phase::Steps.word()))
    }

    /// No step will take what is left: `agent[0]`, `agent[1]` and so on, in the order in which they were made.
    pub(super) fn name_untaken(&mut self) {
        let left = self.evidence.iter_mut().filter(|it| it.path == UNTAKEN);
        for (n, evidence) in left.enumerate() {
            evidence.path = format!("{UNTAKEN}[{n}]");
        }
    }

    /// Notes what a step expects in words, once for all its iterations.
    pub(super) fn expect(&mut self, step: &Step, path: &str) {
        let text = [step.expect.trim(), step.analyze.trim()];
        let text = text.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
        let path = without_iterations(path);
        if !text.is_empty() && !self.expectations.iter().any(|it| it.path == path) {
            self.expectations.push(Expectation { path, text });
        }
    }
}

impl Open {
    fn ended(self, status: Status, details: String, tool_output: Option<Value>) -> StepResult {
        StepResult {
            name: self.name,
            path: self.path,
            status,
            details,
            tool_output,
            evidence: self.evidence,
            ms: self.began.elapsed().as_secs_f64() * 1e3,
            place: self.place,
        }
    }
}

/// What a step is called in reports.
pub(super) fn name_of(step: &Step, path: &str) -> String {
    match (step.name.as_str(), step.tool.as_str()) {
        ("", "") => path.to_owned(),
        ("", tool) => format!("{path}: {tool}"),
        (name, _) => name.to_owned(),
    }
}

/// The place of a step in its file: `steps[2]#1.steps[0]#3` is `steps[2].steps[0]`.
pub(super) fn without_iterations(path: &str) -> String {
    let parts = path.split('.').map(|part| part.split('#').next().unwrap_or(part));
    parts.collect::<Vec<_>>().join(".")
}

fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_file_has_no_iterations() {
        assert_eq!(without_iterations("steps[2]#1.steps[0]#3"), "steps[2].steps[0]");
        assert!(is_within("steps[2]#1.steps[0]", "steps[2]"));
        assert!(!is_within("steps[21]", "steps[2]"));
    }
}
