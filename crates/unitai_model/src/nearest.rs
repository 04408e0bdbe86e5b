//! The word that was probably meant.

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
}
