//! Ollama: conversations (`/api/chat`) and single prompts (`/api/generate`).

mod answer;
mod reading;
mod request;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::{Body, Dialect, Seen};
use crate::Target;
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::{Event, Framing};

/// Ollama's own port.
const PORT: u16 = 11434;

/// Whether the variable that Ollama and its clients read names this server.
fn is_configured(target: &Target<'_>) -> bool {
    let Ok(configured) = std::env::var("OLLAMA_HOST") else { return false };
    let url = if configured.contains("://") { configured } else { format!("http://{configured}") };
    Target::of(&url).is_some_and(|known| (known.host, known.port) == (target.host, target.port))
}

/// Ollama.
pub(super) struct Ollama;

impl Dialect for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn hosts(&self) -> &'static [&'static str] {
        // It runs wherever its user likes.
        &[]
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/api/chat") || path.ends_with("/api/generate")
    }

    /// Many an app has an `/api/chat` of its own.
    fn claims_at(&self, target: &Target<'_>) -> bool {
        let is_named = target.host.to_ascii_lowercase().contains("ollama");
        self.claims(target.path) && (is_named || target.port == Some(PORT) || is_configured(target))
    }

    fn read_request(&self, path: &str, body: &Map<String, Value>) -> Option<Request> {
        request::read(path, body)
    }

    fn set_model(&self, _path: &str, body: &mut Body<'_>, model: &str) -> Option<String> {
        body.set("model", &Value::from(model));
        None
    }

    fn finish_reason(&self, finish: Finish) -> &'static str {
        answer::done_reason(finish)
    }

    fn write_answer(&self, request: &Request, answer: &Answer, _stamp: Stamp) -> String {
        answer::plain(request, answer).to_string()
    }

    fn write_stream(&self, request: &Request, answer: &Answer, _stamp: Stamp) -> Vec<Vec<u8>> {
        answer::streamed(request, answer)
    }

    fn write_refusal(&self, refusal: &Refusal) -> String {
        json!({"error": refusal.message}).to_string()
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn stream_content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn read_answer(&self, body: &Value, seen: &mut Seen) {
        reading::chunk(body, seen);
    }

    fn read_event(&self, event: &Event, seen: &mut Seen) {
        reading::event(event, seen);
    }
}
