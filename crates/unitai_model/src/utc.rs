//! A moment as people write it.

/// A moment of universal time, to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utc {
    year: u64,
    month: u64,
    day: u64,
    second: u64,
}

impl Utc {
    /// So many seconds after the beginning of 1970. What is beyond the year 9999 is its end.
    pub fn of_seconds(seconds: u64) -> Utc {
        let seconds = seconds.min(253_402_300_799);
        let (mut year, mut month, mut day) = (1970, 1, seconds / 86_400);
        while day >= length_of_year(year) {
            day -= length_of_year(year);
            year += 1;
        }
        while day >= length_of_month(year, month) {
            day -= length_of_month(year, month);
            month += 1;
        }
        Utc { year, month, day: day + 1, second: seconds % 86_400 }
    }

    /// Without anything between the parts: fit for the name of a file, and sorted as time is.
    ///
    /// ```
    /// assert_eq!(unitai_model::Utc::of_seconds(1_763_231_400).compact(), "20251115T183000Z");
    /// ```
    pub fn compact(self) -> String {
        let (hour, minute, second) = self.clock();
        format!("{:04}{:02}{:02}T{hour:02}{minute:02}{second:02}Z", self.year, self.month, self.day)
    }

    fn clock(self) -> (u64, u64, u64) {
        (self.second / 3600, self.second / 60 % 60, self.second % 60)
    }
}

impl std::fmt::Display for Utc {
    /// As in `2025-11-15T18:30:00+00:00`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (hour, minute, second) = self.clock();
        let Utc { year, month, day, .. } = self;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00")
    }
}

fn is_leap(year: u64) -> bool {
    (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400)
}

fn length_of_year(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn length_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_years_and_the_ends_of_things() {
        let times = [
            (0, "1970-01-01T00:00:00+00:00"),
            (951_782_399, "2000-02-28T23:59:59+00:00"),
            (951_782_400, "2000-02-29T00:00:00+00:00"),
            (1_709_251_199, "2024-02-29T23:59:59+00:00"),
            (1_735_689_599, "2024-12-31T23:59:59+00:00"),
            (4_107_542_400, "2100-03-01T00:00:00+00:00"),
            (u64::MAX, "9999-12-31T23:59:59+00:00"),
        ];
        for (seconds, text) in times {
            assert_eq!(Utc::of_seconds(seconds).to_string(), text);
        }
    }
}
