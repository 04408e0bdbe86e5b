//! How old the prices of this release are.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use unitai_wire::meter::prices_as_of;

/// Prices that are older than this have probably changed.
const OLD: i64 = 90;

/// The price table's day.
#[derive(Debug, Serialize)]
pub(crate) struct Prices {
    pub(crate) as_of: &'static str,
    pub(crate) age_days: i64,
}

impl Prices {
    /// Of this release, today.
    pub(crate) fn today() -> Prices {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |span| span.as_secs());
        let today = i64::try_from(seconds / 86_400).unwrap_or(i64::MAX);
        let as_of = prices_as_of();
        Prices { as_of, age_days: day(as_of).map_or(0, |then| (today - then).max(0)) }
    }

    /// Whether they should not be relied on.
    pub(crate) fn are_old(&self) -> bool {
        self.age_days > OLD
    }
}

/// The days from 1970 to a day that is written as `2026-01-31`.
fn day(text: &str) -> Option<i64> {
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // Years begin in March: the day that is there only sometimes is then the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let in_year = (153 * month + 2) / 5 + day - 1;
    Some(year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for (text, days) in
            [("1970-01-01", 0), ("1970-03-01", 59), ("2000-02-29", 11_016), ("2026-11-15", 20_772)]
        {
            assert_eq!(day(text), Some(days), "{text}");
        }
        assert_eq!(day("soon"), None);
    }

    #[test]
    fn the_release_knows_its_day_and_90_days_are_not_old() {
        assert!(day(Prices::today().as_of).is_some());
        let aged = |age_days| Prices { as_of: "2026-01-31", age_days }.are_old();
        assert!(!aged(90) && aged(91));
    }
}
