//! The server over streams, with lines of JSON written by hand: what any client may send, and how it ends.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "support/server.rs"]
mod server;

use std::sync::atomic::Ordering;

use serde_json::{Value as Json, json};
use server::{Fixtures, Piped};
use unitai_mcp::server::{CallLog, INSTRUCTIONS, Offer};
use unitai_wire::redact::Secrets;

fn piped() -> Piped {
    Piped::serve(Offer::new().with(Fixtures::default()))
}

/// What every request of the newest protocol says about itself.
fn meta() -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "by-hand", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut piped = piped();
        let told = piped.initialize(version).await;
        assert_eq!(told["result"]["protocolVersion"], version);
        let about = &told["result"]["serverInfo"];
        assert_eq!((about["name"].as_str(), about["version"].as_str()), (Some("llm_pytest"), Some("0.1.0")));
        assert_eq!(told["result"]["instructions"], INSTRUCTIONS);
        assert!(told["result"]["capabilities"]["tools"].is_object());
        let told = piped.request(1, "tools/list", json!({})).await;
        let names: Vec<&str> = told["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["echo", "text", "fail", "hang"]);
        assert_eq!(told["result"]["tools"][0]["inputSchema"]["properties"]["x"]["type"], "integer");
        piped.hang_up().await;
        assert!(piped.ended().await.is_empty());
    }
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_answered_with_one_that_we_speak() {
    let told = piped().initialize("1999-01-01").await;
    let version = told["result"]["protocolVersion"].as_str().unwrap();
    assert!(["2025-06-18", "2025-11-25"].contains(&version), "{version}");
}

#[tokio::test]
async fn the_newest_version_needs_no_handshake() {
    let mut piped = piped();
    let told = piped.request(1, "server/discover", json!({"_meta": meta()})).await;
    let versions = told["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{told}");
    let told = piped.request(2, "tools/list", json!({"_meta": meta()})).await;
    assert_eq!(told["result"]["tools"].as_array().unwrap().len(), 4, "{told}");
    assert_eq!(told["result"]["resultType"], "complete");
    let told = piped.request(3, "tools/call", json!({"_meta": meta(), "name": "text"})).await;
    assert_eq!(told["result"]["content"][0]["text"], "hello");
    // What every request must say cannot be left out now and then.
    let told = piped.request(4, "tools/list", json!({})).await;
    assert_eq!(told["error"]["code"], -32602);
    // This version has no pings.
    let told = piped.request(5, "ping", json!({"_meta": meta()})).await;
    assert_eq!(told["error"]["code"], -32601);
}

