//! What every dialect must hold. The suite goes over `dialects::ALL` and knows none of them: all that
//! differs is in the table of [`samples`], one row a dialect.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};
use unitai_model::Usage;
use unitai_wire::Target;
use unitai_wire::common::{Answer, Finish, Part, Refusal, Request, Said, Stamp};
use unitai_wire::dialects::{ALL, Body, Dialect, Seen, claiming, named};
use unitai_wire::frames::{Event, Frames, Framing};

const STAMP: Stamp = Stamp { turn: 3 };

/// Requests of one dialect. All dialects are asked the same.
struct Sample {
    dialect: &'static str,
    /// The model that all requests name, in the path or in the body.
    model: &'static str,
    path: &'static str,
    stream_path: &'static str,
    /// The user says "hi".
    plain: Value,
    /// The same, streamed.
    streamed: Value,
    /// "Be brief." as the system prompt; the user asks "How is Paris?"; the model calls `get_weather`
    /// for "Paris"; the tool says "sunny". At most 64 tokens are wanted.
    tools: Value,
    /// The user says "Look:" and sends `part`.
    media: Value,
    part: Value,
    /// What the dialect's usage tells apart beyond prompt and answer.
    tells: &'static [Class],
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    CacheRead,
    CacheWrite,
    CacheWriteLong,
    Reasoning,
}
use Class::{CacheRead, CacheWrite, CacheWriteLong, Reasoning};

fn samples() -> Vec<Sample> {
    let schema =
        || json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let function = || json!({"name": "get_weather", "description": "The weather.", "parameters": schema()});
    let paris = || json!({"city": "Paris"});
    let data_url = "data:image/png;base64,aGVsbG8=";
    let gemini_path = "/v1beta/models/gemini-2.5-flash:generateContent";
    let bedrock_path = "/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse";
    vec![
        Sample {
            dialect: "openai_chat",
            model: "gpt-5",
            path: "/v1/chat/completions",
            stream_path: "/v1/chat/completions",
            plain: json!({"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}),
            streamed: json!({"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}],
                        "stream": true}),
            tools: json!({
                "model": "gpt-5",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "How is Paris?"},
                    {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
                        "function": {"name": "get_weather", "arguments": paris().to_string()}}]},
                    {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
                ],
                "tools": [{"type": "function", "function": function()}],
                "max_completion_tokens": 64,
            }),
            media: json!({"model": "gpt-5", "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": data_url, "detail": "low"}},
            ]}]}),
            part: json!({"type": "image_url", "image_url": {"url": data_url, "detail": "low"}}),
            tells: &[CacheRead, CacheWrite, Reasoning],
        },
        Sample {
            dialect: "openai_responses",
            model: "gpt-5",
            path: "/v1/responses",
            stream_path: "/v1/responses",
            plain: json!({"model": "gpt-5", "input": "hi"}),
            streamed: json!({"model": "gpt-5", "input": "hi", "stream": true}),
            tools: json!({
                "model": "gpt-5",
                "instructions": "Be brief.",
                "input": [
                    {"role": "user", "content": "How is Paris?"},
                    {"type": "function_call", "call_id": "call_1", "name": "get_weather",
                     "arguments": paris().to_string()},
                    {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
                ],
                "tools": [{"type": "function", "name": "get_weather", "description": "The weather.",
                           "parameters": schema(), "strict": true}],
                "max_output_tokens": 64,
            }),
            media: json!({"model": "gpt-5", "input": [{"role": "user", "content": [
                {"type": "input_text", "text": "Look:"},
                {"type": "input_image", "image_url": data_url, "detail": "low"},
            ]}]}),
            part: json!({"type": "input_image", "image_url": data_url, "detail": "low"}),
            tells: &[CacheRead, CacheWrite, CacheWriteLong, Reasoning],
        },
        Sample {
            dialect: "anthropic",
            model: "claude-sonnet-4-5",
            path: "/v1/messages",
            stream_path: "/v1/messages",
            plain: json!({"model": "claude-sonnet-4-5", "max_tokens": 64,
                          "messages": [{"role": "user", "content": "hi"}]}),
            streamed: json!({"model": "claude-sonnet-4-5", "max_tokens": 64,
                             "messages": [{"role": "user", "content": "hi"}], "stream": true}),
            tools: json!({
                "model": "claude-sonnet-4-5",
                "system": "Be brief.",
                "messages": [
                    {"role": "user", "content": "How is Paris?"},
                    {"role": "assistant", "content": [
                        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": paris()},
                    ]},
                    {"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny"},
                    ]},
                ],
                "tools": [{"name": "get_weather", "description": "The weather.", "input_schema": schema()}],
                "max_tokens": 64,
            }),
            media: json!({"model": "claude-sonnet-4-5", "max_tokens": 64,
                          "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image",
                 "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}},
            ]}]}),
            part: json!({"type": "image",
                         "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}),
            tells: &[CacheRead, CacheWrite, CacheWriteLong],
        },
        Sample {
            dialect: "gemini",
            model: "gemini-2.5-flash",
            path: gemini_path,
            stream_path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
            plain: json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
            streamed: json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
            tools: json!({
                "systemInstruction": {"parts": [{"text": "Be brief."}]},
                "contents": [
                    {"role": "user", "parts": [{"text": "How is Paris?"}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": paris()}}]},
                    {"role": "user", "parts": [
                        {"functionResponse": {"name": "get_weather", "response": {"result": "sunny"}}},
                    ]},
                ],
                "tools": [{"functionDeclarations": [function()]}],
                "generationConfig": {"maxOutputTokens": 64},
            }),
            media: json!({"contents": [{"role": "user", "parts": [
                {"text": "Look:"},
                {"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}},
            ]}]}),
            part: json!({"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}),
            tells: &[CacheRead, Reasoning],
        },
        Sample {
            dialect: "bedrock",
            model: "anthropic.claude-3-5-sonnet-20240620-v1:0",
            path: bedrock_path,
            stream_path: "/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse-stream",
            plain: json!({"messages": [{"role": "user", "content": [{"text": "hi"}]}]}),
            streamed: json!({"messages": [{"role": "user", "content": [{"text": "hi"}]}]}),
            tools: json!({
                "system": [{"text": "Be brief."}],
                "messages": [
                    {"role": "user", "content": [{"text": "How is Paris?"}]},
                    {"role": "assistant", "content": [
                        {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": paris()}},
                    ]},
                    {"role": "user", "content": [
                        {"toolResult": {"toolUseId": "t1", "content": [{"text": "sunny"}],
                                        "status": "success"}},
                    ]},
                ],
                "toolConfig": {"tools": [{"toolSpec": {"name": "get_weather", "description": "The weather.",
                                                       "inputSchema": {"json": schema()}}}]},
                "inferenceConfig": {"maxTokens": 64},
            }),
            media: json!({"messages": [{"role": "user", "content": [
                {"text": "Look:"},
                {"image": {"format": "png", "source": {"bytes": "aGVsbG8="}}},
            ]}]}),
            part: json!({"image": {"format": "png", "source": {"bytes": "aGVsbG8="}}}),
            tells: &[CacheRead, CacheWrite],
        },
        Sample {
            dialect: "ollama",
            model: "llama3.2",
            path: "/api/chat",
            stream_path: "/api/chat",
            plain: json!({"model": "llama3.2", "messages": [{"role": "user", "content": "hi"}],
                     "stream": false}),
            streamed: json!({"model": "llama3.2", "messages": [{"role": "user", "content": "hi"}],
                        "stream": true}),
            tools: json!({
                "model": "llama3.2",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "How is Paris?"},
                    {"role": "assistant", "content": "", "tool_calls": [
                        {"function": {"name": "get_weather", "arguments": paris()}},
                    ]},
                    {"role": "tool", "tool_name": "get_weather", "content": "sunny"},
                ],
                "tools": [{"type": "function", "function": function()}],
                "stream": false,
                "options": {"num_predict": 64},
            }),
            media: json!({"model": "llama3.2", "stream": false,
                          "messages": [{"role": "user", "content": "Look:", "images": ["aGVsbG8="]}]}),
            part: json!("aGVsbG8="),
            tells: &[],
        },
        Sample {
            dialect: "cohere",
            model: "command-a-03-2025",
            path: "/v2/chat",
            stream_path: "/v2/chat",
            plain: json!({"model": "command-a-03-2025", "messages": [{"role": "user", "content": "hi"}],
                     "stream": false}),
            streamed: json!({"model": "command-a-03-2025", "messages": [{"role": "user", "content": "hi"}],
                        "stream": true}),
            tools: json!({
                "model": "command-a-03-2025",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "How is Paris?"},
                    {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function",
                        "function": {"name": "get_weather", "arguments": paris().to_string()}}]},
                    {"role": "tool", "tool_call_id": "call_1", "content": [
                        {"type": "document", "document": {"data": "sunny"}},
                    ]},
                ],
                "tools": [{"type": "function", "function": function()}],
                "max_tokens": 64,
                "stream": false,
            }),
            media: json!({"model": "command-a-03-2025", "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": data_url, "detail": "low"}},
            ]}]}),
            part: json!({"type": "image_url", "image_url": {"url": data_url, "detail": "low"}}),
            tells: &[CacheRead],
        },
    ]
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(samples);

