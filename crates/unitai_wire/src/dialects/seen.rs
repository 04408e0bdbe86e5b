//! What has been seen of an answer so far.

use serde_json::Value;
use unitai_model::{Packed, Usage, Value as Argument};

/// What has been seen of an answer so far. Usage in a stream is cumulative: the last one counts, and
/// nothing is added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// The model that answered, as the provider names it.
    pub model: Option<String>,
    /// What the answer took.
    pub usage: Option<Usage>,
    /// Usage as the provider wrote it.
    pub raw_usage: Option<Value>,
    /// Why the model stopped.
    pub finish_reason: Option<String>,
    /// The tier that was billed, where the provider has several.
    pub service_tier: Option<String>,
    /// Bytes of text, reasoning and tool calls that came.
    pub content_bytes: u64,
    /// Whether the end of the answer was seen.
    pub is_whole: bool,
    /// An error that came inside an answer that had begun well.
    pub error: Option<String>,
    /// The tool calls that the model asks for, in their order.
    pub calls: Vec<Called>,
    /// What it said, as far as [`MOST_TEXT`] goes: text, reasoning, and the names and arguments of tool calls.
    pub text: String,
}

/// So many bytes of an answer are kept.
const MOST_TEXT: usize = 1 << 18;

/// A tool call that the model asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Called {
    /// The call's id; empty where the dialect has none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as text, which is mostly a JSON object; empty when there are none.
    pub args: String,
    /// Where it stands in the answer: pieces of one call have one place.
    place: u64,
}

impl Called {
    /// A call without arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Called {
        Called { id: id.into(), name: name.into(), ..Called::default() }
    }

    /// Its arguments by name. What is no object stands under one name.
    pub fn arguments(&self) -> Packed {
        let alone = |value: Argument| Argument::Dict(vec![(Argument::Str("input".to_owned()), value)]).pack();
        if self.args.trim().is_empty() {
            return Packed::empty();
        }
        match Packed::from_json(&self.args) {
            Ok(args) if args.is_dict() => args,
            Ok(other) => alone(other.value()),
            Err(_) => alone(Argument::Str(self.args.clone())),
        }
    }
}

impl Seen {
    /// Counts content.
    pub fn content(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        self.content_bytes += text.len() as u64;
        if self.text.len() + text.len() <= MOST_TEXT {
            self.text.push_str(text);
        }
    }

    /// Takes note of usage.
    pub fn used(&mut self, usage: Usage, raw: &Value) {
        self.usage = Some(usage);
        self.raw_usage = Some(raw.clone());
    }

    /// Takes note of a tool call that comes whole.
    pub fn called(&mut self, id: Option<&str>, name: Option<&str>, args: Option<&str>) {
        let owned = |text: Option<&str>| text.unwrap_or_default().to_owned();
        // No stream counts that far.
        let place = u64::MAX - self.calls.len() as u64;
        self.calls.push(Called { id: owned(id), name: owned(name), args: owned(args), place });
    }

    /// Takes note of a tool call that comes in pieces: this one begins it.
    pub fn call_begins(&mut self, place: u64, id: Option<&str>, name: Option<&str>, args: Option<&str>) {
        self.called(id, name, args);
        if let Some(call) = self.calls.last_mut() {
            call.place = place;
        }
    }

    /// Takes note of more arguments of the call at a place; what belongs to none is dropped.
    pub fn call_goes_on(&mut self, place: u64, args: Option<&str>) {
        if let (Some(call), Some(args)) = (self.call_at(place), args) {
            call.args.push_str(args);
        }
    }

    /// The last call that began at a place.
    pub fn call_at(&mut self, place: u64) -> Option<&mut Called> {
        self.calls.iter_mut().rev().find(|call| call.place == place)
    }

    /// Takes note of the model, unless nothing was said.
    pub fn model(&mut self, model: Option<&str>) {
        if let Some(model) = model.filter(|model| !model.is_empty()) {
            self.model = Some(model.to_owned());
        }
    }
}
