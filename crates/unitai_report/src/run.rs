//! A run of tests, as its events tell it. Every report of a run is made from this.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use unitai_model::event::{
    AgentRan, EventError, RunEnding, RunEvent, RunFinished, RunStarted, Spending, TestFinished, TestOutcome,
    TestStarted,
};

/// A run of tests.
///
/// ```
/// use unitai_report::Run;
/// let run = Run::read("{\"event\":\"test_started\",\"at\":1.0,\"test\":\"test_a\"}\n").unwrap();
/// // Its process was killed: the test that was under way did not pass.
/// assert_eq!((run.tests.len(), run.counts().errors), (1, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// How it began; `None` where that is not known, as of a JUnit file.
    pub started: Option<RunStarted>,
    /// How many tests were to run.
    pub found: Option<u64>,
    /// The tests that had their turn, in the order in which they began.
    pub tests: Vec<Test>,
    /// How it ended; `None` when its process was killed.
    pub finished: Option<RunFinished>,
}

/// A test of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// What came of it.
    pub end: TestFinished,
    /// What agents did in it.
    pub agents: Vec<AgentRan>,
}

/// How many tests came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests around which something went wrong.
    pub errors: u64,
    /// Tests that decided nothing.
    pub inconclusive: u64,
    /// Tests that did not run, as asked.
    pub skipped: u64,
    /// Tests that failed, as expected.
    pub xfailed: u64,
    /// Tests that were expected to fail, and passed.
    pub xpassed: u64,
}

impl Counts {
    /// Counts one more.
    pub(crate) fn add(&mut self, outcome: TestOutcome) {
        let count = match outcome {
            TestOutcome::Passed => &mut self.passed,
            TestOutcome::Failed => &mut self.failed,
            TestOutcome::Error => &mut self.errors,
            TestOutcome::Inconclusive => &mut self.inconclusive,
            TestOutcome::Skipped => &mut self.skipped,
            TestOutcome::XFailed => &mut self.xfailed,
            TestOutcome::XPassed => &mut self.xpassed,
        };
        *count += 1;
    }
}

impl Run {
    /// The run that these lines tell of. A last line that was cut off is passed over: its writer was killed.
    pub fn read(lines: &str) -> Result<Run, EventError> {
        let mut folding = Folding::default();
        for line in lines.split_inclusive('\n') {
            match RunEvent::read(line) {
                Ok(Some(event)) => folding.take(event),
                Ok(None) => {}
                Err(EventError::Malformed { .. }) if !line.ends_with('\n') => {}
                Err(error) => return Err(error),
            }
        }
        Ok(folding.end())
    }

    /// How many tests came to what.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.tests.iter().for_each(|test| counts.add(test.end.outcome));
        counts
    }

    /// What all model calls came to.
    pub fn spending(&self) -> Spending {
        let spendings = self.tests.iter().filter_map(|test| test.end.spending.as_ref());
        let rest = self.finished.as_ref().and_then(|finished| finished.spending.as_ref());
        spendings.chain(rest).fold(Spending::default(), |sum, spending| sum.plus(spending))
    }

    /// How long it took, in seconds: where the end is not known, as long as its tests did.
    pub fn duration_seconds(&self) -> f64 {
        match &self.finished {
            Some(finished) => finished.duration_seconds,
            // No time at all is not less than that, though a sum of nothing has a sign.
            None => self.tests.iter().map(|test| test.end.duration_seconds).sum::<f64>() + 0.0,
        }
    }

    /// Whether all went well: there were tests, they had their turn, nothing is red, and pytest says so, too.
    pub fn is_green(&self) -> bool {
        let Counts { failed, errors, inconclusive, .. } = self.counts();
        let is_whole = self.finished.as_ref().is_some_and(|finished| {
            finished.ending == RunEnding::Completed && finished.exit_code.is_none_or(|code| code == 0)
        });
        is_whole && !self.tests.is_empty() && failed + errors + inconclusive == 0
    }
}

/// Events as they come.
#[derive(Default)]
struct Folding {
    run: Run,
    /// Where each test is that is not over, and how it began.
    open: HashMap<String, (usize, TestStarted)>,
    /// What agents did in tests that are not over.
    agents: HashMap<String, Vec<AgentRan>>,
    last_seen: f64,
}

