//! The runs of one repeated test as they come in: which is next, when there have been enough, and what they come to.

use unitai_model::event::IntervalBasis;

use super::{Claim, Plan, Standing, clopper_pearson, required, stopped};

/// What came of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All that was expected was true.
    Passed,
    /// Something was not.
    Failed,
    /// Something around the test was not as needed: it decided nothing.
    Inconclusive,
}

/// What the runs come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As many runs passed as must.
    Passed,
    /// They did not.
    Failed,
    /// Too little is known. Not the same as passed.
    Inconclusive,
}

/// How many runs came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Runs that passed.
    pub passed: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that decided nothing.
    pub inconclusive: u64,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Inconclusive => self.inconclusive += 1,
        }
    }

    /// All runs.
    pub fn runs(&self) -> u64 {
        self.passed + self.failed + self.inconclusive
    }
}

/// The runs of one test. Runs may end in any order; a plan that may stop before the last reads them in theirs. A test
/// that stops on whatever ends first asks the quick ones alone, and what it counts depends on how many are under way.
///
/// ```
/// use unitai_check::trials::{Outcome, Plan, Series, Verdict};
/// let mut series = Series::new(10, 0.8, Plan::Early, None);
/// while let Some(run) = series.take() {
///     series.settle(run, if run < 3 { Outcome::Failed } else { Outcome::Passed });
/// }
/// assert_eq!(series.tally().runs(), 3, "three failures of ten cannot be made good");
/// assert_eq!(series.verdict(), Verdict::Failed);
/// ```
#[derive(Debug)]
pub struct Series {
    n: u64,
    threshold: f64,
    plan: Plan,
    least: u64,
    taken: u64,
    /// How many runs a plan that may stop can be ahead of the first that has not ended.
    abreast: u64,
    stopped: bool,
    outcomes: Vec<Option<Outcome>>,
    all: Tally,
    /// The runs from the first on without a gap: what a plan that may stop has read.
    read: Tally,
    settled: Option<Verdict>,
}

impl Series {
    /// A series of at most `n` runs, of which `least` must come to a verdict (four fifths unless given).
    pub fn new(n: u64, threshold: f64, plan: Plan, least: Option<u64>) -> Series {
        Series {
            n,
            threshold,
            plan,
            least: least.unwrap_or_else(|| required(n, 0.8)).min(n),
            taken: 0,
            abreast: u64::MAX,
            stopped: false,
            outcomes: Vec::new(),
            all: Tally::default(),
            read: Tally::default(),
            settled: None,
        }
    }

    /// Begins no run of a plan that may stop that is so far ahead of the first which has not ended: what it reads is read
    /// in order, and runs beyond the last that is needed are paid for nothing.
    pub fn abreast(mut self, runs: u64) -> Series {
        self.abreast = runs.max(1);
        self
    }

    /// Whether the next run may begin as soon as others have ended.
    pub fn must_wait(&self) -> bool {
        let is_ahead = self.taken >= self.read.runs().saturating_add(self.abreast);
        self.may_stop() && is_ahead && self.is_open() && self.taken < self.n
    }

    /// The index of the next run, unless there have been enough.
    pub fn take(&mut self) -> Option<u64> {
        if !self.is_open() || self.taken == self.n || self.must_wait() {
            return None;
        }
        self.taken += 1;
        self.outcomes.push(None);
        Some(self.taken - 1)
    }

    /// A run that was taken has ended. It counts once.
    pub fn settle(&mut self, run: u64, outcome: Outcome) {
        let Some(place) = usize::try_from(run).ok().and_then(|run| self.outcomes.get_mut(run)) else {
            return;
        };
        if place.is_some() {
            return;
        }
        *place = Some(outcome);
        self.all.count(outcome);
        if self.may_stop() {
            self.read_on();
        }
    }

    /// Begins no further run.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether further runs may begin.
    pub fn is_open(&self) -> bool {
        !self.stopped && self.settled.is_none()
    }

    /// Whether the verdict cannot change any more, even if runs are still to come.
    pub fn is_settled(&self) -> bool {
        self.settled.is_some() || self.all.runs() == self.n || self.decided(self.tally()).is_some()
    }

    /// How many of the runs count, from the first on: those that were read, of a plan that may stop, and else all.
    pub fn counted(&self) -> u64 {
        self.tally().runs()
    }

    /// What came of the runs that count.
    pub fn tally(&self) -> Tally {
        if self.may_stop() { self.read } else { self.all }
    }

    /// What so many runs of this series prove about the threshold. The interval is that of a fixed number of runs only
    /// if the number was fixed.
    pub fn claim(&self, tally: Tally, confidence: f64) -> Claim {
        let Tally { passed, failed, .. } = tally;
        let runs = passed + failed;
        let missing = self.n.saturating_sub(tally.runs());
        let is_by_plan = missing == 0 || self.rule_standing(tally) != Standing::Open;
        let (interval, basis) = match &self.plan {
            Plan::All if missing == 0 => (clopper_pearson(passed, runs, confidence), IntervalBasis::FixedN),
            Plan::Early if is_by_plan => {
                let required = required(self.n, self.threshold);
                (
                    stopped::early_interval(self.n, required, passed, failed, confidence),
                    IntervalBasis::StoppingRule,
                )
            }
            Plan::Sequential(test) if is_by_plan => {
                (test.interval(passed, failed, confidence), IntervalBasis::StoppingRule)
            }
            _ => (
                stopped::unfinished_interval(passed, failed, missing, confidence),
                IntervalBasis::MissingRuns,
            ),
        };
        Claim::by(interval, basis, passed, runs, self.threshold, confidence)
    }

