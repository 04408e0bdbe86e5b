//! Servers over streamable HTTP, as they are and as they misbehave.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{connected, fake, names, refused, script, value};
use serde_json::json;
use stopwatch::Stopwatch;
use unitai_spec::document::{Server, ServerKind};

/// A server that is up, and ends with the test.
struct Up {
    child: Child,
    url: String,
}

impl Drop for Up {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn up(how: &[&str]) -> Up {
    let mut child =
        Command::new("python3").arg(script("fake_http.py")).args(how).stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    Up { child, url: format!("http://127.0.0.1:{}/mcp", port.trim()) }
}

fn at(url: &str, headers: &[(&str, &str)]) -> Server {
    let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Server { kind: ServerKind::Url { url: url.to_owned(), headers }, ..fake(&[]) }
}

#[tokio::test]
async fn old_and_new_servers_are_reached() {
    for how in [&["old"][..], &["old", "picky"], &["new"]] {
        let up = up(how);
        let server = connected(&at(&up.url, &[])).await;
        assert_eq!(names(&*server), ["headers"], "{how:?}");
        let version = value(&*server, "headers", json!({})).await["mcp-protocol-version"].clone();
        let expected = if how == ["new"] { "2026-07-28" } else { "2025-11-25" };
        assert_eq!(version, json!(expected), "{how:?}");
        assert_eq!(server.close().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_version_can_be_asked_for() {
    let up = up(&[]);
    let server = connected(&Server { protocol: "2025-03-26".to_owned(), ..at(&up.url, &[]) }).await;
    assert_eq!(names(&*server), ["headers"]);
    let error = refused(&Server { protocol: "2026-07-28".to_owned(), ..at(&up.url, &[]) }).await;
    assert!(error.contains("it refused: Method not found: server/discover"), "{error}");
}

#[tokio::test]
async fn headers_are_sent_with_every_request() {
    let up = up(&["private"]);
    let server = connected(&at(&up.url, &[("Authorization", "Bearer secret"), ("X-Team", "blue")])).await;
    let headers = value(&*server, "headers", json!({})).await;
    assert_eq!((&headers["authorization"], &headers["x-team"]), (&json!("Bearer secret"), &json!("blue")));
    let error = refused(&at(&up.url, &[])).await;
    let expected = "server `fake` did not start: it asks who we are (HTTP 401); `headers` can say that";
    assert!(error.starts_with(expected), "{error}");
    let error = refused(&at(&up.url, &[("Not a name", "x")])).await;
    assert!(error.contains("`Not a name` cannot be the name of a header"), "{error}");
    let error = refused(&at(&up.url, &[("X-Token", "secret\n")])).await;
    assert!(error.contains("header `X-Token` has a value that HTTP cannot send"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address_and_the_reason() {
    let error = refused(&at("http://127.0.0.1:9/mcp", &[])).await;
    assert!(error.starts_with("server `fake` did not start: "), "{error}");
    assert!(error.to_lowercase().contains("connection refused"), "{error}");
    assert!(error.ends_with("url: http://127.0.0.1:9/mcp"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_broken_is_told_with_its_words() {
    let up = up(&["broken"]);
    let error = refused(&at(&up.url, &[])).await;
    assert!(error.contains("500"), "{error}");
}

#[tokio::test]
async fn the_wait_for_a_server_that_does_not_answer_ends() {
    let up = up(&["mute"]);
    let watch = Stopwatch::start();
    let error = refused(&Server { start_timeout: 0.5, ..at(&up.url, &[]) }).await;
    assert!(error.contains("it did not answer within 0.5 seconds"), "{error}");
    assert!(watch.fair() < Duration::from_secs(3), "{:?}", watch.fair());
}

#[tokio::test]
async fn a_server_that_went_away_fails_the_call() {
    let up = up(&[]);
    let server = connected(&at(&up.url, &[])).await;
    drop(up);
    let (message, _) = common::failure(&*server, "headers", json!({})).await;
    assert!(message.to_lowercase().contains("connection refused"), "{message}");
}
