//! What the dialect reads and writes.

use proptest::prelude::*;
use serde_json::{Value, json};
use unitai_model::Usage;

use super::super::{Body, Dialect, Seen};
use super::{Bedrock, path};
use crate::common::{Answer, Finish, Message, Part, Refusal, Request, Role, Said, Stamp};
use crate::frames::{Event, Frames};

const PATH: &str = "/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse";
const STAMP: Stamp = Stamp { turn: 7 };

fn read(path: &str, body: Value) -> Option<Request> {
    Bedrock.read_request(path, body.as_object().unwrap())
}

fn answer(parts: Vec<Said>) -> Answer {
    // The provider does not tell how much was reasoning.
    let usage =
        Usage { fresh: 36, cache_read: 48, cache_write: 16, cache_write_long: 8, output: 20, reasoning: 0 };
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

fn plain(answer: &Answer) -> Value {
    serde_json::from_str(&Bedrock.write_answer(&Request::default(), answer, STAMP)).unwrap()
}

fn events(answer: &Answer) -> Vec<Event> {
    let mut frames = Frames::new(Bedrock.framing());
    let mut events = Vec::new();
    for bytes in Bedrock.write_stream(&Request::default(), answer, STAMP) {
        frames.feed(&bytes, &mut events);
    }
    assert!(frames.finish(&mut events).is_empty());
    events
}

fn read_back(answer: &Answer) -> (Seen, Seen) {
    let (mut whole, mut streamed) = (Seen::default(), Seen::default());
    Bedrock.read_answer(&plain(answer), &mut whole);
    events(answer).iter().for_each(|event| Bedrock.read_event(event, &mut streamed));
    (whole, streamed)
}

fn seen_of(events: &[(&str, Value)]) -> Seen {
    let mut seen = Seen::default();
    for (name, data) in events {
        let event = Event { name: (*name).to_owned(), data: data.to_string().into_bytes(), raw: Vec::new() };
        Bedrock.read_event(&event, &mut seen);
    }
    seen
}

fn usage_of(raw: Value) -> Option<Usage> {
    seen_of(&[("metadata", json!({"usage": raw}))]).usage
}

#[test]
fn a_whole_conversation_is_read() {
    let image = json!({"image": {"format": "png", "source": {"bytes": "AAAA"}}});
    let video = json!({"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://a/b"}}}});
    let point = json!({"cachePoint": {"type": "default"}});
    let redacted = json!({"reasoningContent": {"redactedContent": "AAAA"}});
    let spec =
        json!({"name": "get_weather", "description": "w", "inputSchema": {"json": {"type": "object"}}});
    let request = read(
        PATH,
        json!({
            "system": [{"text": "Be brief."}, point.clone()],
            "inferenceConfig": {"maxTokens": 100, "temperature": 0.5},
            "toolConfig": {"tools": [{"toolSpec": spec}, point.clone()], "toolChoice": {"auto": {}}},
            "messages": [
                {"role": "user", "content": [image.clone(), video.clone(), {"text": "hi"}]},
                {"role": "assistant", "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                    redacted.clone(),
                    {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {"city": "Paris"}}},
                ]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "t1", "status": "success",
                     "content": [{"text": "sunny "}, {"json": {"degrees": 20}}, image.clone()]}},
                ]},
                {"role": "user", "content": [{"text": "and now?"}]},
            ],
        }),
    )
    .unwrap();
    assert_eq!(request.model, "anthropic.claude-3-5-sonnet-20240620-v1:0");
    assert_eq!((request.max_output, request.streamed, request.asks_for_usage), (Some(100), false, true));
    assert_eq!(request.system(), "Be brief.");
    assert_eq!(request.last_message(), "and now?");
    assert_eq!(request.tool_results(), [(Some("get_weather"), r#"sunny {"degrees":20}"#)]);
    assert_eq!(request.tools.len(), 1);
    assert_eq!(
        (request.tools[0].name.as_str(), &request.tools[0].schema),
        ("get_weather", &json!({"type": "object"}))
    );
    let settings = json!({
        "inferenceConfig": {"maxTokens": 100, "temperature": 0.5},
        "toolConfig": {"tools": [point.clone()], "toolChoice": {"auto": {}}},
    });
    assert_eq!(Value::from(request.settings), settings);
    let call = Part::ToolCall {
        id: "t1".to_owned(),
        name: "get_weather".to_owned(),
        args: json!({"city": "Paris"}),
    };
    let content = r#"sunny {"degrees":20}"#.to_owned();
    let result = Part::ToolResult { id: "t1".to_owned(), name: None, content };
    let expected = [
        Message { role: Role::System, parts: vec![Part::Text("Be brief.".to_owned()), Part::Other(point)] },
        Message {
            role: Role::User,
            parts: vec![Part::Media(image.clone()), Part::Media(video), Part::Text("hi".to_owned())],
        },
        Message {
            role: Role::Assistant,
            parts: vec![Part::Reasoning("hm".to_owned()), Part::Other(redacted), call],
        },
        Message { role: Role::Tool, parts: vec![result, Part::Media(image)] },
        Message::text(Role::User, "and now?"),
    ];
    assert_eq!(request.messages, expected);
}

#[test]
fn the_path_tells_the_model() {
    let arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.model-v1:0";
    for (path, model) in [
        (PATH, Some("anthropic.claude-3-5-sonnet-20240620-v1:0")),
        (
            "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.model-v1%3A0/converse",
            Some(arn),
        ),
        // Some clients hand over a path that is decoded already.
        ("/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.model-v1:0/converse-stream", Some(arn)),
        ("/proxy/model/a%zz%4/converse", Some("a%zz%4")),
        ("/model/a/invoke", None),
        ("/model/a/count-tokens", None),
        ("/model//converse", None),
        ("/converse", None),
    ] {
        assert_eq!(path::model(path).as_deref(), model, "{path}");
        assert_eq!(Bedrock.claims(path), model.is_some());
    }
    let mut body = Body::read(b"{}").unwrap();
    let path = Bedrock.set_model("/p/model/a/converse-stream", &mut body, arn).unwrap();
    assert_eq!(path::model(&path).as_deref(), Some(arn));
    assert!(path.starts_with("/p/model/arn%3Aaws") && path.ends_with("us.model-v1%3A0/converse-stream"));
    assert!(read(&path, json!({"messages": []})).unwrap().streamed);
    assert_eq!(read(PATH, json!({"inputText": "hi"})), None);
}

#[test]
fn what_is_written_is_read_back() {
    let answer = everything();
    let (plain, streamed) = read_back(&answer);
    for seen in [&plain, &streamed] {
        assert_eq!(seen.usage, Some(answer.usage));
        assert_eq!(seen.finish_reason.as_deref(), Some("tool_use"));
        assert_eq!(seen.service_tier.as_deref(), Some("default"));
        assert!(seen.is_whole && seen.error.is_none() && seen.model.is_none() && seen.content_bytes > 0);
    }
}

#[test]
fn a_plain_answer_is_the_providers() {
    let body = plain(&everything());
    let content = json!([
        {"reasoningContent": {"reasoningText": {"text": "Let me think.", "signature": "sig_unitai000007"}}},
        {"text": "Checking both cities."},
        {"toolUse": {"toolUseId": "tooluse_000007000", "name": "get_weather", "input": {"city": "Paris"}}},
        {"toolUse": {"toolUseId": "tooluse_000007001", "name": "get_time", "input": {}}},
    ]);
    assert_eq!(body["output"]["message"], json!({"role": "assistant", "content": content}));
    let usage = json!({
        "inputTokens": 36, "outputTokens": 20, "totalTokens": 128, "cacheReadInputTokens": 48,
        "cacheWriteInputTokens": 24,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 8}, {"ttl": "5m", "inputTokens": 16}],
    });
    assert_eq!(body["usage"], usage);
}

