//! What the dialect reads and writes.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use unitai_model::Usage;

use super::super::{Body, Dialect, Seen};
use super::Anthropic;
use crate::common::{Answer, Finish, Message, Part, Refusal, Request, Role, Said, Stamp};
use crate::frames::{Event, Frames};

const PATH: &str = "/v1/messages";
const VERTEX: &str =
    "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4@20250514:rawPredict";
const STAMP: Stamp = Stamp { turn: 7 };

fn read(path: &str, body: Value) -> Option<Request> {
    Anthropic.read_request(path, body.as_object().unwrap())
}

fn request() -> Request {
    Request { model: "claude-sonnet-4-5".to_owned(), asks_for_usage: true, ..Request::default() }
}

fn answer(parts: Vec<Said>) -> Answer {
    let usage =
        Usage { fresh: 36, cache_read: 48, cache_write: 16, cache_write_long: 8, output: 20, reasoning: 5 };
    Answer { parts, usage, finish: None }
}

fn everything() -> Answer {
    answer(vec![
        Said::Reasoning("Let me think.".to_owned()),
        Said::Text("Checking both cities.".to_owned()),
        Said::ToolCall { name: "get_weather".to_owned(), args: r#"{"city": "Paris"}"#.to_owned() },
        Said::ToolCall { name: "get_time".to_owned(), args: String::new() },
    ])
}

fn events(answer: &Answer) -> Vec<Event> {
    let mut frames = Frames::new(Anthropic.framing());
    let mut events = Vec::new();
    for bytes in Anthropic.write_stream(&request(), answer, STAMP) {
        frames.feed(&bytes, &mut events);
    }
    assert!(frames.finish(&mut events).is_empty());
    events
}

fn read_back(answer: &Answer) -> (Seen, Seen) {
    let body = serde_json::from_str(&Anthropic.write_answer(&request(), answer, STAMP)).unwrap();
    let (mut plain, mut streamed) = (Seen::default(), Seen::default());
    Anthropic.read_answer(&body, &mut plain);
    events(answer).iter().for_each(|event| Anthropic.read_event(event, &mut streamed));
    (plain, streamed)
}

fn seen_of(events: &[Value]) -> Seen {
    let mut seen = Seen::default();
    for data in events {
        let event = Event { name: String::new(), data: data.to_string().into_bytes(), raw: Vec::new() };
        Anthropic.read_event(&event, &mut seen);
    }
    seen
}

fn usage_of(raw: Value) -> Option<Usage> {
    let mut seen = Seen::default();
    Anthropic.read_answer(&json!({"type": "message", "content": [], "usage": raw}), &mut seen);
    seen.usage
}

#[test]
fn a_whole_conversation_is_read() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    let pdf = json!({"type": "document", "source": {"type": "url", "url": "https://x/y.pdf"}});
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let request = read(
        PATH,
        json!({
            "model": "claude-sonnet-4-5", "max_tokens": 100, "stream": true, "temperature": 0.5,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
            "tools": [
                {"name": "get_weather", "description": "w", "input_schema": {"type": "object"}},
                {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
            ],
            "messages": [
                {"role": "user", "content": [image.clone(), pdf.clone(), {"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    redacted.clone(),
                    {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Paris"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": false,
                     "content": [{"type": "text", "text": "sunny"}, image.clone()]},
                ]},
                {"role": "user", "content": "and now?"},
            ],
        }),
    )
    .unwrap();
    assert_eq!(request.model, "claude-sonnet-4-5");
    assert_eq!((request.max_output, request.streamed, request.asks_for_usage), (Some(100), true, true));
    assert_eq!(request.system(), "Be brief.");
    assert_eq!(request.last_message(), "and now?");
    assert_eq!(request.tool_results(), [(Some("get_weather"), "sunny")]);
    assert_eq!(
        request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["get_weather", "web_search"]
    );
    assert_eq!(request.tools[0].schema, json!({"type": "object"}));
    let own = json!([{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}]);
    assert_eq!(Value::from(request.settings), json!({"temperature": 0.5, "tools": own}));
    let call = Part::ToolCall {
        id: "toolu_1".to_owned(),
        name: "get_weather".to_owned(),
        args: json!({"city": "Paris"}),
    };
    let result = Part::ToolResult { id: "toolu_1".to_owned(), name: None, content: "sunny".to_owned() };
    let expected = [
        Message::text(Role::System, "Be brief."),
        Message {
            role: Role::User,
            parts: vec![Part::Media(image.clone()), Part::Media(pdf), Part::Text("hi".into())],
        },
        Message {
            role: Role::Assistant,
            parts: vec![Part::Reasoning("hm".into()), Part::Other(redacted), call],
        },
        Message { role: Role::Tool, parts: vec![result, Part::Media(image)] },
        Message::text(Role::User, "and now?"),
    ];
    assert_eq!(request.messages, expected);
}

#[test]
fn other_traffic_is_left_alone() {
    assert!(Anthropic.claims(PATH) && Anthropic.claims("/anthropic/v1/messages") && Anthropic.claims(VERTEX));
    for path in ["/v1/messages/count_tokens", "/v1/messages/batches", "/a/models/count-tokens:rawPredict"] {
        assert!(!Anthropic.claims(path), "{path}");
    }
    // A message of OpenAI's threads.
    assert_eq!(read("/v1/threads/t/messages", json!({"role": "user", "content": "hi"})), None);
    assert_eq!(read(PATH, json!({"model": "m", "messages": []})), None);
    assert_eq!(read(PATH, json!({"messages": [], "max_tokens": 1})), None);
    assert_eq!(read(VERTEX, json!({"messages": [], "max_tokens": 1})), None);
}

#[test]
fn vertex_has_the_model_in_the_path() {
    let body = json!({"anthropic_version": "vertex-2023-10-16", "messages": [], "max_tokens": 1});
    assert_eq!(read(VERTEX, body.clone()).unwrap().model, "claude-sonnet-4@20250514");
    let request = read("/v1/models/claude-x%401:streamRawPredict", body).unwrap();
    assert_eq!((request.model.as_str(), request.streamed), ("claude-x@1", true));
    let mut body = Body::read(br#"{"max_tokens":1}"#).unwrap();
    let path = Anthropic.set_model("/v1/models/a:rawPredict", &mut body, "b@1");
    assert_eq!(path.as_deref(), Some("/v1/models/b@1:rawPredict"));
    assert_eq!(body.write(), r#"{"max_tokens":1}"#);
    assert_eq!(Anthropic.set_model(PATH, &mut body, "b"), None);
    assert_eq!(body.write(), r#"{"max_tokens":1,"model":"b"}"#);
}

#[test]
fn what_is_written_is_read_back() {
    let answer = everything();
    let (plain, streamed) = read_back(&answer);
    for seen in [&plain, &streamed] {
        assert_eq!(seen.usage, Some(answer.usage));
        assert_eq!(seen.model.as_deref(), Some("claude-sonnet-4-5"));
        assert_eq!(seen.finish_reason.as_deref(), Some("tool_use"));
        assert_eq!(seen.service_tier.as_deref(), Some("standard"));
        assert!(seen.is_whole && seen.error.is_none() && seen.content_bytes > 0);
    }
}

#[test]
fn a_plain_answer_is_the_providers() {
    let body: Value =
        serde_json::from_str(&Anthropic.write_answer(&request(), &everything(), STAMP)).unwrap();
    let content = json!([
        {"type": "thinking", "thinking": "Let me think.", "signature": "sig_unitai000007"},
        {"type": "text", "text": "Checking both cities."},
        {"type": "tool_use", "id": "toolu_000007000", "name": "get_weather", "input": {"city": "Paris"}},
        {"type": "tool_use", "id": "toolu_000007001", "name": "get_time", "input": {}},
    ]);
    assert_eq!(body["content"], content);
    let usage = json!({
        "input_tokens": 36, "cache_creation_input_tokens": 24, "cache_read_input_tokens": 48,
        "cache_creation": {"ephemeral_5m_input_tokens": 16, "ephemeral_1h_input_tokens": 8},
        "output_tokens": 20, "output_tokens_details": {"thinking_tokens": 5}, "service_tier": "standard",
    });
    assert_eq!(body["usage"], usage);
}

#[test]
fn a_stream_is_the_providers() {
    let events = events(&everything());
    let mut content: Vec<Value> = Vec::new();
    let mut inputs = Map::new();
    for event in &events {
        let data: Value = serde_json::from_slice(&event.data).unwrap();
        assert_eq!(data["type"], event.name.as_str());
        let index = data["index"].as_u64().unwrap_or(0) as usize;
        match event.name.as_str() {
            "content_block_start" => content.push(data["content_block"].clone()),
            "content_block_delta" => {
                for key in ["text", "thinking", "signature"] {
                    if let Some(piece) = data["delta"][key].as_str() {
                        let so_far = content[index][key].as_str().unwrap().to_owned();
                        content[index][key] = (so_far + piece).into();
                    }
                }
                if let Some(piece) = data["delta"]["partial_json"].as_str() {
                    let so_far = inputs.get(&index.to_string()).and_then(Value::as_str).unwrap_or("");
                    inputs.insert(index.to_string(), format!("{so_far}{piece}").into());
                }
            }
            _ => {}
        }
    }
    for (index, input) in inputs {
        if input != "" {
            content[index.parse::<usize>().unwrap()]["input"] =
                serde_json::from_str(input.as_str().unwrap()).unwrap();
        }
    }
    let body: Value =
        serde_json::from_str(&Anthropic.write_answer(&request(), &everything(), STAMP)).unwrap();
    assert_eq!(Value::from(content), body["content"]);
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names[..3], ["message_start", "content_block_start", "ping"]);
    assert_eq!(names[names.len() - 2..], ["message_delta", "message_stop"]);
}

#[test]
fn every_end_has_its_reason() {
    let text = || vec![Said::Text("a".to_owned())];
    for (answer, reason) in [
        (answer(text()), "end_turn"),
        (Answer { finish: Some(Finish::Length), ..answer(text()) }, "max_tokens"),
        (answer(vec![Said::Refusal("I cannot help with that.".to_owned())]), "refusal"),
        (answer(Vec::new()), "end_turn"),
    ] {
        let (plain, streamed) = read_back(&answer);
        assert_eq!(plain.finish_reason.as_deref(), Some(reason));
        assert_eq!(streamed.finish_reason.as_deref(), Some(reason));
        assert!(plain.is_whole && streamed.is_whole);
    }
}

#[test]
fn usage_is_counted_as_documented() {
    // Without the split all of it is the short kind; null is nothing.
    let raw = json!({"input_tokens": 50, "output_tokens": 503, "cache_read_input_tokens": 100_000,
        "cache_creation_input_tokens": 248, "cache_creation": null});
    let expected =
        Usage { fresh: 50, cache_read: 100_000, cache_write: 248, output: 503, ..Usage::default() };
    assert_eq!(usage_of(raw), Some(expected));
    let raw = json!({"input_tokens": 2048, "output_tokens": 503, "cache_read_input_tokens": 1800,
        "cache_creation_input_tokens": 248,
        "cache_creation": {"ephemeral_5m_input_tokens": 148, "ephemeral_1h_input_tokens": 100}});
    let expected = Usage {
        fresh: 2048,
        cache_read: 1800,
        cache_write: 148,
        cache_write_long: 100,
        output: 503,
        reasoning: 0,
    };
    assert_eq!(usage_of(raw), Some(expected));
    // What a compaction took stands beside the totals.
    let raw = json!({"input_tokens": 23000, "output_tokens": 1000, "iterations": [
        {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3500},
        {"type": "message", "input_tokens": 23000, "output_tokens": 1000}]});
    assert_eq!(usage_of(raw), Some(Usage::of(203_000, 4500)));
    for raw in [json!({}), json!(null), json!({"input_tokens": null}), json!({"service_tier": "standard"})] {
        assert_eq!(usage_of(raw), None);
    }
}

#[test]
fn usage_of_a_stream_is_merged() {
    let start = json!({"type": "message_start", "message": {"model": "m", "content": [], "usage": {
        "input_tokens": 36, "output_tokens": 1,
        "cache_creation_input_tokens": 16, "cache_read_input_tokens": 48,
        "cache_creation": {"ephemeral_5m_input_tokens": 6, "ephemeral_1h_input_tokens": 10},
        "service_tier": "priority"}}});
    let expected =
        Usage { fresh: 36, cache_read: 48, cache_write: 6, cache_write_long: 10, output: 20, reasoning: 0 };
    // The last event once had the answer's count alone.
    let old = json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 20}});
    let seen = seen_of(&[start.clone(), old.clone(), old, json!({"type": "message_stop"})]);
    assert_eq!(
        (seen.usage, seen.service_tier.as_deref(), seen.is_whole),
        (Some(expected), Some("priority"), true)
    );
    // A search on the provider's side makes the prompt grow.
    let delta = json!({"type": "message_delta", "delta": {}, "usage": {
        "input_tokens": 136, "output_tokens": 20,
        "cache_creation_input_tokens": 30, "cache_read_input_tokens": 48}});
    let seen = seen_of(&[start, delta]);
    assert_eq!(seen.usage, Some(Usage { fresh: 136, cache_write: 20, ..expected }));
    assert!(!seen.is_whole);
}

#[test]
fn an_error_inside_a_stream_is_seen() {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let seen = seen_of(&[json!({"type": "ping"}), error, json!({"type": "message_stop"})]);
    assert_eq!((seen.error.as_deref(), seen.is_whole), (Some("Overloaded"), false));
    let mut seen = Seen::default();
    let event = Event { name: "error".to_owned(), data: b"gone".to_vec(), raw: Vec::new() };
    Anthropic.read_event(&event, &mut seen);
    assert_eq!(seen.error.as_deref(), Some("gone"));
}

#[test]
fn refusals_are_read_back() {
    for (status, kind) in
        [(400, "invalid_request_error"), (429, "rate_limit_error"), (529, "overloaded_error")]
    {
        let body = Anthropic.write_refusal(&Refusal { status, message: "no".to_owned() });
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["error"]["type"], kind);
        assert_eq!(Anthropic.read_refusal(&body).as_deref(), Some("no"));
    }
}

/// JSON of the dialect's own words in any order.
fn any_json() -> impl Strategy<Value = Value> {
    let words = "type|text|content|messages|max_tokens|model|system|tools|tool_use|tool_result|input|\
        usage|input_tokens|output_tokens|cache_creation|iterations|compaction|message|message_start|\
        message_delta|delta|error|";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(words, inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn nothing_makes_the_readers_panic(path in ".{0,20}(/messages|:rawPredict)?", value in any_json()) {
        let mut seen = Seen::default();
        Anthropic.read_answer(&value, &mut seen);
        let data = value.to_string().into_bytes();
        Anthropic.read_event(&Event { name: "error".to_owned(), data, raw: Vec::new() }, &mut seen);
        Anthropic.read_refusal(&value);
        Anthropic.claims(&path);
        if let Some(body) = value.as_object() {
            Anthropic.read_request(&path, body);
        }
    }
}
