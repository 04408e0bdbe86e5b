//! OpenAI's chat completions, or whoever speaks them at `OPENAI_BASE_URL`: most servers of models do.

use serde_json::{Map, Value, json};
use unitai_wire::dialects::Seen;

use super::api::{Api, MOST_OUTPUT};
use super::form::{Form, Handed, Talk};

/// An API of OpenAI's form.
///
/// ```
/// use unitai_judge::{Provider, providers::openai::OpenAi};
/// let judge = OpenAi::new("any").at("http://127.0.0.1:11434/v1").with_model("llama3.3");
/// assert!(judge.is_free());
/// ```
pub type OpenAi = Api<ChatCompletions>;

/// How chat completions say it.
#[derive(Debug, Clone, Copy)]
pub struct ChatCompletions;

impl Form for ChatCompletions {
    const NAME: &'static str = "openai";
    const KEY: &'static str = "OPENAI_API_KEY";
    const ADDRESS: &'static str = "OPENAI_BASE_URL";
    const USUAL_ADDRESS: &'static str = "https://api.openai.com/v1";
    const PATH: &'static str = "/chat/completions";
    const USUAL_MODEL: &'static str = "gpt-5.4";
    const DIALECT: &'static str = "openai_chat";
    const VERSION: &'static str = "chat/completions";
    /// Older servers know the older word; some want neither, as where their models cannot say that much.
    const LIMITS: &'static [Option<&'static str>] =
        &[Some("max_completion_tokens"), Some("max_tokens"), None];

    fn headers(key: &str) -> Vec<(&'static str, String)> {
        vec![("authorization", format!("Bearer {key}"))]
    }

    fn body(talk: &Talk<'_>) -> Value {
        let mut messages = vec![json!({"role": "system", "content": talk.system})];
        messages.extend(talk.messages.iter().cloned());
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(talk.model));
        body.insert("messages".to_owned(), Value::Array(messages));
        if let Some(limit) = talk.limit {
            body.insert(limit.to_owned(), json!(MOST_OUTPUT));
        }
        if talk.is_steady {
            body.insert("temperature".to_owned(), json!(0));
        }
        if let Some(schema) = talk.schema {
            let strict = is_strict(schema);
            let format = json!({"name": "answer", "strict": strict, "schema": schema});
            body.insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": format}));
        }
        if !talk.tools.is_empty() {
            let tool = |(name, description, schema): &(String, &str, &Value)| json!({"type": "function", "function": {"name": name, "description": description, "parameters": schema}});
            body.insert("tools".to_owned(), talk.tools.iter().map(tool).collect());
        }
        Value::Object(body)
    }

    fn text(answer: &Value) -> String {
        answer["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
    }

    fn unsaid(answer: &Value, seen: &Seen) -> Option<String> {
        if let Some(refusal) = answer["choices"][0]["message"]["refusal"].as_str() {
            return Some(format!("it declined to answer: {refusal}"));
        }
        match seen.finish_reason.as_deref()? {
            "length" => Some("its answer was cut, for it was too long".to_owned()),
            "content_filter" => Some("its answer was held back by a filter".to_owned()),
            _ => None,
        }
    }

    fn repeated(answer: &Value) -> Value {
        answer["choices"][0]["message"].clone()
    }

    /// There is no word for a tool that failed: the text must say it.
    fn results(results: Vec<Handed>) -> Vec<Value> {
        let message = |it: Handed| {
            let content = if it.is_error { format!("Error: {}", it.text) } else { it.text };
            json!({"role": "tool", "tool_call_id": it.id, "content": content})
        };
        results.into_iter().map(message).collect()
    }
}

/// Whether a schema is one that OpenAI can hold an answer to strictly: every member of every object is required, and
/// no other is allowed.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(parts) => {
            let is_good = match parts.get("properties").and_then(Value::as_object) {
                Some(members) => {
                    let required = parts.get("required").and_then(Value::as_array);
                    let is_required =
                        |name: &String| required.is_some_and(|all| all.iter().any(|it| it == name.as_str()));
                    parts.get("additionalProperties") == Some(&Value::Bool(false))
                        && members.keys().all(is_required)
                }
                None => parts.get("type") != Some(&json!("object")),
            };
            is_good && parts.values().all(is_strict)
        }
        Value::Array(parts) => parts.iter().all(is_strict),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_model_has_a_price() {
        assert!(unitai_wire::meter::price_of(ChatCompletions::USUAL_MODEL).is_some());
    }

    #[test]
    fn only_a_schema_without_freedom_is_strict() {
        let schema = |closed: bool, required: &[&str]| {
            json!({"type": "object", "additionalProperties": !closed, "required": required,
                "properties": {"a": {"type": "array", "items": {"type": "string"}}}})
        };
        assert!(is_strict(&schema(true, &["a"])));
        assert!(!is_strict(&schema(false, &["a"])));
        assert!(!is_strict(&schema(true, &[])));
        assert!(!is_strict(&json!({"type": "array", "items": {"type": "object"}})));
    }

    #[test]
    fn a_refusal_in_its_own_field_is_no_answer() {
        let answer = json!({"choices": [{"message": {"content": null, "refusal": "I cannot"}}]});
        let why = ChatCompletions::unsaid(&answer, &Seen::default());
        assert_eq!(why.as_deref(), Some("it declined to answer: I cannot"));
    }
}
