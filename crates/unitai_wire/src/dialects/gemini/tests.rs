//! Requests as clients send them, answers as Google sends them, and what is written, read back.

use serde_json::{Map, Value, json};
use unitai_model::Usage;

use super::super::{Body, Dialect, Seen};
use super::Gemini;
use crate::common::{Answer, Finish, Message, Part, Refusal, Request, Role, Said, Stamp};
use crate::frames::{Frames, Framing};

const PATH: &str = "/v1beta/models/gemini-2.5-flash:generateContent";
const STREAM_PATH: &str = "/v1beta/models/gemini-2.5-flash:streamGenerateContent";

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn read(path: &str, body: Value) -> Option<Request> {
    Gemini.read_request(path, &object(body))
}

fn request(body: Value) -> Request {
    read(PATH, body).expect("a request of this dialect")
}

fn hello() -> Request {
    request(json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}))
}

fn stream(bytes: &[u8]) -> Seen {
    let mut frames = Frames::new(Framing::Sse);
    let mut events = Vec::new();
    frames.feed(bytes, &mut events);
    assert!(frames.finish(&mut events).is_empty());
    let mut seen = Seen::default();
    events.iter().for_each(|event| Gemini.read_event(event, &mut seen));
    seen
}

fn plain(body: &Value) -> Seen {
    let mut seen = Seen::default();
    Gemini.read_answer(body, &mut seen);
    seen
}

/// What is seen of an answer that was written plain and streamed; both must tell the same.
fn written(answer: &Answer) -> Seen {
    let text = Gemini.write_answer(&hello(), answer, Stamp { turn: 1 });
    let whole = plain(&serde_json::from_str(&text).expect("JSON"));
    let streamed = stream(&Gemini.write_stream(&hello(), answer, Stamp { turn: 1 }).concat());
    assert_eq!((streamed.usage, streamed.is_whole), (whole.usage, whole.is_whole));
    assert_eq!(streamed.finish_reason, whole.finish_reason);
    assert_eq!(streamed.content_bytes, whole.content_bytes);
    whole
}

#[test]
fn the_path_says_model_and_streaming() {
    let body = || json!({"contents": []});
    for (path, model, streamed) in [
        (PATH, "gemini-2.5-flash", false),
        (STREAM_PATH, "gemini-2.5-flash", true),
        ("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "gemini-2.5-flash", true),
        (
            "/v1/projects/p/locations/l/publishers/google/models/gemini-2.0:generateContent",
            "gemini-2.0",
            false,
        ),
        ("/v1beta/models/my%20model%40001:generateContent", "my model@001", false),
        ("/v1beta/models%2Fgemini-2.0:generateContent", "gemini-2.0", false),
        ("/v1beta/models/100%:generateContent", "100%", false),
        ("/v1beta/models/%F0%9F:generateContent", "\u{fffd}", false),
    ] {
        assert!(Gemini.claims(path), "{path}");
        let request = read(path, body()).expect(path);
        assert_eq!((request.model.as_str(), request.streamed), (model, streamed), "{path}");
    }
    for path in ["/v1beta/models/gemini:countTokens", "/v1beta/models/g:batchGenerateContent", "/v1/messages"]
    {
        assert!(!Gemini.claims(path), "{path}");
    }
    for path in ["", ":", ":generateContent", "/:generateContent", "/a:b/generateContent"] {
        assert_eq!(read(path, body()), None, "{path}");
    }
}

#[test]
fn another_model_is_put_into_the_path() {
    let put = |path, model| Gemini.set_model(path, &mut Body::read(b"{}").expect("an object"), model);
    assert_eq!(
        put("/v1beta/models/a:streamGenerateContent?alt=sse", "b/1 x").as_deref(),
        Some("/v1beta/models/1%20x:streamGenerateContent?alt=sse")
    );
    assert_eq!(put(PATH, "models/gemini-3").as_deref(), Some("/v1beta/models/gemini-3:generateContent"));
    assert_eq!(put("/nothing", "b"), None);
}

#[test]
fn other_bodies_are_left_alone() {
    for body in [
        json!({}),
        json!({"contents": null}),
        json!({"contents": "hi"}),
        json!({"contents": ["hi"]}),
        json!({"model": "m", "request": {"contents": []}}),
    ] {
        assert_eq!(read(PATH, body), None);
    }
}

#[test]
fn a_second_turn_as_the_sdk_sends_it() {
    let request = request(json!({
        "contents": [
            {"parts": [{"text": "hi"}], "role": "user"},
            {"parts": [
                {"text": "I think", "thought": true},
                {
                    "functionCall": {"args": {"city": "Paris"}, "name": "get_weather"},
                    "thoughtSignature": "c2ln",
                },
            ], "role": "model"},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "get_weather", "response": {"result": "sunny"}}},
            ]},
        ],
        "systemInstruction": {"parts": [{"text": "Be kind."}], "role": "user"},
        "tools": [{"functionDeclarations": [
            {"description": "w", "name": "get_weather", "parameters_json_schema": {"type": "object"}},
        ]}, {"googleSearch": {}}],
        "generationConfig": {"maxOutputTokens": 50, "temperature": 0.5},
    }));
    assert_eq!(request.system(), "Be kind.");
    assert_eq!(request.last_message(), "hi");
    assert_eq!(request.max_output, Some(50));
    assert!(request.asks_for_usage);
    assert_eq!(request.tools.len(), 1);
    assert_eq!((request.tools[0].name.as_str(), request.tools[0].description.as_str()), ("get_weather", "w"));
    assert_eq!(request.tools[0].schema, json!({"type": "object"}));
    assert_eq!(request.settings["tools"], json!([{"googleSearch": {}}]));
    assert_eq!(request.settings["generationConfig"]["temperature"], json!(0.5));
    assert_eq!(
        request.messages[2].parts,
        vec![
            Part::Reasoning("I think".into()),
            Part::ToolCall { id: String::new(), name: "get_weather".into(), args: json!({"city": "Paris"}) },
            Part::Other(json!({"thoughtSignature": "c2ln"})),
        ]
    );
    assert_eq!(request.messages[3].role, Role::Tool);
    assert_eq!(request.tool_results(), vec![(Some("get_weather"), "sunny")]);
}

