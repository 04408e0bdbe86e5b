//! A value as stored: its JSON text, shared.

use arcstr::{ArcStr, Substr, literal_substr};

use super::text::TAG;
use super::{Value, equal};

/// One recorded value as JSON text. Cheap to clone; parsed only when somebody looks inside. It may be
/// a part of a longer text that a whole trajectory shares.
#[derive(Clone)]
pub struct Packed(Substr);

impl Packed {
    /// `None`.
    pub fn null() -> Packed {
        Packed(literal_substr!("null"))
    }

    /// An empty dictionary.
    pub fn empty() -> Packed {
        Packed(literal_substr!("{}"))
    }

    /// Takes text from outside, after reading all of it.
    ///
    /// ```
    /// use unitai_model::Packed;
    /// assert!(Packed::from_text(r#"{"id": 1}"#).is_ok());
    /// assert!(Packed::from_text(r#"{"$unitai": "unheard-of"}"#).is_err());
    /// ```
    pub fn from_text(text: &str) -> Result<Packed, serde_json::Error> {
        serde_json::from_str::<Value>(text)?;
        Ok(Packed(Substr::from(text)))
    }

    /// Takes text that is known to be JSON (a parser delimited it). Escapes are brought into the form
    /// that this crate writes, so that the same string is the same text.
    pub fn from_json(text: &str) -> Result<Packed, serde_json::Error> {
        if text.contains('\\') || has_tag(text) {
            return serde_json::from_str::<Value>(text).map(|value| value.pack());
        }
        if may_be_beyond_floats(text) {
            serde_json::from_str::<Value>(text)?;
        }
        Ok(Packed(Substr::from(text)))
    }

    /// Takes text that is known to be JSON with the escapes that this crate writes; only tags are
    /// still checked.
    pub(crate) fn from_written(
        whole: &ArcStr,
        start: usize,
        end: usize,
    ) -> Result<Packed, serde_json::Error> {
        if has_tag(&whole[start..end]) {
            serde_json::from_str::<Value>(&whole[start..end])?;
        }
        Ok(Packed(whole.substr(start..end)))
    }

    /// Whether it is a dictionary, or one that was too large to be written out.
    pub fn is_dict(&self) -> bool {
        match self.0.strip_prefix("{\"$unitai\":") {
            Some(kind) => kind.starts_with("\"dict\"") || kind.starts_with("\"object\""),
            None => self.0.starts_with('{'),
        }
    }

    /// Takes text that this crate's writer made.
    pub fn from_trusted(text: &str) -> Packed {
        Packed(Substr::from(text))
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The value as a tree.
    pub fn value(&self) -> Value {
        // Every constructor vouches for the text; an unreadable one is shown rather than lost.
        serde_json::from_str(&self.0).unwrap_or_else(|_| Value::Str(self.0.to_string()))
    }

    /// Whether any part of it is more than plain JSON.
    pub fn is_tagged(&self) -> bool {
        has_tag(&self.0)
    }

    /// Whether a part of it could not be serialised and is here by its `repr` only.
    pub fn is_opaque(&self) -> bool {
        has_tag(&self.0) && self.0.contains("{\"$unitai\":\"object\"")
    }

    /// The text itself, without quotes and escapes, when the value is a string.
    pub fn as_str(&self) -> Option<String> {
        if self.0.starts_with('"') { serde_json::from_str(&self.0).ok() } else { None }
    }

    /// The fields of a plain dictionary as raw text, in order; `None` for anything else.
    ///
    /// ```
    /// use unitai_model::Packed;
    /// let packed = Packed::from_text(r#"{"id":1,"tags":["a"]}"#).unwrap();
    /// let fields: Vec<_> = packed.fields().unwrap().collect();
    /// assert_eq!(fields, [("id", "1"), ("tags", "[\"a\"]")]);
    /// ```
    pub fn fields(&self) -> Option<Fields<'_>> {
        let rest = self.0.strip_prefix('{')?;
        Some(Fields { rest: rest.trim_ascii_start() })
    }
}

/// Whether a number in the text may be larger than any float: it has an exponent, or hundreds of digits.
fn may_be_beyond_floats(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_exponent =
        || memchr::memchr2_iter(b'e', b'E', bytes).any(|at| at > 0 && bytes[at - 1].is_ascii_digit());
    bytes.len() > 300 && bytes.split(|byte| !byte.is_ascii_digit()).any(|run| run.len() > 300)
        || has_exponent()
}

/// Whether the text may hold a tagged object. The first character alone rules nearly every text out,
/// at a fraction of the price of a search.
fn has_tag(text: &str) -> bool {
    memchr::memchr(b'$', text.as_bytes()).is_some_and(|at| text[at..].contains(TAG))
}

/// Walks the top level of a dictionary's text. Keys are given as written between their quotes.
pub struct Fields<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let key_end = end_of_value(self.rest)?;
        let key = self.rest.get(1..key_end.checked_sub(1)?)?;
        let after_colon = self.rest[key_end..].trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        let value_end = end_of_value(after_colon)?;
        let value = &after_colon[..value_end];
        let rest = after_colon[value_end..].trim_ascii_start();
        self.rest = rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start();
        Some((key, value))
    }
}

/// Where the JSON value at the start of `text` ends; `None` at a closing bracket or the end.
fn end_of_value(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'"' => end_of_string(bytes, 0),
        b'{' | b'[' => {
            let (mut depth, mut at) = (0usize, 0usize);
            loop {
                match bytes.get(at)? {
                    b'"' => {
                        at = end_of_string(bytes, at)?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
        }
        b'}' | b']' => None,
        _ => Some(bytes.iter().position(|b| b",}] \n\r\t".contains(b)).unwrap_or(bytes.len())),
    }
}

fn end_of_string(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

impl PartialEq for Packed {
    /// The same text, or values that are equal by Python's rules. NaN is equal to the same record
    /// of NaN: a trajectory must equal its own copy.
    fn eq(&self, other: &Packed) -> bool {
        self.0 == other.0 || equal(&self.value(), &other.value())
    }
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
