//! Values in a text that somebody must have got from somewhere: numbers, ids, dates, amounts, addresses.

use unitai_model::Value;

/// The words of a text that tell a value: those with two digits or more, e-mail addresses and URLs.
///
/// A word ends at white space, a quote or a bracket, and loses the punctuation around it.
pub(crate) fn telling_words(text: &str) -> Vec<&str> {
    words(text).filter(|word| is_telling(word)).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "\"'`()[]{}<>|".contains(c);
    let pieces = text.split(is_between).flat_map(|piece| {
        // A comma belongs to a number only before three digits.
        let is_number = number(trimmed(piece)).is_some();
        let parts: Vec<&str> = if is_number { vec![piece] } else { piece.split([',', ';']).collect() };
        parts
    });
    pieces.map(trimmed).filter(|word| !word.is_empty())
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_telling(word: &str) -> bool {
    let is_address = word.find('@').is_some_and(|at| at > 0 && word[at..].contains('.'));
    word.chars().filter(char::is_ascii_digit).count() >= 2 || is_address || word.contains("://")
}

/// The number that a word spells: `1,234.50` is 1234.5.
fn number(word: &str) -> Option<f64> {
    if !word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return None;
    }
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_grouped = groups.clone().next().is_some();
    if is_grouped && (first.is_empty() || first.len() > 3 || groups.any(|group| group.len() != 3)) {
        return None;
    }
    format!("{}.{fraction}0", whole.replace(',', "")).parse().ok()
}

/// Everything that an agent could have got a value from.
#[derive(Default)]
pub(crate) struct Sources {
    texts: Vec<String>,
    numbers: Vec<f64>,
}

impl Sources {
    /// A value that the agent was given.
    pub(crate) fn add(&mut self, value: &Value) {
        match value {
            Value::Str(text) => self.add_text(text),
            Value::Int(n) => self.numbers.push(n.unsigned_abs() as f64),
            Value::Float(x) => self.numbers.push(x.abs()),
            Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
                items.iter().for_each(|item| self.add(item));
            }
            Value::Dict(entries) => entries.iter().for_each(|(key, value)| {
                self.add(key);
                self.add(value);
            }),
            Value::Null | Value::Bool(_) => {}
            other => self.add_text(&other.to_string()),
        }
    }

    /// A text that the agent was given.
    pub(crate) fn add_text(&mut self, text: &str) {
        self.numbers.extend(words(text).filter_map(number));
        self.texts.push(text.to_lowercase());
    }

    /// Whether the agent was given this value: the same number, or the same text as a word or words of its own.
    pub(crate) fn have(&self, value: &str) -> bool {
        let value = trimmed(value);
        if let Some(number) = number(value)
            && self.numbers.contains(&number)
        {
            return true;
        }
        let value = value.to_lowercase();
        self.texts
            .iter()
            .any(|text| text.match_indices(&value).any(|(at, _)| stands_alone(text, at, value.len())))
    }
}

/// Whether a part of a text is no part of a longer word or number.
fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let (before, after) = (&text[..at], &text[at + length..]);
    let is_inside = |mut outward: Box<dyn Iterator<Item = char> + '_>| match outward.next() {
        Some('.' | ',') => outward.next().is_some_and(|c| c.is_ascii_digit()),
        Some(next) => next.is_alphanumeric(),
        None => false,
    };
    !is_inside(Box::new(before.chars().rev())) && !is_inside(Box::new(after.chars()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_tell_a_value_are_found() {
        let text = r#"Order "A-123", paid $1,234.50 on 2026-11-15: see https://a.example/x, or mail me@b.example. 5 of 12."#;
        let found = telling_words(text);
        assert_eq!(found, ["A-123", "1,234.50", "2026-11-15", "https://a.example/x", "me@b.example", "12"]);
        assert_eq!(telling_words("{\"a\":10,\"b\":20}"), ["10", "20"]);
        assert_eq!(telling_words("nothing to tell, by 1 or 2"), Vec::<&str>::new());
    }

    #[test]
    fn a_number_is_the_same_however_it_is_spelled() {
        let mut sources = Sources::default();
        sources.add(&Value::Float(1234.5));
        sources.add_text("ref 00789 of $15.99 on 2026-11-14");
        for known in ["1,234.50", "1234.5", "15.99", "2026-11-14", "2026", "00789"] {
            assert!(sources.have(known), "{known}");
        }
        for unknown in ["1234", "15", "99", "78", "2026-11-15"] {
            assert!(!sources.have(unknown), "{unknown}");
        }
    }
}
