//! What a setting takes, and how what was written becomes a value.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use unitai_model::value::quoted;
use unitai_model::{Money, OwnPrice};

use crate::Value;
use crate::written::{Item, What, Written};
use unitai_model::nearest::nearest;

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, both ends included.
    Whole {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A number from 0 to 1.
    Share,
    /// An amount of US dollars, more than none.
    Dollars,
    /// A number of hours.
    Hours,
    /// A number of seconds, more than none.
    Seconds,
    /// A word; an empty one is none.
    Word {
        /// Other spellings, and what they mean.
        also: &'static [(&'static str, &'static str)],
    },
    /// The path of a file or folder, from the folder of the project's file.
    Path,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// True or false.
    Flag,
    /// A list of texts.
    Texts,
    /// A program and its arguments: a list of texts, or one text with spaces between.
    Command,
    /// A list of addresses.
    Addresses,
    /// A list of variables of the environment, with `|` between those of which one is enough.
    Variables,
    /// One of these words for each name.
    Words(&'static [&'static str]),
    /// A list of texts for each name.
    Lists,
    /// What models cost, by their names.
    Prices,
}

/// The most dollars that any setting takes.
pub(crate) const MOST_DOLLARS: f64 = 1_000_000.0;
/// The least dollars that a budget takes: money knows nothing less.
pub(crate) const LEAST_DOLLARS: f64 = 1e-12;
/// The most hours that any setting takes.
pub(crate) const MOST_HOURS: f64 = 1e9;
/// More seconds than any setting takes.
pub(crate) const TOO_MANY_SECONDS: f64 = 1e8;

/// A value that is not what the setting takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Where it stands.
    pub(crate) span: Range<usize>,
    /// What it is of, inside of the value: `[0]`, `["my-model"].input`.
    pub(crate) within: String,
    /// What is wrong with it, as the end of a sentence.
    pub(crate) found: String,
    /// What would be right.
    pub(crate) expected: String,
}

impl Kind {
    /// What it takes, in words.
    pub fn expected(self) -> String {
        match self {
            Kind::Whole { least, most } => format!("a whole number of at least {least}, and at most {most}"),
            Kind::Share => "a number from 0 to 1".to_owned(),
            Kind::Dollars => "a number of dollars above 0, and at most a million".to_owned(),
            Kind::Hours => "a number of hours, 0 for ever".to_owned(),
            Kind::Seconds => "a number of seconds above 0".to_owned(),
            Kind::Word { .. } => "a text; an empty one is none".to_owned(),
            Kind::Path => "the path of a file or folder".to_owned(),
            Kind::Choice(words) => format!("one of: {}", words.join(", ")),
            Kind::Flag => "true or false".to_owned(),
            Kind::Texts => "a list of texts".to_owned(),
            Kind::Command => "a program and its arguments, as in [\"python\", \"judge.py\"]".to_owned(),
            Kind::Addresses => "a list of addresses, as in [\"https://api.example.com/\"]".to_owned(),
            Kind::Variables => {
                "a list of variables, as in [\"OPENAI_API_KEY\", \"GEMINI_API_KEY|GOOGLE_API_KEY\"]"
                    .to_owned()
            }
            Kind::Words(words) => format!("a table of names, each with one of: {}", words.join(", ")),
            Kind::Lists => "a table of names, each with a list of texts".to_owned(),
            Kind::Prices => format!(
                "prices by model, as in {{\"my-model\": {}}}, in dollars for a million tokens",
                OwnPrice::SHAPE
            ),
        }
    }

