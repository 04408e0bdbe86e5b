//! Services as subjects of the contract: a server of this machine says what the real one would.

mod refusing;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use unitai_judge::Provider;
use unitai_judge::providers::{anthropic, openai};

use crate::contract::http::{Asked, Reply, Server};
use crate::contract::{Behaviour, KEY, Subject, answer};

/// A client for which the name of the service is this machine: what is local costs nothing, and the service does.
pub(crate) fn client(server: &Server) -> Client {
    unitai_spec::http::client().expect("installs what TLS needs");
    Client::builder().no_proxy().resolve("judge.example", server.address).build().expect("a client")
}

/// Where it is.
pub(crate) fn address(server: &Server, rest: &str) -> String {
    format!("http://judge.example:{}{rest}", server.address.port())
}

/// What a service says, as its own form has it.
struct Voice {
    /// Words as an answer by a model.
    words: fn(&str, &str) -> Value,
    /// A call of the tool.
    call: fn() -> Value,
    /// The result of the tool that a request holds.
    result: fn(&Value) -> Option<String>,
    /// An error of this kind.
    error: fn(&str, &str) -> Value,
    /// A model with a price.
    model: &'static str,
}

/// What a service says to a request; `again` is how often it was asked before.
fn said(voice: &Voice, behaviour: Behaviour, asked: &Asked, again: u32) -> Reply {
    let words = |text: &str| Reply::of(200, (voice.words)(voice.model, text));
    let busy = || {
        let message = format!("please slow down, {KEY}");
        let reply = Reply::of(429, (voice.error)("rate_limit_error", &message));
        Reply { headers: "retry-after: 0\r\n", ..reply }
    };
    let structured = answer().to_string();
    match behaviour {
        Behaviour::Structured => words(&structured),
        Behaviour::TextOnly => words("I think so."),
        Behaviour::Empty => words(""),
        Behaviour::Unauthorised => {
            Reply::of(401, (voice.error)("authentication_error", &format!("invalid key {KEY}")))
        }
        Behaviour::BusyOnce if again > 0 => words(&structured),
        Behaviour::BusyOnce | Behaviour::BusyForever => busy(),
        Behaviour::Slow => Reply { after: Duration::from_secs(30), ..words(&structured) },
        Behaviour::Garbage => Reply::of(200, format!("<html>{KEY}</html>")),
        Behaviour::Unpriced => Reply::of(200, (voice.words)("a-model-of-nobody", &structured)),
        Behaviour::CallsATool => match (voice.result)(&asked.body) {
            Some(result) => words(&json!({"verdict": "yes", "why": result}).to_string()),
            None => Reply::of(200, (voice.call)()),
        },
        Behaviour::CallsForever => Reply::of(200, (voice.call)()),
    }
}

/// The model that is asked. One without a price is also asked under that name.
fn model(voice: &Voice, behaviour: Behaviour) -> &'static str {
    if behaviour == Behaviour::Unpriced { "a-model-of-nobody" } else { voice.model }
}

const MESSAGES: Voice = Voice {
    words: |model, text| {
        json!({
            "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 20},
        })
    },
    call: || {
        json!({
            "type": "message", "role": "assistant", "model": "claude-sonnet-5", "stop_reason": "tool_use",
            "content": [
                {"type": "thinking", "thinking": "look", "signature": "s"},
                {"type": "tool_use", "id": "call-1", "name": "shop_lookup", "input": {"order": 7}},
            ],
            "usage": {"input_tokens": 90, "output_tokens": 20},
        })
    },
    result: |body| {
        let messages = body["messages"].as_array()?;
        // The service wants its own words back, thoughts and all.
        let own = messages.iter().find(|message| message["role"] == "assistant")?;
        assert_eq!(own["content"][0]["signature"], "s");
        let block = &messages.last()?["content"][0];
        assert_eq!((&block["tool_use_id"], &block["is_error"]), (&json!("call-1"), &json!(false)));
        Some(block["content"].as_str()?.to_owned())
    },
    error: |kind, message| json!({"type": "error", "error": {"type": kind, "message": message}}),
    model: "claude-sonnet-5",
};

