//! Writing answers. By hand rather than as a tree of values: a stream is one envelope many times over,
//! and a scripted call must cost next to nothing.

use serde::Serialize;
use unitai_model::Usage;

use crate::common::{Answer, Finish, Request, Said, Stamp};
use crate::frames::write_sse;

use super::request::calls_functions;

/// What the ids of calls begin with.
pub(super) const CALL_PREFIX: &str = "call_";

pub(super) fn plain(request: &Request, answer: &Answer, stamp: Stamp) -> String {
    let texts = |pick: fn(&Said) -> Option<&str>| {
        let texts: Vec<&str> = answer.parts.iter().filter_map(pick).collect();
        (!texts.is_empty()).then(|| texts.concat())
    };
    let reasoning = texts(|part| if let Said::Reasoning(text) = part { Some(text) } else { None });
    let mut calls: Vec<ToolCall<'_>> = tool_calls(answer, stamp).collect();
    let is_function = is_function_call(request, answer);
    let function_call = if is_function { calls.pop().map(|call| call.function) } else { None };
    let message = Message {
        role: "assistant",
        content: texts(|part| if let Said::Text(text) = part { Some(text) } else { None }),
        refusal: texts(|part| if let Said::Refusal(text) = part { Some(text) } else { None }),
        annotations: [],
        reasoning_content: reasoning,
        tool_calls: calls,
        function_call,
    };
    let reason = if is_function { FUNCTION_CALL } else { finish_reason(answer.finish()) };
    let choice = Choice { index: 0, message, logprobs: None, finish_reason: reason };
    written(&Completion {
        id: stamp.answer_id("chatcmpl-"),
        object: "chat.completion",
        created: Stamp::CREATED,
        model: &request.model,
        choices: [choice],
        usage: Counts::of(&answer.usage),
        service_tier: "default",
        system_fingerprint: "fp_unitai",
    })
}

pub(super) fn streamed(request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
    let mut stream = Stream::new(request, stamp);
    stream.delta(r#"{"role":"assistant","content":"","refusal":null}"#);
    let mut calls = tool_calls(answer, stamp).enumerate();
    let is_function = is_function_call(request, answer);
    for part in &answer.parts {
        match part {
            Said::Text(text) => stream.pieces(text, "{\"content\":", "}"),
            Said::Reasoning(text) => stream.pieces(text, "{\"reasoning_content\":", "}"),
            Said::Refusal(text) => stream.pieces(text, "{\"refusal\":", "}"),
            Said::ToolCall { name, args } if is_function => {
                let begun = written(&Function { name, arguments: "" });
                stream.delta(&format!("{{\"function_call\":{begun}}}"));
                stream.pieces(args, "{\"function_call\":{\"arguments\":", "}}");
            }
            Said::ToolCall { args, .. } => {
                let Some((index, call)) = calls.next() else { continue };
                // Mistral, which also tells usage unasked, sends a call whole.
                let arguments = if request.is_told_usage { args } else { "" };
                let begun = ToolCall {
                    index: Some(index),
                    function: Function { arguments, ..call.function },
                    ..call
                };
                stream.delta(&format!("{{\"tool_calls\":[{}]}}", written(&begun)));
                if request.is_told_usage {
                    continue;
                }
                let before = format!("{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"arguments\":");
                stream.pieces(args, &before, "}}]}");
            }
        }
    }
    let reason = if is_function { FUNCTION_CALL } else { finish_reason(answer.finish()) };
    stream.finish(reason, &written(&Counts::of(&answer.usage)), request)
}

/// Why the model stopped, in the provider's words.
pub(super) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::Refusal => "stop",
        Finish::ToolCalls => "tool_calls",
        Finish::Length => "length",
    }
}

/// Why the model stopped, for clients that offer `functions`.
const FUNCTION_CALL: &str = "function_call";

/// Whether the answer is a `function_call`. There is a place for one; several calls at once have no such form.
fn is_function_call(request: &Request, answer: &Answer) -> bool {
    let is_call = |part: &&Said| matches!(part, Said::ToolCall { .. });
    calls_functions(request) && answer.parts.iter().filter(is_call).count() == 1
}

