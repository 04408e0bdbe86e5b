//! Whether the words that a judge quotes stand in the record that it names. Whoever judges: what stands nowhere is no
//! ground for an answer.

use std::io;

use serde_json::Serializer;
use serde_json::ser::Formatter;
use unitai_model::value::Value;

use super::calling::dict;
use super::{Answer, Evidence, Outcome, Quote, Reply};
use crate::data::to_json;

/// What can be quoted of one record: its tool, its arguments, and what came of the call. Neither its place in the test nor
/// its number: those are ours.
///
/// ```
/// use unitai_model::value::Value;
/// use unitai_spec::run::{Evidence, Outcome, Quotable};
/// let evidence = Evidence {
///     number: 1,
///     path: "steps[0]".to_owned(),
///     attempt: 1,
///     server: "shop".to_owned(),
///     tool: "refund".to_owned(),
///     args: vec![("order".to_owned(), Value::Int(7))],
///     started: 0.0,
///     ms: 1.0,
///     outcome: Outcome::Returned { value: Value::Null, text: "it is\n  paid back".to_owned() },
///     sha256: String::new(),
/// };
/// let quotable = Quotable::of(&evidence);
/// assert!(quotable.has("is paid back") && quotable.has("\"order\": 7"));
/// assert!(quotable.echoes("itis paid\nback") && !quotable.echoes("paid it back"));
/// assert!(quotable.has("paid") && !quotable.has("aid"), "a part of a word is no word");
/// assert!(!quotable.has("was paid back") && !quotable.has("steps[0]") && !quotable.has("..."));
/// ```
#[derive(Debug)]
pub struct Quotable {
    /// Each with single spaces.
    fields: Vec<String>,
}

impl Quotable {
    /// What can be quoted of a record.
    pub fn of(evidence: &Evidence) -> Quotable {
        let mut quotable = Quotable { fields: Vec::new() };
        quotable.add(&evidence.tool);
        quotable.add_value(&dict(&evidence.args));
        match &evidence.outcome {
            Outcome::Returned { value, text } => {
                quotable.add(text);
                // Mostly it is the text itself, and there is nothing more in it.
                if !matches!(value, Value::Str(it) if it == text) {
                    quotable.add_value(value);
                }
            }
            Outcome::Failed { message, details } => {
                quotable.add(message);
                quotable.add(details);
            }
            Outcome::Unfinished => {}
        }
        quotable
    }

    /// Whether these words stand in it, spaces aside. Words may be escaped as JSON escapes them.
    pub fn has(&self, quote: &str) -> bool {
        let is_there = |quote: &str| {
            let quote = single_spaced(quote);
            is_quote(&quote) && self.fields.iter().any(|field| stands_in(field, &quote))
        };
        is_there(quote) || quote.contains('\\') && is_there(&unescaped(quote))
    }

    /// Whether all of this stands in it, however either is spaced.
    pub fn echoes(&self, text: &str) -> bool {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let text = bare(text);
        is_quote(&text) && self.fields.iter().any(|field| bare(field).contains(&text))
    }

    fn add(&mut self, text: &str) {
        if !text.is_empty() {
            self.fields.push(single_spaced(text));
        }
    }

    /// A value as JSON in each of the ways in which it may be spaced, and every text in it as it is.
    fn add_value(&mut self, value: &Value) {
        let json = to_json(value);
        self.add(&json.to_string());
        self.add(&with_spaces(&json));
        self.add(&serde_json::to_string_pretty(&json).unwrap_or_default());
        self.add_texts(&json);
    }

    fn add_texts(&mut self, json: &serde_json::Value) {
        match json {
            serde_json::Value::String(text) => self.add(text),
            serde_json::Value::Array(items) => items.iter().for_each(|it| self.add_texts(it)),
            serde_json::Value::Object(entries) => {
                for (key, it) in entries {
                    self.add(key);
                    self.add_texts(it);
                }
            }
            _ => {}
        }
    }
}

/// How many characters a quote has that is found by chance in nearly every text, unless its words are whole.
const SHORT: usize = 8;

/// Whether a quote stands in a text. A short one is made of whole words: `20` does not stand in `2001`. Of a long one the last
/// word may be cut, as the record may have been that the judge was shown.
fn stands_in(text: &str, quote: &str) -> bool {
    if quote.chars().nth(SHORT - 1).is_some() {
        return text.contains(quote);
    }
    // Other scripts write words without a gap.
    let goes_on = |one: Option<char>, other: Option<char>| {
        let is_letter = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
        is_letter(one) && is_letter(other)
    };
    text.match_indices(quote).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + quote.len()..]);
        !goes_on(before.chars().next_back(), quote.chars().next())
            && !goes_on(quote.chars().next_back(), after.chars().next())
    })
}

