//! The schema of a file, for editors. What the reader takes, it takes; what cannot be said in a schema (a key that is
//! there twice, a file that includes itself) is left to the reader.

use serde_json::{Map, Value as Json, json};

use super::keys::{
    CHECK, FILE, Key, MAX_CALLS, META, MOST, REPEAT, RESERVED, RETRY, RETRY_DELAY, SERVER, START_TIMEOUT,
    STEP, TEARDOWN_TIMEOUT, TIMEOUT, VERDICT,
};
use super::{JudgeWhen, OnSetupFailure, OnTeardownError};

/// The schema of one document of a file, by JSON Schema 2020-12.
///
/// ```
/// let schema = unitai_spec::document::schema();
/// assert_eq!(schema["required"], serde_json::json!(["test", "verdict"]));
/// ```
pub fn schema() -> Json {
    let mut schema = mapping("A YAML test", "Which tools are called, and what must hold.", FILE, of_file);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["required"] = json!(["test", "verdict"]);
    schema["anyOf"] = json!([{"required": ["steps"]}, {"required": ["include"]}]);
    schema["$defs"] = json!({
        "steps": {
            "title": "Steps",
            "description": "Run in order.",
            "type": ["array", "null"],
            "items": {"$ref": "#/$defs/step"},
        },
        "step": step(),
        "checks": {
            "title": "Checks",
            "description": "One check, or a list of them.",
            "oneOf": [
                {"$ref": "#/$defs/check"},
                {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/check"}},
            ],
        },
        "check": check(),
        "server": server(),
        "texts": {
            "title": "Texts by name",
            "description": "Numbers and booleans stand for what is written.",
            "type": ["object", "null"],
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
    });
    schema
}

/// A mapping with these keys and no other.
fn mapping(title: &str, doc: &str, keys: &[Key], of: fn(&str) -> Json) -> Json {
    let properties = keys.iter().map(|key| {
        let mut schema = of(key.name);
        schema["title"] = json!(key.name);
        schema["description"] = json!(key.doc);
        (key.name.to_owned(), schema)
    });
    json!({
        "title": title,
        "description": doc,
        "type": "object",
        "properties": properties.collect::<Map<String, Json>>(),
        "additionalProperties": false,
    })
}

fn of_file(key: &str) -> Json {
    match key {
        "test" => {
            let mut schema = mapping("test", "", META, of_meta);
            schema["required"] = json!(["name"]);
            schema
        }
        "verdict" => {
            let mut mapping =
                mapping("Texts and checks", "Both texts, or neither and a check.", VERDICT, of_verdict);
            mapping["dependentRequired"] = json!({"pass_if": ["fail_if"], "fail_if": ["pass_if"]});
            mapping["anyOf"] = json!([{"required": ["pass_if"]}, {"required": ["check"]}]);
            let word = json!({"title": "Checks alone", "description": "The checks of steps decide.", "const": "checks"});
            json!({"oneOf": [word, mapping]})
        }
        "servers" => json!({"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/server"}}),
        "vars" => json!({"type": ["object", "null"]}),
        "cases" => json!({
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        }),
        "include" => {
            json!({"oneOf": [{"type": "null"}, {"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
        }
        _ => json!({"$ref": "#/$defs/steps"}),
    }
}

fn of_meta(key: &str) -> Json {
    match key {
        "tags" => json!({
            "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "default": [],
        }),
        "timeout" => count(0, Some(TIMEOUT)),
        "teardown_timeout" => count(0, Some(TEARDOWN_TIMEOUT)),
        "max_calls" => count(1, Some(MAX_CALLS)),
        "on_setup_failure" => words(OnSetupFailure::WORDS),
        "teardown_errors" => words(OnTeardownError::WORDS),
        "judge" => words(JudgeWhen::WORDS),
        "compat" => json!({"enum": ["llm-pytest"]}),
        _ => json!({"type": "string"}),
    }
}

fn of_verdict(key: &str) -> Json {
    match key {
        "check" => json!({"$ref": "#/$defs/checks"}),
        _ => json!({"type": "string"}),
    }
}

fn step() -> Json {
    let mut schema = mapping("A step", "A call, a group of steps, or a checkpoint.", STEP, of_step);
    let said = |key: &str| json!({"required": [key], "properties": {key: {"minLength": 1}}});
    schema["anyOf"] = json!([
        said("tool"),
        {"required": ["steps"], "properties": {"steps": {"type": "array", "minItems": 1}}},
        said("expect"),
        said("analyze"),
        {"required": ["check"]},
        {"required": ["include"], "maxProperties": 1},
    ]);
    schema["dependentSchemas"] = json!({"include": {"maxProperties": 1}});
    schema
}

fn of_step(key: &str) -> Json {
    match key {
        "args" => json!({"type": "object", "default": {}}),
        "save_as" => json!({"type": "string", "not": {"enum": RESERVED}}),
        "repeat" => count(0, Some(REPEAT)),
        "steps" => json!({"$ref": "#/$defs/steps"}),
        "retry" => {
            let mut inner = mapping("Attempts", "How often, how soon, until when.", RETRY, of_retry);
            inner["required"] = json!(["times"]);
            json!({"oneOf": [count(0, None), inner]})
        }
        "retry_delay" => seconds(Some(RETRY_DELAY)),
        "timeout" => json!({"anyOf": [seconds(None), {"type": "null"}], "default": null}),
        "check" => json!({"$ref": "#/$defs/checks"}),
        "stop_early" => json!({"type": "boolean", "default": false}),
        _ => json!({"type": "string"}),
    }
}

fn of_retry(key: &str) -> Json {
    match key {
        "times" => count(0, None),
        "delay" => seconds(Some(RETRY_DELAY)),
        _ => json!({"type": "string"}),
    }
}

fn check() -> Json {
    let mut pattern = mapping("A pattern", "Compared with the result.", CHECK, |_| json!({}));
    pattern["required"] = json!(["match"]);
    let expression = json!({
        "title": "An expression",
        "description": "Such as `status_code == 200`.",
        "type": "string",
        "pattern": "\\S",
    });
    json!({"title": "A check", "description": "What must hold.", "oneOf": [expression, pattern]})
}

fn server() -> Json {
    let mut schema = mapping("A server", "How it is started or reached.", SERVER, of_server);
    schema["oneOf"] = json!([
        {"required": ["command"], "not": {"required": ["headers"]}},
        {"required": ["url"], "not": {"anyOf": [{"required": ["env"]}, {"required": ["cwd"]}]}},
    ]);
    schema
}

fn of_server(key: &str) -> Json {
    match key {
        "command" => json!({"oneOf": [
            {"type": "string", "pattern": "\\S"},
            {
                "type": "array",
                "minItems": 1,
                "prefixItems": [{"minLength": 1}],
                "items": {"type": ["string", "number", "boolean"]},
            },
        ]}),
        "env" | "headers" => json!({"$ref": "#/$defs/texts"}),
        "url" => json!({"type": "string", "pattern": "^(https?://|\\$\\{)"}),
        "start_timeout" => seconds(Some(START_TIMEOUT)),
        _ => json!({"type": "string"}),
    }
}

/// A whole number, which may stand in quotes.
fn count(least: u32, usual: Option<u32>) -> Json {
    let mut schema = json!({"anyOf": [
        {"type": "integer", "minimum": least, "maximum": MOST},
        {"type": "string", "pattern": "^\\s*\\+?[0-9]{1,9}(\\.0*)?\\s*$"},
        {"type": "boolean"},
    ]});
    if let Some(usual) = usual {
        schema["default"] = json!(usual);
    }
    schema
}

/// A number of seconds, which may stand in quotes.
fn seconds(usual: Option<f64>) -> Json {
    let mut schema = json!({"anyOf": [
        {"type": "number", "minimum": 0, "maximum": MOST},
        {"type": "string", "pattern": "^\\s*\\+?([0-9]{1,9}(\\.[0-9]*)?|\\.[0-9]+)\\s*$"},
        {"type": "boolean"},
    ]});
    if let Some(usual) = usual {
        schema["default"] = json!(usual);
    }
    schema
}

fn words<T>(words: &[(&str, T)]) -> Json {
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    json!({"enum": words, "default": words[0]})
}
