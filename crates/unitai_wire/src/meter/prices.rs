//! The price table of this release. It has a date, is part of the release and is never fetched:
//! an old run priced again gives the same sum.

use unitai_model::Money;

/// The day whose published prices the table holds.
pub const PRICES_AS_OF: &str = "2025-10-31";

/// What a model costs, for one token each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// A token of the prompt.
    pub prompt: Money,
    /// A token of the answer.
    pub completion: Money,
}

impl Price {
    /// The cost of a call.
    ///
    /// ```
    /// let price = unitai_wire::meter::price_of("gpt-4o").unwrap();
    /// assert_eq!(price.of(1_000_000, 1_000_000).to_string(), "12.5");
    /// ```
    pub fn of(&self, prompt_tokens: u64, completion_tokens: u64) -> Money {
        self.prompt.times(prompt_tokens).plus(self.completion.times(completion_tokens))
    }
}

/// The price of a model; `None` when it is unknown, which is not the same as free.
///
/// A provider's prefix (`openai/gpt-4o`) and a date after the name (`gpt-4o-2024-08-06`) are taken
/// off. Any other suffix names another model.
///
/// ```
/// use unitai_wire::meter::price_of;
/// assert_eq!(price_of("openai/gpt-4o-2024-08-06"), price_of("gpt-4o"));
/// assert_eq!(price_of("gpt-4o-of-my-own"), None);
/// ```
pub fn price_of(model: &str) -> Option<Price> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = without_date(name);
    TABLE.iter().find(|(known, ..)| *known == name).map(|(_, prompt, completion)| Price {
        prompt: per_million(*prompt),
        completion: per_million(*completion),
    })
}

/// Cents for a million tokens are 10^-8 dollars each.
const fn per_million(cents: i64) -> Money {
    Money::from_pico_dollars(cents * 10_000)
}

/// Takes `-20240806` or `-2024-08-06` off the end.
fn without_date(name: &str) -> &str {
    let is_date = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        digits == 8 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    };
    for length in [11, 9] {
        if let Some(at) = name.len().checked_sub(length)
            && name.is_char_boundary(at)
            && name[at..].starts_with('-')
            && is_date(&name[at + 1..])
        {
            return &name[..at];
        }
    }
    name
}

/// Model, US cents for a million prompt tokens, US cents for a million answer tokens.
const TABLE: &[(&str, i64, i64)] = &[
    ("gpt-4o", 250, 1000),
    ("gpt-4o-mini", 15, 60),
    ("gpt-4.1", 200, 800),
    ("gpt-4.1-mini", 40, 160),
    ("gpt-4.1-nano", 10, 40),
    ("o3", 200, 800),
    ("o4-mini", 110, 440),
    ("gpt-5", 125, 1000),
    ("gpt-5-mini", 25, 200),
    ("gpt-5-nano", 5, 40),
    ("claude-3-5-haiku", 80, 400),
    ("claude-3-7-sonnet", 300, 1500),
    ("claude-sonnet-4", 300, 1500),
    ("claude-opus-4", 1500, 7500),
    ("claude-sonnet-4-5", 300, 1500),
    ("claude-haiku-4-5", 100, 500),
    ("claude-opus-4-1", 1500, 7500),
    ("gemini-2.0-flash", 10, 40),
    ("gemini-2.5-flash", 30, 250),
    ("gemini-2.5-flash-lite", 10, 40),
    ("gemini-2.5-pro", 125, 1000),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_taken_off_and_nothing_else() {
        assert_eq!(without_date("claude-sonnet-4-20250514"), "claude-sonnet-4");
        assert_eq!(without_date("gpt-4o-2024-08-06"), "gpt-4o");
        assert_eq!(without_date("gpt-4o-mini"), "gpt-4o-mini");
        assert_eq!(without_date("-"), "-");
        assert_eq!(without_date("é-12345678"), "é");
    }

    #[test]
    fn no_model_stands_in_the_table_twice() {
        let mut names: Vec<_> = TABLE.iter().map(|(name, ..)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }
}