/// Whether a text says anything that could be looked up: one made of spaces and punctuation does not.
pub fn is_quote(text: &str) -> bool {
    // Arrows, ticks and pictures say something as well.
    let says = |it: char| it.is_alphanumeric() || matches!(it, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..);
    // The letter of `\n` is none.
    text.chars().any(says) && (!text.contains('\\') || unescaped(text).chars().any(says))
}

/// Looks up every quote. An answer with one that stands nowhere is unknown, and says so. What is no quote at all is taken
/// away.
pub fn check_quotes(replies: &mut [Reply], evidence: &[Evidence]) {
    let mut looked_at: Vec<(String, Option<Quotable>)> = Vec::new();
    check_quotes_by(replies, |quote| {
        let at = looked_at.iter().position(|(known, _)| *known == quote.reference).unwrap_or_else(|| {
            let found = evidence.iter().find(|it| it.reference() == quote.reference);
            looked_at.push((quote.reference.clone(), found.map(Quotable::of)));
            looked_at.len() - 1
        });
        looked_at[at].1.as_ref().map(|it| it.has(&quote.quote))
    });
}

/// The same for whoever looks otherwise: says of a quote whether it stands in its record, and nothing where there is no such
/// record.
pub fn check_quotes_by(replies: &mut [Reply], mut stands: impl FnMut(&Quote) -> Option<bool>) {
    for reply in replies {
        reply.quotes.retain(|it| is_quote(&it.quote));
        let mut has_false = None;
        for quote in &reply.quotes {
            let reference = &quote.reference;
            match stands(quote) {
                Some(true) => continue,
                Some(false) => {
                    has_false = Some(format!(
                        "what it quotes stands nowhere in {reference}: {:?}",
                        short(&quote.quote)
                    ));
                }
                None => has_false = Some(format!("it quotes {reference}, and there is no such record")),
            }
            break;
        }
        if let Some(why) = has_false.filter(|_| reply.answer != Answer::Unknown) {
            let said = if reply.why.is_empty() { String::new() } else { format!(": {}", reply.why) };
            reply.why = format!("{why} (the judge had said {}{said})", reply.answer.word());
            reply.answer = Answer::Unknown;
        }
    }
}

/// A yes of a model rests on words that stand somewhere. A no needs none: what is not there cannot be quoted.
pub fn doubt_without_quotes(replies: &mut [Reply]) {
    for reply in replies.iter_mut().filter(|it| it.answer == Answer::Yes && it.quotes.is_empty()) {
        let said = if reply.why.is_empty() { String::new() } else { format!(": {}", reply.why) };
        reply.why = format!("the judge said yes and quoted nothing{said}");
        reply.answer = Answer::Unknown;
    }
}

