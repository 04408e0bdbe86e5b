//! OpenAI chat completions, and the many servers that speak it too.

mod answer;
mod reading;
mod request;

use serde_json::{Map, Value, json};

use super::{Body, Dialect, Seen};
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::Event;

/// OpenAI chat completions.
pub(super) struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai_chat"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &[
            "api.openai.com",
            ".openai.azure.com",
            "api.mistral.ai",
            "api.groq.com",
            "api.deepseek.com",
            "api.x.ai",
            "openrouter.ai",
            "api.together.xyz",
            "api.fireworks.ai",
            "api.perplexity.ai",
            "api.cerebras.ai",
        ]
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/chat/completions")
    }

    fn read_request(&self, path: &str, body: &Map<String, Value>) -> Option<Request> {
        request::read(path, body)
    }

    fn set_model(&self, path: &str, body: &mut Body<'_>, model: &str) -> Option<String> {
        body.set("model", &Value::from(model));
        request::set_deployment(path, model)
    }

    fn ask_for_usage(&self, request: &Request, body: &mut Body<'_>) -> bool {
        if !request.streamed || request.asks_for_usage || request.is_told_usage {
            return false;
        }
        let mut options = body.get("stream_options").unwrap_or(Value::Null);
        match &mut options {
            Value::Object(options) => {
                options.insert("include_usage".to_owned(), Value::from(true));
            }
            _ => options = json!({"include_usage": true}),
        }
        body.set("stream_options", &options);
        true
    }

    fn tells_usage(&self, host: &str) -> bool {
        host == "api.mistral.ai" || host.ends_with(".mistral.ai")
    }

    fn call_prefix(&self) -> Option<&'static str> {
        Some(answer::CALL_PREFIX)
    }

    fn finish_reason(&self, finish: Finish) -> &'static str {
        answer::finish_reason(finish)
    }

    fn write_answer(&self, request: &Request, answer: &Answer, stamp: Stamp) -> String {
        answer::plain(request, answer, stamp)
    }

    fn write_stream(&self, request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(request, answer, stamp)
    }

    fn write_refusal(&self, refusal: &Refusal) -> String {
        let (kind, code) = match refusal.status {
            401 => ("invalid_request_error", "invalid_api_key"),
            403 => ("invalid_request_error", "forbidden"),
            404 => ("invalid_request_error", "model_not_found"),
            429 => ("requests", "rate_limit_exceeded"),
            500.. => ("server_error", "server_error"),
            _ => ("invalid_request_error", "invalid_request"),
        };
        json!({"error": {"message": refusal.message, "type": kind, "param": null, "code": code}}).to_string()
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::answer(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }

    fn is_usage_alone(&self, event: &Event) -> bool {
        reading::is_usage_alone(event)
    }
}
