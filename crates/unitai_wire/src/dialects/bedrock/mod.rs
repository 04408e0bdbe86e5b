//! Bedrock's Converse, whichever model is behind it.

mod answer;
mod path;
mod reading;
mod request;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::{Body, Dialect, Seen, json as shared};
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::{Event, Framing};

/// Bedrock's Converse.
pub(super) struct Bedrock;

impl Dialect for Bedrock {
    fn name(&self) -> &'static str {
        "bedrock"
    }

    fn hosts(&self) -> &'static [&'static str] {
        // The region stands in the middle of the host's name; the path is telling enough.
        &[]
    }

    fn claims(&self, path: &str) -> bool {
        path::model(path).is_some()
    }

    fn read_request(&self, path: &str, body: &Map<String, Value>) -> Option<Request> {
        request::read(path, body)
    }

    fn set_model(&self, path: &str, _body: &mut Body<'_>, model: &str) -> Option<String> {
        path::set_model(path, model)
    }

    fn call_prefix(&self) -> Option<&'static str> {
        Some(answer::CALL_PREFIX)
    }

    fn finish_reason(&self, finish: Finish) -> &'static str {
        answer::stop_reason(finish)
    }

    fn write_answer(&self, _request: &Request, answer: &Answer, stamp: Stamp) -> String {
        answer::plain(answer, stamp).to_string()
    }

    fn write_stream(&self, _request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(answer, stamp)
    }

    fn write_refusal(&self, refusal: &Refusal) -> String {
        // The provider names the kind in a header; clients take it from here too.
        json!({"message": refusal.message, "__type": error_type(refusal.status)}).to_string()
    }

    fn is_signed(&self) -> bool {
        true
    }

    fn refusal_headers(&self, status: u16) -> Vec<(&'static str, String)> {
        vec![("x-amzn-errortype", error_type(status).to_owned())]
    }

    fn framing(&self) -> Framing {
        Framing::EventStream
    }

    fn stream_content_type(&self) -> &'static str {
        "application/vnd.amazon.eventstream"
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::answer(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }

    fn read_refusal(&self, body: &Value) -> Option<String> {
        // The front door, which declines bad credentials, writes it large.
        shared::error_message(body).or_else(|| shared::text(body, "Message").map(str::to_owned))
    }
}

/// The kind of error that clients map to a class of their own: the value of `x-amzn-ErrorType`.
fn error_type(status: u16) -> &'static str {
    match status {
        401 | 403 => "AccessDeniedException",
        404 => "ResourceNotFoundException",
        408 => "ModelTimeoutException",
        424 => "ModelErrorException",
        429 => "ThrottlingException",
        503 => "ServiceUnavailableException",
        500.. => "InternalServerException",
        _ => "ValidationException",
    }
}
