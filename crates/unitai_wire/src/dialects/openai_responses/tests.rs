//! Requests as the official clients send them, answers as the provider sends them.

use serde_json::{Value, json};
use unitai_model::Usage;

use super::super::{Dialect, Seen};
use super::OpenAiResponses;
use crate::common::{Answer, Finish, Message, Part, Request, Role, Said, Stamp, Tool};
use crate::frames::{Event, Frames};

const STAMP: Stamp = Stamp { turn: 7 };

fn read(body: Value) -> Option<Request> {
    OpenAiResponses.read_request("/v1/responses", body.as_object().unwrap())
}

fn request() -> Request {
    read(json!({"model": "gpt-5", "input": "hi"})).unwrap()
}

fn answer(parts: Vec<Said>) -> Answer {
    let usage =
        Usage { fresh: 20, cache_read: 64, cache_write: 10, cache_write_long: 6, output: 20, reasoning: 8 };
    Answer { parts, usage, finish: None }
}

fn call(name: &str, args: &str) -> Said {
    Said::ToolCall { name: name.into(), args: args.into() }
}

fn events(request: &Request, answer: &Answer) -> Vec<Event> {
    let mut frames = Frames::new(OpenAiResponses.framing());
    let mut events = Vec::new();
    frames.feed(&OpenAiResponses.write_stream(request, answer, STAMP).concat(), &mut events);
    assert!(frames.finish(&mut events).is_empty());
    events
}

fn data(events: &[Event]) -> Vec<Value> {
    events.iter().map(|event| serde_json::from_slice(&event.data).unwrap()).collect()
}

fn seen_of_events(data: &[Value]) -> Seen {
    let mut seen = Seen::default();
    for data in data {
        let event = Event { name: String::new(), data: data.to_string().into_bytes(), raw: Vec::new() };
        OpenAiResponses.read_event(&event, &mut seen);
    }
    seen
}

fn seen_of(body: &Value) -> Seen {
    let mut seen = Seen::default();
    OpenAiResponses.read_answer(body, &mut seen);
    seen
}

#[test]
fn a_text_is_what_the_user_says() {
    let request = read(json!({
        "model": "gpt-5", "input": "hi", "instructions": "Be brief.", "stream": true,
        "max_output_tokens": 64, "temperature": 0.5, "previous_response_id": "resp_1",
    }));
    let request = request.unwrap();
    assert_eq!(request.system(), "Be brief.");
    assert_eq!(request.last_message(), "hi");
    assert_eq!((request.max_output, request.streamed, request.asks_for_usage), (Some(64), true, true));
    assert_eq!(
        Value::Object(request.settings),
        json!({"temperature": 0.5, "previous_response_id": "resp_1"})
    );
}