/// A stream in the making.
struct Stream {
    /// The envelope of every chunk, up to its choices.
    before: String,
    /// The field that is there only for clients that asked for usage.
    no_usage: &'static str,
    events: Vec<Vec<u8>>,
}

impl Stream {
    fn new(request: &Request, stamp: Stamp) -> Stream {
        let id = stamp.answer_id("chatcmpl-");
        let (created, model) = (Stamp::CREATED, written(&request.model));
        let before = format!(
            r#"{{"id":"{id}","object":"chat.completion.chunk","created":{created},"model":{model},"service_tier":"default","system_fingerprint":"fp_unitai","choices":["#
        );
        let no_usage = if request.asks_for_usage { ",\"usage\":null" } else { "" };
        Stream { before, no_usage, events: Vec::new() }
    }

    fn delta(&mut self, delta: &str) {
        self.choice(delta, "null", self.no_usage);
    }

    fn pieces(&mut self, text: &str, before: &str, after: &str) {
        for piece in Answer::pieces(text) {
            self.delta(&[before, &written(piece), after].concat());
        }
    }

    fn choice(&mut self, delta: &str, finish_reason: &str, usage: &str) {
        let choice = [
            &self.before,
            "{\"index\":0,\"delta\":",
            delta,
            ",\"logprobs\":null,\"finish_reason\":",
            finish_reason,
            "}]",
            usage,
            "}",
        ];
        self.push(&choice.concat());
    }

    fn push(&mut self, data: &str) {
        let mut event = Vec::with_capacity(data.len() + 8);
        write_sse(&mut event, "", data);
        self.events.push(event);
    }

    fn finish(mut self, reason: &str, usage: &str, request: &Request) -> Vec<Vec<u8>> {
        let usage = [",\"usage\":", usage].concat();
        let with_end = if request.is_told_usage { &usage } else { self.no_usage };
        self.choice("{}", &written(reason), with_end);
        if request.asks_for_usage {
            self.push(&[&self.before, "]", &usage, "}"].concat());
        }
        self.push("[DONE]");
        self.events
    }
}

fn tool_calls(answer: &Answer, stamp: Stamp) -> impl Iterator<Item = ToolCall<'_>> {
    let calls = answer.parts.iter().filter_map(|part| match part {
        Said::ToolCall { name, args } => Some(Function { name, arguments: args }),
        _ => None,
    });
    calls.enumerate().map(move |(at, function)| ToolCall {
        index: None,
        id: stamp.call_id(CALL_PREFIX, at),
        kind: "function",
        function,
    })
}

/// Text and numbers always have a form in JSON.
fn written<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[derive(Serialize)]
struct Completion<'a> {
    id: String,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: [Choice<'a>; 1],
    usage: Counts,
    service_tier: &'static str,
    system_fingerprint: &'static str,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    logprobs: Option<()>,
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<String>,
    refusal: Option<String>,
    annotations: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Function<'a>>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The prompt's count has the cached tokens in it, and the answer's count the reasoning.
#[derive(Serialize)]
struct Counts {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: PromptCounts,
    completion_tokens_details: CompletionCounts,
}

#[derive(Serialize)]
struct PromptCounts {
    cached_tokens: u64,
    cache_write_tokens: u64,
    audio_tokens: u64,
}

#[derive(Serialize)]
struct CompletionCounts {
    reasoning_tokens: u64,
    audio_tokens: u64,
    accepted_prediction_tokens: u64,
    rejected_prediction_tokens: u64,
}

impl Counts {
    fn of(usage: &Usage) -> Counts {
        Counts {
            prompt_tokens: usage.prompt_tokens(),
            completion_tokens: usage.output,
            total_tokens: usage.total(),
            prompt_tokens_details: PromptCounts {
                cached_tokens: usage.cache_read,
                cache_write_tokens: usage.cache_write.saturating_add(usage.cache_write_long),
                audio_tokens: 0,
            },
            completion_tokens_details: CompletionCounts {
                reasoning_tokens: usage.reasoning,
                audio_tokens: 0,
                accepted_prediction_tokens: 0,
                rejected_prediction_tokens: 0,
            },
        }
    }
}
