//! Anthropic messages, also as Vertex passes them on.

mod answer;
mod reading;
mod request;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::{Body, Dialect, Seen};
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::Event;

/// Anthropic messages.
pub(super) struct Anthropic;

impl Dialect for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &["api.anthropic.com"]
    }

    fn claims(&self, path: &str) -> bool {
        // Other APIs have messages too; they have no `max_tokens`.
        path.ends_with("/messages") || request::vertex_model(path).is_some()
    }

    fn read_request(&self, path: &str, body: &Map<String, Value>) -> Option<Request> {
        request::read(path, body)
    }

    fn set_model(&self, path: &str, body: &mut Body<'_>, model: &str) -> Option<String> {
        let new_path = request::set_vertex_model(path, model);
        // Vertex declines a body that names the model.
        if new_path.is_none() {
            body.set("model", &Value::from(model));
        }
        new_path
    }

    fn call_prefix(&self) -> Option<&'static str> {
        Some(answer::CALL_PREFIX)
    }

    fn finish_reason(&self, finish: Finish) -> &'static str {
        answer::stop_reason(finish)
    }

    fn write_answer(&self, request: &Request, answer: &Answer, stamp: Stamp) -> String {
        answer::plain(request, answer, stamp).to_string()
    }

    fn write_stream(&self, request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(request, answer, stamp)
    }

    fn write_refusal(&self, refusal: &Refusal) -> String {
        let kind = match refusal.status {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            408 | 504 => "timeout_error",
            409 => "conflict_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        let error = json!({"type": kind, "message": refusal.message});
        json!({"type": "error", "error": error, "request_id": "req_unitai"}).to_string()
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::answer(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }
}
