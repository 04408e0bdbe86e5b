//! Cohere's chat, in its second version.

mod answer;
mod reading;
mod request;

use serde_json::{Map, Value, json};

use super::{Body, Dialect, Seen};
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::Event;

/// Cohere's chat.
pub(super) struct Cohere;

impl Dialect for Cohere {
    fn name(&self) -> &'static str {
        "cohere"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &["api.cohere.com", "api.cohere.ai"]
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/v2/chat")
    }

    fn read_request(&self, _path: &str, body: &Map<String, Value>) -> Option<Request> {
        request::read(body)
    }

    fn set_model(&self, _path: &str, body: &mut Body<'_>, model: &str) -> Option<String> {
        body.set("model", &Value::from(model));
        None
    }

    fn call_prefix(&self) -> Option<&'static str> {
        Some(answer::CALL_PREFIX)
    }

    fn finish_reason(&self, finish: Finish) -> &'static str {
        answer::finish_reason(finish)
    }

    fn write_answer(&self, _request: &Request, answer: &Answer, stamp: Stamp) -> String {
        answer::plain(answer, stamp).to_string()
    }

    fn write_stream(&self, _request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(answer, stamp)
    }

    fn write_refusal(&self, refusal: &Refusal) -> String {
        json!({"message": refusal.message}).to_string()
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::answer(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }
}
