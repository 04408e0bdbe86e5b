//! The word that was probably meant, and whether a name is a slip of the pen.

/// How much alike two words must be, from 0 to 1. A word that is a part of another is that much alike.
const ALIKE: f64 = 0.6;

/// The word that was probably meant, if one is near enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    best(word, known.into_iter().map(|known| (known, known)))
}

/// The same for words that stand for something else.
pub fn best<'a, T>(word: &str, known: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    // What is that long is no slip of the pen, and would take its time to compare.
    if word.len() > 100 {
        return None;
    }
    let word = word.to_lowercase();
    let mut found: Option<(f64, T)> = None;
    for (known, meaning) in known {
        let known = known.to_lowercase();
        let is_part = word.len() >= 3 && known.contains(&word);
        let alike = strsim::normalized_damerau_levenshtein(&word, &known);
        let alike = if is_part { alike.max(ALIKE) } else { alike };
        if alike >= ALIKE && found.as_ref().is_none_or(|(best, _)| alike > *best) {
            found = Some((alike, meaning));
        }
    }
    found.map(|(_, meaning)| meaning)
}

/// How long a word must be, or what of it differs: `tool_1` and `tool_2` are two names, and so are `get` and `set`.
const LONG: usize = 4;

/// Whether a name is another one with a slip of the pen in it: a letter too many, too few or another, two that changed places,
/// a capital, an underscore. Much narrower than `nearest`, which only advises. `bank_refund` is no slip: so the
/// tool `Bank.refund` is called where no dot is allowed.
///
/// ```
/// use unitai_model::nearest::slip_of;
/// assert!(slip_of("get_wether", "get_weather"));
/// assert!(!slip_of("get_order", "set_order"));
/// ```
pub fn slip_of(name: &str, known: &str) -> bool {
    if name.len() > 100 || name.len() < LONG {
        return false;
    }
    const MARKS: [char; 4] = ['_', '-', ' ', '.'];
    let letters = |name: &str| name.to_lowercase().replace(MARKS, "");
    let (a, b) = (letters(name), letters(known));
    if a == b {
        return name != known && !known.contains(&MARKS[1..]);
    }
    let words = name.split(MARKS).zip(known.split(MARKS));
    let is_long = words.filter(|(a, b)| a != b).all(|(a, b)| a.len().min(b.len()) >= LONG);
    let has_as_many = name.split(MARKS).count() == known.split(MARKS).count();
    let has_digits = a.chars().chain(b.chars()).any(|c| c.is_ascii_digit());
    strsim::osa_distance(&a, &b) == 1 && !has_digits && (is_long || !has_as_many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_understood_and_another_word_is_not() {
        let known = ["enabled", "mode", "directory", "ttl_hours"];
        for (word, meant) in [
            ("enabeld", Some("enabled")),
            ("Mode", Some("mode")),
            ("dirctory", Some("directory")),
            ("ttl", Some("ttl_hours")),
            ("tt", None),
            ("ttl_hour", Some("ttl_hours")),
            ("", None),
            ("a-word-of-another-world", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
        assert_eq!(nearest(&"enabled".repeat(1000), known), None);
    }

    #[test]
    fn two_names_that_mean_two_things_are_no_slip() {
        for (name, known) in [
            ("tool_1", "tool_2"),
            ("step_a", "step_b"),
            ("get_order", "set_order"),
            ("read_file", "load_file"),
            ("refund", "refund"),
            ("add", "ad"),
            ("", "a"),
            ("lookup_order", "lookup_user"),
            ("Bank-refund", "Bank.refund"),
            ("bank_refund", "Bank.refund"),
            ("check_spelling", "Check spelling"),
        ] {
            assert!(!slip_of(name, known), "{name} {known}");
        }
        for (name, known) in [
            ("sendrefund", "send_refund"),
            ("sendRefund", "send_refund"),
            ("send_refunds", "send_refund"),
            ("send_refudn", "send_refund"),
            ("sned_refund", "send_refund"),
            ("send_rfund", "send_refund"),
            ("Refund", "refund"),
        ] {
            assert!(slip_of(name, known), "{name} {known}");
        }
        assert!(!slip_of(&"refund".repeat(1000), "refund"));
    }
}
