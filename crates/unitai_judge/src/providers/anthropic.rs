//! Anthropic's Messages API, or whoever speaks it at `ANTHROPIC_BASE_URL`.

use serde_json::{Map, Value, json};
use unitai_wire::dialects::Seen;

use super::api::{Api, MOST_OUTPUT};
use super::form::{Form, Handed, Talk};

/// Anthropic's API.
///
/// ```
/// use unitai_judge::{Provider, providers::anthropic::Anthropic};
/// let judge = Anthropic::new("a-key").with_model("claude-opus-5");
/// assert_eq!(judge.name(), "anthropic");
/// ```
pub type Anthropic = Api<Messages>;

/// How the Messages API says it.
#[derive(Debug, Clone, Copy)]
pub struct Messages;

impl Form for Messages {
    const NAME: &'static str = "anthropic";
    const KEY: &'static str = "ANTHROPIC_API_KEY";
    const ADDRESS: &'static str = "ANTHROPIC_BASE_URL";
    const USUAL_ADDRESS: &'static str = "https://api.anthropic.com";
    const PATH: &'static str = "/v1/messages";
    const USUAL_MODEL: &'static str = "claude-sonnet-5";
    const DIALECT: &'static str = "anthropic";
    const VERSION: &'static str = "2023-06-01";
    const LIMITS: &'static [Option<&'static str>] = &[Some("max_tokens")];

    fn headers(key: &str) -> Vec<(&'static str, String)> {
        vec![("x-api-key", key.to_owned()), ("anthropic-version", Self::VERSION.to_owned())]
    }

    fn body(talk: &Talk<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(talk.model));
        if let Some(limit) = talk.limit {
            body.insert(limit.to_owned(), json!(MOST_OUTPUT));
        }
        body.insert("system".to_owned(), json!(talk.system));
        body.insert("messages".to_owned(), json!(talk.messages));
        if talk.is_steady {
            body.insert("temperature".to_owned(), json!(0));
        }
        if let Some(schema) = talk.schema {
            let format = json!({"format": {"type": "json_schema", "schema": schema}});
            body.insert("output_config".to_owned(), format);
        }
        if !talk.tools.is_empty() {
            let tool = |(name, description, schema): &(String, &str, &Value)| json!({"name": name, "description": description, "input_schema": schema});
            body.insert("tools".to_owned(), talk.tools.iter().map(tool).collect());
        }
        Value::Object(body)
    }

    fn text(answer: &Value) -> String {
        let blocks = answer["content"].as_array().map_or(&[][..], Vec::as_slice);
        let texts = blocks.iter().filter(|block| block["type"] == "text");
        texts.filter_map(|block| block["text"].as_str()).collect()
    }

    fn unsaid(_answer: &Value, seen: &Seen) -> Option<String> {
        match seen.finish_reason.as_deref()? {
            "max_tokens" => Some(format!("its answer was cut after {MOST_OUTPUT} tokens")),
            "refusal" => Some("it declined to answer".to_owned()),
            "model_context_window_exceeded" => Some("there is more to read than the model can".to_owned()),
            _ => None,
        }
    }

    /// All of it, also what it thought: the API wants that back as it was.
    fn repeated(answer: &Value) -> Value {
        json!({"role": "assistant", "content": answer["content"]})
    }

    fn results(results: Vec<Handed>) -> Vec<Value> {
        let block = |it: Handed| json!({"type": "tool_result", "tool_use_id": it.id, "content": it.text, "is_error": it.is_error});
        vec![json!({"role": "user", "content": results.into_iter().map(block).collect::<Vec<_>>()})]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_model_has_a_price() {
        assert!(unitai_wire::meter::price_of(Messages::USUAL_MODEL).is_some());
    }

    #[test]
    fn an_answer_is_its_texts_and_not_its_thoughts() {
        let answer = json!({"content": [
            {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"},
        ]});
        assert_eq!(Messages::text(&answer), "ab");
        assert_eq!(Messages::text(&json!("x")), "");
    }

    #[test]
    fn what_was_cut_or_declined_is_no_answer() {
        let unsaid = |reason: &str| {
            Messages::unsaid(&json!({}), &Seen { finish_reason: Some(reason.to_owned()), ..Seen::default() })
        };
        assert!(unsaid("max_tokens").is_some_and(|why| why.contains("8192")));
        assert!(unsaid("refusal").is_some());
        assert_eq!(unsaid("end_turn"), None);
    }
}