#[test]
fn a_conversation_is_read_item_by_item() {
    let image = json!({"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "low"});
    let file =
        json!({"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="});
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let sealed = json!({"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAA"});
    let request = read(json!({
        "model": "gpt-5",
        "input": [
            {"role": "developer", "content": "Be brief."},
            {"type": "message", "role": "user",
             "content": [{"type": "input_text", "text": "Look:"}, image, file]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
            sealed,
            search,
            {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
             "content": [{"type": "output_text", "text": "I look.", "annotations": []},
                         {"type": "refusal", "refusal": "Not that."}]},
            {"type": "function_call", "call_id": "call_1", "name": "get_weather",
             "arguments": "{\"city\": \"Paris\"}"},
            {"type": "function_call", "call_id": "call_2", "name": "plot", "arguments": "no json"},
            {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
            {"type": "function_call_output", "call_id": "call_2",
             "output": [{"type": "input_text", "text": "a plot"}, image]},
            {"type": "custom_tool_call", "call_id": "call_3", "name": "shell", "input": "ls"},
            {"type": "custom_tool_call_output", "call_id": "call_3", "output": "a.txt"},
        ],
    }));
    let tool_call =
        |id: &str, name: &str, args: Value| Part::ToolCall { id: id.into(), name: name.into(), args };
    let result =
        |id: &str, content: &str| Part::ToolResult { id: id.into(), name: None, content: content.into() };
    let said = |role, parts| Message { role, parts };
    let request = request.unwrap();
    assert_eq!(
        request.messages,
        [
            Message::text(Role::System, "Be brief."),
            said(Role::User, vec![Part::Text("Look:".into()), Part::Media(image.clone()), Part::Media(file)]),
            said(
                Role::Assistant,
                vec![
                    Part::Reasoning("Hm.".into()),
                    Part::Other(sealed),
                    Part::Other(search),
                    Part::Text("I look.".into()),
                    Part::Text("Not that.".into()),
                    tool_call("call_1", "get_weather", json!({"city": "Paris"})),
                    tool_call("call_2", "plot", json!("no json")),
                ]
            ),
            said(Role::Tool, vec![result("call_1", "sunny")]),
            said(Role::Tool, vec![result("call_2", "a plot"), Part::Media(image)]),
            said(Role::Assistant, vec![tool_call("call_3", "shell", json!("ls"))]),
            said(Role::Tool, vec![result("call_3", "a.txt")]),
        ]
    );
    assert_eq!(request.tool_results(), [(Some("shell"), "a.txt")]);
}

#[test]
fn after_a_stored_answer_only_the_new_items_come() {
    let request = read(json!({
        "model": "gpt-5", "previous_response_id": "resp_1",
        "input": [{"type": "function_call_output", "call_id": "call_1", "output": "sunny"}],
    }));
    assert_eq!(request.unwrap().tool_results(), [(None, "sunny")]);
}

#[test]
fn hosted_tools_go_by_their_type() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let search = json!({"type": "file_search", "vector_store_ids": ["vs_1"]});
    let request = read(json!({
        "model": "gpt-5", "input": [],
        "tools": [
            {"type": "function", "name": "get_weather", "description": "w", "parameters": schema,
             "strict": true},
            search,
        ],
    }));
    let request = request.unwrap();
    let tool = |name: &str, description: &str, schema| Tool {
        name: name.into(),
        description: description.into(),
        schema,
    };
    assert_eq!(request.tools, [tool("get_weather", "w", schema), tool("file_search", "", Value::Null)]);
    assert_eq!(request.settings["tools"], json!([search]));
}

#[test]
fn bodies_of_other_apis_are_left_alone() {
    for body in [
        json!({}),
        json!({"model": "gpt-5"}),
        json!({"input": "hi"}),
        json!({"model": 1, "input": "hi"}),
        json!({"model": "gpt-5", "input": null}),
        json!({"model": "gpt-5", "input": {"a": 1}}),
        json!({"model": "text-embedding-3-small", "input": ["a", "b"]}),
        json!({"model": "gpt-5", "messages": []}),
        json!({"survey": 3, "answers": ["yes"]}),
    ] {
        assert_eq!(read(body.clone()), None, "{body}");
    }
    for path in ["/v1/responses/resp_1", "/v1/responses/compact", "/v1/responses/input_tokens", "/responses/"]
    {
        assert!(!OpenAiResponses.claims(path), "{path}");
    }
}

#[test]
fn a_whole_answer_is_as_the_provider_writes_it() {
    let request = read(json!({
        "model": "gpt-5", "input": "hi", "temperature": 0.5, "metadata": {"a": "b"},
        "user": null, "max_output_tokens": 9,
    }));
    let answer = answer(vec![
        Said::Reasoning("Hm.".into()),
        Said::Text("Hello ".into()),
        Said::Text("world".into()),
        Said::Refusal("No.".into()),
        call("a", "{}"),
        call("b", "{\"x\": 1}"),
    ]);
    let body: Value =
        serde_json::from_str(&OpenAiResponses.write_answer(&request.unwrap(), &answer, STAMP)).unwrap();
    let function_call = |id: &str, call_id: &str, name: &str, arguments: &str| {
        json!({"id": id, "type": "function_call", "status": "completed", "call_id": call_id,
               "name": name, "arguments": arguments})
    };
    assert_eq!(
        body,
        json!({
            "id": "resp_unitai000007", "object": "response", "created_at": Stamp::CREATED,
            "status": "completed",
            "background": false, "error": null, "incomplete_details": null, "instructions": null,
            "max_output_tokens": 9, "max_tool_calls": null, "model": "gpt-5",
            "output": [
                {"id": "rs_000007000", "type": "reasoning",
                 "summary": [{"type": "summary_text", "text": "Hm."}]},
                {"id": "msg_000007001", "type": "message", "status": "completed",
                 "role": "assistant", "content": [
                    {"type": "output_text", "text": "Hello world", "annotations": [], "logprobs": []},
                    {"type": "refusal", "refusal": "No."},
                ]},
                function_call("fc_000007002", "call_000007000", "a", "{}"),
                function_call("fc_000007003", "call_000007001", "b", "{\"x\": 1}"),
            ],
            "parallel_tool_calls": true, "previous_response_id": null,
            "reasoning": {"effort": null, "summary": null}, "service_tier": "default", "store": true,
            "temperature": 0.5, "text": {"format": {"type": "text"}, "verbosity": "medium"},
            "tool_choice": "auto", "tools": [], "top_logprobs": 0, "top_p": 1.0, "truncation": "disabled",
            "usage": {
                "input_tokens": 100,
                "input_tokens_details": {
                    "cached_tokens": 64, "cache_write_tokens": 16,
                    "cache_write_tokens_details": {"ttl_30m_tokens": 10, "ttl_12h_tokens": 6},
                },
                "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 8}, "total_tokens": 120,
            },
            "user": null, "metadata": {"a": "b"},
        })
    );
}

#[test]
fn a_stream_is_as_the_provider_writes_it() {
    let answer = answer(vec![
        Said::Reasoning("Hm.".into()),
        Said::Text("Hello world".into()),
        Said::Refusal("No.".into()),
        call("a", "{\"x\": 1}"),
    ]);
    let events = events(&request(), &answer);
    let data = data(&events);
    for (at, (event, data)) in events.iter().zip(&data).enumerate() {
        assert_eq!(data["sequence_number"], at);
        assert_eq!(data["type"], *event.name);
    }
    let names: Vec<_> = events.iter().map(|event| event.name.trim_start_matches("response.")).collect();
    assert_eq!(
        names,
        [
            "created",
            "in_progress",
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "content_part.added",
            "refusal.delta",
            "refusal.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed",
        ]
    );
    assert_eq!(
        data[4],
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_000007000", "output_index": 0,
               "summary_index": 0, "delta": "Hm.", "sequence_number": 4})
    );
    assert_eq!(
        data[8]["item"],
        json!({"id": "msg_000007001", "type": "message", "status": "in_progress",
               "role": "assistant", "content": []})
    );
    assert_eq!(
        data[9],
        json!({"type": "response.content_part.added", "item_id": "msg_000007001", "output_index": 1,
               "content_index": 0, "sequence_number": 9,
               "part": {"type": "output_text", "text": "", "annotations": [], "logprobs": []}})
    );
    assert_eq!(
        data[11],
        json!({"type": "response.output_text.delta", "item_id": "msg_000007001", "output_index": 1,
               "content_index": 0, "delta": "world", "logprobs": [], "sequence_number": 11})
    );
    assert_eq!(
        data[12],
        json!({"type": "response.output_text.done", "item_id": "msg_000007001", "output_index": 1,
               "content_index": 0, "text": "Hello world", "logprobs": [], "sequence_number": 12})
    );
    assert_eq!(
        data[16],
        json!({"type": "response.refusal.done", "item_id": "msg_000007001", "output_index": 1,
               "content_index": 1, "refusal": "No.", "sequence_number": 16})
    );
    assert_eq!(
        data[22],
        json!({"type": "response.function_call_arguments.done", "item_id": "fc_000007002", "output_index": 2,
               "name": "a", "arguments": "{\"x\": 1}", "sequence_number": 22})
    );
    assert_eq!(
        (&data[0]["response"]["status"], &data[0]["response"]["usage"]),
        (&json!("in_progress"), &Value::Null)
    );
    let whole: Value =
        serde_json::from_str(&OpenAiResponses.write_answer(&request(), &answer, STAMP)).unwrap();
    assert_eq!(data[24]["response"], whole);
}

#[test]
fn what_is_written_is_read_plain_and_streamed() {
    let answer =
        answer(vec![Said::Reasoning("Hm.".into()), Said::Text("Hello world".into()), call("ab", "{}")]);
    let body = serde_json::from_str(&OpenAiResponses.write_answer(&request(), &answer, STAMP)).unwrap();
    let seen = seen_of(&body);
    assert_eq!(seen.usage, Some(answer.usage));
    assert_eq!(seen.raw_usage.as_ref(), Some(&body["usage"]));
    assert_eq!(seen.content_bytes, 3 + 11 + 2 + 2);
    assert_eq!(seen.model.as_deref(), Some("gpt-5"));
    assert_eq!(seen.finish_reason.as_deref(), Some("completed"));
    assert_eq!(seen.service_tier.as_deref(), Some("default"));
    assert!(seen.is_whole);
    assert_eq!(seen_of_events(&data(&events(&request(), &answer))), seen);
}

#[test]
fn an_answer_can_end_at_its_limit() {
    let mut answer = answer(vec![Said::Text("Hello".into())]);
    answer.finish = Some(Finish::Length);
    let body: Value =
        serde_json::from_str(&OpenAiResponses.write_answer(&request(), &answer, STAMP)).unwrap();
    assert_eq!((&body["status"], &body["output"][0]["status"]), (&json!("incomplete"), &json!("incomplete")));
    let seen = seen_of(&body);
    assert_eq!((seen.finish_reason.as_deref(), seen.is_whole), (Some("max_output_tokens"), true));
    let events = events(&request(), &answer);
    assert_eq!(events.last().unwrap().name, "response.incomplete");
    assert_eq!(seen_of_events(&data(&events)), seen);
}

#[test]
fn usage_is_read_as_the_provider_documents_it() {
    let used = |usage: Value| seen_of(&json!({"status": "completed", "output": [], "usage": usage})).usage;
    assert_eq!(
        used(json!({
            "input_tokens": 328, "input_tokens_details": {"cached_tokens": 128},
            "output_tokens": 52, "output_tokens_details": {"reasoning_tokens": 40}, "total_tokens": 380,
        })),
        Some(Usage { fresh: 200, cache_read: 128, output: 52, reasoning: 40, ..Usage::default() })
    );
    assert_eq!(
        used(json!({
            "input_tokens": 2006, "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 900},
            "output_tokens": 300, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2306,
        })),
        Some(Usage { fresh: 106, cache_read: 1000, cache_write: 900, output: 300, ..Usage::default() })
    );
    assert_eq!(used(json!({"input_tokens": 5, "output_tokens": 2})), Some(Usage::of(5, 2)));
    for unknown in [json!({}), json!(null), json!({"input_tokens": null}), json!([]), json!("many")] {
        assert_eq!(used(unknown.clone()), None, "{unknown}");
    }
}

#[test]
fn errors_inside_an_answer_are_seen() {
    let failed = json!({"type": "response.failed", "response": {
        "status": "failed", "error": {"code": "server_error", "message": "Broken."}, "output": [],
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }});
    let seen = seen_of_events(&[failed]);
    assert_eq!((seen.error.as_deref(), seen.is_whole), (Some("Broken."), false));
    assert_eq!(seen.usage, Some(Usage::of(5, 2)));

    let error =
        json!({"type": "error", "code": "rate_limit_exceeded", "message": "Slow down.", "param": null});
    assert_eq!(seen_of_events(&[error]).error.as_deref(), Some("Slow down."));

    let silent = json!({"type": "response.failed", "response": {"error": null}});
    assert_eq!(seen_of_events(&[silent]).error.as_deref(), Some("response.failed"));

    let seen = seen_of(
        &json!({"status": "failed", "error": {"code": "server_error", "message": "B"}, "output": []}),
    );
    assert_eq!((seen.error.as_deref(), seen.is_whole), (Some("B"), false));
    assert!(!seen_of(&json!({"status": "queued", "error": null, "output": []})).is_whole);
}

/// A request that offers tools that are no functions.
fn offering() -> Request {
    read(json!({"model": "gpt-5", "input": "hi", "tools": [
        {"type": "shell", "environment": {"type": "local"}},
        {"type": "local_shell"},
        {"type": "apply_patch"},
        {"type": "custom", "name": "sql", "description": "Asks the database."},
        {"type": "web_search_preview"},
    ]}))
    .unwrap()
}

#[test]
fn tools_that_are_no_functions_are_called_by_items_of_their_own() {
    let said = answer(vec![
        call("shell", r#"{"commands": ["ls"]}"#),
        call("local_shell", r#"{"command": ["ls", "-l"]}"#),
        call("apply_patch", r#"{"type": "delete_file", "path": "a.txt"}"#),
        call("sql", r#"{"input": "select 1"}"#),
        call("web_search", r#"{"query": "bees", "sources": ["https://bees.example"]}"#),
    ]);
    let whole: Value =
        serde_json::from_str(&OpenAiResponses.write_answer(&offering(), &said, STAMP)).unwrap();
    let items = whole["output"].as_array().unwrap();
    let kinds: Vec<&str> = items.iter().map(|item| item["type"].as_str().unwrap()).collect();
    let expected =
        ["shell_call", "local_shell_call", "apply_patch_call", "custom_tool_call", "web_search_call"];
    assert_eq!(kinds, expected);
    assert_eq!(items[0]["action"], json!({"commands": ["ls"]}));
    assert_eq!(items[1]["action"], json!({"type": "exec", "command": ["ls", "-l"], "env": {}}));
    assert_eq!(items[2]["operation"], json!({"type": "delete_file", "path": "a.txt"}));
    assert_eq!((&items[3]["name"], &items[3]["input"]), (&json!("sql"), &json!("select 1")));
    let sources = json!([{"type": "url", "url": "https://bees.example"}]);
    assert_eq!(items[4]["action"], json!({"type": "search", "query": "bees", "sources": sources}));

    // What runs at the caller is read back as its calls, whole or streamed.
    for seen in [seen_of(&whole), seen_of_events(&data(&events(&offering(), &said)))] {
        let called: Vec<&str> = seen.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(called, ["shell", "local_shell", "apply_patch", "sql"]);
        assert_eq!(seen.calls[0].args, r#"{"commands":["ls"]}"#);
        assert!(seen.is_whole);
    }
}

#[test]
fn a_function_of_the_same_name_is_called_as_a_function() {
    let offered = json!([{"type": "function", "name": "shell", "parameters": {"type": "object"}}]);
    let request = read(json!({"model": "gpt-5", "input": "hi", "tools": offered})).unwrap();
    let said = answer(vec![call("shell", "{}")]);
    let whole: Value = serde_json::from_str(&OpenAiResponses.write_answer(&request, &said, STAMP)).unwrap();
    assert_eq!(whole["output"][0]["type"], "function_call");
}

#[test]
fn what_such_tools_gave_back_is_a_result() {
    let request = read(json!({"model": "gpt-5", "input": [
        {"role": "user", "content": "hi"},
        {"type": "shell_call", "call_id": "1", "action": {"commands": ["ls"]}, "status": "completed"},
        {"type": "apply_patch_call", "call_id": "2", "operation": {"type": "delete_file", "path": "a"}},
        {"type": "shell_call_output", "call_id": "1", "output": [
            {"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
        ]},
        {"type": "apply_patch_call_output", "call_id": "2", "status": "completed", "output": "gone"},
    ]}))
    .unwrap();
    assert_eq!(request.tool_results(), [(Some("shell"), "a.txt"), (Some("apply_patch"), "gone")]);
}

#[test]
fn a_shell_of_the_provider_s_own_asks_nobody() {
    let seen = seen_of(&json!({"status": "completed", "output": [
        {"type": "shell_call", "call_id": "1", "action": {"commands": ["ls"]}, "status": "completed"},
        {"type": "shell_call_output", "call_id": "1", "output": []},
    ]}));
    assert!(seen.calls.is_empty());
}
