//! Dates and times of YAML 1.1, as the text that Python's `isoformat` gives: tools are asked in JSON, which has none.

/// The ISO text of a plain scalar that is a date or a time; `None` of any other. What only looks like one (the 13th
/// month) stays the text that it is.
pub(super) fn iso(text: &str) -> Option<String> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || text.len() < 8 {
        return None;
    }
    let (year, rest) = number(text, 4..=4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 1..=2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 1..=2)?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year == 0 {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if rest.is_empty() {
        // Without a time, both numbers have two digits.
        return (text.len() == 10).then_some(date);
    }
    let time = rest.strip_prefix(['T', 't']).or_else(|| {
        let time = rest.trim_start_matches([' ', '\t']);
        (time.len() < rest.len()).then_some(time)
    })?;
    Some(format!("{date}T{}", clock(time)?))
}

fn clock(text: &str) -> Option<String> {
    let (hour, rest) = number(text, 1..=2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2..=2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2..=2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut out = format!("{hour:02}:{minute:02}:{second:02}");
    let rest = match rest.strip_prefix('.') {
        None => rest,
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            // Microseconds, cut as Python cuts them.
            let micros: String = rest[..end].chars().chain("000000".chars()).take(6).collect();
            if micros != "000000" {
                out.push('.');
                out.push_str(&micros);
            }
            &rest[end..]
        }
    };
    match rest.trim_start_matches([' ', '\t']) {
        "" if rest.is_empty() => {}
        "Z" => out.push_str("+00:00"),
        zone => out.push_str(&offset(zone)?),
    }
    Some(out)
}

fn offset(zone: &str) -> Option<String> {
    let sign = zone.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let (hours, rest) = number(&zone[1..], 1..=2)?;
    let minutes = match rest {
        "" => 0,
        rest => match number(rest.strip_prefix(':')?, 2..=2)? {
            (minutes, "") => minutes,
            _ => return None,
        },
    };
    (hours < 24 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// The number at the beginning of the text that has so many digits, and what follows.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let end = text.bytes().take(*digits.end()).take_while(u8::is_ascii_digit).count();
    if !digits.contains(&end) {
        return None;
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_the_text_that_python_gives() {
        for (text, expected) in [
            ("2024-01-01", "2024-01-01"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-14T21:59:43.100000-05:00"),
            ("2001-12-14 21:59:43.10 -5", "2001-12-14T21:59:43.100000-05:00"),
            ("2001-12-15 2:59:43.10", "2001-12-15T02:59:43.100000"),
            ("2001-1-2 2:59:43", "2001-01-02T02:59:43"),
            ("2001-12-14T21:59:43Z", "2001-12-14T21:59:43+00:00"),
            ("2001-12-14T21:59:43.0Z", "2001-12-14T21:59:43+00:00"),
            ("2001-12-14T21:59:43.1234567", "2001-12-14T21:59:43.123456"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_date_stays_as_it_is() {
        for text in [
            "2024-1-1",
            "2024-13-01",
            "2024-01-32",
            "0000-01-01",
            "2024-01-01x",
            "2024-01-01T",
            "2024-01-01T25:00:00",
            "2024-01-01T10:00",
            "20240101",
            "2024-01-01 ",
            "2024-01-01T10:00:00+5:0",
            "2024-01-01T10:00:00 ",
            "é024-01-01",
        ] {
            assert_eq!(iso(text), None, "{text}");
        }
    }
}
