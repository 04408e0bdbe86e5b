//! The value of a setting.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::json;
use unitai_model::value::quoted;
use unitai_model::{Money, OwnPrice};

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// None.
    Nothing,
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// US dollars.
    Dollars(Money),
    /// True or false.
    Flag(bool),
    /// A text.
    Text(String),
    /// The path of a file or folder.
    Path(PathBuf),
    /// A list of texts.
    Texts(Vec<String>),
    /// A word for each name.
    Words(BTreeMap<String, String>),
    /// A list of texts for each name.
    Lists(BTreeMap<String, Vec<String>>),
    /// What models cost, by their names.
    Prices(BTreeMap<String, OwnPrice>),
}

impl Value {
    /// The whole number that it is.
    pub fn whole(&self) -> Option<u64> {
        if let Value::Whole(number) = self { Some(*number) } else { None }
    }

    /// The number that it is.
    pub fn number(&self) -> Option<f64> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }

    /// The dollars that it is.
    pub fn dollars(&self) -> Option<Money> {
        if let Value::Dollars(amount) = self { Some(*amount) } else { None }
    }

    /// Whether it is true.
    pub fn flag(&self) -> Option<bool> {
        if let Value::Flag(flag) = self { Some(*flag) } else { None }
    }

    /// The text that it is.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The path that it is.
    pub fn path(&self) -> Option<&Path> {
        if let Value::Path(path) = self { Some(path) } else { None }
    }

    /// The texts that it is.
    pub fn texts(&self) -> &[String] {
        if let Value::Texts(texts) = self { texts } else { &[] }
    }

    /// The words that it is, by name.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        let words = if let Value::Words(words) = self { Some(words) } else { None };
        words.into_iter().flatten().map(|(name, word)| (name.as_str(), word.as_str()))
    }

    /// The lists that it is, by name.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &[String])> {
        let lists = if let Value::Lists(lists) = self { Some(lists) } else { None };
        lists.into_iter().flatten().map(|(name, texts)| (name.as_str(), texts.as_slice()))
    }

    /// The same, with a path from `folder` where it is a path.
    pub(crate) fn rooted_in(self, folder: &Path) -> Value {
        match self {
            Value::Path(path) => Value::Path(folder.join(path)),
            other => other,
        }
    }

    /// The value in JSON.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Value::Nothing => json!(null),
            Value::Whole(number) => json!(number),
            Value::Number(number) => json!(number),
            Value::Dollars(amount) => json!(amount.dollars()),
            Value::Flag(flag) => json!(flag),
            Value::Text(text) => json!(text),
            Value::Path(path) => json!(path.to_string_lossy()),
            Value::Texts(texts) => json!(texts),
            Value::Words(words) => json!(words),
            Value::Lists(lists) => json!(lists),
            Value::Prices(prices) => prices
                .iter()
                .map(|(model, price)| {
                    let classes =
                        price.classes().map(|(class, amount)| (class.to_owned(), json!(amount.dollars())));
                    (model.clone(), classes.collect::<serde_json::Map<_, _>>().into())
                })
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

/// As it would be written in the project's file.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => write!(f, "none"),
            Value::Whole(number) => write!(f, "{number}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Dollars(amount) => write!(f, "{amount}"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Text(text) => write!(f, "{}", quoted(text)),
            Value::Path(path) => write!(f, "{}", quoted(&path.to_string_lossy())),
            Value::Texts(texts) => {
                let all: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
                write!(f, "[{}]", all.join(", "))
            }
            Value::Words(words) => {
                write!(f, "{}", table(words.iter().map(|(name, word)| (name, quoted(word)))))
            }
            Value::Lists(lists) => {
                let list = |texts: &Vec<String>| Value::Texts(texts.clone()).to_string();
                write!(f, "{}", table(lists.iter().map(|(name, texts)| (name, list(texts)))))
            }
            Value::Prices(prices) if prices.is_empty() => write!(f, "{{}}"),
            Value::Prices(prices) => {
                let all: Vec<String> = prices
                    .iter()
                    .map(|(model, price)| format!("{} = {}", quoted(model), inline(price)))
                    .collect();
                write!(f, "{{ {} }}", all.join(", "))
            }
        }
    }
}

fn table<'a>(items: impl Iterator<Item = (&'a String, String)>) -> String {
    let all: Vec<String> = items.map(|(name, value)| format!("{} = {value}", quoted(name))).collect();
    if all.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", all.join(", ")) }
}

fn inline(price: &OwnPrice) -> String {
    let classes: Vec<String> = price.classes().map(|(class, amount)| format!("{class} = {amount}")).collect();
    format!("{{ {} }}", classes.join(", "))
}
