//! Numbers as a person reads them.

use unitai_model::Utc;

use crate::words::thousands;

/// `1 step`, `2 steps`.
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// `12 ms`, `1.23 s`, `2 min 5 s`, `1 h 2 min`.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".to_owned();
    }
    match seconds {
        0.0..0.0009995 => format!("{:.2} ms", seconds * 1e3),
        0.0..0.00995 => format!("{:.1} ms", seconds * 1e3),
        0.0..0.9995 => format!("{:.0} ms", seconds * 1e3),
        0.0..9.995 => format!("{seconds:.2} s"),
        0.0..59.95 => format!("{seconds:.1} s"),
        _ => {
            let whole = seconds.round() as u64;
            match (whole / 3600, whole / 60 % 60, whole % 60) {
                (0, minutes, 0) => format!("{minutes} min"),
                (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
                (hours, minutes, _) => format!("{} h {minutes} min", thousands(hours)),
            }
        }
    }
}

/// `92.5%`, `100%`. What is not all is not shown as all, and what is not nothing not as nothing.
pub(super) fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "unknown".to_owned();
    }
    let percent = share * 100.0;
    let text = format!("{percent:.1}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "100" if percent < 100.0 => "99.9%".to_owned(),
        "0" if percent > 0.0 => "0.1%".to_owned(),
        text => format!("{text}%"),
    }
}

/// `2026-11-15 18:30:00 UTC`; `None` for what is no time.
pub(super) fn moment(seconds: f64) -> Option<String> {
    let is_time = seconds.is_finite() && (0.0..1e12).contains(&seconds);
    let text = is_time.then(|| Utc::of_seconds(seconds as u64).to_string())?;
    Some(text.replace('T', " ").replace("+00:00", " UTC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            (counted(1, "test", "tests"), counted(2000, "test", "tests")),
            ("1 test".to_owned(), "2,000 tests".to_owned())
        );
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        let shown = [0.0, 0.0004, 0.0123, 0.9996, 1.234, 12.34, 59.99, 125.0, 3600.0, 7384.0].map(duration);
        let expected = [
            "0.00 ms",
            "0.40 ms",
            "12 ms",
            "1.00 s",
            "1.23 s",
            "12.3 s",
            "1 min",
            "2 min 5 s",
            "1 h 0 min",
            "2 h 3 min",
        ];
        assert_eq!(shown, expected);
        assert_eq!([f64::NAN, -1.0].map(duration), ["unknown", "unknown"]);
    }

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        let shown = [0.0, 0.0001, 0.5, 0.925, 0.9999, 1.0].map(percent);
        assert_eq!(shown, ["0%", "0.1%", "50%", "92.5%", "99.9%", "100%"]);
    }

    #[test]
    fn a_moment_is_told_in_utc() {
        assert_eq!(moment(1_763_231_400.7).as_deref(), Some("2025-11-15 18:30:00 UTC"));
        assert_eq!([f64::NAN, 1e300].map(moment), [None, None]);
    }
}
