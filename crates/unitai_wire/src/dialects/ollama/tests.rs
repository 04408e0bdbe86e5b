//! Requests as clients send them, answers as Ollama sends them, and what is written, read back.

use serde_json::{Map, Value, json};
use unitai_model::Usage;

use super::super::{Body, Dialect, Seen};
use super::Ollama;
use super::answer::CREATED_AT;
use crate::common::{Answer, Finish, Message, Part, Refusal, Request, Role, Said, Stamp};
use crate::frames::Frames;

const CHAT: &str = "/api/chat";
const GENERATE: &str = "/api/generate";

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn read(path: &str, body: Value) -> Option<Request> {
    Ollama.read_request(path, &object(body))
}

fn chat() -> Request {
    read(CHAT, json!({"model": "llama3.2", "messages": [{"role": "user", "content": "hi"}]}))
        .expect("a request")
}

fn generate() -> Request {
    read(GENERATE, json!({"model": "llama3.2", "prompt": "hi"})).expect("a request")
}

fn stream(bytes: &[u8]) -> Seen {
    let mut frames = Frames::new(Ollama.framing());
    let mut events = Vec::new();
    frames.feed(bytes, &mut events);
    assert!(frames.finish(&mut events).is_empty());
    let mut seen = Seen::default();
    events.iter().for_each(|event| Ollama.read_event(event, &mut seen));
    seen
}

fn plain(body: &Value) -> Seen {
    let mut seen = Seen::default();
    Ollama.read_answer(body, &mut seen);
    seen
}

/// What is seen of an answer that was written plain and streamed; both must tell the same.
fn written(request: &Request, answer: &Answer) -> Seen {
    let text = Ollama.write_answer(request, answer, Stamp { turn: 1 });
    let whole = plain(&serde_json::from_str(&text).expect("JSON"));
    let streamed = stream(&Ollama.write_stream(request, answer, Stamp { turn: 1 }).concat());
    assert_eq!(streamed, whole);
    whole
}

#[test]
fn a_conversation_as_clients_send_it() {
    let request = read(
        CHAT,
        json!({
            "model": "llama3.2", "stream": false,
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "see", "images": ["AAAA"]},
                {"role": "assistant", "thinking": "hm", "tool_calls": [
                    {"function": {"name": "get_weather", "arguments": {"city": "Paris"}}},
                    {"id": "c2", "function": {"name": "f", "arguments": "{\"a\":1}"}},
                ]},
                {"role": "tool", "content": "sunny", "tool_name": "get_weather"},
                {"role": "tool", "content": "one", "images": [], "tool_call_id": "c2"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "get_weather", "description": "w", "parameters": {"type": "object"},
            }}],
            "options": {"num_predict": 50, "seed": 1}, "think": true, "format": "json",
        }),
    )
    .expect("a request");
    assert!(!request.streamed && request.asks_for_usage);
    assert_eq!(request.max_output, Some(50));
    assert_eq!(request.system(), "Be kind.");
    assert_eq!(request.last_message(), "see");
    assert_eq!(request.messages[1].parts[1], Part::Media(json!("AAAA")));
    assert_eq!(
        request.messages[2].parts,
        vec![
            Part::Reasoning("hm".into()),
            Part::ToolCall { id: String::new(), name: "get_weather".into(), args: json!({"city": "Paris"}) },
            Part::ToolCall { id: "c2".into(), name: "f".into(), args: json!({"a": 1}) },
        ]
    );
    assert_eq!(request.tool_results(), vec![(Some("get_weather"), "sunny"), (Some("f"), "one")]);
    assert_eq!(request.tools[0].schema, json!({"type": "object"}));
    let settings = json!({"options": {"num_predict": 50, "seed": 1}, "think": true, "format": "json"});
    assert_eq!(Value::Object(request.settings), settings);
}

#[test]
fn a_single_prompt() {
    let body = json!({
        "model": "m", "prompt": "hi", "system": "Be kind.", "images": ["AAAA"], "suffix": "x",
        "options": {"num_predict": -1},
    });
    let request = read(GENERATE, body).expect("a request");
    assert_eq!(request.messages[0], Message::text(Role::System, "Be kind."));
    assert_eq!(request.messages[1].parts, vec![Part::Text("hi".into()), Part::Media(json!("AAAA"))]);
    assert_eq!((request.max_output, request.streamed), (None, true));
    assert_eq!(request.settings["suffix"], json!("x"));
}