    /// The value that was written in a file, or given as an argument.
    pub(crate) fn read(self, written: &Written) -> Result<Value, Wrong> {
        let wrong = || Wrong {
            span: written.span.clone(),
            within: String::new(),
            found: format!("is {}", written.what.shown()),
            expected: self.expected(),
        };
        let within = |least: f64, most: f64| {
            written.what.number().filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
        };
        match (self, &written.what) {
            (Kind::Whole { least, most }, what) => whole(what)
                .filter(|number| (least..=most).contains(number))
                .map(Value::Whole)
                .ok_or_else(wrong),
            (Kind::Share, _) => within(0.0, 1.0).map(Value::Number),
            (Kind::Hours, _) => within(0.0, MOST_HOURS).map(Value::Number),
            (Kind::Seconds, what) => {
                let seconds = what.number().filter(|number| *number > 0.0 && *number < TOO_MANY_SECONDS);
                seconds.map(Value::Number).ok_or_else(wrong)
            }
            (Kind::Dollars, _) => {
                let dollars = within(LEAST_DOLLARS, MOST_DOLLARS)?;
                Money::from_dollars(dollars).map(Value::Dollars).ok_or_else(wrong)
            }
            (Kind::Word { .. }, What::Text(text)) if text.is_empty() => Ok(Value::Nothing),
            (Kind::Word { also }, What::Text(text)) => {
                let meant =
                    also.iter().find(|(other, _)| other == text).map_or(text.as_str(), |(_, word)| word);
                Ok(Value::Text(meant.to_owned()))
            }
            (Kind::Path, What::Text(text)) if !text.is_empty() && !text.contains('\0') => {
                Ok(Value::Path(PathBuf::from(text)))
            }
            (Kind::Choice(words), What::Text(text)) => match words.iter().find(|word| *word == text) {
                Some(word) => Ok(Value::Text((*word).to_owned())),
                None => {
                    let hint = nearest(text, words.iter().copied())
                        .map_or_else(String::new, |word| format!("perhaps `{word}`; "));
                    Err(Wrong { expected: format!("{hint}{}", self.expected()), ..wrong() })
                }
            },
            (Kind::Flag, What::Flag(flag)) => Ok(Value::Flag(*flag)),
            (Kind::Texts, What::List(items)) => texts(items, &self.expected(), |_| true),
            (Kind::Command, What::List(items)) => texts(items, &self.expected(), |text| !text.contains('\0')),
            (Kind::Command, What::Text(text)) if !text.contains('\0') => {
                Ok(Value::Texts(text.split_whitespace().map(str::to_owned).collect()))
            }
            (Kind::Addresses, What::List(items)) => texts(items, &self.expected(), |text| {
                text.starts_with("http://") || text.starts_with("https://")
            }),
            (Kind::Variables, What::List(items)) => texts(items, &self.expected(), are_variables),
            (Kind::Words(words), What::Table(items)) => {
                let word = |item: &Item| {
                    let read = Kind::Choice(words).read(&item.value).map_err(|wrong| inside(item, wrong))?;
                    Ok((item.key.clone(), read.text().unwrap_or_default().to_owned()))
                };
                items.iter().map(word).collect::<Result<_, _>>().map(Value::Words)
            }
            (Kind::Lists, What::Table(items)) => {
                let list = |item: &Item| {
                    let read = Kind::Texts.read(&item.value).map_err(|wrong| inside(item, wrong))?;
                    Ok((item.key.clone(), read.texts().to_vec()))
                };
                items.iter().map(list).collect::<Result<_, _>>().map(Value::Lists)
            }
            (Kind::Prices, What::Table(items)) => prices(items).map(Value::Prices),
            _ => Err(wrong()),
        }
    }

    /// The value of a variable, or of an option of the command line.
    pub(crate) fn read_text(self, text: &str) -> Result<Value, Wrong> {
        let trimmed = text.trim();
        let what = match self {
            Kind::Whole { .. } => trimmed.parse().ok().map(What::Whole),
            Kind::Share | Kind::Dollars | Kind::Hours | Kind::Seconds => {
                trimmed.parse().ok().map(What::Number)
            }
            Kind::Word { .. } | Kind::Path | Kind::Choice(_) => Some(What::Text(text.to_owned())),
            Kind::Flag => match trimmed.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Some(What::Flag(true)),
                "0" | "false" | "no" | "off" => Some(What::Flag(false)),
                _ => None,
            },
            Kind::Texts | Kind::Addresses | Kind::Variables => Some(match json_texts(text) {
                Some(list) => list,
                None => list(text.split(',').map(str::trim).filter(|part| !part.is_empty())),
            }),
            Kind::Command => Some(json_texts(text).unwrap_or_else(|| What::Text(text.to_owned()))),
            Kind::Words(_) | Kind::Lists | Kind::Prices => {
                serde_json::from_str(text).ok().map(|json| Written::of_json(&json).what)
            }
        };
        // What cannot be read is shown as the text that it is.
        let what = what.unwrap_or_else(|| What::Other(format!("`{text}`")));
        self.read(&Written::nowhere(what)).map_err(|wrong| Wrong {
            expected: match self {
                Kind::Texts => "texts, with commas between them".to_owned(),
                Kind::Addresses => "addresses, with commas between them".to_owned(),
                Kind::Variables => "names of variables, with commas between them".to_owned(),
                Kind::Words(_) | Kind::Lists | Kind::Prices => format!("{}, as JSON", wrong.expected),
                _ => wrong.expected,
            },
            ..wrong
        })
    }
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> What {
    What::List(texts.map(|text| Written::nowhere(What::Text(text.to_owned()))).collect())
}