#[test]
fn the_other_spelling_and_single_items() {
    let request = request(json!({
        "contents": {"role": "user", "parts": {"text": "hi"}},
        "system_instruction": "Be kind.",
        "tools": {"function_declarations": {"name": "f", "parameters": {"type": "OBJECT"}}},
        "generation_config": {"max_output_tokens": 7},
    }));
    assert_eq!(
        request.messages,
        vec![Message::text(Role::System, "Be kind."), Message::text(Role::User, "hi")]
    );
    assert_eq!((request.tools[0].name.as_str(), request.max_output), ("f", Some(7)));
    assert!(!request.settings.contains_key("tools"));
}

#[test]
fn results_and_media_keep_what_they_are() {
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
    let file = json!({"file_data": {"file_uri": "gs://a"}, "video_metadata": {"fps": 1}});
    let code = json!({"executableCode": {"code": "1"}});
    let request = request(json!({"contents": [
        {"role": "user", "parts": [{"text": "see"}, image, file, code]},
        {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "f"}}]},
        {"role": "function", "parts": [
            {"function_response": {"id": "c1", "name": "f", "response": {"a": 1, "b": 2}, "parts": [image]}},
        ]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "g", "response": {"error": "no"}}},
            {"functionResponse": {"name": "h", "response": {"content": [1]}}},
            {"text": "go on"},
        ]},
    ]}));
    assert_eq!(
        request.messages[0].parts[1..],
        [Part::Media(image.clone()), Part::Media(file), Part::Other(code)]
    );
    assert_eq!(
        request.messages[1].parts,
        vec![Part::ToolCall { id: "c1".into(), name: "f".into(), args: json!({}) }]
    );
    assert_eq!(
        request.tool_results(),
        vec![(Some("f"), r#"{"a":1,"b":2}"#), (Some("g"), r#"{"error":"no"}"#), (Some("h"), "[1]")]
    );
    assert_eq!(request.messages[2].parts[1], Part::Media(image));
    assert_eq!(request.messages[3].role, Role::User);
    assert_eq!(request.last_message(), "go on");
}

#[test]
fn what_is_written_is_read_back() {
    let usage = Usage { fresh: 36, cache_read: 64, output: 20, reasoning: 8, ..Usage::default() };
    let answer = Answer {
        parts: vec![
            Said::Reasoning("let me see".into()),
            Said::Text("Hello wide\nworld ☃".into()),
            Said::ToolCall { name: "f".into(), args: r#"{"a":[1,2.5]}"#.into() },
            Said::ToolCall { name: "f".into(), args: "no object".into() },
        ],
        usage,
        finish: None,
    };
    let seen = written(&answer);
    assert_eq!(seen.usage, Some(usage));
    assert_eq!(seen.model.as_deref(), Some("gemini-2.5-flash"));
    assert_eq!(seen.finish_reason.as_deref(), Some("STOP"));
    assert!(seen.is_whole);
    assert_eq!(seen.content_bytes, (10 + 20 + 1 + 13 + 1 + 2) as u64);
}

#[test]
fn writing_to_the_cache_is_part_of_the_prompt() {
    let usage =
        Usage { fresh: 1, cache_read: 2, cache_write: 4, cache_write_long: 8, output: 3, reasoning: 9 };
    let seen = written(&Answer { parts: vec![Said::Text("a".into())], usage, finish: None });
    let read = Usage { fresh: 13, cache_read: 2, output: 3, reasoning: 3, ..Usage::default() };
    assert_eq!(seen.usage, Some(read));
}

#[test]
fn every_finish_is_said() {
    let finish = |parts, finish| written(&Answer { parts, usage: Usage::of(1, 1), finish }).finish_reason;
    assert_eq!(finish(vec![], None).as_deref(), Some("STOP"));
    assert_eq!(finish(vec![], Some(Finish::Length)).as_deref(), Some("MAX_TOKENS"));
    assert_eq!(finish(vec![Said::Refusal("no".into())], None).as_deref(), Some("SAFETY"));
    assert_eq!(
        finish(vec![Said::Text("I".into()), Said::Refusal("no".into())], None).as_deref(),
        Some("SAFETY")
    );
}

#[test]
fn a_refusal_has_no_content() {
    let answer = Answer { parts: vec![Said::Refusal("I cannot.".into())], ..Answer::default() };
    let text = Gemini.write_answer(&hello(), &answer, Stamp { turn: 1 });
    let body: Value = serde_json::from_str(&text).expect("JSON");
    let candidate = &body["candidates"][0];
    assert_eq!(candidate.get("content"), None);
    assert_eq!(candidate["finishMessage"], json!("I cannot."));
}

#[test]
fn a_stream_is_cut_into_words_with_long_line_ends() {
    let answer =
        Answer { parts: vec![Said::Text("Hello world".into())], usage: Usage::of(100, 12), finish: None };
    let events = Gemini.write_stream(&hello(), &answer, Stamp { turn: 1 });
    assert_eq!(events.len(), 2);
    for event in &events {
        assert!(event.starts_with(b"data: {") && event.ends_with(b"}\r\n\r\n"));
    }
    assert!(!stream(&events[0]).is_whole);
    assert_eq!(stream(&events[0]).usage, Some(Usage::of(100, 0)));
}

#[test]
fn usage_as_google_sends_it() {
    let usage = |raw: Value| plain(&json!({"candidates": [], "usageMetadata": raw})).usage;
    // Thinking, a cached prompt and the provider's own tools: the four counts add up to the total.
    assert_eq!(
        usage(json!({
            "promptTokenCount": 100, "candidatesTokenCount": 12, "totalTokenCount": 130,
            "cachedContentTokenCount": 64, "thoughtsTokenCount": 8, "toolUsePromptTokenCount": 10,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 100}],
            "cacheTokensDetails": [{"modality": "TEXT", "tokenCount": 64}],
        })),
        Some(Usage { fresh: 46, cache_read: 64, output: 20, reasoning: 8, ..Usage::default() })
    );
    // All of the answer was thought, or blocked: the count of the rest is left out.
    assert_eq!(
        usage(json!({"promptTokenCount": 9, "totalTokenCount": 29, "thoughtsTokenCount": 20})),
        Some(Usage { fresh: 9, output: 20, reasoning: 20, ..Usage::default() })
    );
    for nothing in [json!({"trafficType": "ON_DEMAND"}), json!({}), Value::Null, json!([])] {
        assert_eq!(usage(nothing), None);
    }
    let most = u64::MAX;
    assert!(usage(json!({"promptTokenCount": most, "toolUsePromptTokenCount": most})).is_some());
}

