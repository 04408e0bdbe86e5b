//! What a judge said, counted by what people say.

use unitai_check::trials::{Interval, clopper_pearson};
use unitai_spec::run::Answer;

use super::Kappa;

/// The share of the time in which an interval holds the truth.
pub(super) const CONFIDENCE: f64 = 0.95;

/// What a judge said where people say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Row {
    /// How often it said yes.
    pub yes: u64,
    /// How often it said no.
    pub no: u64,
    /// How often it did not know.
    pub unknown: u64,
}

impl Row {
    /// How often it was asked.
    pub fn asked(self) -> u64 {
        self.yes + self.no + self.unknown
    }
}

/// What a judge said, by what people say.
///
/// Who does not know has not agreed: an unknown counts against TPR, TNR, accuracy and kappa, and is told apart besides, as
/// abstention.
///
/// ```
/// use unitai_judge::calibration::{Row, Table};
/// let table = Table { yes: Row { yes: 18, no: 1, unknown: 1 }, no: Row { yes: 3, no: 15, unknown: 2 } };
/// assert_eq!(table.tpr().value(), Some(0.9));
/// assert_eq!(table.tnr().value(), Some(0.75));
/// assert_eq!(table.abstention().hits, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Table {
    /// Where people say yes.
    pub yes: Row,
    /// Where people say no.
    pub no: Row,
}

impl Table {
    /// Counts one answer.
    pub fn add(&mut self, is_yes: bool, answer: Answer) {
        let row = if is_yes { &mut self.yes } else { &mut self.no };
        match answer {
            Answer::Yes => row.yes += 1,
            Answer::No => row.no += 1,
            Answer::Unknown => row.unknown += 1,
        }
    }

    /// How often it was asked.
    pub fn asked(&self) -> u64 {
        self.yes.asked() + self.no.asked()
    }

    /// How often it says yes where people do.
    pub fn tpr(&self) -> Rate {
        Rate { hits: self.yes.yes, of: self.yes.asked() }
    }

    /// How often it says no where people do.
    pub fn tnr(&self) -> Rate {
        Rate { hits: self.no.no, of: self.no.asked() }
    }

    /// How often it says what people say. Flatters a judge that always says the same where most labels are the same:
    /// look at the others first.
    pub fn accuracy(&self) -> Rate {
        Rate { hits: self.yes.yes + self.no.no, of: self.asked() }
    }

    /// How often it does not know.
    pub fn abstention(&self) -> Rate {
        Rate { hits: self.yes.unknown + self.no.unknown, of: self.asked() }
    }

    /// How far it agrees with people beyond chance. None where there is nothing beyond chance: nothing was asked, or all
    /// labels and all answers are the same.
    pub fn kappa(&self) -> Option<Kappa> {
        Kappa::of(self)
    }
}

/// How often something came of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How often it came.
    pub hits: u64,
    /// Of how many.
    pub of: u64,
}

impl Rate {
    /// The share; none of nothing.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// The exact interval in which the true share lies, with a confidence of 95%.
    pub fn interval(self) -> Interval {
        clopper_pearson(self.hits, self.of, CONFIDENCE)
    }
}