impl Folding {
    fn take(&mut self, event: RunEvent) {
        match event {
            RunEvent::RunStarted(started) => self.run.started = Some(started),
            RunEvent::TestsFound(found) => self.run.found = Some(found.count),
            RunEvent::TestStarted(started) => {
                self.last_seen = started.at;
                // One that begins again before it is over is tried again.
                let place = match self.open.get(&started.test) {
                    Some((place, _)) => *place,
                    None => self.place(unfinished(&started, 0.0)),
                };
                self.open.insert(started.test.clone(), (place, started));
            }
            RunEvent::AgentRan(ran) => self.agents.entry(ran.test.clone()).or_default().push(ran),
            RunEvent::TestFinished(end) => {
                self.last_seen = end.at;
                self.finish(*end);
            }
            RunEvent::RunFinished(finished) => self.run.finished = Some(finished),
        }
    }

    fn place(&mut self, end: TestFinished) -> usize {
        self.run.tests.push(Test { end, agents: Vec::new() });
        self.run.tests.len() - 1
    }

    /// A test is over. One that did not begin since another of its name was over is another one: no test may take the
    /// place of one that failed.
    fn finish(&mut self, end: TestFinished) {
        let agents = self.agents.remove(&end.test).unwrap_or_default();
        let place = match self.open.remove(&end.test) {
            Some((place, _)) => place,
            None => self.place(end.clone()),
        };
        self.run.tests[place] = Test { end, agents };
    }

    fn end(mut self) -> Run {
        for (test, (place, started)) in self.open {
            let agents = self.agents.remove(&test).unwrap_or_default();
            let end = unfinished(&started, (self.last_seen - started.at).max(0.0));
            self.run.tests[place] = Test { end, agents };
        }
        self.run
    }
}

/// A test that began and did not end.
fn unfinished(started: &TestStarted, duration_seconds: f64) -> TestFinished {
    let message = "the run ended before this test did";
    let text = format!(
        "{message}: it was interrupted, or its process was killed (out of memory, a crash in native code, a time limit)."
    );
    TestFinished::without_end(started, duration_seconds, message.to_owned(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Run {
        Run::read(&lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap()
    }

    const STARTED: &str = r#"{"event":"test_started","at":1.0,"test":"a"}"#;
    const RAN: &str = r#"{"event":"agent_ran","test":"a","trajectory":{}}"#;
    const PASSED: &str =
        r#"{"event":"test_finished","at":2.0,"test":"a","outcome":"passed","duration_seconds":1.0}"#;
    const FAILED: &str =
        r#"{"event":"test_finished","at":3.0,"test":"a","outcome":"failed","duration_seconds":1.0}"#;
    const ENDED: &str = r#"{"event":"run_finished","at":4.0,"duration_seconds":4.0,"ending":"completed"}"#;

    #[test]
    fn a_run_is_green_when_it_came_to_its_end_and_nothing_is_red() {
        let run = lines(&[STARTED, RAN, PASSED, ENDED]);
        assert!(run.is_green());
        assert_eq!((run.tests.len(), run.tests[0].agents.len()), (1, 1));
        assert!(!lines(&[STARTED, RAN, PASSED]).is_green(), "it was killed");
        assert!(!lines(&[ENDED]).is_green(), "nothing ran");
        assert!(!lines(&[STARTED, FAILED, ENDED]).is_green());
        let refused = ENDED.replace('}', r#","exit_code":1}"#);
        assert!(!lines(&[STARTED, PASSED, &refused]).is_green(), "coverage was too low, for one");
    }

    #[test]
    fn no_test_takes_the_place_of_another_of_its_name() {
        let run = lines(&[STARTED, RAN, FAILED, STARTED, PASSED, ENDED]);
        assert_eq!((run.counts().passed, run.counts().failed, run.is_green()), (1, 1, false));
        assert_eq!((run.tests[0].agents.len(), run.tests[1].agents.len()), (1, 0));
        assert_eq!(lines(&[FAILED, PASSED, ENDED]).counts(), run.counts());
    }

    #[test]
    fn a_test_that_begins_again_before_it_is_over_is_one_test() {
        let run = lines(&[STARTED, STARTED, PASSED, ENDED]);
        assert_eq!((run.tests.len(), run.is_green()), (1, true));
        assert_eq!(lines(&[STARTED, STARTED]).counts().errors, 1);
    }

    #[test]
    fn a_line_that_was_cut_off_at_the_end_is_passed_over_and_one_in_the_middle_is_not() {
        let cut = &PASSED[..30];
        assert_eq!(Run::read(&format!("{STARTED}\n{cut}")).unwrap().counts().errors, 1);
        assert!(Run::read(&format!("{STARTED}\n{cut}\n{ENDED}\n")).is_err());
    }
}