fn sample(dialect: &dyn Dialect) -> &'static Sample {
    let name = dialect.name();
    let found = SAMPLES.iter().find(|sample| sample.dialect == name);
    found.unwrap_or_else(|| {
        panic!("no sample of the dialect {name}: add a row to samples() in tests/dialects.rs")
    })
}

impl Sample {
    /// All requests: paths and bodies.
    fn requests(&self) -> [(&'static str, &Value); 4] {
        [
            (self.path, &self.plain),
            (self.stream_path, &self.streamed),
            (self.path, &self.tools),
            (self.path, &self.media),
        ]
    }

    /// Usage in which all that the dialect tells apart is there.
    fn fullest_usage(&self) -> Usage {
        let told = |class, tokens| if self.tells.contains(&class) { tokens } else { 0 };
        Usage {
            fresh: 36,
            cache_read: told(CacheRead, 64),
            cache_write: told(CacheWrite, 16),
            cache_write_long: told(CacheWriteLong, 5),
            output: 20,
            reasoning: told(Reasoning, 8),
        }
    }
}

// ---- What the tests have in common ----

fn read(dialect: &dyn Dialect, path: &str, body: &Value) -> Request {
    let request = dialect.read_request(path, body.as_object().expect("samples are objects"));
    request.unwrap_or_else(|| panic!("{}: the sample is not read: {body}", dialect.name()))
}

fn plain_request(dialect: &dyn Dialect) -> Request {
    let sample = sample(dialect);
    read(dialect, sample.path, &sample.plain)
}

/// The streamed request as the engine lets it out: it asks for usage.
fn streamed_request(dialect: &dyn Dialect) -> Request {
    let sample = sample(dialect);
    let request = read(dialect, sample.stream_path, &sample.streamed);
    let bytes = sample.streamed.to_string();
    let mut body = Body::read(bytes.as_bytes()).expect("samples are objects");
    let was_changed = dialect.ask_for_usage(&request, &mut body);
    assert_eq!(was_changed, !request.asks_for_usage, "{}: asking for usage", dialect.name());
    let body = serde_json::from_str(&body.write()).expect("a body is JSON");
    let request = read(dialect, sample.stream_path, &body);
    assert!(request.asks_for_usage, "{}: usage was not asked for", dialect.name());
    request
}

fn read_plain(dialect: &dyn Dialect, answer: &Answer) -> Seen {
    let text = dialect.write_answer(&plain_request(dialect), answer, STAMP);
    let body =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}: {text}", dialect.name()));
    let mut seen = Seen::default();
    dialect.read_answer(&body, &mut seen);
    seen
}

fn read_events(dialect: &dyn Dialect, events: &[Event]) -> Seen {
    let mut seen = Seen::default();
    events.iter().for_each(|event| dialect.read_event(event, &mut seen));
    seen
}

fn read_streamed(dialect: &dyn Dialect, answer: &Answer) -> Seen {
    let stream = dialect.write_stream(&streamed_request(dialect), answer, STAMP);
    let (events, rest) = cut(dialect.framing(), [&stream.concat()[..]]);
    assert!(rest.is_empty(), "{}: the stream has a rest", dialect.name());
    assert_eq!(events.len(), stream.len(), "{}: one piece is one event", dialect.name());
    read_events(dialect, &events)
}