fn short(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn single_spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// What JSON escapes, as it was before. What is no escape stays.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // A pair of escapes may make one character.
        let longest = [12, 6, 2].into_iter().find_map(|length| {
            let escape = rest.get(..length)?;
            let is_one = length == 2 || escape.split("\\u").count() == length / 6 + 1;
            let read = is_one.then(|| serde_json::from_str::<String>(&format!("\"{escape}\"")).ok())??;
            (read.chars().count() == 1).then_some((length, read))
        });
        let (length, read) = longest.unwrap_or_else(|| (1, "\\".to_owned()));
        out.push_str(&read);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// JSON in one line with a space after each colon and comma, as many programs write it.
fn with_spaces(json: &serde_json::Value) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, Spaced);
    match serde::Serialize::serialize(json, &mut serializer) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(_) => String::new(),
    }
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::Quote;
    use super::*;
    use crate::data::from_json;

    fn evidence(args: &serde_json::Value, outcome: Outcome) -> Evidence {
        let args = args.as_object().expect("an object");
        Evidence {
            number: 1,
            path: "steps[0]".to_owned(),
            attempt: 1,
            server: "shop".to_owned(),
            tool: "find_user".to_owned(),
            args: args.iter().map(|(name, it)| (name.clone(), from_json(it))).collect(),
            started: 0.0,
            ms: 1.0,
            outcome,
            sha256: String::new(),
        }
    }

    fn returned(value: &serde_json::Value) -> Evidence {
        let outcome = Outcome::Returned { value: from_json(value), text: value.to_string() };
        evidence(&json!({}), outcome)
    }

    #[test]
    fn json_is_found_however_it_is_spaced_and_escaped() {
        let quotable =
            Quotable::of(&returned(&json!({"name": "Ada \"the\" Great\n\tof L\u{e9}on", "age": 36})));
        for quote in [
            r#""age":36"#,
            r#""age": 36"#,
            r#"{"age":36,"name""#,
            r#"{"age": 36, "name": "Ada"#,
            "{\n  \"age\": 36,\n  \"name\"",
            r#"Ada "the" Great of Léon"#,
            r#"Ada \"the\" Great\n\tof L\u00e9on"#,
            "find_user",
        ] {
            assert!(quotable.has(quote), "{quote}");
        }
        for quote in ["", "  ", "\"", "{}", "...", "\\n", "age 36", "ada", "E1", "steps[0]", "shop"] {
            assert!(!quotable.has(quote), "{quote}");
        }
    }

    #[test]
    fn a_short_quote_is_made_of_whole_words() {
        let quotable = Quotable::of(&returned(&json!({"status": 2001, "text": "it was paid 返金しました"})));
        for quote in ["2001", "paid", "it", "返金", "was paid", "\"status\":2"] {
            assert!(quotable.has(quote), "{quote}");
        }
        for quote in ["200", "001", "a", "aid", "t was", "s"] {
            assert!(!quotable.has(quote), "{quote}");
        }
    }

    #[test]
    fn arguments_and_errors_can_be_quoted() {
        let outcome =
            Outcome::Failed { message: "no such user".to_owned(), details: "line 7: KeyError".to_owned() };
        let quotable = Quotable::of(&evidence(&json!({"id": "u-7"}), outcome));
        for quote in ["no such", "KeyError", r#"{"id":"u-7"}"#, "u-7"] {
            assert!(quotable.has(quote), "{quote}");
        }
    }

    fn reply(quotes: &[(&str, &str)]) -> Reply {
        let quote = |(reference, quote): &(&str, &str)| Quote {
            reference: (*reference).to_owned(),
            quote: (*quote).to_owned(),
        };
        Reply {
            id: "Q1".to_owned(),
            answer: Answer::Yes,
            quotes: quotes.iter().map(quote).collect(),
            why: "seen".to_owned(),
        }
    }

    #[test]
    fn an_answer_with_a_false_quote_is_unknown_and_says_what_it_was() {
        let record = returned(&json!({"status": "cancelled"}));
        let mut replies = [
            reply(&[("E1", "cancelled"), ("E1", "shipped")]),
            reply(&[("E9", "cancelled")]),
            reply(&[("E1", "\"status\": \"cancelled\"")]),
            reply(&[("E1", " "), ("E1", "{}")]),
        ];
        check_quotes(&mut replies, &[record]);
        let [shipped, nowhere, good, empty] = replies;
        assert_eq!(shipped.answer, Answer::Unknown);
        assert_eq!(
            shipped.why,
            r#"what it quotes stands nowhere in E1: "shipped" (the judge had said yes: seen)"#
        );
        assert_eq!(nowhere.answer, Answer::Unknown);
        assert_eq!(nowhere.why, "it quotes E9, and there is no such record (the judge had said yes: seen)");
        assert_eq!((good.answer, good.why.as_str()), (Answer::Yes, "seen"));
        assert_eq!((empty.answer, empty.quotes.len()), (Answer::Yes, 0));
    }

    /// A part of a text, from somewhere to somewhere.
    fn part(text: &str, from: usize, length: usize) -> String {
        let count = text.chars().count();
        text.chars().skip(from % (count + 1)).take(length).collect()
    }

    proptest! {
        #[test]
        fn every_long_part_of_a_record_that_says_anything_is_found(
            text in "(?s).{0,80}",
            key in "[a-z\"\\\\ ]{1,8}",
            (from, length) in (0usize..200, 1usize..60),
        ) {
            let value = json!({ key.as_str(): text, "numbers": [1, 2.5, null] });
            let error = Outcome::Failed { message: text.clone(), details: format!("at {text}") };
            let records = [returned(&value), evidence(&value, error)];
            let texts = [
                value.to_string(),
                with_spaces(&value),
                serde_json::to_string_pretty(&value).unwrap(),
                text,
            ];
            for record in &records {
                let quotable = Quotable::of(record);
                for text in &texts {
                    let quote = part(text, from, length);
                    let is_long = single_spaced(&quote).chars().count() >= SHORT;
                    prop_assert!(!is_long || !is_quote(&quote) || quotable.has(&quote), "{quote:?} of {text:?}");
                }
            }
        }

        #[test]
        fn escapes_are_taken_back(text in "(?s).{0,60}") {
            let escaped = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(unescaped(&escaped[1..escaped.len() - 1]), text);
        }
    }
}
