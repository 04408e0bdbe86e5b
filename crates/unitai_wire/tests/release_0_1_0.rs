//! Recordings that release 0.1.0 wrote, in `data/release-0.1.0`: they replay.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use unitai_wire::Target;
use unitai_wire::cassette::{Cassette, Inquiry, Look, Mode, Options};
use unitai_wire::exchange::Asked;
use unitai_wire::redact::Secrets;

/// A secret that is known now. When they were made, it was another one of the same form.
const SECRET: &str = "Bk4wR9yXm3KnS8uZ";

fn open() -> Cassette {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/release-0.1.0");
    let secrets = Arc::new(Secrets::none());
    secrets.learn(SECRET);
    Cassette::open(&folder, Options { mode: Mode::Replay, ttl: None, volatile: Vec::new(), secrets })
}

fn to_model(url: &str, body: &Value) -> Inquiry {
    let target = Target::of(url).unwrap();
    Inquiry::of_model(&Asked::read(&target, body.to_string().as_bytes()).unwrap(), target.path)
}

/// What was asked, and how each of its answers reads, where this secret is known.
fn exchanges(secret: &str) -> Vec<(Inquiry, &'static str, Vec<String>)> {
    let chat = "https://api.openai.com/v1/chat/completions";
    let messages = "https://api.anthropic.com/v1/messages";
    let tools = json!([{"type": "function", "function": {"name": "lookup", "parameters": {
        "type": "object", "properties": {"order": {"type": "integer"}}}}}]);
    let asking = |text: &str| {
        let user = json!({"role": "user", "content": text});
        json!({"model": "gpt-4.1", "temperature": 0.2, "messages": [user], "tools": tools})
    };
    let completion = |text: &str| {
        let message = json!({"role": "assistant", "content": text});
        let choices = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
        let usage = json!({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12});
        json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1794970227, "model": "gpt-4.1",
            "choices": choices, "usage": usage})
        .to_string()
    };
    let events = [
        r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-sonnet-4-5","stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}"#,
        r#"event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Refunded."}}"#,
        r#"event: content_block_stop
data: {"type":"content_block_stop","index":0}"#,
        r#"event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
        r#"event: message_stop
data: {"type":"message_stop"}"#,
    ]
    .map(|event| format!("{event}\n\n"))
    .concat();
    let streamed = json!({"model": "claude-sonnet-4-5", "max_tokens": 100, "stream": true,
        "messages": [{"role": "user", "content": "Refund order 123."}]});
    let url = format!("https://api.shop.example/find?q=shoes&api_key={secret}");
    vec![
        (
            to_model(chat, &asking("Refund order 123.")),
            "application/json",
            vec![completion("Refunded."), completion("Done.")],
        ),
        (
            to_model(chat, &asking(&format!("The token is {secret}."))),
            "application/json",
            vec![completion(&format!("It is {secret}."))],
        ),
        (to_model(messages, &streamed), "text/event-stream", vec![events]),
        (Inquiry::of_api("GET", &url, b""), "application/json", vec![r#"{"shoes": [1, 2.50]}"#.to_owned()]),
    ]
}

#[test]
fn recordings_of_the_release_replay_with_another_secret() {
    let cassette = open();
    for (inquiry, kind, answers) in exchanges(SECRET) {
        for answer in answers {
            let Look::Hit { recording, .. } = cassette.look("", inquiry.clone()).unwrap() else {
                panic!("expected a recording")
            };
            assert_eq!(String::from_utf8(recording.body()).unwrap(), answer.replace(SECRET, "[redacted]"));
            assert_eq!(recording.headers, [("content-type".to_owned(), kind.to_owned())]);
        }
    }
}