/// The events of a stream that comes in these pieces, and what is no event.
fn cut<'a>(framing: Framing, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Vec<u8>) {
    let mut frames = Frames::new(framing);
    let mut events = Vec::new();
    for piece in pieces {
        frames.feed(piece, &mut events);
    }
    let rest = frames.finish(&mut events);
    (events, rest)
}

/// Whether a value is there as it is, at any depth.
fn holds(value: &Value, wanted: &Value) -> bool {
    value == wanted
        || match value {
            Value::Array(items) => items.iter().any(|item| holds(item, wanted)),
            Value::Object(entries) => entries.values().any(|entry| holds(entry, wanted)),
            _ => false,
        }
}

/// All texts of a value.
fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(entries) => entries.values().for_each(|entry| texts(entry, found)),
        _ => {}
    }
}

fn said(text: &str) -> Answer {
    answer(vec![Said::Text(text.to_owned())])
}

fn answer(parts: Vec<Said>) -> Answer {
    Answer { parts, usage: Usage::of(36, 20), finish: None }
}

fn call(name: &str, args: Value) -> Said {
    Said::ToolCall { name: name.to_owned(), args: args.to_string() }
}

fn has_content(answer: &Answer) -> bool {
    answer.parts.iter().any(|part| match part {
        Said::Text(text) => !text.is_empty(),
        Said::ToolCall { .. } => true,
        // Not every dialect can show it, and some decline without a word.
        Said::Reasoning(_) | Said::Refusal(_) => false,
    })
}

fn answers() -> Vec<Answer> {
    let text = |text: &str| Said::Text(text.to_owned());
    let thought = |text: &str| Said::Reasoning(text.to_owned());
    let paris = || call("get_weather", json!({"city": "Paris"}));
    let rome = || call("get_weather", json!({"city": "Rome"}));
    let cut_off = |parts| Answer { finish: Some(Finish::Length), ..answer(parts) };
    vec![
        answer(vec![]),
        said(""),
        said("Hello"),
        said("Hello world, how are you?"),
        said(" leading, trailing and   inner blanks "),
        said("   "),
        said("Lines\nand\r\nmore\n\nlines\n"),
        said("\"Quotes\", 'single', `back` and \\ slashes \\n"),
        said("Grüße, 世界, שלום, 👩‍👩‍👧‍👦 and é"),
        said("🎉"),
        said("zero\u{0}, bell\u{7}, line\u{2028}paragraph\u{2029}, bom\u{feff}, last\u{10ffff}"),
        said("data: {\"not\": \"an event\"}\n\nevent: done\ndata: [DONE]\n\n"),
        said("[DONE]"),
        said("{\"structured\": {\"output\": [1, 2.5, null, true]}}"),
        said("</s><|im_end|> ``` {{ }} %7B $x"),
        answer(vec![text("One "), text("text "), text("in parts.")]),
        answer(vec![paris()]),
        answer(vec![paris(), rome()]),
        answer(vec![text("I look."), paris(), rome()]),
        answer(vec![call("now", json!({}))]),
        answer(vec![call(
            "plan",
            json!({"a": {"b": [1, {"c": null}]}, "d": "x y\n\"z\"", "é": "🎉", "f": -1.5}),
        )]),
        answer(vec![thought("Let me think."), text("Done.")]),
        answer(vec![thought("I need\nthe weather."), text("I look."), paris()]),
        answer(vec![thought("Hm. 🤔"), paris(), rome()]),
        answer(vec![Said::Refusal("I cannot help with \"that\".".to_owned())]),
        cut_off(vec![text("Hello wor")]),
        cut_off(vec![thought("So"), text("x")]),
    ]
}

/// The answer that says the most in one.
fn rich_answer() -> Answer {
    answer(vec![
        Said::Reasoning("Let me think.".to_owned()),
        Said::Text("I look.".to_owned()),
        call("get_weather", json!({"city": "Paris"})),
        call("get_weather", json!({"city": "Rome"})),
    ])
}

// ---- Requests ----

#[test]
fn every_dialect_is_found_by_its_paths_and_its_name() {
    for dialect in ALL {
        let name = dialect.name();
        assert_eq!(named(name).map(|found| found.name()), Some(name));
        assert!(ALL.iter().filter(|other| other.name() == name).count() == 1, "{name}: the name is taken");
        assert!(dialect.hosts().iter().all(|host| !host.is_empty()), "{name}: a host without a name");
        for (path, _) in sample(*dialect).requests() {
            let claimants: Vec<_> =
                ALL.iter().filter(|other| other.claims(path)).map(|other| other.name()).collect();
            assert_eq!(claimants, [name], "{path} must belong to one dialect alone");
            assert_eq!(
                claiming(&Target::of(&format!("http://localhost:11434{path}")).unwrap())
                    .map(|found| found.name()),
                Some(name)
            );
        }
        for path in
            ["", "/", "/health", "/v1/models", "/v1/embeddings", "/v1/files", "/api/tags", "/api/show"]
        {
            assert!(!dialect.claims(path), "{name}: {path} makes no model speak");
        }
    }
    assert!(claiming(&Target::of("https://api.openai.com/v1/embeddings").unwrap()).is_none());
    assert!(named("").is_none());
}

#[test]
fn plain_and_streamed_requests_are_the_same_but_for_the_stream() {
    for dialect in ALL {
        let name = dialect.name();
        let sample = sample(*dialect);
        let plain = plain_request(*dialect);
        let streamed = read(*dialect, sample.stream_path, &sample.streamed);
        assert!(!plain.streamed && streamed.streamed, "{name}: streamed");
        assert_eq!(plain.model, sample.model, "{name}");
        assert_eq!(plain.last_message(), "hi", "{name}");
        assert_eq!(
            (plain.system(), plain.tool_results().len(), plain.tools.len()),
            (String::new(), 0, 0),
            "{name}"
        );
        let like_plain =
            Request { streamed: false, asks_for_usage: plain.asks_for_usage, ..streamed_request(*dialect) };
        assert_eq!(like_plain, plain, "{name}");
    }
}

