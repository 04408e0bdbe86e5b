//! Dialects: how each provider says requests and answers. One folder each; [`ALL`] is the list of
//! them, and `tests/dialects.rs` is the suite that every one must pass. A new dialect is a new
//! folder and one line here.

mod anthropic;
mod bedrock;
mod body;
mod cohere;
mod gemini;
mod json;
mod ollama;
mod openai_chat;
mod openai_responses;
mod percent;
mod seen;

pub use body::Body;
pub use seen::{Called, Seen};

use serde_json::{Map, Value};

use crate::Target;
use crate::common::{Answer, Finish, Refusal, Request, Stamp};
use crate::frames::{Event, Framing};

/// Every dialect.
pub static ALL: &[&dyn Dialect] = &[
    &openai_chat::OpenAiChat,
    &openai_responses::OpenAiResponses,
    &anthropic::Anthropic,
    &gemini::Gemini,
    &bedrock::Bedrock,
    &ollama::Ollama,
    &cohere::Cohere,
];

/// One provider's way to say requests and answers. It holds no state: what is seen of one answer is
/// in a [`Seen`].
pub trait Dialect: Send + Sync {
    /// Its name in trajectories.
    fn name(&self) -> &'static str;

    /// The hosts that speak it, or ends of their names (`.openai.azure.com`).
    fn hosts(&self) -> &'static [&'static str];

    /// Whether a request to this path may be one that makes the model speak. The body has the last
    /// word, in [`Dialect::read_request`].
    fn claims(&self, path: &str) -> bool;

    /// Whether a request there may be one. Where a path is not telling, the host must be.
    fn claims_at(&self, target: &Target<'_>) -> bool {
        self.claims(target.path)
    }

    /// Reads a request; `None` when the body is none of this dialect.
    fn read_request(&self, path: &str, body: &Map<String, Value>) -> Option<Request>;

    /// Puts another model into a request. Gives the new path where the model's name stands there.
    fn set_model(&self, path: &str, body: &mut Body<'_>, model: &str) -> Option<String>;

    /// Whether requests are signed, so that changing one makes it worthless.
    fn is_signed(&self) -> bool {
        false
    }

    /// Asks for usage in a streamed answer, where the provider must be asked and the client has not.
    /// Says whether the request was changed: then what is sent in addition is hidden from the client.
    fn ask_for_usage(&self, _request: &Request, _body: &mut Body<'_>) -> bool {
        false
    }

    /// Whether this host tells usage at the end of a stream without being asked, and must not be asked.
    fn tells_usage(&self, _host: &str) -> bool {
        false
    }

    /// What the ids of tool calls begin with in scripted answers; `None` where calls have no ids.
    fn call_prefix(&self) -> Option<&'static str> {
        None
    }

    /// Why the model stopped, in the provider's words.
    fn finish_reason(&self, finish: Finish) -> &'static str;

    /// A whole answer as the provider sends it.
    fn write_answer(&self, request: &Request, answer: &Answer, stamp: Stamp) -> String;

    /// A streamed answer as the provider sends it, event by event.
    fn write_stream(&self, request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>>;

    /// An error as the provider sends it.
    fn write_refusal(&self, refusal: &Refusal) -> String;

    /// Headers that tell the client what kind of error this is, where the body alone does not.
    fn refusal_headers(&self, _status: u16) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// How streamed answers are cut into events.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// The content type of a streamed answer.
    fn stream_content_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }

    /// Reads a whole answer.
    fn read_answer(&self, body: &Value, seen: &mut Seen);

    /// Reads one event of a streamed answer.
    fn read_event(&self, event: &Event, seen: &mut Seen);

    /// Whether an event holds nothing but the usage that [`Dialect::ask_for_usage`] asked for.
    fn is_usage_alone(&self, _event: &Event) -> bool {
        false
    }

    /// What an error says.
    fn read_refusal(&self, body: &Value) -> Option<String> {
        json::error_message(body)
    }
}

/// The dialect that a request there would be in.
pub fn claiming(target: &Target<'_>) -> Option<&'static dyn Dialect> {
    ALL.iter().copied().find(|dialect| dialect.claims_at(target))
}

/// The dialect of this name.
pub fn named(name: &str) -> Option<&'static dyn Dialect> {
    ALL.iter().copied().find(|dialect| dialect.name() == name)
}