const CHAT: Voice = Voice {
    words: |model, text| {
        json!({
            "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        })
    },
    call: || {
        let function = json!({"name": "shop_lookup", "arguments": "{\"order\": 7}"});
        let call = json!({"id": "call-1", "type": "function", "function": function});
        json!({
            "object": "chat.completion", "model": "gpt-5.4",
            "choices": [{
                "index": 0, "finish_reason": "tool_calls",
                "message": {"role": "assistant", "content": null, "tool_calls": [call]},
            }],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        })
    },
    result: |body| {
        let last = body["messages"].as_array()?.last()?;
        assert!(last["role"] != "tool" || last["tool_call_id"] == "call-1");
        (last["role"] == "tool").then(|| last["content"].as_str().map(str::to_owned))?
    },
    error: |kind, message| json!({"error": {"type": kind, "message": message}}),
    model: "gpt-5.4",
};

/// Anthropic's API.
pub(crate) struct Anthropic;

impl Subject for Anthropic {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let asked_before = AtomicU32::new(0);
        let server = Server::plain(move |asked| {
            assert_eq!((asked.path.as_str(), asked.header("x-api-key")), ("/v1/messages", KEY));
            assert_eq!(asked.header("anthropic-version"), "2023-06-01");
            if asked.body.get("temperature").is_some() {
                let words = "`temperature` is deprecated for this model.";
                return Reply::of(400, (MESSAGES.error)("invalid_request_error", words));
            }
            assert_eq!(asked.body["output_config"]["format"]["type"], "json_schema");
            said(&MESSAGES, behaviour, asked, asked_before.fetch_add(1, Ordering::Relaxed))
        })
        .await;
        let provider = anthropic::Anthropic::new(KEY)
            .at(&address(&server, "/"))
            .with_model(model(&MESSAGES, behaviour))
            .through(client(&server));
        (Arc::new(provider), Box::new(server))
    }
}

/// OpenAI's API.
pub(crate) struct OpenAi;

impl Subject for OpenAi {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let asked_before = AtomicU32::new(0);
        let server = Server::plain(move |asked| {
            assert_eq!(asked.path, "/v1/chat/completions");
            assert_eq!(asked.header("authorization"), format!("Bearer {KEY}"));
            assert_eq!(asked.body["response_format"]["json_schema"]["strict"], true);
            assert_eq!(asked.body["temperature"], 0);
            said(&CHAT, behaviour, asked, asked_before.fetch_add(1, Ordering::Relaxed))
        })
        .await;
        let provider = openai::OpenAi::new(KEY)
            .at(&address(&server, "/v1"))
            .with_model(model(&CHAT, behaviour))
            .through(client(&server));
        (Arc::new(provider), Box::new(server))
    }
}

/// A server of OpenAI's form that knows no schemas: it is told the schema in words.
pub(crate) struct OlderOpenAi;

impl Subject for OlderOpenAi {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let asked_before = AtomicU32::new(0);
        let server = Server::plain(move |asked| {
            if asked.body.get("response_format").is_some() {
                return Reply::of(400, json!({"error": "unknown field: response_format"}));
            }
            let system = asked.body["messages"][0]["content"].as_str().unwrap_or_default();
            assert!(system.contains("JSON schema") && system.contains("\"verdict\""), "{system}");
            said(&CHAT, behaviour, asked, asked_before.fetch_add(1, Ordering::Relaxed))
        })
        .await;
        let provider = openai::OpenAi::new(KEY)
            .at(&address(&server, "/v1"))
            .with_model(model(&CHAT, behaviour))
            .through(client(&server));
        (Arc::new(provider), Box::new(server))
    }
}