#[test]
fn a_conversation_with_tools_is_the_same_in_every_dialect() {
    for dialect in ALL {
        let name = dialect.name();
        let sample = sample(*dialect);
        let request = read(*dialect, sample.path, &sample.tools);
        assert_eq!(request.model, sample.model, "{name}");
        assert_eq!(request.system(), "Be brief.", "{name}");
        assert_eq!(request.last_message(), "How is Paris?", "{name}");
        assert_eq!(request.max_output, Some(64), "{name}");
        assert!(!request.streamed, "{name}");
        let [tool] = &request.tools[..] else { panic!("{name}: one tool is offered: {:?}", request.tools) };
        assert_eq!((&*tool.name, &*tool.description), ("get_weather", "The weather."), "{name}");
        assert_eq!(tool.schema["required"], json!(["city"]), "{name}");
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let calls: Vec<_> = parts
            .filter_map(|part| match part {
                Part::ToolCall { name, args, .. } => Some((name.as_str(), args)),
                _ => None,
            })
            .collect();
        assert_eq!(calls, [("get_weather", &json!({"city": "Paris"}))], "{name}");
        let [(tool, result)] = request.tool_results()[..] else { panic!("{name}: one result came") };
        assert_eq!(tool, Some("get_weather"), "{name}");
        assert!(result.contains("sunny"), "{name}: {result}");
    }
}

#[test]
fn what_is_no_text_survives_as_it_came() {
    for dialect in ALL {
        let name = dialect.name();
        let sample = sample(*dialect);
        let request = read(*dialect, sample.path, &sample.media);
        assert_eq!(request.last_message(), "Look:", "{name}");
        let mut parts = request.messages.iter().flat_map(|message| &message.parts);
        let is_there = parts.any(|part| matches!(part, Part::Media(media) if holds(media, &sample.part)));
        assert!(is_there, "{name}: {} is not in {:?}", sample.part, request.messages);
    }
}

#[test]
fn unknown_settings_survive_as_they_came() {
    let unknown = json!({"deep": [1, 2.50, null, {"é": "🎉"}], "big": u64::MAX});
    for dialect in ALL {
        for (path, body) in sample(*dialect).requests() {
            let mut body = body.clone();
            body["x_of_tomorrow"] = unknown.clone();
            let request = read(*dialect, path, &body);
            let settings = Value::Object(request.settings);
            assert!(holds(&settings, &unknown), "{}: {settings}", dialect.name());
        }
    }
}

#[test]
fn another_model_can_be_put_in_and_nothing_else_changes() {
    for dialect in ALL {
        let name = dialect.name();
        for (path, body) in sample(*dialect).requests() {
            // What only JSON text can say must be left alone too.
            let text = format!("{{\"x_number\": 1.50e1,{}", &body.to_string()[1..]);
            let swap = |path: &str, text: &str, model: &str| {
                let mut body = Body::read(text.as_bytes()).expect("an object");
                let path = dialect.set_model(path, &mut body, model).unwrap_or_else(|| path.to_owned());
                (path, body.write())
            };
            let read_text = |path: &str, text: &str| {
                read(*dialect, path, &serde_json::from_str(text).expect("a body is JSON"))
            };
            let before = read_text(path, &text);
            let (new_path, new_text) = swap(path, &text, "another-model-2");
            let after = read_text(&new_path, &new_text);
            assert_eq!(after.model, "another-model-2", "{name}");
            assert_eq!(Request { model: before.model.clone(), ..after }, before, "{name}");
            assert!(new_text.contains("1.50e1"), "{name}: {new_text}");
            assert!(dialect.claims(&new_path), "{name}: {new_path}");
            let (_, same_text) = swap(path, &text, &before.model);
            assert_eq!(
                swap(&new_path, &new_text, &before.model),
                (path.to_owned(), same_text),
                "{name}: and back"
            );
        }
    }
}

#[test]
fn bodies_of_other_apis_are_left_alone() {
    let unrelated = [
        json!({}),
        json!({"name": "llama3.2"}),
        json!({"survey": 3, "answers": ["yes", {"no": null}]}),
        json!({"query": "query { me { id } }", "variables": {}}),
        json!({"jsonrpc": "2.0", "method": "ping", "id": 1}),
    ];
    for dialect in ALL {
        let own = sample(*dialect);
        for path in [own.path, own.stream_path] {
            for body in &unrelated {
                let read = dialect.read_request(path, body.as_object().expect("an object"));
                assert_eq!(read, None, "{}: {body}", dialect.name());
            }
            // Some dialects look alike: whether they are read matters less than that nothing breaks.
            for (_, body) in SAMPLES.iter().flat_map(Sample::requests) {
                let _ = dialect.read_request(path, body.as_object().expect("an object"));
            }
        }
    }
}

// ---- Answers ----

#[test]
fn what_is_written_is_read_again_plain_and_streamed() {
    for dialect in ALL {
        let name = dialect.name();
        for mut answer in answers() {
            answer.usage = sample(*dialect).fullest_usage();
            let plain = read_plain(*dialect, &answer);
            let streamed = read_streamed(*dialect, &answer);
            for (seen, way) in [(&plain, "plain"), (&streamed, "streamed")] {
                let at = format!("{name}, {way}: {:?}: {seen:?}", answer.parts);
                assert_eq!(seen.usage, Some(answer.usage), "{at}");
                assert!(seen.raw_usage.is_some(), "{at}");
                assert!(seen.is_whole && seen.error.is_none(), "{at}");
                assert!(seen.finish_reason.is_some(), "{at}");
                assert!(seen.model.as_deref().is_none_or(|model| model == sample(*dialect).model), "{at}");
                assert!(!has_content(&answer) || seen.content_bytes > 0, "{at}");
                assert!(
                    !answer.parts.iter().all(|part| *part == Said::Text(String::new()))
                        || seen.content_bytes == 0
                );
            }
            assert_eq!(plain.finish_reason, streamed.finish_reason, "{name}: {:?}", answer.parts);
        }
    }
}

#[test]
fn answers_end_for_different_reasons() {
    for dialect in ALL {
        let name = dialect.name();
        let reason = |finish| {
            let answer = Answer { finish: Some(finish), ..said("Hello") };
            read_plain(*dialect, &answer).finish_reason
        };
        assert_ne!(reason(Finish::Stop), reason(Finish::Length), "{name}");
    }
}

