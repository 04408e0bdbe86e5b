//! What the table of a project's file says: each key is known and given once, and each value is what its key takes.

use std::ops::Range;
use std::path::Path;

use toml::de::DeTable;
use unitai_model::value::plain;

use crate::kind::Wrong;
use crate::source::Place;
use crate::written::{Item, What, items, shortened};
use crate::{KEYS, Key, Name, Trouble, Value};
use unitai_model::nearest::best;

/// What a file says about a setting.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) name: Name,
    pub(crate) value: Value,
    pub(crate) place: Place,
}

/// Reads a table of settings. Troubles come in the order of the file.
pub(crate) fn read(file: &Path, text: &str, table: &DeTable<'_>) -> Result<Vec<Said>, Vec<Trouble>> {
    let mut reading = Reading { found: Vec::new(), troubles: Vec::new() };
    for item in items(table) {
        reading.top(&item);
    }
    let place = |byte: usize| Place::of(file.to_owned(), text, byte);
    if !reading.troubles.is_empty() {
        reading.troubles.sort_by_key(|trouble| trouble.at);
        let told = |trouble: Misplaced| {
            let other =
                trouble.other.map_or_else(String::new, |other| format!(" (line {})", place(other).line));
            Trouble {
                place: place(trouble.at).to_string(),
                message: format!("{}{other}", trouble.message),
                expected: trouble.expected,
            }
        };
        return Err(reading.troubles.into_iter().map(told).collect());
    }
    let said = |found: Found| Said { name: found.name, value: found.value, place: place(found.at) };
    Ok(reading.found.into_iter().map(said).collect())
}

struct Found {
    name: Name,
    value: Value,
    at: usize,
    /// As it is spelled there.
    spelling: String,
}

struct Misplaced {
    at: usize,
    message: String,
    expected: String,
    /// Where the other one stands, if there are two.
    other: Option<usize>,
}

struct Reading {
    found: Vec<Found>,
    troubles: Vec<Misplaced>,
}

impl Reading {
    fn top(&mut self, item: &Item) {
        if let Some(key) = Key::of_flat(&item.key) {
            return self.take(key, item, format!("`{}`", key.flat));
        }
        let Some(section) = Key::sections().find(|section| *section == item.key) else {
            return self.unknown(item, None);
        };
        match &item.value.what {
            What::Table(inner) => inner.iter().for_each(|item| match Key::of_table(section, &item.key) {
                Some(key) => self.take(key, item, format!("`{}` in [{section}]", item.key)),
                None => self.unknown(item, Some(section)),
            }),
            other => {
                let keys = inner_keys(section).join(", ");
                self.trouble(
                    item.value.span.start,
                    format!("`{section}` is {}", other.shown()),
                    format!("a table [{section}] with any of: {keys}"),
                );
            }
        }
    }

    fn take(&mut self, key: &'static Key, item: &Item, spelling: String) {
        if let Some(earlier) = self.found.iter().find(|found| found.name == key.name) {
            let (first, second) = if earlier.at < item.span.start {
                ((earlier.at, &earlier.spelling), (item.span.start, &spelling))
            } else {
                ((item.span.start, &spelling), (earlier.at, &earlier.spelling))
            };
            let trouble = Misplaced {
                at: second.0,
                message: format!("{} and {} are both given", second.1, first.1),
                expected: "one of them".to_owned(),
                other: Some(first.0),
            };
            self.troubles.push(trouble);
            return;
        }
        match key.kind.read(&item.value) {
            Ok(value) => {
                self.found.push(Found { name: key.name, value, at: item.span.start, spelling });
            }
            Err(Wrong { span, within, found, expected }) => {
                let what = if within.is_empty() { spelling } else { format!("`{}{within}`", key.flat) };
                self.trouble(start(&span, item), format!("{what} {found}"), expected);
            }
        }
    }

    fn unknown(&mut self, item: &Item, section: Option<&'static str>) {
        let name = plain(&shortened(&item.key));
        let message = match (section, &item.value.what) {
            (Some(section), _) => format!("[{section}] has no setting `{name}`"),
            (None, What::Table(_)) => format!("there is no table [{name}]"),
            (None, _) => format!("there is no setting `{name}`"),
        };
        let expected = match meant(&item.key, section) {
            // It is what pyproject.toml needs.
            _ if section.is_none() && item.key == "tool" => {
                "the settings at the top of this file, without [tool.unitai]".to_owned()
            }
            Some(hint) => format!("perhaps {hint}; `unitai config` shows every setting"),
            None => {
                let all = match section {
                    Some(section) => inner_keys(section),
                    None => KEYS.iter().map(|key| key.flat).collect(),
                };
                format!("one of: {}", all.join(", "))
            }
        };
        self.trouble(item.span.start, message, expected);
    }

    fn trouble(&mut self, at: usize, message: String, expected: String) {
        self.troubles.push(Misplaced { at, message, expected, other: None });
    }
}

/// Where a value stands. A table with a head of its own stands where its key does.
fn start(span: &Range<usize>, item: &Item) -> usize {
    if span.is_empty() { item.span.start } else { span.start }
}

fn inner_keys(section: &str) -> Vec<&'static str> {
    KEYS.iter().filter_map(|key| key.table).filter(|table| table.0 == section).map(|table| table.1).collect()
}

/// The key that was probably meant, as it is spelled where the wrong one stands.
fn meant(word: &str, section: Option<&'static str>) -> Option<String> {
    let spelled = |key: &Key| match (section, key.table) {
        (Some(section), Some((own, inner))) if own == section => format!("`{inner}`"),
        (Some(section), _) => format!("`{}`, outside of [{section}]", key.flat),
        (None, _) => format!("`{}`", key.flat),
    };
    let mut known = Vec::new();
    // Where two are equally near, the one of this table comes first.
    let mut keys: Vec<&Key> = KEYS.iter().collect();
    keys.sort_by_key(|key| section.is_some_and(|section| key.table.is_none_or(|table| table.0 != section)));
    for key in keys {
        known.push((key.flat, spelled(key)));
        known.extend(key.table.map(|(_, inner)| (inner, spelled(key))));
    }
    if section.is_none() {
        known.extend(Key::sections().map(|section| (section, format!("[{section}]"))));
    }
    best(word, known)
}
