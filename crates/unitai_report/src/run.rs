//! A run of tests, as its events tell it. Every report of a run is made from this.

use std::collections::{HashMap, HashSet};

use unitai_model::event::{
    AgentRan, EventError, Phase, RunEnding, RunEvent, RunFinished, RunStarted, Spending, TestFailure,
    TestFinished, TestOutcome, TestStarted,
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
    /// How often it was tried before, by a plugin that repeats what fails. The last time counts.
    pub reruns: u64,
}

/// How many tests came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// `passed`.
    pub passed: u64,
    /// `failed`.
    pub failed: u64,
    /// `error`.
    pub errors: u64,
    /// `inconclusive`.
    pub inconclusive: u64,
    /// `skipped`.
    pub skipped: u64,
    /// `xfailed`.
    pub xfailed: u64,
    /// `xpassed`.
    pub xpassed: u64,
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

    /// The run that these events tell of.
    pub fn of(events: impl IntoIterator<Item = RunEvent>) -> Run {
        let mut folding = Folding::default();
        events.into_iter().for_each(|event| folding.take(event));
        folding.end()
    }

    /// How many tests came to what.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for test in &self.tests {
            let count = match test.end.outcome {
                TestOutcome::Passed => &mut counts.passed,
                TestOutcome::Failed => &mut counts.failed,
                TestOutcome::Error => &mut counts.errors,
                TestOutcome::Inconclusive => &mut counts.inconclusive,
                TestOutcome::Skipped => &mut counts.skipped,
                TestOutcome::XFailed => &mut counts.xfailed,
                TestOutcome::XPassed => &mut counts.xpassed,
            };
            *count += 1;
        }
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
    /// Where each test is.
    places: HashMap<String, usize>,
    /// What agents did in tests that are not over.
    agents: HashMap<String, Vec<AgentRan>>,
    /// Tests that are not over.
    open: HashMap<String, TestStarted>,
    /// Tests that were over once.
    done: HashSet<String>,
    last_seen: f64,
}

impl Folding {
    fn take(&mut self, event: RunEvent) {
        match event {
            RunEvent::RunStarted(started) => self.run.started = Some(started),
            RunEvent::TestsFound(found) => self.run.found = Some(found.count),
            RunEvent::TestStarted(started) => {
                self.last_seen = started.at;
                self.place(&started.test);
                self.open.insert(started.test.clone(), started);
            }
            RunEvent::AgentRan(ran) => self.agents.entry(ran.test.clone()).or_default().push(ran),
            RunEvent::TestFinished(end) => {
                self.last_seen = end.at;
                self.finish(*end);
            }
            RunEvent::RunFinished(finished) => self.run.finished = Some(finished),
        }
    }

    /// The place of a test: that of its first event.
    fn place(&mut self, test: &str) -> usize {
        if let Some(place) = self.places.get(test) {
            return *place;
        }
        let place = self.run.tests.len();
        self.places.insert(test.to_owned(), place);
        self.run.tests.push(Test { end: unfinished(test, None, 0.0), agents: Vec::new(), reruns: 0 });
        place
    }

    fn finish(&mut self, end: TestFinished) {
        let is_again = !self.done.insert(end.test.clone());
        self.open.remove(&end.test);
        let place = self.place(&end.test);
        let agents = self.agents.remove(&end.test).unwrap_or_default();
        let test = &mut self.run.tests[place];
        test.reruns += u64::from(is_again);
        test.agents = agents;
        test.end = end;
    }

    fn end(mut self) -> Run {
        let open: Vec<TestStarted> = self.open.drain().map(|(_, started)| started).collect();
        for started in open {
            let place = self.place(&started.test);
            let end = unfinished(&started.test, Some(&started), (self.last_seen - started.at).max(0.0));
            self.run.tests[place].end = end;
            self.run.tests[place].agents = self.agents.remove(&started.test).unwrap_or_default();
        }
        self.run
    }
}

/// A test that began and did not end.
fn unfinished(test: &str, started: Option<&TestStarted>, duration_seconds: f64) -> TestFinished {
    let message = "the run ended before this test did".to_owned();
    let failure = TestFailure {
        phase: Phase::Call,
        text: format!(
            "{message}: it was interrupted, or its process was killed (out of memory, a crash in native code, a time limit)."
        ),
        message,
        report: None,
        broken: Vec::new(),
    };
    TestFinished {
        at: started.map_or(0.0, |started| started.at),
        test: test.to_owned(),
        file: started.and_then(|started| started.file.clone()),
        line: started.and_then(|started| started.line),
        outcome: TestOutcome::Error,
        duration_seconds,
        reason: None,
        failures: vec![failure],
        captured: Vec::new(),
        spending: None,
        statistics: None,
        worker: None,
    }
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
    fn the_last_try_of_a_test_counts() {
        let run = lines(&[STARTED, RAN, FAILED, STARTED, RAN, PASSED, ENDED]);
        assert_eq!((run.tests.len(), run.counts().passed), (1, 1));
        assert_eq!((run.tests[0].agents.len(), run.tests[0].reruns), (1, 1));
    }

    #[test]
    fn a_line_that_was_cut_off_at_the_end_is_passed_over_and_one_in_the_middle_is_not() {
        let cut = &PASSED[..30];
        assert_eq!(Run::read(&format!("{STARTED}\n{cut}")).unwrap().counts().errors, 1);
        assert!(Run::read(&format!("{STARTED}\n{cut}\n{ENDED}\n")).is_err());
    }
}
