//! The JSON schema of an answer, in the strict form that every provider takes.

use serde_json::{Value, json};
use unitai_spec::run::Question;

/// The schema of the answer to these questions.
///
/// ```
/// use unitai_judge::asking::schema;
/// assert_eq!(schema(&[])["additionalProperties"], false);
/// ```
pub fn schema(questions: &[Question]) -> Value {
    // In the order in which the test has them: the schema of a test is the same, in whatever order it asks.
    let mut ids: Vec<&str> = questions.iter().map(|it| it.id.as_str()).collect();
    ids.sort_by_key(|id| (id.len(), *id));
    let text = json!({"type": "string"});
    let quote = object(&json!({"ref": text, "quote": text}), &["ref", "quote"]);
    let answer = object(
        &json!({
            "id": {"type": "string", "enum": ids},
            "answer": {"type": "string", "enum": ["yes", "no", "unknown"]},
            "evidence": {"type": "array", "items": quote},
            "why": text,
        }),
        &["id", "answer", "evidence", "why"],
    );
    object(&json!({"answers": {"type": "array", "items": answer}}), &["answers"])
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
