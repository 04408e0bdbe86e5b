//! The programme over the lattice of runs and passes: what becomes of a sequential test, exactly.

use super::plan::Standing;

/// Where a test stops: two parallel lines over the number of runs, and a last word at the cap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Boundaries {
    /// What both lines gain with each run.
    pub(super) slope: f64,
    /// The passes at which the line to pass begins; infinite for no line.
    pub(super) pass_line: f64,
    /// The passes at which the line to fail begins.
    pub(super) fail_line: f64,
    /// The most runs.
    pub(super) cap: i64,
    /// The least passes that pass at the cap.
    pub(super) last_pass: i64,
    /// The most passes that fail at the cap. Less than `last_pass`; what is between stays unsettled.
    pub(super) last_fail: i64,
}

impl Boundaries {
    /// The most passes that fail and the least that pass after `runs`.
    ///
    /// What the last word will be in any case is said at once: it shortens the test and changes no verdict.
    pub(super) fn at(&self, runs: i64) -> (i64, i64) {
        if runs >= self.cap {
            return (self.last_fail, self.last_pass);
        }
        let (fail, pass) = self.lines(runs);
        (fail.max(self.last_fail - (self.cap - runs)), pass.min(self.last_pass))
    }

    fn lines(&self, runs: i64) -> (i64, i64) {
        let rise = self.slope * runs as f64;
        ((self.fail_line + rise).floor() as i64, (self.pass_line + rise).ceil() as i64)
    }

    /// The same with no last word but that of the lines.
    pub(super) fn ending_on_its_lines(self) -> Boundaries {
        let (last_fail, last_pass) = self.lines(self.cap);
        Boundaries { last_fail, last_pass, ..self }
    }

    /// Where a test stands.
    pub(super) fn standing(&self, runs: i64, passes: i64) -> Standing {
        let runs = runs.min(self.cap);
        let (fail, pass) = self.at(runs);
        if passes >= pass {
            Standing::Passed
        } else if passes <= fail {
            Standing::Failed
        } else if self.lost(runs).contains(&passes) {
            Standing::Unsettled
        } else {
            Standing::Open
        }
    }

    /// The passes after `runs` from which neither boundary can be reached.
    fn lost(&self, runs: i64) -> std::ops::Range<i64> {
        self.last_fail + 1..self.last_pass - (self.cap - runs)
    }
}

/// What becomes of a test at one true rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Course {
    /// The probability that it passes.
    pub passed: f64,
    /// The probability that it fails.
    pub failed: f64,
    /// The probability that it is settled neither way.
    pub unsettled: f64,
    /// How many runs it takes on average.
    pub runs: f64,
}

/// What becomes of a test with these boundaries at a true rate.
pub(super) fn course(boundaries: &Boundaries, rate: f64) -> Course {
    let (mut course, mut open) = reaching(boundaries, rate, boundaries.cap);
    course.settle(&mut open, boundaries, boundaries.cap);
    course
}

/// What has become of a test before its last of so many runs is judged, and how the passes are spread then.
pub(super) fn reaching(boundaries: &Boundaries, rate: f64, runs: i64) -> (Course, Open) {
    let mut course = Course::default();
    let mut open = Open::start();
    for run in 0..runs {
        course.settle(&mut open, boundaries, run);
        let weight = open.weight();
        // What is left weighs less than the rounding of what is settled.
        if weight < 1e-18 {
            open.weights.clear();
            break;
        }
        course.runs += weight;
        open.run(rate);
    }
    (course, open)
}

impl Course {
    /// Takes what the boundaries settle after so many runs.
    fn settle(&mut self, open: &mut Open, boundaries: &Boundaries, runs: i64) {
        let (fail, pass) = boundaries.at(runs);
        self.failed += open.take(i64::MIN..fail + 1);
        self.passed += open.take(pass..i64::MAX);
        self.unsettled += open.take(boundaries.lost(runs));
    }
}

/// What is settled by the lines before the cap at a true rate, and how the passes are spread at the cap
/// among what is not; `None` if the lines settle everything.
pub(super) fn before_cap(boundaries: &Boundaries, rate: f64) -> (Course, Option<Open>) {
    let mut course = Course::default();
    let mut open = Open::start();
    for runs in 1..boundaries.cap {
        // Less than this is nothing, and would go on as numbers that are slow to compute with.
        if open.weight() < 1e-30 {
            open.weights.fill(0.0);
        }
        open.run(rate);
        let (fail, pass) = boundaries.lines(runs);
        course.failed += open.take(i64::MIN..fail.saturating_add(1));
        course.passed += open.take(pass..i64::MAX);
        if open.weights.is_empty() {
            return (course, None);
        }
    }
    open.run(rate);
    (course, Some(open))
}

/// The probability of each number of passes among tests that are still open.
#[derive(Debug, Clone)]
pub(super) struct Open {
    /// The least number of passes.
    pub(super) least: i64,
    /// The weight of that number and of those after it.
    pub(super) weights: Vec<f64>,
}

impl Open {
    fn start() -> Open {
        Open { least: 0, weights: vec![1.0] }
    }

    fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// One run more.
    fn run(&mut self, rate: f64) {
        let mut below = 0.0;
        for weight in &mut self.weights {
            let here = *weight;
            *weight = here * (1.0 - rate) + below * rate;
            below = here;
        }
        self.weights.push(below * rate);
    }

    /// Takes out what has a number of passes in this range.
    pub(super) fn take(&mut self, passes: std::ops::Range<i64>) -> f64 {
        let length = self.weights.len() as i64;
        let from = passes.start.saturating_sub(self.least).clamp(0, length) as usize;
        let to = passes.end.saturating_sub(self.least).clamp(from as i64, length) as usize;
        let taken = self.weights[from..to].iter().sum();
        if to == self.weights.len() {
            self.weights.truncate(from);
        } else if from == 0 {
            self.weights.drain(..to);
            self.least += to as i64;
        } else {
            self.weights[from..to].fill(0.0);
        }
        taken
    }
}