#[test]
fn everything_that_is_said_is_written() {
    for dialect in ALL {
        let name = dialect.name();
        for answer in answers() {
            let written = dialect.write_answer(&plain_request(*dialect), &answer, STAMP);
            let body: Value = serde_json::from_str(&written).expect("JSON");
            let mut found = Vec::new();
            texts(&body, &mut found);
            let has_text = |wanted: &str| found.iter().any(|text| text.contains(wanted));
            for part in &answer.parts {
                match part {
                    Said::Text(text) | Said::Refusal(text) => {
                        assert!(has_text(text), "{name}: {text}: {written}")
                    }
                    Said::ToolCall { name: tool, args } => {
                        let wanted: Value = serde_json::from_str(args).expect("JSON");
                        // Arguments are an object in some dialects, and text in others.
                        let as_text = found
                            .iter()
                            .any(|text| serde_json::from_str::<Value>(text).is_ok_and(|args| args == wanted));
                        assert!(as_text || holds(&body, &wanted), "{name}: {args}: {written}");
                        assert!(has_text(tool), "{name}: {tool}: {written}");
                    }
                    // Not every dialect can show it.
                    Said::Reasoning(_) => {}
                }
            }
        }
    }
}

#[test]
fn every_call_of_a_tool_is_read_again_plain_and_streamed() {
    for dialect in ALL {
        let name = dialect.name();
        for answer in answers() {
            let wanted: Vec<(&str, Value)> = answer
                .parts
                .iter()
                .filter_map(|part| match part {
                    Said::ToolCall { name, args } => {
                        Some((name.as_str(), serde_json::from_str(args).expect("JSON")))
                    }
                    _ => None,
                })
                .collect();
            for seen in [read_plain(*dialect, &answer), read_streamed(*dialect, &answer)] {
                let args = |args: &str| {
                    if args.is_empty() { json!({}) } else { serde_json::from_str(args).unwrap() }
                };
                let found: Vec<(&str, Value)> =
                    seen.calls.iter().map(|call| (call.name.as_str(), args(&call.args))).collect();
                assert_eq!(found, wanted, "{name}: {answer:?}");
                let mut ids: Vec<&str> = seen.calls.iter().map(|call| call.id.as_str()).collect();
                ids.dedup();
                // Where a dialect has ids, each call has its own.
                assert!(ids.len() == wanted.len() || ids == [""], "{name}: {ids:?}");
            }
        }
    }
}

#[test]
fn a_new_id_begins_another_call_where_a_server_counts_none() {
    let dialect = named("openai_chat").unwrap();
    let mut seen = Seen::default();
    for (id, args) in [(Some("a"), "{"), (None, "}"), (Some("b"), "{}")] {
        let call = json!({"index": 0, "id": id, "function": {"name": "t", "arguments": args}});
        let chunk = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
        let event = Event { name: String::new(), data: chunk.to_string().into_bytes(), raw: Vec::new() };
        dialect.read_event(&event, &mut seen);
    }
    let calls: Vec<_> = seen.calls.iter().map(|call| (call.id.as_str(), call.args.as_str())).collect();
    assert_eq!(calls, [("a", "{}"), ("b", "{}")]);
}

/// A request as clients made it before there were `tools`.
fn request_with_functions() -> Request {
    let called = json!({"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"});
    let body = json!({
        "model": "gpt-4",
        "messages": [
            {"role": "user", "content": "How is Paris?"},
            {"role": "assistant", "content": null, "function_call": called},
            {"role": "function", "name": "get_weather", "content": "sunny"},
        ],
        "functions": [{"name": "get_weather", "parameters": {"type": "object"}}],
    });
    read(named("openai_chat").expect("a dialect of ours"), "/v1/chat/completions", &body)
}

#[test]
fn functions_are_tools_whose_calls_have_no_ids() {
    let request = request_with_functions();
    assert_eq!(request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["get_weather"]);
    let args = json!({"city": "Paris"});
    let call = Part::ToolCall { id: String::new(), name: "get_weather".to_owned(), args };
    assert_eq!(request.messages[1].parts, [call]);
    let result = request.fresh_results().next().unwrap();
    assert_eq!((result.id, result.tool, result.content), ("", Some("get_weather"), "sunny"));
}

#[test]
fn a_call_for_a_client_of_functions_is_a_function_call_plain_and_streamed() {
    let (dialect, mut request) = (named("openai_chat").unwrap(), request_with_functions());
    let one = answer(vec![call("get_weather", json!({"city": "Rome"}))]);
    let body: Value = serde_json::from_str(&dialect.write_answer(&request, &one, STAMP)).unwrap();
    assert_eq!(body["choices"][0]["finish_reason"], "function_call");
    let said = &body["choices"][0]["message"];
    assert_eq!(said["function_call"], json!({"name": "get_weather", "arguments": "{\"city\":\"Rome\"}"}));
    assert!(said.get("tool_calls").is_none());

    let mut plain = Seen::default();
    dialect.read_answer(&body, &mut plain);
    request.streamed = true;
    let stream = dialect.write_stream(&request, &one, STAMP);
    let (events, _) = cut(dialect.framing(), stream.iter().map(Vec::as_slice));
    for seen in [plain, read_events(dialect, &events)] {
        let [call] = &seen.calls[..] else { panic!("{:?}", seen.calls) };
        assert_eq!((call.id.as_str(), call.name.as_str()), ("", "get_weather"));
        assert_eq!(call.args, "{\"city\":\"Rome\"}");
        assert_eq!(seen.finish_reason.as_deref(), Some("function_call"));
    }

    // Several at once have no such form, and a client of tools is not given one.
    request.streamed = false;
    let two = answer(vec![call("get_weather", json!({})), call("get_weather", json!({}))]);
    let plain_client = plain_request(dialect);
    for written in
        [dialect.write_answer(&request, &two, STAMP), dialect.write_answer(&plain_client, &one, STAMP)]
    {
        let body: Value = serde_json::from_str(&written).unwrap();
        assert!(body["choices"][0]["message"]["tool_calls"].is_array());
        assert!(body["choices"][0]["message"].get("function_call").is_none());
    }
}