#[tokio::test]
async fn a_client_that_tries_the_newest_way_first_may_fall_back() {
    let mut piped = piped();
    let told = piped.request(1, "server/discover", json!({})).await;
    assert!(told["error"]["code"].is_i64());
    // A note before the handshake is no reason to leave.
    piped.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    let told = piped.initialize("2025-11-25").await;
    assert_eq!(told["result"]["protocolVersion"], "2025-11-25");
    assert!(piped.request(2, "ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn answers_are_structure_text_or_a_failure() {
    let mut piped = piped();
    piped.initialize("2025-11-25").await;
    let args = json!({"x": 1, "deep": {"list": [1, 2.5, null, true, "ü"]}});
    let told = piped.request(1, "tools/call", json!({"name": "echo", "arguments": args})).await;
    assert_eq!(told["result"]["structuredContent"]["given"], args);
    let text: Json = serde_json::from_str(told["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["given"], args);
    assert_eq!(told["result"]["isError"], false);
    let told = piped.request(2, "tools/call", json!({"name": "text"})).await;
    assert_eq!(told["result"]["content"], json!([{"type": "text", "text": "hello"}]));
    assert_eq!(told["result"].get("structuredContent"), None);
    let told = piped.request(3, "tools/call", json!({"name": "fail", "arguments": {}})).await;
    assert_eq!(told["result"]["isError"], true);
    assert_eq!(told["result"]["content"][0]["text"], "it broke");
    assert_eq!(told["result"]["content"][1]["text"], "Traceback");
}

#[tokio::test]
async fn what_nobody_knows_is_an_error_and_not_the_end() {
    let mut piped = piped();
    piped.initialize("2025-11-25").await;
    for method in [
        "nobody/knows",
        "logging/setLevel",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "completion/complete",
        "tasks/get",
    ] {
        let params = match method {
            "logging/setLevel" => json!({"level": "info"}),
            "prompts/get" => json!({"name": "x"}),
            "completion/complete" => {
                json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}})
            }
            "resources/read" => json!({"uri": "file:///x"}),
            "tasks/get" => json!({"taskId": "x"}),
            _ => json!({}),
        };
        assert_eq!(piped.request(1, method, params).await["error"]["code"], -32601, "{method}");
    }
    let told = piped.request(2, "tools/call", json!({"name": "ecko"})).await;
    assert_eq!(told["error"]["code"], -32602);
    assert!(told["error"]["message"].as_str().unwrap().contains("did you mean `echo`?"));
    // Lines that are no messages are passed over, or refused; the next one counts.
    piped.send("this is no JSON").await;
    piped.send("").await;
    let told = piped.ask(json!([1, 2])).await;
    assert_eq!(told["error"]["code"], -32600);
    piped.send(r#"{"jsonrpc":"2.0","method":"notifications/nobody/knows"}"#).await;
    piped.send(r#"{"jsonrpc":"2.0","id":77,"result":{}}"#).await;
    assert!(piped.request(3, "ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn calls_run_side_by_side() {
    let mut piped = piped();
    piped.initialize("2025-11-25").await;
    piped.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#).await;
    let told = piped.request(2, "tools/call", json!({"name": "text"})).await;
    assert_eq!(told["id"], 2);
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_dropped_and_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    let fixtures = Fixtures::default();
    let log = CallLog::begin_file(&file, Secrets::none().into()).unwrap();
    let mut piped = Piped::serve(Offer::new().with(fixtures.clone()).logged(log));
    piped.initialize("2025-11-25").await;
    piped.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#).await;
    while fixtures.0.calls.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    piped.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    piped.request(2, "tools/call", json!({"name": "echo", "arguments": {"x": 1}})).await;
    piped.request(3, "tools/call", json!({"name": "nobody"})).await;
    assert!(fixtures.0.is_dropped.load(Ordering::SeqCst));
    piped.hang_up().await;
    assert!(piped.ended().await.is_empty());
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.sort_by_key(|line| line["number"].as_u64());
    let told: Vec<_> = lines.iter().map(|line| (line["tool"].as_str(), line["outcome"].as_str())).collect();
    let expected = [("hang", "unfinished"), ("echo", "returned"), ("nobody", "refused")]
        .map(|(a, b)| (Some(a), Some(b)));
    assert_eq!(told, expected);
    assert_eq!(lines[1]["args"], json!({"x": 1}));
    assert_eq!(lines[1]["value"], json!({"given": {"x": 1}}));
}

#[tokio::test]
async fn everything_is_cleaned_up_before_the_end() {
    let fixtures = Fixtures::default();
    let mut piped = Piped::serve(Offer::new().with(fixtures.clone()));
    piped.initialize("2025-11-25").await;
    piped.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#).await;
    while fixtures.0.calls.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    piped.interrupt();
    assert!(piped.ended().await.is_empty());
    assert!(fixtures.0.is_dropped.load(Ordering::SeqCst) && fixtures.0.is_closed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn nobody_who_comes_is_no_error() {
    for is_interrupted in [true, false] {
        let fixtures = Fixtures::default();
        let mut piped = Piped::serve(Offer::new().with(fixtures.clone()));
        if is_interrupted {
            piped.interrupt();
        } else {
            piped.hang_up().await;
        }
        assert!(piped.ended().await.is_empty());
        assert!(fixtures.0.is_closed.load(Ordering::SeqCst));
    }
}

#[tokio::test]
async fn an_answer_that_is_under_way_comes_after_the_input_has_ended() {
    let mut piped = piped();
    piped.initialize("2025-11-25").await;
    piped.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text"}}"#).await;
    piped.hang_up().await;
    assert_eq!(piped.line().await["result"]["content"][0]["text"], "hello");
    assert!(piped.ended().await.is_empty());
}
