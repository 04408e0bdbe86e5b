//! The project's file: `[tool.unitai]` in `pyproject.toml`, or else `unitai.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::Trouble;

/// What the project's file says.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// The file; `None` when there is none.
    pub file: Option<PathBuf>,
    text: String,
    table: Table,
}

impl Project {
    /// The project that a folder belongs to: the nearest file at or above it that speaks of UnitAI.
    pub fn of(folder: &Path) -> Result<Project, Trouble> {
        for folder in folder.ancestors() {
            let pyproject = folder.join("pyproject.toml");
            if let Ok(text) = fs::read_to_string(&pyproject)
                && text.contains("unitai")
            {
                let mut all = read(&pyproject, &text)?;
                if let Some(Value::Table(mut tool)) = all.remove("tool")
                    && let Some(Value::Table(table)) = tool.remove("unitai")
                {
                    return Ok(Project { file: Some(pyproject), text, table });
                }
            }
            let own = folder.join("unitai.toml");
            if let Ok(text) = fs::read_to_string(&own) {
                let table = read(&own, &text)?;
                return Ok(Project { file: Some(own), text, table });
            }
        }
        Ok(Project::default())
    }

    /// The folder that paths in the file are relative to.
    pub fn folder(&self) -> Option<&Path> {
        self.file.as_deref().and_then(Path::parent)
    }

    /// The value of a key that stands by itself.
    pub(crate) fn key(&self, name: &str) -> Option<&Value> {
        self.table.get(name)
    }

    /// What stands under `[section]`, and the flat keys `section_name` beside it, as `name`.
    pub fn section(&self, section: &str) -> Result<Vec<(String, &Value)>, Trouble> {
        let mut found = Vec::new();
        match self.table.get(section) {
            None => {}
            Some(Value::Table(table)) => {
                found.extend(table.iter().map(|(name, value)| (name.clone(), value)))
            }
            Some(other) => {
                return Err(self.trouble(section, format!("`{section}` is {}", kind(other)), "a table"));
            }
        }
        let flat = format!("{section}_");
        for (name, value) in &self.table {
            let Some(name) = name.strip_prefix(&flat) else { continue };
            if found.iter().any(|(other, _)| other == name) {
                let both = format!("`{flat}{name}` and `{name}` in [{section}] are both given");
                return Err(self.trouble(name, both, "one of them"));
            }
            found.push((name.to_owned(), value));
        }
        Ok(found)
    }

    /// A value of a section that is not what it should be.
    pub(crate) fn wrong(&self, of: &str, name: &str, value: &Value, expected: &str) -> Trouble {
        self.trouble(name, format!("`{name}` of {of} is {}: {value}", kind(value)), expected)
    }

    /// A key that a section does not have.
    pub(crate) fn unknown(&self, of: &str, name: &str, known: &[&str]) -> Trouble {
        let expected = format!("{}one of: {}", nearest(name, known), known.join(", "));
        self.trouble(name, format!("{of} has no setting `{name}`"), expected)
    }

    /// A setting of this file that cannot be used.
    pub fn trouble(&self, key: &str, message: impl Into<String>, expected: impl Into<String>) -> Trouble {
        let file = self.file.as_deref().map(|file| file.display().to_string()).unwrap_or_default();
        let is_it = |line: &str| {
            let name = line.split('=').next().unwrap_or_default().trim().trim_matches('"');
            line.contains('=') && (name == key || name.ends_with(&format!("_{key}")))
        };
        let line = self.text.lines().position(is_it).map_or_else(String::new, |at| format!(":{}", at + 1));
        Trouble { place: format!("{file}{line}"), message: message.into(), expected: expected.into() }
    }
}

fn read(file: &Path, text: &str) -> Result<Table, Trouble> {
    text.parse::<Table>().map_err(|error| {
        let line =
            error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count()) + 1;
        Trouble {
            place: format!("{}:{line}", file.display()),
            message: error.message().to_owned(),
            expected: "a file in TOML".to_owned(),
        }
    })
}

/// The key that was probably meant.
fn nearest(key: &str, known: &[&str]) -> String {
    let shared = |known: &&&str| known.chars().zip(key.chars()).take_while(|(a, b)| a == b).count();
    match known.iter().max_by_key(shared).filter(|known| shared(known) >= 2) {
        Some(known) => format!("perhaps `{known}`; "),
        None => String::new(),
    }
}

/// A number, written with or without a point.
pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

/// What a value is, in a word.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
