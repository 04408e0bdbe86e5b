//! The types that a pattern can name, and which values are of them.

use unitai_model::value::Value;

/// A type of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Number,
    Int,
    Bool,
    List,
    Object,
    Null,
    NotNull,
    Any,
    Uuid,
    Date,
    DateTime,
    Email,
    Url,
}

/// Each with its name in patterns and its name in messages.
pub(super) const KINDS: [(Kind, &str, &str); 14] = [
    (Kind::String, "string", "a string"),
    (Kind::Number, "number", "a number"),
    (Kind::Int, "int", "a whole number"),
    (Kind::Bool, "bool", "true or false"),
    (Kind::List, "list", "a list"),
    (Kind::Object, "object", "an object"),
    (Kind::Null, "null", "null"),
    (Kind::NotNull, "notnull", "anything but null"),
    (Kind::Any, "any", "anything"),
    (Kind::Uuid, "uuid", "a UUID"),
    (Kind::Date, "date", "a date such as 2026-11-30"),
    (Kind::DateTime, "datetime", "a date and time such as 2026-11-30T12:00:00Z"),
    (Kind::Email, "email", "an email address"),
    (Kind::Url, "url", "an address such as https://example.org"),
];

impl Kind {
    pub(super) fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    pub(super) fn described(self) -> &'static str {
        KINDS.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }

    /// Whether a value is of this type. True and false are no numbers.
    pub(super) fn fits(self, value: &Value) -> bool {
        let text = |fits: fn(&str) -> bool| matches!(value, Value::Str(text) if fits(text));
        match self {
            Kind::String => matches!(value, Value::Str(_) | Value::Surrogates(_)),
            Kind::Number => matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_)),
            Kind::Int => matches!(value, Value::Int(_) | Value::BigInt(_)),
            Kind::Bool => matches!(value, Value::Bool(_)),
            Kind::List => matches!(value, Value::List(_) | Value::Tuple(_)),
            Kind::Object => matches!(value, Value::Dict(_)),
            Kind::Null => *value == Value::Null,
            Kind::NotNull => *value != Value::Null,
            Kind::Any => true,
            Kind::Uuid => text(is_uuid),
            Kind::Date => text(is_date),
            Kind::DateTime => text(is_datetime),
            Kind::Email => text(is_email),
            Kind::Url => text(is_url),
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// ISO 8601 as machines write it: `T` or a space, seconds and their fraction may be missing, and so may the zone.
fn is_datetime(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't', ' ']) else { return false };
    let zone_at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone_at);
    is_date(date) && is_time(time) && is_zone(zone)
}

fn is_time(time: &str) -> bool {
    let (clock, fraction) = time.split_once(['.', ',']).map_or((time, None), |(clock, it)| (clock, Some(it)));
    let parts: Vec<Option<u32>> = clock.split(':').map(|part| digits(part, 2)).collect();
    let fraction_fits = fraction
        .is_none_or(|it| parts.len() == 3 && !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()));
    // A leap second is a second too.
    let clock_fits = match parts.as_slice() {
        [Some(hour), Some(minute)] => *hour < 24 && *minute < 60,
        [Some(hour), Some(minute), Some(second)] => *hour < 24 && *minute < 60 && *second <= 60,
        _ => false,
    };
    clock_fits && fraction_fits
}

fn is_zone(zone: &str) -> bool {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return true;
    }
    let Some(offset) = zone.strip_prefix(['+', '-']) else { return false };
    let (hours, minutes) = match offset.split_once(':') {
        Some((hours, minutes)) => (digits(hours, 2), digits(minutes, 2)),
        None if offset.len() == 2 => (digits(offset, 2), Some(0)),
        None => match digits(offset, 4) {
            Some(both) => (Some(both / 100), Some(both % 100)),
            None => (None, None),
        },
    };
    hours.is_some_and(|it| it < 24) && minutes.is_some_and(|it| it < 60)
}

/// One `@` with something plausible on both sides. Whether mail arrives is another question.
fn is_email(text: &str) -> bool {
    let Some((who, host)) = text.rsplit_once('@') else { return false };
    let plain =
        |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
    plain(who)
        && !who.contains('@')
        && !who.starts_with('.')
        && !who.ends_with('.')
        && plain(host)
        && is_host(host)
        && host.contains('.')
}

fn is_host(host: &str) -> bool {
    host.split('.').all(|label| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    })
}

/// A scheme, `://` and something after it.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let scheme_fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host_fits = host_end > 0 || scheme.eq_ignore_ascii_case("file");
    scheme_fits
        && host_fits
        && !rest.is_empty()
        && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_of_their_types() {
        for (kind, good, bad) in [
            (
                Kind::Uuid,
                vec!["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
                vec!["", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"],
            ),
            (
                Kind::Date,
                vec!["2026-11-30", "2024-02-29"],
                vec!["2026-02-29", "2026-13-01", "2026-1-1", "30.11.2026", "2026-11-30T00:00"],
            ),
            (
                Kind::DateTime,
                vec![
                    "2026-11-30T12:00:00Z",
                    "2026-11-30 12:00",
                    "2026-11-30T12:00:00.123+02:00",
                    "2026-11-30T12:00:60-0130",
                ],
                vec![
                    "2026-11-30",
                    "2026-11-30T24:00:00Z",
                    "2026-11-30T12:00:00.Z",
                    "2026-11-30T12:00:00+2",
                    "2026-02-30T12:00",
                    "2026-11-30T12:00Zebra",
                ],
            ),
            (
                Kind::Email,
                vec!["ann@example.org", "a.b+c@x-y.example.org"],
                vec!["ann", "@example.org", "ann@", "a@b@c.d", "ann@host", "a b@c.de", "a@c..de"],
            ),
            (
                Kind::Url,
                vec!["https://example.org", "http://localhost:8080/a?b#c", "file:///tmp"],
                vec!["example.org", "http://", "http:///x", "://x", "http://a b"],
            ),
        ] {
            for text in good {
                assert!(kind.fits(&Value::Str(text.into())), "{kind:?} {text}");
            }
            for text in bad {
                assert!(!kind.fits(&Value::Str(text.into())), "{kind:?} {text}");
            }
            assert!(!kind.fits(&Value::Int(1)));
        }
        assert!(Kind::Number.fits(&Value::Float(1.0)) && !Kind::Number.fits(&Value::Bool(true)));
        assert!(Kind::Int.fits(&Value::Int(1)) && !Kind::Int.fits(&Value::Float(1.0)));
        assert!(Kind::NotNull.fits(&Value::Int(0)) && !Kind::NotNull.fits(&Value::Null));
    }
}