#[test]
fn a_stream_is_the_providers() {
    let events = events(&everything());
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names[..2], ["messageStart", "contentBlockDelta"]);
    assert_eq!(names[names.len() - 2..], ["messageStop", "metadata"]);
    assert_eq!(names.iter().filter(|name| **name == "contentBlockStart").count(), 2);
    assert_eq!(names.iter().filter(|name| **name == "contentBlockStop").count(), 4);
    let mut said = vec![String::new(); 4];
    for event in events.iter().filter(|event| event.name == "contentBlockDelta") {
        let data: Value = serde_json::from_slice(&event.data).unwrap();
        let places = ["/delta/text", "/delta/toolUse/input", "/delta/reasoningContent/text"];
        let piece = places.iter().find_map(|place| data.pointer(place)?.as_str()).unwrap_or("");
        said[data["contentBlockIndex"].as_u64().unwrap() as usize].push_str(piece);
    }
    assert_eq!(said, ["Let me think.", "Checking both cities.", r#"{"city": "Paris"}"#, ""]);
}

#[test]
fn every_end_has_its_reason() {
    let text = || vec![Said::Text(String::new())];
    for (answer, reason) in [
        (answer(text()), "end_turn"),
        (Answer { finish: Some(Finish::Length), ..answer(text()) }, "max_tokens"),
        (answer(vec![Said::Refusal("I cannot help with that.".to_owned())]), "content_filtered"),
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
    assert_eq!(
        usage_of(json!({"inputTokens": 30, "outputTokens": 628, "totalTokens": 658})),
        Some(Usage::of(30, 628))
    );
    // Without details all of it is the short kind.
    let raw = json!({"inputTokens": 4, "outputTokens": 145, "totalTokens": 1998, "cacheReadInputTokens": 0,
        "cacheWriteInputTokens": 1849});
    assert_eq!(usage_of(raw), Some(Usage { fresh: 4, cache_write: 1849, output: 145, ..Usage::default() }));
    let raw = json!({"inputTokens": 4, "outputTokens": 1, "totalTokens": 135, "cacheReadInputTokens": 100,
        "cacheWriteInputTokens": 30,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 20}, {"ttl": "5m", "inputTokens": 10}]});
    let expected =
        Usage { fresh: 4, cache_read: 100, cache_write: 10, cache_write_long: 20, output: 1, reasoning: 0 };
    assert_eq!(usage_of(raw), Some(expected));
    assert_eq!(usage_of(json!({})), None);
}

