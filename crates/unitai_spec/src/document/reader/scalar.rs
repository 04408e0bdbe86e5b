//! Scalars of a known kind. What the files' first system took is taken: a number in quotes, `30.0`, even `true`.

use unitai_model::nearest::nearest;
use unitai_model::value::Value;

use super::Reader;
use super::fields::last;
use crate::document::keys::MOST;
use crate::document::telling::{found, one_of, quote_it};
use crate::document::yaml::{Kind, Node};

impl Reader {
    /// A text. Numbers and booleans are none: `no` and `1.10` would not come back as they were written.
    pub(super) fn text(&mut self, node: &Node, path: &str) -> Option<String> {
        if let Some(text) = node.text() {
            return Some(text.to_owned());
        }
        let message = format!("`{}` must be a text, found {}", last(path), found(node));
        self.tell(node.at, path, message, quote_it(node));
        None
    }

    /// A text, or another scalar as it was written: `PORT: 8080` is a text to the program that gets it.
    pub(super) fn as_written(&mut self, node: &Node, path: &str) -> Option<String> {
        if let Some(text) = node.as_written() {
            return Some(text.to_owned());
        }
        let message = format!("`{}` must be a text or a number, found {}", last(path), found(node));
        self.tell(node.at, path, message, "write one text");
        None
    }

    /// A whole number from 0.
    pub(super) fn count(&mut self, node: &Node, path: &str) -> Option<u32> {
        let number = self.number(node, path, "a whole number")?;
        if number.fract() != 0.0 {
            let message = format!("`{}` must be a whole number, found {}", last(path), found(node));
            self.tell(node.at, path, message, format!("write {} or {}", number.floor(), number.ceil()));
            return None;
        }
        Some(number as u32)
    }

    /// Seconds: any number from 0.
    pub(super) fn seconds(&mut self, node: &Node, path: &str) -> Option<f64> {
        self.number(node, path, "a number of seconds")
    }

    fn number(&mut self, node: &Node, path: &str, what: &str) -> Option<f64> {
        let name = last(path);
        let number = match &node.kind {
            Kind::Scalar { value: Value::Int(it), .. } => Some(*it as f64),
            Kind::Scalar { value: Value::BigInt(it), .. } => {
                Some(if it.starts_with('-') { f64::MIN } else { f64::MAX })
            }
            Kind::Scalar { value: Value::Float(it), .. } => Some(*it),
            Kind::Scalar { value: Value::Bool(it), written } => {
                let number = u8::from(*it);
                let message = format!("`{name}` is {what}, and `{written}` is taken for {number}");
                self.warn(node.at, path, message, format!("write {number}"));
                Some(f64::from(number))
            }
            Kind::Scalar { value: Value::Str(text), .. } => number_in(text),
            _ => None,
        };
        let (message, remedy) = match number {
            Some(number) if (0.0..=f64::from(MOST)).contains(&number) => return Some(number),
            Some(number) if number < 0.0 => {
                (format!("`{name}` cannot be negative, found {}", found(node)), "write 0 or more".to_owned())
            }
            Some(number) if number > 0.0 => {
                (format!("`{name}` is too large, found {}", found(node)), format!("write at most {MOST}"))
            }
            _ => (format!("`{name}` must be {what}, found {}", found(node)), "write a number".to_owned()),
        };
        self.tell(node.at, path, message, remedy);
        None
    }

    /// Yes or no.
    pub(super) fn flag(&mut self, node: &Node, path: &str) -> Option<bool> {
        if let Kind::Scalar { value: Value::Bool(it), .. } = &node.kind {
            return Some(*it);
        }
        let message = format!("`{}` must be true or false, found {}", last(path), found(node));
        self.tell(node.at, path, message, "write `true` or `false`");
        None
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, node: &Node, path: &str, words: &[(&str, T)]) -> Option<T> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let said = node.as_written().unwrap_or_default();
        if let Some((_, meaning)) = words.iter().find(|(word, _)| node.text() == Some(word)) {
            return Some(*meaning);
        }
        let message = format!("`{}` must be {}, found {}", last(path), one_of(&known), found(node));
        let near = nearest(said, known.iter().copied());
        self.tell(
            node.at,
            path,
            message,
            near.map_or_else(String::new, |near| format!("did you mean `{near}`?")),
        );
        None
    }
}

/// The number in quotes, such as `"30"` and `"1.5"`.
fn number_in(text: &str) -> Option<f64> {
    let unsigned = text.trim_ascii().trim_start_matches(['+', '-']);
    let signs = text.trim_ascii().len() - unsigned.len();
    let is_plain = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.chars().all(|c| c.is_ascii_digit() || c == '.');
    if signs > 1 || !is_plain {
        return None;
    }
    text.trim_ascii().parse().ok()
}