#[test]
fn no_token_is_lost_where_a_dialect_does_not_tell_them_apart() {
    let usage =
        Usage { fresh: 7, cache_read: 64, cache_write: 16, cache_write_long: 5, output: 20, reasoning: 8 };
    for dialect in ALL {
        let answer = Answer { usage, ..said("Hello") };
        let told = read_plain(*dialect, &answer).usage.expect("usage");
        assert_eq!(
            (told.prompt_tokens(), told.output),
            (usage.prompt_tokens(), usage.output),
            "{}",
            dialect.name()
        );
        assert_eq!(read_streamed(*dialect, &answer).usage, Some(told), "{}", dialect.name());
        // What is told is told the same the next time.
        assert_eq!(
            read_plain(*dialect, &Answer { usage: told, ..answer }).usage,
            Some(told),
            "{}",
            dialect.name()
        );
    }
}

#[test]
fn the_content_type_says_how_a_stream_is_cut() {
    for dialect in ALL {
        let content_type = dialect.stream_content_type().split(';').next();
        let is_sse = content_type == Some("text/event-stream");
        assert_eq!(is_sse, dialect.framing() == Framing::Sse, "{}: {content_type:?}", dialect.name());
    }
}

#[test]
fn answers_repeat_exactly() {
    for dialect in ALL {
        let (plain, streamed) = (plain_request(*dialect), streamed_request(*dialect));
        let answer = rich_answer();
        assert_eq!(
            dialect.write_answer(&plain, &answer, STAMP),
            dialect.write_answer(&plain, &answer, STAMP)
        );
        assert_eq!(
            dialect.write_stream(&streamed, &answer, STAMP),
            dialect.write_stream(&streamed, &answer, STAMP)
        );
    }
}

#[test]
fn usage_that_the_client_did_not_ask_for_can_be_hidden() {
    for dialect in ALL {
        let name = dialect.name();
        let sample = sample(*dialect);
        let asked = streamed_request(*dialect);
        let as_it_came = read(*dialect, sample.stream_path, &sample.streamed);
        if as_it_came.asks_for_usage {
            continue;
        }
        let events = |request: &Request| {
            cut(dialect.framing(), [&dialect.write_stream(request, &rich_answer(), STAMP).concat()[..]]).0
        };
        let mut shown = events(&asked);
        shown.retain(|event| !dialect.is_usage_alone(event));
        let wanted = events(&as_it_came);
        assert_eq!(shown.len(), wanted.len(), "{name}");
        assert_eq!(read_events(*dialect, &shown), read_events(*dialect, &wanted), "{name}");
        assert_eq!(read_events(*dialect, &shown).usage, None, "{name}");
    }
}

#[test]
fn an_answer_of_another_api_is_no_answer() {
    let unrelated =
        [json!(null), json!({}), json!([]), json!("ok"), json!({"ok": true}), json!({"data": [{"id": 1}]})];
    for dialect in ALL {
        for body in &unrelated {
            let mut seen = Seen::default();
            dialect.read_answer(body, &mut seen);
            assert_eq!((seen.is_whole, seen.usage), (false, None), "{}: {body}", dialect.name());
            let data = body.to_string().into_bytes();
            let seen = read_events(*dialect, &[Event { name: String::new(), raw: data.clone(), data }]);
            assert_eq!((seen.is_whole, seen.usage), (false, None), "{}: {body}", dialect.name());
        }
    }
}

#[test]
fn a_refusal_says_its_message() {
    for dialect in ALL {
        for status in [400, 401, 403, 404, 429, 500, 503] {
            for message in ["Slow down.", "\"Quotes\"\nand 🎉", ""] {
                let written = dialect.write_refusal(&Refusal { status, message: message.to_owned() });
                let body = serde_json::from_str(&written).expect("JSON");
                let read = dialect.read_refusal(&body);
                assert_eq!(read.as_deref(), Some(message), "{}: {status}: {written}", dialect.name());
            }
        }
        assert_eq!(dialect.read_refusal(&json!({"ok": true})), None, "{}", dialect.name());
        assert_eq!(dialect.read_refusal(&json!(null)), None, "{}", dialect.name());
    }
}

// ---- Streams ----

/// How many streams are cut at every position.
const STREAMS: usize = 50;

/// Streams of every dialect, all different.
fn streams() -> Vec<(&'static dyn Dialect, Vec<Vec<u8>>)> {
    let of = |dialect: &&'static dyn Dialect| {
        let request = streamed_request(*dialect);
        let dialect = *dialect;
        answers().into_iter().map(move |answer| (dialect, dialect.write_stream(&request, &answer, STAMP)))
    };
    let mut streams: Vec<_> = ALL.iter().flat_map(of).collect();
    streams.sort_by(|(_, one), (_, other)| one.cmp(other));
    streams.dedup_by(|(_, one), (_, other)| one == other);
    assert!(streams.len() >= STREAMS, "{} streams are too few", streams.len());
    streams
}

/// So many of the streams, of every dialect some.
fn some_streams(count: usize) -> Vec<(&'static dyn Dialect, Vec<Vec<u8>>)> {
    let streams = streams();
    let each = count.div_ceil(ALL.len());
    let of = |dialect: &&'static dyn Dialect| {
        let own: Vec<_> = streams.iter().filter(|(of, _)| of.name() == dialect.name()).cloned().collect();
        // Spread over what there is, whatever the order.
        (0..each.min(own.len()))
            .map(|at| own[at * own.len() / each.min(own.len())].clone())
            .collect::<Vec<_>>()
    };
    ALL.iter().flat_map(of).collect()
}

/// Every way to cut the bytes in two, and one byte at a time, gives the same events.
fn assert_every_split_is_the_same(name: &str, framing: Framing, stream: &[u8], events: &[Event]) {
    for at in 0..=stream.len() {
        let (head, tail) = stream.split_at(at);
        let (split, rest) = cut(framing, [head, tail]);
        assert!(
            split == events && rest.is_empty(),
            "{name}: split at {at} of {}",
            String::from_utf8_lossy(stream)
        );
    }
    let (split, rest) = cut(framing, stream.chunks(1));
    assert!(split == events && rest.is_empty(), "{name}: byte by byte: {}", String::from_utf8_lossy(stream));
}

