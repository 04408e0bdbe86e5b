//! A request to a model, whoever the provider is.

use serde_json::{Map, Value};

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The model's name as the provider spells it.
    pub model: String,
    /// The conversation, the system prompt included where it stands.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<Tool>,
    /// Everything else that was asked for, as it came: temperature, response format, ...
    pub settings: Map<String, Value>,
    /// The most tokens that the answer may have, where the request says so.
    pub max_output: Option<u64>,
    /// Whether the answer is to be streamed.
    pub streamed: bool,
    /// Whether the beta form of the API is asked for.
    pub is_beta: bool,
    /// Whether the client itself asked for usage in the stream. Dialects that always send it say true.
    pub asks_for_usage: bool,
    /// Whether the server tells usage at the end of a stream without being asked.
    pub is_told_usage: bool,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The developer: the system prompt.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// The model called a tool.
    ToolCall {
        /// The call's id; empty where the dialect has none.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        args: Value,
    },
    /// A tool's result was given back to the model.
    ToolResult {
        /// The id of the call that it answers.
        id: String,
        /// The tool, where the dialect names it.
        name: Option<String>,
        /// The result as text; structured results as JSON.
        content: String,
    },
    /// The model's reasoning.
    Reasoning(String),
    /// An image, a sound, a file: as it came.
    Media(Value),
    /// Anything else: as it came.
    Other(Value),
}

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The schema of its arguments.
    pub schema: Value,
}

/// A tool's result that the model has not seen yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshResult<'a> {
    /// The id of the call that it answers; empty where the dialect has none.
    pub id: &'a str,
    /// The tool, where that is known.
    pub tool: Option<&'a str>,
    /// The result as text.
    pub content: &'a str,
}

impl Message {
    /// A message of one text.
    pub fn text(role: Role, text: impl Into<String>) -> Message {
        Message { role, parts: vec![Part::Text(text.into())] }
    }

    /// All text of the message, its parts joined by line ends.
    pub fn joined_text(&self) -> String {
        join(self.parts.iter().filter_map(Part::as_text))
    }
}

impl Part {
    fn as_text(&self) -> Option<&str> {
        match self {
            Part::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Request {
    /// The system prompt.
    pub fn system(&self) -> String {
        join(
            self.messages
                .iter()
                .filter(|message| message.role == Role::System)
                .flat_map(|message| message.parts.iter().filter_map(Part::as_text)),
        )
    }

    /// The text of the last message that is no tool's: what the user said last.
    pub fn last_message(&self) -> String {
        self.messages
            .iter()
            .rev()
            .find(|message| {
                message.role == Role::User && message.parts.iter().any(|part| part.as_text().is_some())
            })
            .map(Message::joined_text)
            .unwrap_or_default()
    }

    /// The results of tools since the model last spoke, each with its tool where that is known.
    pub fn tool_results(&self) -> Vec<(Option<&str>, &str)> {
        self.fresh_results().map(|result| (result.tool, result.content)).collect()
    }

    /// The results of tools since the model last spoke. Those before were told in earlier requests.
    pub fn fresh_results(&self) -> impl Iterator<Item = FreshResult<'_>> {
        // An answer that the request begins itself is not spoken yet.
        let told = self.messages.split_last().map_or(&[][..], |(_, told)| told);
        let last_answer = told.iter().rposition(|message| message.role == Role::Assistant);
        let fresh = &self.messages[last_answer.map_or(0, |at| at + 1)..];
        fresh.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            Part::ToolResult { id, name, content } => {
                let tool = name.as_deref().or_else(|| self.caller(id));
                Some(FreshResult { id, tool, content })
            }
            _ => None,
        })
    }

