//! What the built-in tools are called, take and do.

use serde_json::{Map, Value, json};

use super::arguments::Parameter;
use crate::run::Tool;

pub(super) const NAMES: &[&str] = &[
    "http_get",
    "http_post",
    "sleep",
    "assert_equals",
    "assert_true",
    "compare_values",
    "store_value",
    "get_value",
    "list_values",
];

const TEXT: &str = r#"{"type":"string"}"#;
const NUMBER: &str = r#"{"type":"number"}"#;
const MAPPING: &str = r#"{"type":"object"}"#;
const ANY: &str = "{}";

const fn required(name: &'static str, schema: &'static str) -> Parameter {
    Parameter { name, is_required: true, schema }
}

const fn optional(name: &'static str, schema: &'static str) -> Parameter {
    Parameter { name, is_required: false, schema }
}

/// What a tool takes.
pub(super) fn parameters(tool: &str) -> &'static [Parameter] {
    match tool {
        "http_get" => const { &[required("url", TEXT), optional("headers", MAPPING)] },
        "http_post" => {
            const { &[required("url", TEXT), optional("data", ANY), optional("headers", MAPPING)] }
        }
        "sleep" => const { &[required("seconds", NUMBER)] },
        "assert_equals" => {
            const { &[required("actual", ANY), required("expected", ANY), optional("message", TEXT)] }
        }
        "assert_true" => const { &[required("condition", ANY), optional("message", TEXT)] },
        "compare_values" => {
            const { &[required("value1", ANY), required("value2", ANY), optional("tolerance", NUMBER)] }
        }
        "store_value" => const { &[required("name", TEXT), required("value", ANY)] },
        "get_value" => const { &[required("name", TEXT), optional("default", ANY)] },
        _ => &[],
    }
}

fn description(tool: &str) -> &'static str {
    match tool {
        "http_get" => {
            "Makes an HTTP GET request. Gives status_code, body (the first 10,000 characters) and headers."
        }
        "http_post" => "Makes an HTTP POST request with a JSON body. Gives status_code, body and headers.",
        "sleep" => "Waits. Gives the seconds that it took.",
        "assert_equals" => "Says whether two values are equal.",
        "assert_true" => "Says whether a condition is true.",
        "compare_values" => {
            "Compares two values; numbers may differ by a tolerance (0.05 is 5% of the second)."
        }
        "store_value" => "Keeps a value under a name until the test is over.",
        "get_value" => "Gives a value that was kept, else the default, and whether it was found.",
        _ => "Lists the names of values that were kept.",
    }
}

pub(super) fn tools() -> Vec<Tool> {
    NAMES
        .iter()
        .map(|name| {
            let parameters = parameters(name);
            let schema_of = |it: &Parameter| serde_json::from_str(it.schema).unwrap_or_else(|_| json!({}));
            let properties: Map<String, Value> =
                parameters.iter().map(|it| (it.name.to_owned(), schema_of(it))).collect();
            let needed: Vec<&str> = parameters.iter().filter(|it| it.is_required).map(|it| it.name).collect();
            Tool {
                name: (*name).to_owned(),
                description: description(name).to_owned(),
                input_schema: json!({
                    "type": "object", "properties": properties, "required": needed, "additionalProperties": false,
                }),
            }
        })
        .collect()
}
