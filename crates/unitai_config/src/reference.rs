//! What follows from the table of keys: the schema of `unitai.toml`, and the page about every setting.

use serde_json::{Map, Value as Json, json};
use unitai_model::OwnPrice;

use crate::kind::{LEAST_DOLLARS, MOST_DOLLARS, MOST_HOURS, TOO_MANY_SECONDS};
use crate::settings::usual;
use crate::{KEYS, Key, Kind, Value};

/// The schema of `unitai.toml`, for editors.
pub fn schema() -> Json {
    let mut properties: Map<String, Json> =
        KEYS.iter().map(|key| (key.flat.to_owned(), property(key))).collect();
    for section in Key::sections() {
        let inner: Map<String, Json> = KEYS
            .iter()
            .filter_map(|key| {
                Some((key.table.filter(|table| table.0 == section)?.1.to_owned(), property(key)))
            })
            .collect();
        let table = json!({
            "type": "object",
            "description": format!("The settings `{section}_...`, each without its beginning."),
            "properties": inner,
            "additionalProperties": false,
        });
        properties.insert(section.to_owned(), table);
    }
    let once: Vec<Json> = KEYS
        .iter()
        .filter_map(|key| {
            let (section, inner) = key.table?;
            Some(json!({"not": {
                "required": [key.flat, section],
                "properties": {section: {"type": "object", "required": [inner]}},
            }}))
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "unitai.toml",
        "description": "The settings of UnitAI. In pyproject.toml they stand under [tool.unitai].",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "allOf": once,
    })
}

fn property(key: &Key) -> Json {
    let mut schema = of_kind(key.kind);
    schema.insert("description".to_owned(), json!(key.doc));
    let usual = usual(key);
    if usual != Value::Nothing {
        schema.insert("default".to_owned(), usual.json());
    }
    schema.into()
}

fn of_kind(kind: Kind) -> Map<String, Json> {
    let schema = match kind {
        Kind::Whole { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
        Kind::Dollars => json!({"type": "number", "minimum": LEAST_DOLLARS, "maximum": MOST_DOLLARS}),
        Kind::Hours => json!({"type": "number", "minimum": 0, "maximum": MOST_HOURS}),
        Kind::Seconds => {
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": TOO_MANY_SECONDS})
        }
        Kind::Word { .. } => json!({"type": "string"}),
        Kind::Path => json!({"type": "string", "minLength": 1, "pattern": "^[^\\u0000]*$"}),
        Kind::Choice(words) => json!({"enum": words}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Command => {
            let text = json!({"type": "string", "pattern": "^[^\\u0000]*$"});
            json!({"anyOf": [text, {"type": "array", "items": text}]})
        }
        Kind::Addresses => json!({"type": "array", "items": {"type": "string", "pattern": "^https?://"}}),
        Kind::Variables => {
            let name = "[A-Za-z_][A-Za-z0-9_]*";
            json!({"type": "array", "items": {"type": "string", "pattern": format!("^{name}(\\|{name})*$")}})
        }
        Kind::Words(words) => json!({"type": "object", "additionalProperties": {"enum": words}}),
        Kind::Lists => {
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}})
        }
        Kind::Prices => {
            let amount = json!({"type": "number", "minimum": 0, "maximum": MOST_DOLLARS});
            let classes: Map<String, Json> =
                OwnPrice::CLASSES.iter().map(|class| ((*class).to_owned(), amount.clone())).collect();
            json!({"type": "object", "additionalProperties": {
                "type": "object",
                "properties": classes,
                "required": OwnPrice::NEEDED,
                "additionalProperties": false,
            }})
        }
    };
    match schema {
        Json::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// The page about every setting.
pub fn page() -> String {
    let mut page = String::from(
        "<!-- Made by `cargo dev generate`. -->\n\n# Settings\n\nEvery setting of `[tool.unitai]` in `pyproject.toml` and \
         of `unitai.toml`.\nHow they are found, and which one wins: [Configuration](../guides/configuration.md).\n\
         Editors find the schema of `unitai.toml` in `schemas/config.schema.json`.\n\n\
         | key | in a table | variable | takes | default | what it does |\n|---|---|---|---|---|---|\n",
    );
    for key in &KEYS {
        let table = match key.table {
            _ if key.kind == Kind::Prices => "`[prices.\"my-model\"]`".to_owned(),
            Some((section, inner)) if matches!(key.kind, Kind::Words(_) | Kind::Lists) => {
                format!("`[{section}.{inner}]`")
            }
            Some((section, inner)) => format!("`[{section}]` `{inner}`"),
            None => String::new(),
        };
        let variables: Vec<String> = key.variables().map(|variable| format!("`{variable}`")).collect();
        page.push_str(&format!(
            "| `{}` | {table} | {} | {} | {} | {} |\n",
            key.flat,
            variables.join(", "),
            takes(key.kind),
            shown_default(key),
            key.doc,
        ));
    }
    let others: Vec<String> = KEYS
        .iter()
        .filter_map(|key| if let Kind::Word { also } = key.kind { Some((key.flat, also)) } else { None })
        .flat_map(|(flat, also)| also.iter().map(move |(other, word)| (flat, other, word)))
        .map(|(flat, other, word)| format!("`{flat} = \"{other}\"` is understood as `{word}`."))
        .collect();
    page.push_str(&format!(
        "\n{}\nLists are written in variables with commas between or as JSON, programs with spaces between or as JSON, and true and false also as `1`, `yes`, `on` and \
         `0`, `no`, `off`.\n\nA model of `prices` has {}; {} must be there.\n`UNITAI_PRICES` takes JSON, as in \
         `{{\"my-model\": {}}}`.\n",
        others.join("\n"),
        OwnPrice::CLASSES.map(|class| format!("`{class}`")).join(", "),
        OwnPrice::NEEDED.map(|class| format!("`{class}`")).join(" and "),
        OwnPrice::SHAPE,
    ));
    page
}

fn takes(kind: Kind) -> String {
    match kind {
        Kind::Whole { least, .. } => format!("a whole number of at least {least}"),
        Kind::Dollars => "a number of dollars above 0".to_owned(),
        Kind::Word { .. } => "a text".to_owned(),
        Kind::Path => "a path".to_owned(),
        Kind::Command => "a program and its arguments".to_owned(),
        Kind::Addresses => "a list of addresses".to_owned(),
        Kind::Variables => "a list of variables".to_owned(),
        Kind::Prices => "a table".to_owned(),
        Kind::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("a table of {}", words.join(", "))
        }
        Kind::Lists => "a table of lists".to_owned(),
        Kind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        other => other.expected(),
    }
}

fn shown_default(key: &Key) -> String {
    match usual(key) {
        Value::Nothing => key.nothing.to_owned(),
        Value::Path(path) => format!("`\"{}\"`", path.display()),
        other => format!("`{other}`"),
    }
}
