//! Servers on standard streams, as they are and as they misbehave.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::time::{Duration, Instant};

use common::{args, command, connected, failure, fake, names, refused, servers, speaking, value};
use serde_json::json;
use stopwatch::Stopwatch;
use unitai_spec::document::{Server, ServerKind};
use unitai_spec::run::{Called, Connector};

#[tokio::test]
async fn every_version_of_the_protocol_is_spoken() {
    for version in ["", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let server = connected(&speaking(version, &["old"])).await;
        assert_eq!(value(&*server, "add", json!({"a": 1, "b": 2})).await, json!({"sum": 3}), "{version}");
        assert_eq!(server.close().await, Vec::<String>::new());
    }
    for version in ["", "2026-07-28"] {
        let server = connected(&speaking(version, &["new"])).await;
        assert_eq!(value(&*server, "add", json!({"a": 1, "b": 2})).await, json!({"sum": 3}), "{version}");
        assert_eq!(server.close().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_version_that_the_server_does_not_speak_is_refused() {
    let error = refused(&speaking("2025-06-18", &["old", "stubborn"])).await;
    assert!(
        error.starts_with(
            "server `fake` did not start: it was asked for protocol 2025-06-18, and speaks 2024-11-05"
        ),
        "{error}"
    );
    let error = refused(&speaking("2026-07-28", &["old"])).await;
    assert!(error.contains("it refused: Method not found: server/discover (code -32601)"), "{error}");
    let error = refused(&speaking("2025-11-25", &["new"])).await;
    assert!(error.contains("it refused: Method not found: initialize"), "{error}");
    let error = refused(&speaking("yesterday", &["old"])).await;
    assert!(
        error.starts_with("server `fake`: protocol `yesterday` is not known; there are 2024-11-05,"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_dies_of_the_question_for_its_version_is_started_again() {
    let server = connected(&fake(&["dies-of-discover"])).await;
    assert_eq!(value(&*server, "echo", json!({"a": [1]})).await, json!({"a": [1]}));
}

#[tokio::test]
async fn a_server_that_dies_is_told_with_its_status_and_its_words() {
    let error = refused(&fake(&["dies"])).await;
    assert!(
        error.starts_with("server `fake` did not start: it ended with exit status 7 before it answered"),
        "{error}"
    );
    assert!(error.contains("command: python3 ") && error.contains("fake.py dies"), "{error}");
    assert!(error.contains("its standard error ends with:\n    Traceback: no database"), "{error}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told() {
    let error = refused(&command(&["no-such-program-1234", "x"])).await;
    assert_eq!(
        error,
        "server `fake` did not start: the program `no-such-program-1234` was not found; is it installed, and on the PATH?"
    );
    let folder = Server {
        kind: ServerKind::Command {
            command: vec!["cat".to_owned()],
            env: vec![],
            cwd: "no/such/folder".to_owned(),
        },
        ..fake(&[])
    };
    assert!(refused(&folder).await.contains("the folder to start in is not there: "));
}

#[tokio::test]
async fn the_wait_for_a_server_that_does_not_answer_ends() {
    let watch = Stopwatch::start();
    let error = refused(&Server { start_timeout: 1.0, ..fake(&["mute"]) }).await;
    assert!(watch.fair() < Duration::from_secs(3), "{:?}", watch.fair());
    assert!(error.contains("it did not answer within 1 seconds; `start_timeout` gives it more"), "{error}");
    assert!(error.contains("waiting for the database"), "{error}");
    assert!(error.contains("which is for the protocol alone:\n    hello from standard output"), "{error}");
}

#[tokio::test]
async fn what_a_server_prints_breaks_nothing() {
    let server = connected(&fake(&["banner", "printing", "no-newline-print"])).await;
    for number in 0..20 {
        assert_eq!(value(&*server, "echo", json!({"n": number})).await, json!({"n": number}));
    }
    let (_, details) = failure(&*server, "die", json!({})).await;
    assert!(details.contains("which is for the protocol alone"), "{details}");
    assert!(details.contains("debug: wrote a message"), "{details}");
}

#[tokio::test]
async fn all_pages_of_tools_are_listed() {
    let server = connected(&fake(&["paging"])).await;
    assert_eq!(names(&*server).len(), 13);
    assert_eq!(server.tools()[1].name, "add");
    assert_eq!(server.tools()[1].description, "Does add.");
    assert_eq!(server.tools()[1].input_schema, json!({"type": "object"}));
}

#[tokio::test]
async fn failures_of_a_tool_and_of_the_protocol_are_told_with_their_words() {
    let server = connected(&fake(&[])).await;
    assert_eq!(failure(&*server, "fail", json!({})).await.0, "no such order");
    let (message, details) = failure(&*server, "error", json!({})).await;
    assert_eq!((message.as_str(), details.as_str()), ("bad arguments (code -32602)", r#"{"why":"because"}"#));
    assert_eq!(failure(&*server, "nope", json!({})).await.0, "Unknown tool: nope (code -32602)");
    let (message, _) = failure(&*server, "wrong", json!({})).await;
    assert!(message.starts_with("the server's answer is not as the protocol has it"), "{message}");
    assert_eq!(value(&*server, "echo", json!({})).await, json!({}));
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_is_told_with_its_status_and_its_words() {
    for how in [&[][..], &["leaves-stdout-open"], &["new"]] {
        let server = connected(&fake(how)).await;
        let watch = Stopwatch::start();
        let (message, details) = failure(&*server, "die", json!({})).await;
        assert_eq!(message, "server `fake` ended with exit status 3");
        assert!(details.contains("about to die"), "{details}");
        let (message, _) = failure(&*server, "echo", json!({})).await;
        assert_eq!(message, "server `fake` ended with exit status 3");
        assert!(watch.fair() < Duration::from_secs(3), "{how:?}: {:?}", watch.fair());
        server.close().await;
    }
}

#[tokio::test]
async fn a_huge_answer_is_no_trouble() {
    let server = connected(&fake(&[])).await;
    let bytes = 5 << 20;
    let answer = value(&*server, "huge", json!({"bytes": bytes})).await;
    assert_eq!(answer.as_str().map(str::len), Some(bytes));
    let argument = "y".repeat(bytes);
    assert_eq!(value(&*server, "echo", json!({"it": argument})).await, json!({"it": argument}));
}

#[tokio::test]
async fn a_server_that_does_not_read_what_it_is_sent_can_be_closed() {
    let server = connected(&fake(&["stops-reading"])).await;
    let call = server.call("echo", args(json!({"it": "y".repeat(5 << 20)})));
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    let watch = Stopwatch::start();
    assert_eq!(server.close().await, Vec::<String>::new());
    assert!(watch.fair() < Duration::from_secs(3), "{:?}", watch.fair());
}

#[tokio::test]
async fn tools_that_come_later_are_listed() {
    for how in ["old", "new"] {
        let server = connected(&fake(&[how])).await;
        let lent = server.tools();
        value(&*server, "grow", json!({})).await;
        assert!(names(&*server).contains(&"grown_0"), "{how}: at once");
        assert_eq!(value(&*server, "grown_0", json!({})).await, json!("grown_0"));
        value(&*server, "later", json!({})).await;
        let until = Instant::now() + Duration::from_secs(5);
        while !names(&*server).contains(&"late") && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(names(&*server).contains(&"late"), "{how}: without a call");
        assert_eq!(lent.len(), 13);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled() {
    let server = connected(&fake(&[])).await;
    let call = server.call("slow", args(json!({"seconds": 30})));
    assert!(tokio::time::timeout(Duration::from_millis(200), call).await.is_err());
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        let answer = value(&*server, "cancelled", json!({})).await;
        if answer["cancelled"].as_array().is_some_and(|it| !it.is_empty()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the server was not told");
}

#[tokio::test]
async fn calls_run_side_by_side() {
    let server = connected(&fake(&[])).await;
    let watch = Stopwatch::start();
    let slow = || server.call("slow", args(json!({"seconds": 0.5})));
    let (a, b, c) = tokio::join!(slow(), slow(), slow());
    for called in [a, b, c] {
        assert!(matches!(called, Called::Returned { text, .. } if text == "slow"));
    }
    assert!(watch.fair() < Duration::from_millis(1300), "{:?}", watch.fair());
}

#[tokio::test]
async fn what_a_server_asks_is_answered() {
    let server = connected(&fake(&[])).await;
    let answers = value(&*server, "ask", json!({})).await;
    assert_eq!(answers["ping"], json!({}));
    let root = format!("file://{}", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(answers["roots/list"]["roots"][0]["uri"], json!(root));
    assert_eq!(answers["sampling/createMessage"]["code"], json!(-32601));
    let refusal = "sampling is not supported: a test has no model for its servers";
    assert_eq!(answers["sampling/createMessage"]["message"], json!(refusal));
    assert_eq!(answers["elicitation/create"]["action"], json!("decline"));
    assert_eq!(answers["strange/method"]["code"], json!(-32601));
}

#[tokio::test]
async fn a_server_has_its_variables_and_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = fake(&[]);
    if let ServerKind::Command { env, cwd, .. } = &mut server.kind {
        env.push(("COLOUR".to_owned(), "blue".to_owned()));
        *cwd = folder.path().display().to_string();
    }
    let server = connected(&server).await;
    let answer = value(&*server, "env", json!({"name": "COLOUR"})).await;
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(answer, json!({"value": "blue", "cwd": folder.display().to_string()}));
}

#[tokio::test]
async fn a_server_that_turned_out_to_be_old_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let mut server = fake(&["dies-of-discover"]);
    if let ServerKind::Command { env, .. } = &mut server.kind {
        env.push(("FAKE_STARTS".to_owned(), starts.display().to_string()));
    }
    let servers = servers();
    for expected in [2, 3, 4] {
        servers.connect(&server).await.map(|_| ()).unwrap();
        assert_eq!(std::fs::read_to_string(&starts).unwrap().len(), expected);
    }
}

#[tokio::test]
async fn a_server_that_does_not_end_is_killed_and_that_is_told() {
    let server = connected(&command(&[
        "sh",
        "-c",
        &format!("trap '' TERM; python3 {} ; sleep 60", common::script("fake.py")),
    ]))
    .await;
    let watch = Stopwatch::start();
    let troubles = server.close().await;
    assert!(watch.fair() < Duration::from_secs(4), "{:?}", watch.fair());
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(
        troubles[0].starts_with("server `fake`: it did not end within 1.5 seconds and was killed"),
        "{troubles:?}"
    );
}
