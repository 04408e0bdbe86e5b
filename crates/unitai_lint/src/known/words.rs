//! The words of a name or a text.

/// The words of a text in lower case: `no_raise`, `noRaise` and `no raise` have the same two.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(humps).map(str::to_lowercase)
}

/// `assertEqual` in its two parts; `HTTPServer` in `HTTP` and `Server`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut starts = vec![0];
    let bytes = word.as_bytes();
    for at in 1..bytes.len() {
        let is_new = bytes[at].is_ascii_uppercase()
            && (bytes[at - 1].is_ascii_lowercase()
                || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
                    && bytes[at - 1].is_ascii_uppercase());
        if is_new {
            starts.push(at);
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([word.len()]).collect();
    starts.into_iter().zip(ends).map(|(from, to)| &word[from..to]).filter(|word| !word.is_empty())
}

/// Whether a name has one of these words.
pub(crate) fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name).any(|word| wanted.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_falls_into_its_words_however_it_is_written() {
        for name in ["assert_no_raise", "assertNoRaise", "assert no-raise", "ASSERT_NO_RAISE"] {
            assert_eq!(words(name).collect::<Vec<_>>(), ["assert", "no", "raise"], "{name}");
        }
        assert_eq!(words("HTTPServer").collect::<Vec<_>>(), ["http", "server"]);
        assert_eq!(words("_").count(), 0);
    }
}