#[test]
fn streams_as_google_sends_them() {
    let seen = stream(
        concat!(
            r#"data: {"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"index":0}],"#,
            r#""usageMetadata":{"trafficType":"ON_DEMAND_FLEX"},"modelVersion":"gemini-2.5-flash"}"#,
            "\r\n\r\n",
            r#"data: {"candidates":[{"content":{"parts":[{"text":" world"}],"role":"model"},"index":0,"#,
            r#""finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":12,"#,
            r#""totalTokenCount":120,"cachedContentTokenCount":64,"thoughtsTokenCount":8},"#,
            r#""modelVersion":"gemini-2.5-flash-002"}"#,
            "\r\n\r\n",
        )
        .as_bytes(),
    );
    assert!(seen.is_whole);
    assert_eq!(seen.model.as_deref(), Some("gemini-2.5-flash-002"));
    assert_eq!(seen.service_tier.as_deref(), Some("ON_DEMAND_FLEX"));
    assert_eq!(
        seen.usage,
        Some(Usage { fresh: 36, cache_read: 64, output: 20, reasoning: 8, ..Usage::default() })
    );
    assert_eq!(seen.content_bytes, 11);
}

#[test]
fn a_stream_may_be_a_list() {
    let first = json!({"candidates": [{"content": {"parts": [{"text": "a"}]}, "index": 0}]});
    let last = json!({
        "candidates": [{"content": {"parts": [{"text": "b"}]}, "index": 0, "finishReason": 1}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2},
    });
    assert!(!plain(&json!([first])).is_whole);
    let seen = plain(&json!([first, last]));
    assert!(seen.is_whole);
    assert_eq!((seen.usage, seen.content_bytes), (Some(Usage::of(3, 2)), 2));
}

