//! The server over HTTP, with headers written by hand: who is let in, what the protocol says, and how it ends.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "support/server.rs"]
#[allow(dead_code, reason = "the pipe is for the other tests")]
mod server;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value as Json, json};
use server::Fixtures;
use stopwatch::Stopwatch;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use unitai_mcp::server::{Admission, HttpOptions, HttpServer, Offer};

/// A server that listens, and its end.
struct Serving {
    address: SocketAddr,
    url: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Vec<String>>,
}

async fn serve(fixtures: Fixtures, admission: Admission) -> Serving {
    let options = HttpOptions { most_bytes: 10_000, ..HttpOptions::new(admission) };
    let server = HttpServer::listen(Offer::new().with(fixtures).ready(), options).await.unwrap();
    let url = server.url().unwrap();
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp").parse().unwrap();
    let (stop, stopped) = oneshot::channel();
    let server = tokio::spawn(server.run(async move { drop(stopped.await) }));
    Serving { address, url, stop, server }
}

impl Serving {
    async fn end(self) -> Vec<String> {
        let _ = self.stop.send(());
        tokio::time::timeout(Duration::from_secs(10), self.server).await.expect("it ends").unwrap()
    }

    /// Sends a request as it stands, and gives the answer as it came.
    async fn raw(&self, request: String) -> String {
        let address = self.address;
        let sent = tokio::task::spawn_blocking(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        });
        sent.await.unwrap()
    }

    /// Posts JSON with these headers besides those that every request needs.
    async fn post(&self, headers: &[(&str, &str)], body: &Json) -> (u16, String) {
        let host = self.address.to_string();
        let has_host = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let body = body.to_string();
        let mut request = "POST /mcp HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\n\
                           accept: application/json, text/event-stream\r\n"
            .to_owned();
        if !has_host {
            request.push_str(&format!("host: {host}\r\n"));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        let answer = self.raw(request).await;
        (status(&answer), answer)
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// The last message of an answer, whichever form it has.
fn message(answer: &str) -> Json {
    let lines = answer.lines().filter_map(|line| line.strip_prefix("data:").or(Some(line)));
    let mut messages = lines.filter_map(|line| serde_json::from_str::<Json>(line.trim()).ok());
    messages.rfind(Json::is_object).unwrap_or_default()
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let lines = answer.lines().take_while(|line| !line.is_empty());
    let mut found = lines.filter_map(|line| line.split_once(": "));
    found.find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn initialize() -> Json {
    let about = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "by-hand", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_opened_used_and_closed() {
    let fixtures = Fixtures::default();
    let serving = serve(fixtures.clone(), Admission::everyone()).await;
    let (status, answer) = serving.post(&[], &initialize()).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(message(&answer)["result"]["serverInfo"]["name"], "llm_pytest");
    let session = header(&answer, "mcp-session-id").expect("a session").to_owned();
    let known = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(serving.post(&known, &note).await.0, 202);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"x": 1}}});
    let (status, answer) = serving.post(&known, &call).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(message(&answer)["result"]["structuredContent"]["given"]["x"], 1);
    // Gemini CLI takes an event without data for broken JSON.
    assert!(!answer.lines().any(|line| line.trim() == "data:"), "{answer}");
    let unknown = json!({"jsonrpc": "2.0", "id": 3, "method": "nobody/knows"});
    assert_eq!(message(&serving.post(&known, &unknown).await.1)["error"]["code"], -32601);
    assert_eq!(serving.post(&[("mcp-session-id", "another")], &call).await.0, 404);
    let host = serving.address;
    let delete = format!(
        "DELETE /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\nmcp-session-id: {session}\r\n\r\n"
    );
    assert!((200..300).contains(&crate::status(&serving.raw(delete).await)));
    assert_eq!(serving.post(&known, &call).await.0, 404);
    assert!(serving.end().await.is_empty());
    assert!(fixtures.0.is_closed.load(Ordering::SeqCst));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_version_needs_no_session() {
    let serving = serve(Fixtures::default(), Admission::everyone()).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "by-hand", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}});
    let with = |method: &'static str| [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    let (status, answer) = serving.post(&with("server/discover"), &ask("server/discover")).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(header(&answer, "mcp-session-id"), None);
    let (_, answer) = serving.post(&with("tools/list"), &ask("tools/list")).await;
    assert_eq!(message(&answer)["result"]["tools"].as_array().map(Vec::len), Some(4), "{answer}");
    let (status, answer) = serving.post(&with("nobody/knows"), &ask("nobody/knows")).await;
    assert_eq!((status, message(&answer)["error"]["code"].as_i64()), (404, Some(-32601)), "{answer}");
    serving.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_not_ours_is_refused_before_anything_is_done() {
    let fixtures = Fixtures::default();
    let serving = serve(fixtures.clone(), Admission::everyone().with_host("tests.example")).await;
    let port = serving.address.port();
    let local = format!("127.0.0.1:{port}");
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "0.0.0.0", ""] {
        assert_eq!(serving.post(&[("host", host)], &initialize()).await.0, 403, "{host}");
        // With a port, as the rebound name of a page would have.
        let host = format!("{host}:{port}");
        assert_eq!(serving.post(&[("host", &host)], &initialize()).await.0, 403, "{host}");
    }
    for origin in ["http://evil.example", "null", "https://localhost.evil.example", "file://"] {
        let (status, answer) = serving.post(&[("origin", origin)], &initialize()).await;
        assert_eq!(status, 403, "{origin}");
        assert_eq!(header(&answer, "access-control-allow-origin"), None);
    }
    for headers in [
        vec![("host", local.as_str()), ("host", "evil.example")],
        vec![("host", "evil.example"), ("host", local.as_str())],
        vec![("origin", "http://localhost"), ("origin", "http://evil.example")],
    ] {
        assert!([400, 403].contains(&serving.post(&headers, &initialize()).await.0), "{headers:?}");
    }
    let missing = serving.raw("GET /mcp HTTP/1.1\r\nconnection: close\r\n\r\n".into()).await;
    assert!([400, 403].contains(&status(&missing)), "{missing}");
    // A whole URL as target, whose host is not the header's.
    let whole = format!("GET http://evil.example/mcp HTTP/1.1\r\nhost: {local}\r\nconnection: close\r\n\r\n");
    assert_ne!(status(&serving.raw(whole).await), 200);
    for host in [format!("localhost:{port}"), "tests.example".into(), format!("tests.example:{port}")] {
        assert_eq!(serving.post(&[("host", &host)], &initialize()).await.0, 200, "{host}");
    }
    serving.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_may_ask_gets_leave() {
    let serving = serve(Fixtures::default(), Admission::with_token("secret")).await;
    let host = serving.address;
    let origin = "http://localhost:6274";
    let ask =
        format!("OPTIONS /mcp HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\nconnection: close\r\n\r\n");
    let answer = serving.raw(ask).await;
    assert_eq!(status(&answer), 204);
    assert_eq!(header(&answer, "access-control-allow-origin"), Some(origin));
    assert!(header(&answer, "access-control-allow-headers").unwrap().contains("mcp-session-id"));
    let ask = format!(
        "OPTIONS /mcp HTTP/1.1\r\nhost: {host}\r\norigin: http://evil.example\r\nconnection: close\r\n\r\n"
    );
    assert_eq!(status(&serving.raw(ask).await), 403);
    serving.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_asked_for_where_there_is_one() {
    let serving = serve(Fixtures::default(), Admission::with_token("secret")).await;
    let (status, answer) = serving.post(&[], &initialize()).await;
    assert_eq!((status, header(&answer, "www-authenticate")), (401, Some("Bearer")));
    assert!(!answer.contains("secret"));
    assert_eq!(serving.post(&[("authorization", "Bearer wrong")], &initialize()).await.0, 401);
    assert_eq!(serving.post(&[("authorization", "Bearer secret")], &initialize()).await.0, 200);
    serving.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_or_elsewhere_is_refused() {
    let serving = serve(Fixtures::default(), Admission::everyone()).await;
    let mut large = initialize();
    large["params"]["clientInfo"]["name"] = json!("x".repeat(20_000));
    assert_eq!(serving.post(&[], &large).await.0, 413);
    let host = serving.address;
    let elsewhere = serving.raw(format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")).await;
    assert_eq!(status(&elsewhere), 404);
    let text = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    assert!([406, 415].contains(&status(&serving.raw(text).await)));
    serving.end().await;
}

#[tokio::test]
async fn others_are_not_served_without_a_token() {
    let address = SocketAddr::from(([0, 0, 0, 0], 0));
    let options = HttpOptions { address, ..HttpOptions::new(Admission::everyone()) };
    let refused = HttpServer::listen(Offer::new().ready(), options.clone()).await.err().expect("refused");
    assert!(refused.to_string().contains("ask for a token"), "{refused}");
    let options = HttpOptions { admission: Admission::with_token("secret"), ..options };
    assert!(HttpServer::listen(Offer::new().ready(), options).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_field_is_served_and_its_call_is_ended_with_the_server() {
    let fixtures = Fixtures::default();
    let serving = serve(fixtures.clone(), Admission::everyone()).await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = ().serve(StreamableHttpClientTransport::from_uri(serving.url.clone())).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 4);
    let answer = client.call_tool(CallToolRequestParams::new("text")).await.unwrap();
    assert_eq!(serde_json::to_value(&answer).unwrap()["content"][0]["text"], "hello");
    let peer = client.peer().clone();
    let hanging = tokio::spawn(async move { peer.call_tool(CallToolRequestParams::new("hang")).await });
    while !fixtures.0.calls.lock().unwrap().contains(&"hang".to_owned()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let watch = Stopwatch::start();
    assert!(serving.end().await.is_empty());
    assert!(watch.fair() < Duration::from_secs(6), "{:?}", watch.fair());
    assert!(fixtures.0.is_closed.load(Ordering::SeqCst) && fixtures.0.is_dropped.load(Ordering::SeqCst));
    hanging.abort();
}
