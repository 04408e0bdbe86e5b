//! OpenAI responses.

mod answer;
mod reading;
mod request;
#[cfg(test)]
mod tests;
mod tools;

use serde_json::{Map, Value};

use super::openai_chat::OpenAiChat;
use super::{Body, Dialect, Seen};
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::Event;

/// OpenAI responses.
pub(super) struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn name(&self) -> &'static str {
        "openai_responses"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &["api.openai.com", ".openai.azure.com"]
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/responses")
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
        if finish == Finish::Length { "max_output_tokens" } else { "completed" }
    }

    fn write_answer(&self, request: &Request, answer: &Answer, stamp: Stamp) -> String {
        answer::plain(request, answer, stamp).to_string()
    }

    fn write_stream(&self, request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(request, answer, stamp)
    }

    /// The provider says errors the same way in all its APIs.
    fn write_refusal(&self, refusal: &Refusal) -> String {
        OpenAiChat.write_refusal(refusal)
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::answer(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }
}
