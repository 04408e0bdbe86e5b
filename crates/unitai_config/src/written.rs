//! A value as somebody wrote it: in TOML, in JSON or in Python.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use unitai_model::value::quoted;

/// A value as it was written, and where: from byte to byte of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The value.
    pub what: What,
    /// Where it stands; nowhere in particular if it is of no file.
    pub span: Range<usize>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Nothing: `null`, `None`.
    Nothing,
    /// A text.
    Text(String),
    /// A number without a point.
    Whole(i64),
    /// Any other number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Written>),
    /// A table.
    Table(Vec<Item>),
    /// Something that no setting takes, in a word: a date, an object.
    Other(String),
}

/// A key of a table, and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub span: Range<usize>,
    /// Its value.
    pub value: Written,
}

impl Written {
    /// A value that stands in no file.
    pub fn nowhere(what: What) -> Written {
        Written { what, span: 0..0 }
    }

    /// A value of TOML.
    pub(crate) fn of_toml(value: &DeValue<'_>, span: Range<usize>) -> Written {
        let what = match value {
            DeValue::String(text) => What::Text(text.to_string()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => What::Whole(number),
                Err(_) => What::Number(number.as_str().parse().unwrap_or(f64::INFINITY)),
            },
            DeValue::Float(number) => What::Number(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => What::Flag(*flag),
            DeValue::Datetime(date) => What::Other(format!("the date {date}")),
            DeValue::Array(items) => {
                What::List(items.iter().map(|item| Written::of_toml(item.get_ref(), item.span())).collect())
            }
            DeValue::Table(table) => What::Table(items(table)),
        };
        Written { what, span }
    }

    /// A value of JSON.
    pub fn of_json(value: &serde_json::Value) -> Written {
        use serde_json::Value;
        Written::nowhere(match value {
            Value::Null => What::Nothing,
            Value::Bool(flag) => What::Flag(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(number) => What::Whole(number),
                None => What::Number(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => What::Text(text.clone()),
            Value::Array(items) => What::List(items.iter().map(Written::of_json).collect()),
            Value::Object(items) => {
                let item = |(key, value): (&String, &Value)| Item {
                    key: key.clone(),
                    span: 0..0,
                    value: Written::of_json(value),
                };
                What::Table(items.iter().map(item).collect())
            }
        })
    }
}

impl What {
    /// A number, written with or without a point.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            What::Whole(number) => Some(*number as f64),
            What::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// What it is, for a message: short, and with nothing in it that a terminal obeys.
    pub(crate) fn shown(&self) -> String {
        match self {
            What::Nothing => "nothing".to_owned(),
            What::Text(text) => format!("a text: {}", quoted(&shortened(text))),
            What::Whole(number) => number.to_string(),
            What::Number(number) => number.to_string(),
            What::Flag(flag) => flag.to_string(),
            What::List(items) if items.is_empty() => "an empty list".to_owned(),
            What::List(_) => "a list".to_owned(),
            What::Table(_) => "a table".to_owned(),
            What::Other(word) => unitai_model::value::plain(&shortened(word)),
        }
    }
}

/// The items of a table in TOML.
pub(crate) fn items(table: &DeTable<'_>) -> Vec<Item> {
    let item = |(key, value): (&toml::Spanned<toml::de::DeString<'_>>, &toml::Spanned<DeValue<'_>>)| Item {
        key: key.get_ref().to_string(),
        span: key.span(),
        value: Written::of_toml(value.get_ref(), value.span()),
    };
    table.iter().map(item).collect()
}

/// Text that is not longer than a message bears.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
