//! Requests that only ask how many tokens a prompt has. No model speaks, so nobody has an answer ready; but an agent that
//! asks before each call must get one where nothing may go out.

use serde_json::{Map, Value, json};

use crate::Target;
use crate::exchange::Asked;

/// How each provider asks: what its path ends with, what it ends with where the model is to speak, and what the answer
/// calls the count.
const WAYS: &[(&str, &str, &str)] = &[
    ("/responses/input_tokens", "/responses", "input_tokens"),
    ("/messages/count_tokens", "/messages", "input_tokens"),
    (":countTokens", ":generateContent", "totalTokens"),
];

/// Whether a request to this target only counts.
pub fn is_count(target: &Target<'_>) -> bool {
    WAYS.iter().any(|(ending, ..)| target.path.ends_with(ending))
}

/// The answer to such a request, counted as in scripts: four bytes are a token. `None` for any other request.
///
/// ```
/// use unitai_wire::Target;
/// use unitai_wire::counting::count;
/// let target = Target::of("https://api.openai.com/v1/responses/input_tokens").unwrap();
/// let answer = count(&target, br#"{"model": "gpt-4o", "input": "Hello, world"}"#).unwrap();
/// assert_eq!(answer, r#"{"input_tokens":7,"object":"response.input_tokens"}"#);
/// ```
pub fn count(target: &Target<'_>, body: &[u8]) -> Option<String> {
    let (ending, speaking, name) = WAYS.iter().find(|(ending, ..)| target.path.ends_with(ending))?;
    let path = format!("{}{speaking}", target.path.strip_suffix(ending)?);
    let asked = Asked::read(&Target { path: &path, ..*target }, &as_if_speaking(body));
    let tokens = asked.map_or(body.len() as u64 / 4, |asked| asked.request.likely_prompt_tokens());
    let mut answer = json!({ *name: tokens });
    if *ending == "/responses/input_tokens" {
        answer["object"] = json!("response.input_tokens");
    }
    Some(answer.to_string())
}

/// Some providers must be told how long the answer may be before they speak, and no such thing where they count.
fn as_if_speaking(body: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<Map<String, Value>>(body) {
        Ok(mut fields) => {
            fields.entry("max_tokens").or_insert(json!(1));
            Value::Object(fields).to_string().into_bytes()
        }
        Err(_) => body.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_gets_its_own_form() {
        let ask = |url: &str, body: &str| count(&Target::of(url).unwrap(), body.as_bytes());
        let anthropic = r#"{"model": "claude", "messages": [{"role": "user", "content": "Hi"}]}"#;
        let counted = ask("https://api.anthropic.com/v1/messages/count_tokens", anthropic).unwrap();
        assert_eq!(counted, r#"{"input_tokens":5}"#);
        let gemini = r#"{"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}"#;
        let url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:countTokens";
        assert_eq!(ask(url, gemini).unwrap(), r#"{"totalTokens":5}"#);
        assert_eq!(ask("https://api.openai.com/v1/embeddings", "{}"), None);
    }

    #[test]
    fn what_cannot_be_read_is_counted_by_its_length() {
        let target = Target::of("https://model.example/v1/responses/input_tokens").unwrap();
        assert!(is_count(&target));
        assert!(count(&target, b"not json at all!").unwrap().contains(r#""input_tokens":4"#));
    }
}
