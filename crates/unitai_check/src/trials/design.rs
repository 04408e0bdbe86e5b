//! Which boundaries a sequential test gets.

use super::lattice::{Boundaries, Open, before_cap};

/// The most work the programme may be: runs times open numbers of passes. More takes over 50 ms.
const MOST_WORK: f64 = 1e6;

/// In how many steps the lines go from Wald's to Ville's.
const STEPS: u32 = 8;

/// What a test is asked for.
pub(super) struct Wanted {
    pub(super) p0: f64,
    pub(super) p1: f64,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) cap: i64,
    /// The passes of `cap` runs that reach the threshold.
    pub(super) required: i64,
}

impl Wanted {
    /// The boundaries, and whether the programme has proven them.
    pub(super) fn boundaries(&self) -> (Boundaries, bool) {
        let ville = self.lines(STEPS, STEPS);
        let open = (ville.pass_line - ville.fail_line).min(self.cap as f64);
        // Each run costs something, however few numbers of passes are open.
        if self.cap as f64 * (open + 16.0) > MOST_WORK {
            return (ville.ending_on_its_lines(), false);
        }
        // Wald's lines take the overshoot for nothing and know no cap, so that they can be a little too
        // near. The line that is goes outwards; at Ville's both hold in any case.
        let (mut upper, mut lower) = (0, 0);
        loop {
            let lines = self.lines(upper, lower);
            let (at_p0, open_p0) = before_cap(&lines, self.p0);
            let (at_p1, open_p1) = before_cap(&lines, self.p1);
            let (left_to_pass, left_to_fail) = (self.alpha - at_p0.passed, self.beta - at_p1.failed);
            let outwards = |step: u32, left: f64| (step + u32::from(left < 0.0)).min(STEPS);
            let next = (outwards(upper, left_to_pass), outwards(lower, left_to_fail));
            if next == (upper, lower) {
                let boundaries = match (open_p0, open_p1) {
                    (Some(at_p0), Some(at_p1)) => {
                        self.ended(lines, (&at_p0, left_to_pass), (&at_p1, left_to_fail))
                    }
                    _ => lines.ending_on_its_lines(),
                };
                return (boundaries, true);
            }
            (upper, lower) = next;
        }
    }

    /// The lines, so many steps on the way from Wald's to Ville's.
    fn lines(&self, upper: u32, lower: u32) -> Boundaries {
        let gain = (self.p1 / self.p0).ln();
        let loss = ((1.0 - self.p0) / (1.0 - self.p1)).ln();
        let on_the_way =
            |wald: f64, ville: f64, step: u32| wald + (ville - wald) * f64::from(step) / f64::from(STEPS);
        let upper = on_the_way(((1.0 - self.beta) / self.alpha).ln(), (1.0 / self.alpha).ln(), upper);
        let lower = on_the_way((self.beta / (1.0 - self.alpha)).ln(), self.beta.ln(), lower);
        Boundaries {
            slope: loss / (gain + loss),
            pass_line: upper / (gain + loss),
            fail_line: lower / (gain + loss),
            cap: self.cap,
            last_pass: i64::MAX,
            last_fail: i64::MIN,
        }
    }

    /// Lines with a last word, for what is still open at the cap and what is left of the error rates.
    fn ended(
        &self,
        lines: Boundaries,
        (open_p0, alpha): (&Open, f64),
        (open_p1, beta): (&Open, f64),
    ) -> Boundaries {
        let passes = fitting(open_p0.weights.iter().rev(), alpha);
        let fails = fitting(open_p1.weights.iter(), beta);
        let least_pass = open_p0.least + open_p0.weights.len() as i64 - passes;
        let most_fail = open_p1.least - 1 + fails;
        let (last_fail, last_pass) = if most_fail < least_pass {
            (most_fail, least_pass)
        } else {
            // Both verdicts keep their error rate here, so it is the one that the plain rate gives.
            let pass = self.required.clamp(least_pass, most_fail + 1);
            (pass - 1, pass)
        };
        Boundaries { last_fail, last_pass, ..lines }
    }
}

/// How many of the weights, from the first on, weigh no more than `left` together.
fn fitting<'a>(weights: impl Iterator<Item = &'a f64>, left: f64) -> i64 {
    let sums = weights.scan(0.0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= left).count() as i64
}