#[test]
fn a_stream_is_whole_with_its_usage() {
    let stop = ("messageStop", json!({"stopReason": "end_turn"}));
    let usage = (
        "metadata",
        json!({"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "trace": {"promptRouter": {"invokedModelId": "arn:m"}}}),
    );
    assert!(!seen_of(std::slice::from_ref(&stop)).is_whole);
    let seen = seen_of(&[stop.clone(), usage.clone()]);
    assert!(seen.is_whole);
    assert_eq!(seen.model.as_deref(), Some("arn:m"));
    let failed = seen_of(&[("throttlingException", json!({"message": "slow down"})), stop, usage]);
    assert_eq!((failed.error.as_deref(), failed.is_whole), (Some("slow down"), false));
    let failed = seen_of(&[("", Value::Null)]);
    assert_eq!(failed.error.as_deref(), Some("the stream broke off"));
}

#[test]
fn refusals_are_read_back() {
    for (status, kind) in [
        (400, "ValidationException"),
        (403, "AccessDeniedException"),
        (429, "ThrottlingException"),
        (503, "ServiceUnavailableException"),
    ] {
        let body = Bedrock.write_refusal(&Refusal { status, message: "no".to_owned() });
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["__type"], kind);
        assert_eq!(Bedrock.read_refusal(&body).as_deref(), Some("no"));
    }
    assert_eq!(Bedrock.read_refusal(&json!({"Message": "no"})).as_deref(), Some("no"));
}

/// JSON of the dialect's own words in any order.
fn any_json() -> impl Strategy<Value = Value> {
    let words = "text|content|messages|system|toolConfig|tools|toolSpec|toolUse|toolResult|input|\
        usage|inputTokens|outputTokens|cacheDetails|ttl|1h|output|message|reasoningContent|reasoningText|\
        delta|json|image|error|";
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
    fn nothing_makes_the_readers_panic(
        path in "/model/([a-z:/]|%[0-9a-zé]{0,2}|.){0,8}(/converse|/converse-stream)?",
        name in "contentBlockStart|contentBlockDelta|messageStop|metadata|xException|",
        value in any_json(),
    ) {
        let mut seen = Seen::default();
        Bedrock.read_answer(&value, &mut seen);
        let data = value.to_string().into_bytes();
        Bedrock.read_event(&Event { name, data, raw: Vec::new() }, &mut seen);
        Bedrock.read_refusal(&value);
        if let Some(body) = value.as_object() {
            Bedrock.read_request(&path, body);
        }
    }

    #[test]
    fn a_model_that_was_set_is_read_back(model in ".+") {
        let path = path::set_model("/model/a/converse", &model).unwrap();
        prop_assert_eq!(path::model(&path), Some(model));
    }
}
