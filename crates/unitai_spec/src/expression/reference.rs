//! How `${name.path:-default}` is written: one reference, and a text with references in it.

use std::fmt;

use unitai_model::value::Value;

use super::scalar;
use super::tree::{Part, PathStep};
use super::{quoting, trouble::SyntaxTrouble};

/// One `${...}`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reference {
    pub(crate) name: String,
    /// `${name?}`.
    pub(crate) optional: bool,
    pub(crate) parts: Vec<Part>,
    /// What stands after `:-`.
    pub(crate) default: Option<Value>,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Plain(String),
    Reference(Reference),
}

/// Cuts a text into plain pieces and references.
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece>, SyntaxTrouble> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('$').map(|n| at + n) {
        plain.push_str(&text[at..found]);
        if text[found..].starts_with("$${") {
            plain.push_str("${");
            at = found + 3;
        } else if text[found..].starts_with("${") {
            let (reference, end) = read(text, found)?;
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Reference(reference));
            at = end;
        } else {
            plain.push('$');
            at = found + 1;
        }
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    Ok(pieces)
}

/// Reads the reference whose `$` stands at `at`. Gives it and the place after its brace.
pub(crate) fn read(source: &str, at: usize) -> Result<(Reference, usize), SyntaxTrouble> {
    let mut reader = Reader { source, at: at + 2, begin: at };
    reader.spaces();
    let (name, optional) = (reader.word("a name")?, reader.eat("?"));
    let mut parts = Vec::new();
    loop {
        let step = if reader.eat(".") {
            match reader.word("a name after `.`")? {
                all if all == "$all" && parts.is_empty() => PathStep::All,
                key => PathStep::Key(key),
            }
        } else if reader.eat("[") {
            reader.bracket()?
        } else {
            break;
        };
        parts.push(Part { step, optional: reader.eat("?") });
    }
    reader.spaces();
    let default = if reader.eat(":-") { Some(reader.default()?) } else { None };
    if !reader.eat("}") {
        return Err(reader.unexpected("`}`"));
    }
    Ok((Reference { name, optional, parts, default }, reader.at))
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    begin: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn eat(&mut self, sign: &str) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn unexpected(&self, expected: &str) -> SyntaxTrouble {
        match self.rest().chars().next() {
            None => {
                SyntaxTrouble::new(self.begin, "`${` is not closed", "write `${name}`; `$${` is a plain `${`")
            }
            Some(c) => SyntaxTrouble::new(
                self.at,
                format!(
                    "expected {expected} in `${{...}}`, found `{}`",
                    unitai_model::value::plain(&c.to_string())
                ),
                "a reference is a name and a path, as in `${user.ids[0]}`, perhaps with a default: `${page:-1}`",
            ),
        }
    }

    /// A word may hold a minus here: no arithmetic is done inside of the braces.
    fn word(&mut self, expected: &str) -> Result<String, SyntaxTrouble> {
        let rest = self.rest();
        let dollar = usize::from(rest.starts_with('$'));
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let length = dollar + rest[dollar..].find(|c| !is_part(c)).unwrap_or(rest.len() - dollar);
        if length == dollar {
            return Err(self.unexpected(expected));
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let mut trouble = self.unexpected(expected);
            trouble.remedy = "an element of a list is written `[0]`, another key `[\"1st\"]`".to_owned();
            return Err(trouble);
        }
        let word = rest[..length].to_owned();
        self.at += length;
        Ok(word)
    }

    fn bracket(&mut self) -> Result<PathStep, SyntaxTrouble> {
        self.spaces();
        let step = if self.rest().starts_with(['"', '\'']) {
            let (key, end) = quoting::read(self.source, self.at)?;
            self.at = end;
            PathStep::Key(key)
        } else {
            let length =
                self.rest().find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(self.rest().len());
            let Ok(index) = self.rest()[..length].parse() else {
                return Err(self.unexpected("a number or a text in quotes"));
            };
            self.at += length;
            PathStep::Index(index)
        };
        self.spaces();
        if self.eat("]") { Ok(step) } else { Err(self.unexpected("`]`")) }
    }

    fn default(&mut self) -> Result<Value, SyntaxTrouble> {
        self.spaces();
        let rest = self.rest();
        if rest.starts_with(['"', '\'']) {
            let (text, end) = quoting::read(self.source, self.at)?;
            self.at = end;
            self.spaces();
            return Ok(Value::Str(text));
        }
        let Some(length) = rest.find('}') else {
            return Err(SyntaxTrouble::new(self.begin, "`${` is not closed", "write `${name:-default}`"));
        };
        if rest[..length].contains("${") {
            return Err(SyntaxTrouble::new(
                self.at,
                "a default holds no reference",
                "write a value after `:-`",
            ));
        }
        let value = scalar::read(rest[..length].trim());
        self.at += length;
        Ok(value)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${{{}{}", self.name, if self.optional { "?" } else { "" })?;
        self.parts.iter().try_for_each(|part| write!(f, "{part}"))?;
        if let Some(default) = &self.default {
            write!(f, ":-{}", scalar::write(default))?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step {
            PathStep::Key(key) if is_word(key) => write!(f, ".{key}")?,
            PathStep::Key(key) => write!(f, "[{}]", quoting::write_with(key, '"'))?,
            PathStep::Index(index) => write!(f, "[{index}]")?,
            PathStep::All => f.write_str(".$all")?,
        }
        f.write_str(if self.optional { "?" } else { "" })
    }
}

/// Whether a key can stand after a dot.
pub(crate) fn is_word(key: &str) -> bool {
    key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_read_and_print() {
        for (written, printed) in [
            ("${a}", "${a}"),
            ("${ a.b }", "${a.b}"),
            ("${a[0].b[-1]}", "${a[0].b[-1]}"),
            ("${a['b c']}", "${a[\"b c\"]}"),
            ("${headers.content-type}", "${headers[\"content-type\"]}"),
            ("${a.$all[0].b}", "${a.$all[0].b}"),
            ("${a?.b?}", "${a?.b?}"),
            ("${a:-5}", "${a:-5}"),
            ("${a:- no }", "${a:-false}"),
            ("${a:-}", "${a:-\"\"}"),
            ("${a:-'}'}", "${a:-\"}\"}"),
        ] {
            let (reference, end) = read(written, 0).expect(written);
            assert_eq!((reference.to_string().as_str(), end), (printed, written.len()));
            assert_eq!(read(printed, 0).expect(printed).0, reference);
        }
    }

    #[test]
    fn what_is_no_reference_is_told() {
        for (text, says) in [
            ("a ${b", "not closed"),
            ("${", "not closed"),
            ("${}", "expected a name"),
            ("${a.}", "expected a name after `.`"),
            ("${a.0}", "expected a name after `.`"),
            ("${a[}", "expected a number or a text"),
            ("${a[0}", "expected `]`"),
            ("${a b}", "expected `}`"),
            ("${a:-x", "not closed"),
            ("${a:-${b}}", "a default holds no reference"),
        ] {
            let trouble = pieces(text).expect_err(text);
            assert!(trouble.message.contains(says), "{text}: {trouble}");
        }
    }

    #[test]
    fn dollars_that_begin_nothing_stay() {
        let plain = |text: &str| match pieces(text).expect(text).as_slice() {
            [] => String::new(),
            [Piece::Plain(text)] => text.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(plain("$5 $ $$"), "$5 $ $$");
        assert_eq!(plain("$${x}"), "${x}");
        assert_eq!(plain("$$${x}"), "$${x}");
        assert_eq!(plain(""), "");
    }
}