    /// The tool that a call of this id called.
    fn caller(&self, call_id: &str) -> Option<&str> {
        self.messages.iter().flat_map(|message| &message.parts).find_map(|part| match part {
            Part::ToolCall { id, name, .. } if id == call_id => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether the provider holds a part of the conversation, so that the request does not tell how long it is.
    pub fn continues(&self) -> bool {
        ["previous_response_id", "conversation"]
            .iter()
            .any(|key| self.settings.get(*key).is_some_and(|id| !id.is_null()))
    }

    /// The tool that the model must call: the request chooses it by its name, or offers no other and asks for a call.
    ///
    /// ```
    /// use serde_json::json;
    /// use unitai_wire::common::Request;
    /// let mut request = Request::default();
    /// request.settings.insert("tool_choice".to_owned(), json!({"type": "tool", "name": "classify"}));
    /// assert_eq!(request.forced_tool(), Some("classify"));
    /// ```
    pub fn forced_tool(&self) -> Option<&str> {
        let setting = |path: &str| {
            let (first, rest) = path.split_once('/').unwrap_or((path, ""));
            let value = self.settings.get(first)?;
            if rest.is_empty() { Some(value) } else { value.pointer(&format!("/{rest}")) }
        };
        let named = ["tool_choice/function/name", "tool_choice/name", "toolConfig/toolChoice/tool/name"];
        let only_one =
            || match setting("toolConfig/functionCallingConfig/allowedFunctionNames")?.as_array()?.as_slice()
            {
                [only] => only.as_str(),
                _ => None,
            };
        let chosen = named.iter().find_map(|path| setting(path)?.as_str()).or_else(only_one);
        let must_call = || {
            let is = |path: &str, words: &[&str]| {
                setting(path).and_then(Value::as_str).is_some_and(|word| words.contains(&word))
            };
            is("tool_choice", &["required", "any", "REQUIRED"])
                || is("tool_choice/type", &["any"])
                || is("toolConfig/functionCallingConfig/mode", &["ANY"])
                || setting("toolConfig/toolChoice/any").is_some()
        };
        chosen.or_else(|| match self.tools.as_slice() {
            [only] if must_call() => Some(&only.name),
            _ => None,
        })
    }

    /// How many answers are asked for at once.
    pub fn answers(&self) -> u64 {
        let candidates =
            self.settings.get("generationConfig").and_then(|config| config.get("candidateCount"));
        self.settings.get("n").or(candidates).and_then(Value::as_u64).unwrap_or(1).max(1)
    }

    /// An upper bound of the prompt's tokens, for reserving money before the provider has counted:
    /// no tokenizer makes more tokens of a text than it has bytes. Media are taken at
    /// a few thousand each.
    pub fn most_prompt_tokens(&self) -> u64 {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let said: u64 = parts.map(Part::most_tokens).sum();
        let offered: u64 = self
            .tools
            .iter()
            .map(|tool| (tool.name.len() + tool.description.len() + tool.schema.to_string().len()) as u64)
            .sum();
        let settings =
            if self.settings.is_empty() { 0 } else { Value::Object(self.settings.clone()).to_string().len() };
        said + offered + settings as u64 + MESSAGE_TOKENS * (self.messages.len() as u64 + 1)
    }

    /// About how many tokens the prompt has, where nobody counts: four bytes each.
    pub fn likely_prompt_tokens(&self) -> u64 {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let bytes: u64 = parts
            .map(|part| match part {
                Part::Media(_) => 4 * MEDIA_TOKENS,
                other => other.most_tokens(),
            })
            .sum();
        likely_tokens(bytes) + 4 * self.messages.len() as u64
    }
}

impl Part {
    fn most_tokens(&self) -> u64 {
        let bytes = match self {
            Part::Text(text) | Part::Reasoning(text) => text.len(),
            Part::ToolCall { id, name, args } => id.len() + name.len() + args.to_string().len(),
            Part::ToolResult { id, content, .. } => id.len() + content.len(),
            Part::Media(_) => return MEDIA_TOKENS,
            Part::Other(value) => value.to_string().len(),
        };
        bytes as u64
    }
}

/// What one image or file is reserved at. Providers count up to a few thousand for a large image.
const MEDIA_TOKENS: u64 = 4096;

/// What the frame around a message is reserved at.
const MESSAGE_TOKENS: u64 = 16;

/// About how many tokens a text of so many bytes has.
pub(crate) fn likely_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

fn join<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}
