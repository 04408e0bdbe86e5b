//! No process is left, whatever a server starts and however its test ends.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::time::{Duration, Instant};

use common::{alive, command, connected, refused, script, value};
use serde_json::json;
use stopwatch::Stopwatch;
use unitai_spec::document::{Server, ServerKind};

/// A server that starts processes of every kind, all with a mark of this test.
fn messy(mark: &str, how: &[&str]) -> Server {
    let (messy, fake) = (script("messy.sh"), script("fake.py"));
    let mut server = command(&[&["sh", &messy, &fake], how].concat());
    if let ServerKind::Command { env, .. } = &mut server.kind {
        env.push(("MARK_OF_THE_TEST".to_owned(), mark.to_owned()));
    }
    server
}

fn marked(mark: &str) -> Vec<String> {
    alive(&format!("MARK_OF_THE_TEST={mark}"))
}

/// What is left after a moment: a killed process takes one to be gone.
async fn left(mark: &str) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(2);
    while !marked(mark).is_empty() && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    marked(mark)
}

/// The server, when all of its processes are there.
async fn started(mark: &str) -> Box<dyn unitai_spec::run::ToolServer> {
    let server = connected(&messy(mark, &[])).await;
    assert_eq!(value(&*server, "echo", json!({})).await, json!({}));
    let until = Instant::now() + Duration::from_secs(5);
    let sleepers = || marked(mark).iter().filter(|it| it.starts_with("sleep 30")).count();
    while sleepers() < 4 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(sleepers(), 4, "{:?}", marked(mark));
    server
}

#[tokio::test]
async fn nothing_is_left_when_a_server_is_closed() {
    let server = started("closed").await;
    let watch = Stopwatch::start();
    assert_eq!(server.close().await, Vec::<String>::new());
    assert!(watch.fair() < Duration::from_secs(3), "{:?}", watch.fair());
    assert_eq!(left("closed").await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_left_when_a_server_is_dropped() {
    let server = started("dropped").await;
    drop(server);
    assert_eq!(left("dropped").await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_left_when_a_test_panics() {
    let test = tokio::spawn(async {
        let _server = started("panicked").await;
        panic!("a test that breaks");
    });
    assert!(test.await.unwrap_err().is_panic());
    assert_eq!(left("panicked").await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_left_of_a_server_that_did_not_start() {
    let error = refused(&Server { start_timeout: 1.0, ..messy("late", &["mute"]) }).await;
    assert!(error.contains("it did not answer within 1 seconds"), "{error}");
    assert_eq!(left("late").await, Vec::<String>::new());
    refused(&messy("died", &["dies"])).await;
    assert_eq!(left("died").await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_left_of_a_server_that_died() {
    let server = started("dead").await;
    common::failure(&*server, "die", json!({})).await;
    server.close().await;
    assert_eq!(left("dead").await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_left_when_the_wait_for_a_server_is_given_up() {
    let servers = common::servers();
    let server = messy("given-up", &["mute"]);
    let connecting = unitai_spec::run::Connector::connect(&servers, &server);
    assert!(tokio::time::timeout(Duration::from_millis(700), connecting).await.is_err());
    assert_eq!(left("given-up").await, Vec::<String>::new());
}

#[test]
fn nothing_is_left_when_the_runtime_is_dropped() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(started("runtime"));
    drop(runtime);
    drop(server);
    let another = tokio::runtime::Runtime::new().unwrap();
    assert_eq!(another.block_on(left("runtime")), Vec::<String>::new());
}