#[test]
fn other_bodies_are_left_alone() {
    let user = json!({"role": "user", "content": "hi"});
    for body in [
        json!({}),
        json!({"messages": [user]}),
        json!({"model": 1, "messages": [user]}),
        json!({"model": "m", "prompt": "hi"}),
        json!({"model": "m", "messages": "hi"}),
        json!({"model": "m", "messages": ["hi"]}),
        json!({"model": "m", "messages": [{"content": "hi"}]}),
        json!({"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}),
        json!({"model": "m", "messages": [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}]}),
        // These load the model.
        json!({"model": "m", "messages": []}),
    ] {
        assert_eq!(read(CHAT, body), None);
    }
    for body in [
        json!({"model": "m"}),
        json!({"model": "m", "prompt": ""}),
        json!({"model": "m", "messages": [user]}),
    ] {
        assert_eq!(read(GENERATE, body), None);
    }
    assert!(!Ollama.claims("/v1/chat/completions") && !Ollama.claims("/api/show"));
}

#[test]
fn streams_unless_told_not_to() {
    let streamed = |stream| {
        let messages = json!([{"role": "user", "content": "hi"}]);
        read(CHAT, json!({"model": "m", "messages": messages, "stream": stream}))
            .map(|request| request.streamed)
    };
    assert!(chat().streamed);
    assert_eq!(streamed(Value::Null), Some(true));
    assert_eq!(streamed(json!(true)), Some(true));
    assert_eq!(streamed(json!(false)), Some(false));
}

#[test]
fn another_model_is_put_into_the_body() {
    let mut body = Body::read(br#"{"model":"a","options":{"top_p":0.10}}"#).expect("an object");
    assert_eq!(Ollama.set_model(CHAT, &mut body, "b"), None);
    assert_eq!(body.write(), r#"{"model":"b","options":{"top_p":0.10}}"#);
}

#[test]
fn what_is_written_is_read_back() {
    let answer = Answer {
        parts: vec![
            Said::Reasoning("let me see".into()),
            Said::Text("Hello wide\nworld ☃".into()),
            Said::Refusal("no".into()),
            Said::ToolCall { name: "f".into(), args: r#"{"a":[1,2.5]}"#.into() },
            Said::ToolCall { name: "f".into(), args: "no object".into() },
        ],
        usage: Usage::of(100, 20),
        finish: None,
    };
    for request in [chat(), generate()] {
        let seen = written(&request, &answer);
        assert_eq!(seen.usage, Some(answer.usage));
        assert_eq!(seen.model.as_deref(), Some("llama3.2"));
        assert_eq!(seen.finish_reason.as_deref(), Some("stop"));
        assert_eq!(seen.content_bytes, (10 + 20 + 2 + 1 + 13 + 1 + 2) as u64);
        assert!(seen.is_whole);
    }
    let cut = Answer { finish: Some(Finish::Length), ..answer };
    assert_eq!(written(&chat(), &cut).finish_reason.as_deref(), Some("length"));
}

#[test]
fn what_ollama_does_not_count_is_prompt_or_answer() {
    let usage =
        Usage { fresh: 1, cache_read: 2, cache_write: 4, cache_write_long: 8, output: 9, reasoning: 3 };
    let seen = written(&chat(), &Answer { parts: vec![Said::Text("a".into())], usage, finish: None });
    assert_eq!(seen.usage, Some(Usage::of(15, 9)));
}

#[test]
fn each_request_is_answered_in_its_shape() {
    let answer = Answer { parts: vec![Said::Text("Hello".into())], ..Answer::default() };
    let body = |request: &Request| -> Value {
        serde_json::from_str(&Ollama.write_answer(request, &answer, Stamp { turn: 1 })).expect("JSON")
    };
    assert_eq!(body(&chat())["message"], json!({"role": "assistant", "content": "Hello"}));
    assert_eq!(body(&generate())["response"], json!("Hello"));
    assert_eq!(body(&generate()).get("message"), None);
}

#[test]
fn answers_say_when_they_were_made() {
    // 20454 days after the epoch: 2026-01-01.
    assert_eq!(Stamp::CREATED, 20_454 * 24 * 60 * 60);
    assert!(CREATED_AT.starts_with("2026-01-01T00:00:00"));
}

#[test]
fn streams_as_ollama_sends_them() {
    let lines = [
        json!({"model": "llama3.2", "message": {"role": "assistant", "content": "Hello"}, "done": false}),
        json!({"model": "llama3.2", "message": {"role": "assistant", "content": ""}, "done": true,
            "done_reason": "stop", "total_duration": 2, "prompt_eval_count": 26, "eval_count": 298}),
    ];
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let seen = stream(text(&lines).as_bytes());
    assert!(seen.is_whole);
    assert_eq!(seen.usage, Some(Usage::of(26, 298)));
    assert_eq!(
        seen.raw_usage,
        Some(json!({"prompt_eval_count": 26, "eval_count": 298, "total_duration": 2}))
    );
    let cut = stream(text(&lines[..1]).as_bytes());
    assert_eq!((cut.is_whole, cut.usage, cut.content_bytes), (false, None, 5));
    // A prompt that is still in memory was not counted by older servers.
    assert_eq!(plain(&json!({"done": true, "eval_count": 5})).usage, Some(Usage::of(0, 5)));
    assert_eq!(plain(&json!({"done": true})).usage, None);
}

#[test]
fn errors_are_seen() {
    let seen = stream(b"{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"error\":\"out of memory\"}\n");
    assert_eq!((seen.error.as_deref(), seen.is_whole), (Some("out of memory"), false));
    let refusal = Refusal { status: 404, message: "model \"x\" not found".into() };
    let body: Value = serde_json::from_str(&Ollama.write_refusal(&refusal)).expect("JSON");
    assert_eq!(Ollama.read_refusal(&body), Some(refusal.message));
}

#[test]
fn nonsense_is_seen_as_nothing() {
    for body in [Value::Null, json!([]), json!("x"), json!({"message": 1, "done": 1, "tool_calls": [1]})] {
        assert_eq!(plain(&body), Seen::default());
    }
    assert_eq!(stream(b"{\n\n\xff\n1\n"), Seen::default());
}
