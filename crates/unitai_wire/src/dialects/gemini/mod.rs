//! Google's Gemini, at the Gemini API and at Vertex AI.

mod answer;
mod path;
mod reading;
mod request;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::json::error_message;
use super::{Body, Dialect, Seen};
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::Event;

/// Google's Gemini.
pub(super) struct Gemini;

impl Dialect for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn hosts(&self) -> &'static [&'static str] {
        // Vertex AI has one name for each region, and they have no end in common that begins with a dot.
        &[
            "generativelanguage.googleapis.com",
            "aiplatform.googleapis.com",
            "generativelanguage.mtls.googleapis.com",
            "aiplatform.mtls.googleapis.com",
            "aiplatform.us.rep.googleapis.com",
            "aiplatform.eu.rep.googleapis.com",
            "africa-south1-aiplatform.googleapis.com",
            "asia-east1-aiplatform.googleapis.com",
            "asia-east2-aiplatform.googleapis.com",
            "asia-northeast1-aiplatform.googleapis.com",
            "asia-northeast2-aiplatform.googleapis.com",
            "asia-northeast3-aiplatform.googleapis.com",
            "asia-south1-aiplatform.googleapis.com",
            "asia-south2-aiplatform.googleapis.com",
            "asia-southeast1-aiplatform.googleapis.com",
            "asia-southeast2-aiplatform.googleapis.com",
            "australia-southeast1-aiplatform.googleapis.com",
            "australia-southeast2-aiplatform.googleapis.com",
            "europe-central2-aiplatform.googleapis.com",
            "europe-north1-aiplatform.googleapis.com",
            "europe-southwest1-aiplatform.googleapis.com",
            "europe-west1-aiplatform.googleapis.com",
            "europe-west2-aiplatform.googleapis.com",
            "europe-west3-aiplatform.googleapis.com",
            "europe-west4-aiplatform.googleapis.com",
            "europe-west6-aiplatform.googleapis.com",
            "europe-west8-aiplatform.googleapis.com",
            "europe-west9-aiplatform.googleapis.com",
            "europe-west12-aiplatform.googleapis.com",
            "me-central1-aiplatform.googleapis.com",
            "me-central2-aiplatform.googleapis.com",
            "me-west1-aiplatform.googleapis.com",
            "northamerica-northeast1-aiplatform.googleapis.com",
            "northamerica-northeast2-aiplatform.googleapis.com",
            "southamerica-east1-aiplatform.googleapis.com",
            "southamerica-west1-aiplatform.googleapis.com",
            "us-central1-aiplatform.googleapis.com",
            "us-east1-aiplatform.googleapis.com",
            "us-east4-aiplatform.googleapis.com",
            "us-east5-aiplatform.googleapis.com",
            "us-south1-aiplatform.googleapis.com",
            "us-west1-aiplatform.googleapis.com",
            "us-west2-aiplatform.googleapis.com",
            "us-west3-aiplatform.googleapis.com",
            "us-west4-aiplatform.googleapis.com",
        ]
    }

    fn claims(&self, path: &str) -> bool {
        path::is_speaking(path)
    }

    fn read_request(&self, path: &str, body: &Map<String, Value>) -> Option<Request> {
        request::read(path, body)
    }

    fn set_model(&self, path: &str, _body: &mut Body<'_>, model: &str) -> Option<String> {
        path::set_model(path, model)
    }

    fn finish_reason(&self, finish: Finish) -> &'static str {
        answer::finish_reason(finish)
    }

    fn write_answer(&self, request: &Request, answer: &Answer, stamp: Stamp) -> String {
        answer::plain(request, answer, stamp).to_string()
    }

    fn write_stream(&self, request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(request, answer, stamp)
    }

    fn write_refusal(&self, refusal: &Refusal) -> String {
        let status = match refusal.status {
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ABORTED",
            429 => "RESOURCE_EXHAUSTED",
            499 => "CANCELLED",
            501 => "UNIMPLEMENTED",
            503 => "UNAVAILABLE",
            504 => "DEADLINE_EXCEEDED",
            500.. => "INTERNAL",
            _ => "INVALID_ARGUMENT",
        };
        json!({"error": {"code": refusal.status, "message": refusal.message, "status": status}}).to_string()
    }

    fn stream_content_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::answer(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }

    fn read_refusal(&self, body: &Value) -> Option<String> {
        // A stream that is a list of chunks has its error in a list too.
        error_message(body.get(0).unwrap_or(body))
    }
}
