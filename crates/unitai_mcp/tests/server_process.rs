//! The server as a process of its own: its end by signals and by the end of its input. The process is the example
//! `conformance_server`, which cargo builds beside these tests.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]
#![cfg(unix)]

#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stopwatch::Stopwatch;

struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// Beside the folder of the tests.
fn program() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let program = this.parent().and_then(Path::parent).unwrap().join("examples/conformance_server");
    assert!(
        program.is_file(),
        "cargo builds examples with tests, unless tests are named: `cargo build --examples`"
    );
    program
}

impl Server {
    fn start(folder: &Path, cleanup_seconds: &str) -> Server {
        let mut child = Command::new(program())
            .env("CLEANUP_FILE", folder.join("cleaned"))
            .env("CALL_LOG", folder.join("calls.jsonl"))
            .env("CLEANUP_SECONDS", cleanup_seconds)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server { child, stdin, stdout };
        let about = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
        server.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}));
        assert_eq!(server.line()["result"]["serverInfo"]["name"], "llm_pytest");
        server
    }

    fn send(&mut self, message: Json) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn line(&mut self) -> Json {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, id: u64, name: &str, args: Json) {
        let params = json!({"name": name, "arguments": args});
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    fn ended(&mut self) -> Option<i32> {
        let limit = Instant::now() + Duration::from_secs(10);
        while Instant::now() < limit {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        panic!("the server did not end");
    }
}

fn outcomes(folder: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder.join("calls.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let word = |line: &Json, key: &str| line[key].as_str().unwrap().to_owned();
    lines.map(|line| (word(&line, "tool"), word(&line, "outcome"))).collect()
}

#[test]
fn the_end_of_the_input_is_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), "0");
    server.call(1, "test_simple_text", json!({}));
    assert_eq!(server.line()["result"]["content"][0]["text"], "This is a simple text response for testing.");
    drop(server.stdin.take());
    assert_eq!(server.ended(), Some(0));
    assert!(folder.path().join("cleaned").exists());
    assert_eq!(outcomes(folder.path()), [("test_simple_text".into(), "returned".into())]);
}

#[test]
fn any_signal_is_the_end_and_what_is_under_way_is_written_down() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::start(folder.path(), "0");
        server.call(1, "sleep", json!({"seconds": 60}));
        server.call(2, "echo", json!({"x": 1}));
        assert_eq!(server.line()["id"], 2);
        server.signal(signal);
        assert_eq!(server.ended(), Some(0), "{signal}");
        assert!(folder.path().join("cleaned").exists(), "{signal}");
        let expected = [("echo".to_owned(), "returned".to_owned()), ("sleep".into(), "unfinished".into())];
        assert_eq!(outcomes(folder.path()), expected, "{signal}");
    }
}

#[test]
fn a_second_signal_does_not_cut_the_cleanup_short() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), "0.6");
    server.signal("INT");
    std::thread::sleep(Duration::from_millis(100));
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(100));
    assert!(!folder.path().join("cleaned").exists());
    server.signal("INT");
    assert_eq!(server.ended(), Some(0));
    assert!(folder.path().join("cleaned").exists());
}

#[test]
fn a_cleanup_that_does_not_end_is_left_after_five_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), "60");
    let (began, watch) = (Instant::now(), Stopwatch::start());
    server.signal("TERM");
    assert_eq!(server.ended(), Some(1));
    assert!(began.elapsed() >= Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(watch.fair() < Duration::from_secs(8), "{:?}", watch.fair());
}
