//! What has been seen of an answer so far.

use serde_json::Value;
use unitai_model::Usage;

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
}

impl Seen {
    /// Counts content.
    pub fn content(&mut self, text: Option<&str>) {
        self.content_bytes += text.map_or(0, str::len) as u64;
    }

    /// Takes note of usage.
    pub fn used(&mut self, usage: Usage, raw: &Value) {
        self.usage = Some(usage);
        self.raw_usage = Some(raw.clone());
    }

    /// Takes note of the model, unless nothing was said.
    pub fn model(&mut self, model: Option<&str>) {
        if let Some(model) = model.filter(|model| !model.is_empty()) {
            self.model = Some(model.to_owned());
        }
    }
}