    /// What the runs come to. A series that was stopped before it was settled has come to nothing.
    pub fn verdict(&self) -> Verdict {
        let tally = self.tally();
        if let Some(verdict) = self.settled.or_else(|| self.decided(tally)) {
            return verdict;
        }
        if tally.runs() < self.n {
            return Verdict::Inconclusive;
        }
        match (self.standing(tally), &self.plan) {
            (Some(verdict), _) => verdict,
            // What a sequential test has not settled by its last run is not settled.
            (None, Plan::Sequential(_)) => Verdict::Inconclusive,
            (None, _) if tally.passed >= required(tally.passed + tally.failed, self.threshold) => {
                Verdict::Passed
            }
            (None, _) => Verdict::Failed,
        }
    }

    fn read_on(&mut self) {
        while self.settled.is_none() {
            let next = usize::try_from(self.read.runs()).unwrap_or(usize::MAX);
            let Some(Some(outcome)) = self.outcomes.get(next).copied() else { return };
            self.read.count(outcome);
            self.settled = self.standing(self.read);
        }
    }

    /// Whether further runs are left out once the verdict is known.
    fn may_stop(&self) -> bool {
        !matches!(self.plan, Plan::All)
    }

    /// The verdict that no further run can change, or that of too many lost ones.
    fn standing(&self, tally: Tally) -> Option<Verdict> {
        self.decided(tally).or_else(|| self.has_too_few(tally).then_some(Verdict::Inconclusive))
    }

    /// The verdict that no further run can change, whatever it comes to.
    fn decided(&self, tally: Tally) -> Option<Verdict> {
        match self.rule_standing(tally) {
            Standing::Passed => Some(Verdict::Passed),
            Standing::Failed => Some(Verdict::Failed),
            Standing::Unsettled => Some(Verdict::Inconclusive),
            Standing::Open => None,
        }
    }

    fn rule_standing(&self, tally: Tally) -> Standing {
        match &self.plan {
            _ if tally.passed + tally.failed == 0 => Standing::Open,
            Plan::Sequential(test) => test.standing(tally.passed, tally.failed),
            Plan::All | Plan::Early => super::early(self.n, self.threshold, tally.passed, tally.failed),
        }
    }

    /// Whether so many runs decided nothing that the rest cannot speak for all.
    fn has_too_few(&self, tally: Tally) -> bool {
        tally.inconclusive > self.n - self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(n: u64, threshold: f64, plan: Plan, outcomes: &[Outcome]) -> Series {
        let mut series = Series::new(n, threshold, plan, None);
        while let Some(run) = series.take() {
            series.settle(run, outcomes[run as usize]);
        }
        series
    }

    #[test]
    fn what_is_lost_leaves_the_denominator_until_too_little_is_left() {
        let with_lost = |lost: usize| {
            let outcomes: Vec<_> =
                (0..10).map(|run| if run < lost { Outcome::Inconclusive } else { Outcome::Passed }).collect();
            ended(10, 0.95, Plan::All, &outcomes).verdict()
        };
        assert_eq!(with_lost(2), Verdict::Passed);
        assert_eq!(with_lost(3), Verdict::Inconclusive);
    }

    #[test]
    fn a_plan_that_may_stop_does_not_run_ahead_of_a_slow_run() {
        let test =
            crate::trials::Sequential::new(0.8, 0.05, 0.05, crate::trials::Indifference::HalfWidth(0.1), 50)
                .unwrap();
        let mut series = Series::new(50, 0.8, Plan::Sequential(test), None).abreast(4);
        let taken: Vec<u64> = std::iter::from_fn(|| series.take()).collect();
        assert_eq!(taken, [0, 1, 2, 3]);
        series.settle(3, Outcome::Passed);
        assert!(series.must_wait() && series.take().is_none(), "the first has not ended");
        series.settle(0, Outcome::Passed);
        assert_eq!(series.take(), Some(4));
        assert_eq!(series.take(), None);
    }

    #[test]
    fn a_series_that_was_stopped_has_come_to_nothing() {
        let mut series = Series::new(10, 0.2, Plan::All, None);
        let run = series.take().unwrap();
        series.settle(run, Outcome::Passed);
        series.stop();
        assert_eq!(series.take(), None);
        assert!(!series.is_settled());
        assert_eq!(series.verdict(), Verdict::Inconclusive);
    }

    #[test]
    fn a_series_that_was_stopped_after_it_was_decided_keeps_its_verdict() {
        let mut series = Series::new(10, 0.9, Plan::All, None);
        for outcome in [Outcome::Failed, Outcome::Passed, Outcome::Failed] {
            assert!(!series.is_settled() && series.is_open());
            let run = series.take().unwrap();
            series.settle(run, outcome);
        }
        assert!(series.is_settled() && series.is_open(), "all runs are made unless something ends them");
        series.stop();
        assert_eq!((series.verdict(), series.counted()), (Verdict::Failed, 3));
    }

    #[test]
    fn one_run_is_made_even_where_none_must_pass() {
        let mut series = Series::new(10, 0.0, Plan::Early, None);
        let run = series.take().unwrap();
        series.settle(run, Outcome::Failed);
        assert_eq!(series.take(), None);
        assert_eq!(series.verdict(), Verdict::Passed);
    }
}
