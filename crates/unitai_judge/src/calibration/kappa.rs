//! Cohen's kappa: how far two agree beyond what chance would give them.

use unitai_check::trials::{Interval, clopper_pearson, deviations};

use super::Table;
use super::table::CONFIDENCE;

/// Cohen's kappa of a judge and people: 1 is agreement in everything, 0 what chance gives, less than 0 is worse than that.
///
/// A judge that always says yes has 0, whatever share of the labels is yes:
///
/// ```
/// use unitai_judge::calibration::{Row, Table};
/// let credulous = Table { yes: Row { yes: 90, ..Row::default() }, no: Row { yes: 10, ..Row::default() } };
/// assert_eq!(credulous.accuracy().value(), Some(0.9));
/// assert_eq!(credulous.kappa().map(|it| it.value), Some(0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kappa {
    /// The estimate.
    pub value: f64,
    /// Its standard error, of Fleiss, Cohen and Everitt (1969). It is 0 where the agreement is complete, which proves nothing.
    pub standard_error: f64,
    /// Where the true one lies, with a confidence of 95%.
    pub interval: Interval,
}

impl Kappa {
    /// Of people who say yes or no, and a judge who may also not know: a third answer, with which nobody can agree.
    pub(super) fn of(table: &Table) -> Option<Kappa> {
        let asked = table.asked();
        if asked == 0 {
            return None;
        }
        let share = |count: u64| count as f64 / asked as f64;
        // Rows are people's answers, columns the judge's: yes, no, unknown.
        let cells = [table.yes, table.no].map(|row| [row.yes, row.no, row.unknown].map(share));
        let people = [share(table.yes.asked()), share(table.no.asked()), 0.0];
        let judge = [0, 1, 2].map(|column| cells[0][column] + cells[1][column]);
        let agreed = cells[0][0] + cells[1][1];
        let by_chance = people[0] * judge[0] + people[1] * judge[1];
        let beyond = 1.0 - by_chance;
        if beyond < f64::EPSILON {
            return None;
        }
        let value = (agreed - by_chance) / beyond;
        let mut same = 0.0;
        let mut other = 0.0;
        for (row, columns) in cells.iter().enumerate() {
            for (column, cell) in columns.iter().enumerate() {
                if row == column {
                    same += cell * (beyond - (people[row] + judge[row]) * (1.0 - agreed)).powi(2);
                } else {
                    other += cell * (judge[row] + people[column]).powi(2);
                }
            }
        }
        let rest = agreed * by_chance - 2.0 * by_chance + agreed;
        let variance =
            (same + (1.0 - agreed).powi(2) * other - rest.powi(2)) / (asked as f64 * beyond.powi(4));
        let standard_error = variance.max(0.0).sqrt();
        let reach = deviations(CONFIDENCE) * standard_error;
        let interval = if table.accuracy().hits == asked {
            // Without a disagreement there is no error to see. What could be hidden in so few questions is known exactly.
            let least = clopper_pearson(asked, asked, CONFIDENCE).low;
            Interval { low: ((least - by_chance) / beyond).max(-1.0), high: 1.0 }
        } else {
            Interval { low: (value - reach).max(-1.0), high: (value + reach).min(1.0) }
        };
        Some(Kappa { value, standard_error, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::Row;

    fn table(yes: [u64; 3], no: [u64; 3]) -> Table {
        let row = |[yes, no, unknown]: [u64; 3]| Row { yes, no, unknown };
        Table { yes: row(yes), no: row(no) }
    }

    /// The first three are examples of textbooks; the standard errors are those of statsmodels 0.14.
    #[test]
    fn it_is_what_others_compute() {
        for (yes, no, value, error) in [
            ([20, 5, 0], [10, 15, 0], 0.4, 0.126_996_062_931_100_33),
            ([45, 15, 0], [25, 15, 0], 0.130_434_782_608_695_54, 0.098_661_537_623_439_6),
            ([25, 35, 0], [5, 35, 0], 0.259_259_259_259_259_24, 0.077_159_731_744_445_72),
            ([22, 2, 0], [4, 12, 0], 0.680_851_063_829_787_2, 0.119_054_954_878_821_83),
            ([18, 2, 0], [3, 17, 0], 0.75, 0.104_451_693_380_241_57),
            ([18, 1, 1], [3, 15, 2], 0.674_418_604_651_162_7, 0.103_417_231_720_831_27),
        ] {
            let kappa = table(yes, no).kappa().unwrap();
            assert!((kappa.value - value).abs() < 1e-12, "{yes:?} {no:?}: {kappa:?}");
            assert!((kappa.standard_error - error).abs() < 1e-12, "{yes:?} {no:?}: {kappa:?}");
            assert!((kappa.interval.high - kappa.value - 1.959_964 * error).abs() < 1e-6, "{kappa:?}");
        }
    }

    #[test]
    fn who_always_says_the_same_has_none() {
        for (yes, no) in [([9, 0, 0], [1, 0, 0]), ([0, 9, 0], [0, 1, 0]), ([0, 0, 5], [0, 0, 5])] {
            let kappa = table(yes, no).kappa().unwrap();
            assert!(kappa.value.abs() < 1e-12 && kappa.standard_error < 1e-6, "{yes:?} {no:?}: {kappa:?}");
        }
    }

    #[test]
    fn complete_agreement_over_few_questions_proves_little() {
        let few = table([3, 0, 0], [0, 3, 0]).kappa().unwrap();
        let many = table([300, 0, 0], [0, 300, 0]).kappa().unwrap();
        assert_eq!((few.value, few.interval.high, many.value), (1.0, 1.0, 1.0));
        // 6 of 6: the exact interval begins at 0.025 to the power of a sixth, 0.5407; chance gives a half.
        assert!((few.interval.low - (0.025f64.powf(1.0 / 6.0) - 0.5) / 0.5).abs() < 1e-9, "{few:?}");
        assert!(many.interval.low > 0.98, "{many:?}");
    }

    #[test]
    fn complete_disagreement_is_worse_than_chance() {
        assert_eq!(table([0, 10, 0], [10, 0, 0]).kappa().unwrap().value, -1.0);
    }

    #[test]
    fn where_there_is_nothing_beyond_chance_there_is_no_kappa() {
        assert_eq!(Table::default().kappa(), None);
        assert_eq!(table([5, 0, 0], [0, 0, 0]).kappa(), None);
        assert_eq!(table([0, 0, 0], [0, 5, 0]).kappa(), None);
    }
}
