//! Messages of failures with equal causes made equal.

use super::hiding::hidden;

/// The most characters of a message that people are shown.
const LONGEST: usize = 160;

/// The most characters of a line that are looked at.
const LOOKED_AT: usize = 1000;

/// The first line of a message that says something, without what differs from one time to the next: numbers,
/// ids, times and addresses are `#`, temporary files `<temp>`, long quotations `…`. Names stay.
///
/// Messages with equal causes become equal, and stay readable. Control characters go, but this is foreign
/// text all the same: show it through [`plain`](unitai_model::value::plain).
///
/// ```
/// use unitai_check::trials::normalised;
/// assert_eq!(normalised("order #4711 was refunded 3 times"), "order # was refunded # times");
/// assert_eq!(normalised("get_user_v2 took 12.5s at 2026-11-15T10:00:00Z"), "get_user_v2 took #s at #");
/// ```
pub fn normalised(message: &str) -> String {
    let mut text = telling_line(message);
    // Cutting can make a quotation of what was none, hardly ever twice.
    for _ in 0..8 {
        let next = cut(&hidden(&text));
        if next == text {
            break;
        }
        text = next;
    }
    text
}

/// The line that says what happened: the first with a word in it, and of a traceback the last that is
/// not indented.
fn telling_line(message: &str) -> String {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let is_traceback = |line: &&str| line.trim_start().starts_with("Traceback (most recent call last)");
    let first = message.lines().find(says);
    let line = match first {
        Some(first) if is_traceback(&first) => {
            let raised =
                message.lines().rev().find(|line| says(line) && !line.starts_with(char::is_whitespace));
            raised.unwrap_or(first)
        }
        first => first.unwrap_or(message),
    };
    let bare = without_escapes(line);
    let mut text = String::with_capacity(bare.len());
    for word in bare.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// A line without the sequences that colour a terminal, and no longer than is looked at.
fn without_escapes(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().take(LOOKED_AT).peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            Some(']') => while chars.next_if(|c| *c != '\u{7}' && *c != '\u{1b}').is_some() {},
            _ => {}
        }
    }
    out
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST - 1).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_each_time_goes_and_names_stay() {
        for (message, expected) in [
            ("order #4711 was refunded 3 times", "order # was refunded # times"),
            ("order A-123 costs $1,234.50 (-5%)", "order A-# costs $# (#%)"),
            ("run 7c9e6679-7425-40de-944b-e07fc1f90ae7 failed", "run # failed"),
            ("call_abc123XYZ9 of run_01H8XGJWBWBAQ", "call_# of run_#"),
            ("<Agent object at 0x7f3c2a1b9d60> raised", "<Agent object at #> raised"),
            ("late by 1.5e-05s since 2026-11-15T10:00:00.123+00:00", "late by #s since #"),
            ("at 2026-11-15 10:00:00Z: 429 after 30ms", "at # #: # after #ms"),
            (
                "get_user_v2, s3_upload and gpt-4o were called",
                "get_user_v2, s3_upload and gpt-4o were called",
            ),
            ("steps 1, 2, 3 and 7", "steps # and #"),
            ("no file '/tmp/pytest-of-me/pytest-3/a.csv': gone", "no file '<temp>': gone"),
            (r"no file C:\Users\me\AppData\Local\Temp\x1 here", "no file <temp> here"),
            ("\u{1b}[31mAssertionError\u{1b}[0m: \ta  b", "AssertionError: a b"),
            ("\n  ---\n\nKeyError: 'order_123'\nmore", "KeyError: 'order_#'"),
            ("Traceback (most recent call last):\n  File 1\nValueError: bad 7\n", "ValueError: bad #"),
            ("'Stop!' said one 'and never come back before dawn to this town' he", "'Stop!' said one '…' he"),
            ("it's the agent's fault, isn't it", "it's the agent's fault, isn't it"),
            ("", ""),
        ] {
            assert_eq!(normalised(message), expected, "{message}");
        }
    }

    #[test]
    fn what_a_model_said_this_time_is_no_cause() {
        let said = |words: &str| format!("expected the output to contain \"refund\", but it was \"{words}\"");
        let one = normalised(&said("I am very sorry, but I \\\"cannot\\\" help you with that today."));
        assert_eq!(one, "expected the output to contain \"refund\", but it was \"…\"");
        assert_eq!(one, normalised(&said("Your money is on its way and should arrive within 3 days!")));
    }

    #[test]
    fn a_long_message_is_cut() {
        let long = normalised(&"so it goes ".repeat(100_000));
        assert_eq!(long.chars().count(), 160);
        assert!(long.ends_with('…'));
    }

    fn any_message() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            ".{0,12}",
            "[0-9a-fA-F#xTZe.,:+-]{1,12}",
            "[a-z_0-9'\"` ]{1,60}",
            Just("/tmp/a".to_owned()),
            Just("C:\\AppData\\Local\\Temp\\".to_owned()),
            Just("\u{1b}[0;1m".to_owned()),
            Just("\n".to_owned()),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn what_is_normal_stays_so(message in any_message()) {
            let once = normalised(&message);
            prop_assert_eq!(&normalised(&once), &once);
            prop_assert!(once.chars().count() <= message.chars().count().min(160));
            prop_assert!(!once.contains(char::is_control));
        }

        #[test]
        fn another_number_is_the_same_message(a in 0u32.., b in 0u32..) {
            let told = |n: u32| format!("order {n} of user_{n}, {n}.{n} EUR, id={n:#x}, took {n}ms (#{n})");
            prop_assert_eq!(normalised(&told(a)), normalised(&told(b)));
        }
    }
}
