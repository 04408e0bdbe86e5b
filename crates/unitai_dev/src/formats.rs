//! Pages about files that others read and write: what their schemas say, as tables.

use std::fmt::Write;

use serde_json::{Map, Value};

/// The page about a format: its title, what it is for, and where its schema stands.
pub(crate) fn page(title: &str, about: &str, file: &str, schema: &Value) -> String {
    let mut page = format!(
        "<!-- Made by `cargo dev generate` of schemas/{file}. -->\n\n# {title}\n\n{about}\n\nThe schema, for programs and \
         editors: [`schemas/{file}`](../../../schemas/{file}).\n"
    );
    let mut sections = Sections::default();
    sections.of(None, schema);
    for (name, inner) in members(schema, "$defs") {
        sections.of(Some(&plain(name)), inner);
    }
    for (name, text) in sections.done {
        let _ = match name {
            Some(name) => write!(page, "\n## {name}\n\n{text}"),
            None => write!(page, "\n{text}"),
        };
        page.truncate(page.trim_end().len());
        page.push('\n');
    }
    page
}

/// The table of the pages, of their titles, names and what they are about.
pub(crate) fn index<'page>(pages: impl Iterator<Item = (&'page str, &'page str, &'page str)>) -> String {
    let mut page = "<!-- Made by `cargo dev generate`. -->\n\n# File formats\n\nWhat UnitAI reads and writes, each with a \
                    published schema.\n\n| format | what it is |\n|---|---|\n"
        .to_owned();
    for (title, name, about) in pages {
        let _ = writeln!(page, "| [{title}]({name}.md) | {about} |");
    }
    page
}

/// Parts of a page in their order, each with its heading.
#[derive(Default)]
struct Sections {
    done: Vec<(Option<String>, String)>,
}

impl Sections {
    /// Adds what a schema says, and what its inner objects say, each as a part of its own.
    fn of(&mut self, name: Option<&str>, schema: &Value) {
        let at = self.done.len();
        let mut text = described(schema);
        if let Some(properties) = schema.get("properties").filter(|_| schema.get("$ref").is_none()) {
            text.push_str(&self.table(name, schema, properties));
        } else {
            text.push_str(&choices(schema));
        }
        if !text.is_empty() {
            self.done.insert(at, (name.map(str::to_owned), text));
        }
    }

    fn table(&mut self, name: Option<&str>, schema: &Value, properties: &Value) -> String {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut text = "| key | takes | what it means |\n|---|---|---|\n".to_owned();
        for (key, inner) in properties.as_object().into_iter().flatten() {
            let is_required = if required.contains(&key.as_str()) { " (required)" } else { "" };
            let _ = writeln!(text, "| `{key}`{is_required} | {} | {} |", takes(inner), meaning(inner));
            let path = name.map_or_else(|| format!("`{key}`"), |name| format!("{name}: `{key}`"));
            for object in inner_objects(inner) {
                self.of(Some(&path), object);
            }
        }
        text
    }
}

/// One of several forms or words, or what a list or a table holds.
fn choices(schema: &Value) -> String {
    let mut text = String::new();
    for choice in ["oneOf", "anyOf"].into_iter().flat_map(|word| items(schema, word)) {
        let word = choice.get("const").or_else(|| choice.pointer("/properties/event/const"));
        let shape = choice.get("$ref").map(|_| takes(choice));
        let name = match (word, choice.get("title").and_then(Value::as_str), shape) {
            (Some(word), _, Some(shape)) => format!("`{word}`, {shape}"),
            (Some(word), ..) => format!("`{word}`"),
            (None, Some(title), _) => title.to_owned(),
            (None, None, Some(shape)) => shape,
            (None, None, None) => takes(choice),
        };
        let meaning = meaning(choice);
        let _ = if meaning.is_empty() {
            writeln!(text, "- {name}")
        } else {
            writeln!(text, "- {name}: {meaning}")
        };
    }
    if text.is_empty() && ["type", "$ref"].iter().any(|word| schema.get(word).is_some()) {
        let _ = writeln!(text, "Takes {}.", takes(schema));
    }
    text
}

/// Objects that a property holds and that stand nowhere else.
fn inner_objects(schema: &Value) -> Vec<&Value> {
    let own = Some(schema).filter(|schema| schema.get("properties").is_some());
    let items = schema.get("items").filter(|items| items.get("properties").is_some());
    let forms = ["oneOf", "anyOf"].into_iter().flat_map(|word| self::items(schema, word));
    own.into_iter().chain(items).chain(forms.filter(|form| form.get("properties").is_some())).collect()
}

/// What may stand for a key, in words.
fn takes(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
        let name = plain(name);
        return format!("[{name}](#{})", name.to_lowercase().replace(' ', "-"));
    }
    if let Some(word) = schema.get("const") {
        return format!("`{word}`");
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    }
    let forms: Vec<String> = ["oneOf", "anyOf"]
        .into_iter()
        .flat_map(|word| items(schema, word))
        // A schema that only asks for keys says nothing about what stands there.
        .filter(|form| ["type", "$ref", "const", "enum"].iter().any(|word| form.get(word).is_some()))
        .map(takes)
        .collect();
    if !forms.is_empty() {
        let mut told: Vec<String> = Vec::new();
        for form in forms {
            if !told.contains(&form) {
                told.push(form);
            }
        }
        return told.join(" or ");
    }
    let kinds = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return "anything".to_owned(),
    };
    kinds.into_iter().map(|kind| of_kind(kind, schema)).collect::<Vec<_>>().join(" or ")
}

fn of_kind(kind: &str, schema: &Value) -> String {
    match kind {
        "string" => "a text".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "null" => "nothing".to_owned(),
        "array" => schema
            .get("items")
            .map_or_else(|| "a list".to_owned(), |items| format!("a list of: {}", takes(items))),
        _ => match schema.get("additionalProperties").filter(|values| values.is_object()) {
            Some(values) => format!("by name: {}", takes(values)),
            None => "an object".to_owned(),
        },
    }
}

fn meaning(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let usual = schema
        .get("default")
        .filter(|usual| !usual.is_null())
        .map_or_else(String::new, |usual| format!(" If left out: `{usual}`."));
    format!("{}{usual}", text.replace('|', "\\|").replace('\n', " "))
}

fn described(schema: &Value) -> String {
    let text = meaning(schema);
    if text.is_empty() { text } else { format!("{text}\n\n") }
}

/// The name of a definition, as words: `TestFinished` is "Test finished".
fn plain(name: &str) -> String {
    let mut words = String::new();
    for (at, letter) in name.trim_end_matches("Document").chars().enumerate() {
        if at == 0 {
            words.extend(letter.to_uppercase());
        } else if letter.is_uppercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    if words.is_empty() { name.to_owned() } else { words }
}

fn items<'schema>(schema: &'schema Value, word: &str) -> impl Iterator<Item = &'schema Value> {
    schema.get(word).and_then(Value::as_array).into_iter().flatten()
}

fn members<'schema>(
    schema: &'schema Value,
    word: &str,
) -> impl Iterator<Item = (&'schema String, &'schema Value)> {
    schema.get(word).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