/// The list that a text is in JSON. Texts with commas or spaces within can be written no other way.
fn json_texts(text: &str) -> Option<What> {
    let texts: Vec<String> = serde_json::from_str(text).ok()?;
    Some(list(texts.iter().map(String::as_str)))
}

/// Whether a text names variables, with `|` between them.
fn are_variables(text: &str) -> bool {
    text.split('|').all(|name| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// A whole number, however it is written: `10.0` is one, too.
fn whole(what: &What) -> Option<u64> {
    match what {
        What::Whole(number) => u64::try_from(*number).ok(),
        What::Number(number) if number.fract() == 0.0 && (0.0..9e15).contains(number) => Some(*number as u64),
        _ => None,
    }
}

fn texts(items: &[Written], expected: &str, is_right: impl Fn(&str) -> bool) -> Result<Value, Wrong> {
    let mut found = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        match &item.what {
            What::Text(text) if is_right(text) => found.push(text.clone()),
            what => {
                return Err(Wrong {
                    span: item.span.clone(),
                    within: format!("[{at}]"),
                    found: format!("is {}", what.shown()),
                    expected: expected.to_owned(),
                });
            }
        }
    }
    Ok(Value::Texts(found))
}

/// What is wrong with the value of a key of a table.
fn inside(item: &Item, wrong: Wrong) -> Wrong {
    Wrong { within: format!("[{}]{}", quoted(&item.key), wrong.within), ..wrong }
}

fn prices(items: &[Item]) -> Result<BTreeMap<String, OwnPrice>, Wrong> {
    let mut found = BTreeMap::new();
    for item in items {
        found.insert(item.key.clone(), price(item)?);
    }
    Ok(found)
}

fn price(item: &Item) -> Result<OwnPrice, Wrong> {
    let within = format!("[{}]", quoted(&item.key));
    let expected = format!("a price, as in {}, in dollars for a million tokens", OwnPrice::SHAPE);
    let wrong = |span: &Range<usize>, found: String| Wrong {
        span: span.clone(),
        within: within.clone(),
        found,
        expected: expected.clone(),
    };
    let What::Table(classes) = &item.value.what else {
        return Err(wrong(&item.value.span, format!("is {}", item.value.what.shown())));
    };
    let mut amounts = Vec::new();
    for class in classes {
        if !OwnPrice::CLASSES.contains(&class.key.as_str()) {
            let hint = nearest(&class.key, OwnPrice::CLASSES)
                .map_or_else(String::new, |word| format!("perhaps `{word}`; "));
            return Err(Wrong {
                expected: format!("{hint}one of: {}", OwnPrice::CLASSES.join(", ")),
                ..wrong(&class.span, format!("has no class {}", quoted(&class.key)))
            });
        }
        let dollars = class.value.what.number().filter(|dollars| (0.0..=MOST_DOLLARS).contains(dollars));
        let amount = dollars.and_then(Money::from_dollars).ok_or_else(|| Wrong {
            span: class.value.span.clone(),
            within: format!("{within}.{}", class.key),
            found: format!("is {}", class.value.what.shown()),
            expected: "a number of dollars for a million tokens, from 0 to a million".to_owned(),
        })?;
        amounts.push((class.key.as_str(), amount));
    }
    let of_class = |class: &str| amounts.iter().find(|(name, _)| *name == class).map(|(_, amount)| *amount);
    OwnPrice::of(of_class).ok_or_else(|| {
        let missing = OwnPrice::NEEDED.iter().find(|class| of_class(class).is_none()).unwrap_or(&"input");
        wrong(&item.span, format!("has no price of {missing}"))
    })
}
