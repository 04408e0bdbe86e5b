//! How much of long evidence goes out: whoever judges is told how much is missing, and where.

/// The most characters of one field of a record: arguments, a result, an error.
pub(super) const FIELD: usize = 40_000;

/// The most characters of all of them together.
pub(super) const ALL: usize = 300_000;

/// The least that is left of a field, however many there are.
const LEAST: usize = 200;

/// The most records; what lies in the middle is left out.
pub(super) const RECORDS: usize = 1000;

/// What is left of a field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Left<'a> {
    /// All of it.
    All(&'a str),
    /// Its two ends, and how many characters stood between them.
    Ends(&'a str, usize, &'a str),
}

/// The most characters that each field may have, so that all fit.
pub(super) fn limit(lengths: &[usize]) -> usize {
    let sum = |limit: usize| lengths.iter().map(|it| (*it).min(limit)).sum::<usize>();
    let (mut low, mut high) = (LEAST, FIELD);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if sum(middle) <= ALL { low = middle } else { high = middle - 1 }
    }
    low
}

/// Cuts a text in its middle.
pub(crate) fn cut(text: &str, limit: usize) -> Left<'_> {
    // Bytes are never fewer than characters.
    if text.len() <= limit {
        return Left::All(text);
    }
    let count = text.chars().count();
    if count <= limit {
        return Left::All(text);
    }
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (limit.div_ceil(2), limit / 2);
    Left::Ends(&text[..at(head)], count - limit, &text[at(count - tail)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_loses_its_middle_and_says_how_much() {
        assert_eq!(cut("short", 5), Left::All("short"));
        assert_eq!(cut("äöüäöü", 6), Left::All("äöüäöü"));
        assert_eq!(cut("äb-----cö", 3), Left::Ends("äb", 6, "ö"));
    }

    #[test]
    fn what_is_short_stays_whole_and_what_is_long_shares_the_rest() {
        assert_eq!(limit(&[10, 10_000_000]), FIELD);
        let many = [vec![50_000; 10], vec![100; 10]].concat();
        assert_eq!(limit(&many), 29_900);
        assert_eq!(limit(&vec![10_000; 100_000]), LEAST);
    }
}