#[test]
fn every_single_split_position_of_50_streams_parses_to_the_same_events() {
    let streams = some_streams(STREAMS);
    assert!(streams.len() >= STREAMS, "{} streams are too few", streams.len());
    let check = |(dialect, stream): &(&'static dyn Dialect, Vec<Vec<u8>>)| {
        let bytes = stream.concat();
        let (events, _) = cut(dialect.framing(), [&bytes[..]]);
        let raw: Vec<_> = events.iter().map(|event| event.raw.clone()).collect();
        assert_eq!(raw, *stream, "{}: events keep the bytes that they came as", dialect.name());
        assert_every_split_is_the_same(dialect.name(), dialect.framing(), &bytes, &events);
    };
    in_parallel(&streams, check);
}

#[test]
fn other_line_ends_parse_to_the_same_events() {
    // A few of each: how lines end does not depend on what is said.
    let mut streams = some_streams(STREAMS / 5);
    streams.retain(|(dialect, _)| dialect.framing() == Framing::Sse);
    in_parallel(&streams, |(dialect, stream)| {
        let text = String::from_utf8(stream.concat()).expect("text").replace("\r\n", "\n");
        let read = |events: &[Event]| -> Vec<_> {
            let text =
                |event: &Event| (event.name.clone(), String::from_utf8_lossy(&event.data).into_owned());
            events.iter().map(text).collect()
        };
        let wanted = read(&cut(Framing::Sse, stream.iter().map(Vec::as_slice)).0);
        for line_end in ["\n", "\r\n", "\r"] {
            let bytes = text.replace('\n', line_end).into_bytes();
            let (events, _) = cut(Framing::Sse, [&bytes[..]]);
            assert_eq!(read(&events), wanted, "{}: {line_end:?}", dialect.name());
            assert_every_split_is_the_same(dialect.name(), Framing::Sse, &bytes, &events);
        }
    });
}

#[test]
fn a_stream_that_breaks_off_is_never_whole() {
    for (dialect, stream) in streams() {
        for end in 0..=stream.len() {
            let (events, rest) = cut(dialect.framing(), [&stream[..end].concat()[..]]);
            let seen = read_events(dialect, &events);
            let at = format!("{}: {end} of {} events: {seen:?}", dialect.name(), stream.len());
            assert_eq!(events.len(), end, "{at}");
            assert!(rest.is_empty(), "{at}");
            assert_eq!(seen.is_whole, end == stream.len(), "{at}");
            assert_eq!(seen.error, None, "{at}");
        }
    }
}

/// Goes over the streams on two threads: there are tens of thousands of splits.
fn in_parallel<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for part in 0..2 {
            let check = &check;
            scope.spawn(move || items.iter().skip(part).step_by(2).for_each(check));
        }
    });
}

// ---- Nothing breaks, whatever comes ----

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![any::<u64>(), Just(u64::MAX), 0..100u64].prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[a-z_.]{0,12}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        ".{0,6}",
        "type|model|messages|contents|content|input|output|parts|role|text|usage|error"
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// What is well-formed in a dialect: requests, answers, events with their names, errors.
fn documents(dialect: &dyn Dialect) -> Vec<(String, Value)> {
    let sample = sample(dialect);
    let parse = |text: &str| (String::new(), serde_json::from_str(text).expect("JSON"));
    let mut documents: Vec<_> =
        sample.requests().map(|(_, body)| (String::new(), body.clone())).into_iter().collect();
    documents.push(parse(&dialect.write_refusal(&Refusal { status: 429, message: "Slow down.".to_owned() })));
    let refused = answer(vec![Said::Refusal("No.".to_owned())]);
    for answer in [rich_answer(), refused] {
        let answer = Answer { usage: sample.fullest_usage(), ..answer };
        documents.push(parse(&dialect.write_answer(&plain_request(dialect), &answer, STAMP)));
        let stream = dialect.write_stream(&streamed_request(dialect), &answer, STAMP).concat();
        for event in cut(dialect.framing(), [&stream[..]]).0 {
            if let Ok(data) = serde_json::from_slice(&event.data) {
                documents.push((event.name, data));
            }
        }
    }
    documents
}

static DOCUMENTS: LazyLock<Vec<(String, Value)>> =
    LazyLock::new(|| ALL.iter().flat_map(|dialect| documents(*dialect)).collect());

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(entries) => entries.values().map(nodes).sum(),
        _ => 0,
    }
}

/// The value with its node number `at` replaced.
fn replaced(value: &Value, at: &mut usize, new: &Value) -> Value {
    if *at == 0 {
        *at = usize::MAX;
        return new.clone();
    }
    *at -= 1;
    match value {
        Value::Array(items) => items.iter().map(|item| replaced(item, at, new)).collect(),
        Value::Object(entries) => Value::Object(
            entries.iter().map(|(key, entry)| (key.clone(), replaced(entry, at, new))).collect(),
        ),
        other => other.clone(),
    }
}

/// Gives a document to everything that reads documents.
fn read_everywhere(event_name: &str, document: &Value) {
    ALL.iter().for_each(|dialect| read_as_anything(*dialect, event_name, document));
}

/// Reads a document as an answer, an event, an error and a request.
fn read_as_anything(dialect: &dyn Dialect, event_name: &str, document: &Value) {
    let text = document.to_string();
    let event = Event { name: event_name.to_owned(), data: text.clone().into_bytes(), raw: Vec::new() };
    let mut seen = Seen::default();
    dialect.read_answer(document, &mut seen);
    // Whatever was seen before.
    dialect.read_event(&event, &mut seen);
    dialect.read_event(&event, &mut seen);
    let _ = dialect.read_refusal(document);
    if dialect.is_usage_alone(&event) {
        let seen = read_events(dialect, &[event]);
        assert_eq!((seen.content_bytes, seen.finish_reason), (0, None), "{}: hidden: {text}", dialect.name());
    }
    if let Value::Object(body) = document {
        let sample = sample(dialect);
        read_as_request(dialect, sample.path, body, &text);
        read_as_request(dialect, sample.stream_path, body, &text);
    }
}