#[test]
fn a_blocked_prompt_is_whole() {
    let seen = plain(&json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 5},
    }));
    assert!(seen.is_whole);
    assert_eq!(seen.finish_reason.as_deref(), Some("PROHIBITED_CONTENT"));
    assert_eq!(seen.usage, Some(Usage::of(5, 0)));
}

#[test]
fn errors_are_seen() {
    let error = r#"{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}"#;
    let seen = stream(format!("data: {error}\r\n\r\n").as_bytes());
    assert_eq!((seen.error.as_deref(), seen.is_whole), (Some("overloaded"), false));
    assert_eq!(stream(b"data: {\"error\":{}}\r\n\r\n").error.as_deref(), Some("{}"));
    let refusal = Refusal { status: 429, message: "slow down".into() };
    let body: Value = serde_json::from_str(&Gemini.write_refusal(&refusal)).expect("JSON");
    assert_eq!(body["error"]["status"], json!("RESOURCE_EXHAUSTED"));
    assert_eq!(Gemini.read_refusal(&body).as_deref(), Some("slow down"));
    assert_eq!(Gemini.read_refusal(&json!([body])).as_deref(), Some("slow down"));
}

#[test]
fn nonsense_is_seen_as_nothing() {
    let candidates =
        json!([{}, 1, {"content": 1}, {"content": {"parts": 1}}, {"content": {"parts": [null]}}]);
    for body in
        [Value::Null, json!([]), json!([1]), json!("x"), json!({"candidates": 1, "promptFeedback": 1})]
    {
        assert_eq!(plain(&body), Seen::default());
    }
    assert_eq!(plain(&json!({"candidates": candidates})).content_bytes, 0);
    assert_eq!(stream(b"data: {\r\n\r\n: x\r\n\r\n"), Seen::default());
    assert!(
        read(
            PATH,
            json!({"contents": [{}, {"parts": 1}, {"parts": [1, {}]}], "tools": [1], "generationConfig": 1})
        )
        .is_some()
    );
}