fn read_as_request(dialect: &dyn Dialect, path: &str, body: &Map<String, Value>, text: &str) {
    let request = dialect.read_request(path, body);
    let mut raw = Body::read(text.as_bytes()).expect("an object");
    let _ = dialect.set_model(path, &mut raw, "another-model");
    if let Some(request) = request {
        let _ = dialect.ask_for_usage(&request, &mut raw);
        let _ = (request.system(), request.last_message(), request.tool_results().len());
        let _ = (request.most_prompt_tokens(), request.likely_prompt_tokens());
        // An answer repeats some of the request.
        let _ = dialect.write_answer(&request, &rich_answer(), STAMP);
        let _ = dialect.write_stream(&request, &rich_answer(), STAMP);
    }
    serde_json::from_str::<Value>(&raw.write()).expect("a body stays JSON");
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let text = || prop_oneof![".{0,20}", any::<String>(), "[ a\n\r\t\"\\\\🎉]{0,12}"];
    let args = proptest::collection::vec((text(), any_json()), 0..3)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()).to_string());
    let part = prop_oneof![
        text().prop_map(Said::Text),
        text().prop_map(Said::Reasoning),
        text().prop_map(Said::Refusal),
        ("[a-zA-Z_][a-zA-Z0-9_-]{0,8}", args).prop_map(|(name, args)| Said::ToolCall { name, args }),
    ];
    let tokens = || 0..1_000_000_000u64;
    let usage = (tokens(), tokens(), tokens(), tokens(), tokens(), tokens());
    let finish = prop_oneof![
        Just(None),
        Just(Some(Finish::Stop)),
        Just(Some(Finish::ToolCalls)),
        Just(Some(Finish::Length)),
        Just(Some(Finish::Refusal)),
    ];
    (proptest::collection::vec(part, 0..5), usage, finish).prop_map(|(parts, usage, finish)| {
        let (fresh, cache_read, cache_write, cache_write_long, said, reasoning) = usage;
        let output = said + reasoning;
        let usage = Usage { fresh, cache_read, cache_write, cache_write_long, output, reasoning };
        Answer { parts, usage, finish }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_answer_is_read_again(answer in any_answer()) {
        for dialect in ALL {
            let plain = read_plain(*dialect, &answer);
            let streamed = read_streamed(*dialect, &answer);
            for seen in [&plain, &streamed] {
                prop_assert!(seen.is_whole && seen.error.is_none(), "{}: {seen:?}", dialect.name());
                let told = seen.usage.expect("usage");
                prop_assert_eq!(told.prompt_tokens(), answer.usage.prompt_tokens(), "{}", dialect.name());
                prop_assert_eq!(told.output, answer.usage.output, "{}", dialect.name());
                prop_assert!(!has_content(&answer) || seen.content_bytes > 0, "{}: {seen:?}", dialect.name());
            }
            prop_assert_eq!(&plain.usage, &streamed.usage, "{}", dialect.name());
            prop_assert_eq!(&plain.finish_reason, &streamed.finish_reason, "{}", dialect.name());
        }
    }

    #[test]
    fn any_cut_of_a_stream_gives_the_same_events(
        answer in any_answer(),
        cuts in proptest::collection::vec(any::<Index>(), 0..6),
    ) {
        for dialect in ALL {
            let stream = dialect.write_stream(&streamed_request(*dialect), &answer, STAMP);
            let bytes = stream.concat();
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort();
            let (events, rest) = cut(dialect.framing(), cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]));
            let raw: Vec<_> = events.into_iter().map(|event| event.raw).collect();
            prop_assert!(raw == stream && rest.is_empty(), "{}: {cuts:?}", dialect.name());
        }
    }

    #[test]
    fn any_json_is_read_without_breaking(
        value in any_json(),
        entries in proptest::collection::vec((".{0,8}", any_json()), 0..4),
    ) {
        read_everywhere("", &value);
        read_everywhere("", &Value::Object(entries.into_iter().collect()));
    }

    #[test]
    fn any_bytes_are_read_without_breaking(
        bytes in any::<Vec<u8>>(),
        name in ".{0,8}",
        cut_at in any::<Index>(),
    ) {
        if let Some(body) = Body::read(&bytes) {
            let _ = body.write();
        }
        let (head, tail) = bytes.split_at(cut_at.index(bytes.len() + 1));
        for dialect in ALL {
            let (mut events, _) = cut(dialect.framing(), [head, tail]);
            events.push(Event { name: name.clone(), data: bytes.clone(), raw: bytes.clone() });
            read_events(*dialect, &events);
            events.iter().for_each(|event| {
                let _ = dialect.is_usage_alone(event);
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_path_is_read_without_breaking(end in any::<Index>(), tail in ".{0,12}") {
        for dialect in ALL {
            let sample = sample(*dialect);
            for (path, body) in sample.requests() {
                // Paths that are cut off, or go on otherwise, anywhere.
                let cut_off = &path[..end.index(path.len() + 1)];
                for path in [format!("{cut_off}{tail}"), format!("{tail}{path}")] {
                    let _ = dialect.claims(&path);
                    let text = body.to_string();
                    read_as_request(*dialect, &path, body.as_object().expect("an object"), &text);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn what_is_well_formed_but_for_a_few_places_is_read_without_breaking(
        which in any::<Index>(),
        changes in proptest::collection::vec((any::<Index>(), any_json()), 1..4),
    ) {
        let (name, document) = which.get(&DOCUMENTS);
        let mut document = document.clone();
        for (at, new) in &changes {
            document = replaced(&document, &mut at.index(nodes(&document)), new);
        }
        read_everywhere(name, &document);
    }
}

#[test]
fn what_is_well_formed_but_for_one_place_is_read_without_breaking() {
    let others =
        [json!(null), json!(u64::MAX), json!(-1), json!(0.5), json!(""), json!("é"), json!([]), json!({})];
    for dialect in ALL {
        for (name, document) in documents(*dialect) {
            for (at, other) in
                (0..nodes(&document)).flat_map(|at| others.iter().map(move |other| (at, other)))
            {
                let mut at = at;
                read_as_anything(*dialect, &name, &replaced(&document, &mut at, other));
            }
        }
    }
}

#[test]
fn bodies_keep_their_bytes() {
    for text in [r#"{"a":1.50,"b":1e2,"a":2}"#, r#"{}"#, r#"{"é\n":"\u00e9","x":{"y" : [ ]}}"#] {
        let written = Body::read(text.as_bytes()).expect("an object").write();
        let values = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(values(&written), values(text));
    }
    for text in ["", "[]", "1", "null", "{", "{\"a\"}", "{\"a\":1}x", "\u{feff}{}"] {
        assert!(Body::read(text.as_bytes()).is_none(), "{text}");
    }
}
