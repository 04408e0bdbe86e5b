//! What goes through a gateway: streams as they come, recordings, money, and the trajectory.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use stopwatch::Stopwatch;
use support::{Provider, before, connect, post, respond, send, settings, status, token_path, with_cassette};
use unitai_gateway::{Gateway, Pace, Settings, Trouble, start};
use unitai_model::{Action, Ending, ExchangeEnd, Money, Outcome, Packed, Source, Trajectory, Usage};
use unitai_wire::cassette::Mode;
use unitai_wire::common::{Answer, Said, Stamp};
use unitai_wire::dialects::{self, Dialect};
use unitai_wire::meter::Budget;

const CHAT: &str = "/openai/v1/chat/completions";

fn chat(content: &str, stream: bool) -> String {
    json!({"model": "gpt-5", "stream": stream, "messages": [{"role": "user", "content": content}]})
        .to_string()
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// A body without the frame that it was sent in.
fn unchunked(answer: &str) -> String {
    let mut rest = body(answer);
    let mut text = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&after[..size]);
        rest = &after[size + 2..];
        if size == 0 {
            return text;
        }
    }
    panic!("the body was cut: {answer:?}");
}

fn ended(gateway: Gateway) -> (Trajectory, Vec<Trouble>) {
    let ended = gateway.stop();
    let troubles = ended.troubles.clone();
    (ended.trajectory(Ending::returned(Packed::null())), troubles)
}

/// Answers as a provider would: a tool call first, then words, streamed if asked.
fn speaking(path: &'static str) -> Provider {
    Provider::new(move |request, stream| {
        let given: Map<String, Value> = serde_json::from_str(body(request)).unwrap();
        let target = unitai_wire::Target { host: "x", port: None, path, is_beta: false };
        let dialect: &dyn Dialect = dialects::claiming(&target).unwrap();
        let asked = dialect.read_request(path, &given).unwrap();
        let parts = if asked.tool_results().is_empty() {
            vec![
                Said::ToolCall { name: "look_up".into(), args: r#"{"id":1}"#.into() },
                Said::ToolCall { name: "look_up".into(), args: r#"{"id":2}"#.into() },
            ]
        } else {
            vec![Said::Text("All is well.".into())]
        };
        let answer = Answer { parts, usage: Usage::of(100, 10), finish: None };
        let turn = asked.messages.len() as u64;
        if asked.streamed {
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            );
            for event in dialect.write_stream(&asked, &answer, Stamp { turn }) {
                let _ = write!(stream, "{:x}\r\n", event.len());
                let _ = stream.write_all(&event);
                let _ = stream.write_all(b"\r\n");
            }
            let _ = stream.write_all(b"0\r\n\r\n");
        } else {
            let body = dialect.write_answer(&asked, &answer, Stamp { turn });
            respond(stream, "200 OK", "content-type: application/json\r\nset-cookie: a=b\r\n", &body);
        }
    })
}

/// A conversation with two parallel tool calls, each dialect in its own words; the second request sends the
/// first one again, whole.
fn conversation(dialect: &str, stream: bool) -> (&'static str, Vec<Value>) {
    let (one, two) = ("call_000001000", "call_000001001");
    let hi = json!({"role": "user", "content": "hi"});
    match dialect {
        "openai" => {
            let call = |id: &str, n: u8| json!({"id": id, "type": "function", "function": {"name": "look_up", "arguments": format!("{{\"id\":{n}}}")}});
            let result = |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
            let calls =
                json!({"role": "assistant", "content": null, "tool_calls": [call(one, 1), call(two, 2)]});
            // Results come in another order than the calls.
            let second = json!([hi, calls, result(two, "two"), result(one, "one")]);
            let bodies = [json!([hi]), second]
                .map(|messages| json!({"model": "gpt-5", "stream": stream, "messages": messages}));
            (CHAT, bodies.to_vec())
        }
        "responses" => {
            let call = |id: &str, n: u8| json!({"type": "function_call", "call_id": id, "name": "look_up", "arguments": format!("{{\"id\":{n}}}")});
            let result =
                |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
            let second = json!([hi, call(one, 1), call(two, 2), result(two, "two"), result(one, "one")]);
            let bodies = [json!([hi]), second]
                .map(|input| json!({"model": "gpt-5", "stream": stream, "input": input}));
            ("/openai/v1/responses", bodies.to_vec())
        }
        "anthropic" => {
            let (one, two) = ("toolu_000001000", "toolu_000001001");
            let call = |id: &str, n: u8| json!({"type": "tool_use", "id": id, "name": "look_up", "input": {"id": n}});
            let result =
                |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
            let second = json!([hi, {"role": "assistant", "content": [call(one, 1), call(two, 2)]},
                {"role": "user", "content": [result(two, "two"), result(one, "one")]}]);
            let bodies = [json!([hi]), second]
                .map(|messages| json!({"model": "claude-sonnet-4-5", "max_tokens": 50, "stream": stream, "messages": messages}));
            ("/anthropic/v1/messages", bodies.to_vec())
        }
        _ => {
            let call = |n: u8| json!({"functionCall": {"name": "look_up", "args": {"id": n}}});
            let result =
                |text: &str| json!({"functionResponse": {"name": "look_up", "response": {"result": text}}});
            let hi = json!({"role": "user", "parts": [{"text": "hi"}]});
            // Without ids the order is all there is.
            let second = json!([hi, {"role": "model", "parts": [call(1), call(2)]}, {"role": "user", "parts": [result("one"), result("two")]}]);
            let bodies = [json!([hi]), second].map(|contents| json!({"contents": contents})).to_vec();
            let path = if stream {
                "/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
            } else {
                "/gemini/v1beta/models/gemini-2.5-flash:generateContent"
            };
            (path, bodies)
        }
    }
}

#[test]
fn what_was_recorded_is_replayed_with_the_provider_gone_in_every_dialect() {
    for dialect in ["openai", "responses", "anthropic", "gemini"] {
        for stream in [false, true] {
            let case = format!("{dialect}, streamed: {stream}");
            let (path, bodies) = conversation(dialect, stream);
            let at_provider = path.split_once('/').unwrap().1.split_once('/').unwrap().1;
            let at_provider: &'static str = format!("/{}", at_provider.split('?').next().unwrap()).leak();
            let provider = speaking(at_provider);
            let folder = tempfile::tempdir().unwrap();
            let run = |mode: Mode, settings: Settings| {
                let gateway =
                    start(with_cassette(settings, folder.path(), mode), "run", Packed::null()).unwrap();
                let answers: Vec<String> =
                    bodies.iter().map(|body| post(&gateway, path, &body.to_string())).collect();
                assert!(answers.iter().all(|answer| status(answer) == 200), "{case}: {answers:?}");
                let texts: Vec<String> =
                    answers
                        .iter()
                        .map(|answer| {
                            if answer.contains("chunked") {
                                unchunked(answer)
                            } else {
                                body(answer).to_owned()
                            }
                        })
                        .collect();
                let (trajectory, troubles) = ended(gateway);
                assert!(troubles.is_empty(), "{case}: {troubles:?}");
                (texts, trajectory)
            };
            let settings_before = settings(&provider);
            let (recorded, live) = run(Mode::Record, settings_before);
            let asked = provider.seen().len();
            assert_eq!(asked, 2, "{case}");
            let settings_after = settings(&provider);
            drop(provider);
            let (replayed, again) = run(Mode::Replay, settings_after);
            assert_eq!(replayed, recorded, "{case}");
            if dialect == "openai" && stream {
                assert!(
                    !recorded[0].contains("\"usage\":{"),
                    "the client did not ask for usage: {recorded:?}"
                );
            }
            for (trajectory, source) in [(&live, Source::Live), (&again, Source::Replay)] {
                let steps: Vec<&str> =
                    trajectory.steps().iter().map(|step| step.action.step_type()).collect();
                assert_eq!(steps, ["llm_call", "tool_call", "tool_call", "llm_call"], "{case}");
                let results: Vec<(String, String)> = trajectory
                    .tool_calls()
                    .map(|placed| {
                        let Outcome::Returned(value) = &placed.call.outcome else {
                            panic!("{case}: {placed:?}")
                        };
                        (placed.call.args.text().to_owned(), value.as_str().unwrap())
                    })
                    .collect();
                let expected = [(r#"{"id":1}"#, "one"), (r#"{"id":2}"#, "two")];
                assert_eq!(
                    results,
                    expected.map(|(args, value)| (args.to_owned(), value.to_owned())),
                    "{case}"
                );
                for step in trajectory.steps() {
                    let Action::ModelCall(call) = &step.action else { continue };
                    assert_eq!(call.usage, Some(Usage::of(100, 10)), "{case}");
                    assert_eq!(call.exchange.as_ref().unwrap().source, source, "{case}");
                    assert!(
                        matches!(call.exchange.as_ref().unwrap().end, ExchangeEnd::Answered { .. }),
                        "{case}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_first_byte_goes_out_before_the_last_came_in() {
    let (tell, told) = mpsc::channel::<()>();
    let told = std::sync::Mutex::new(told);
    let provider = Provider::new(move |_, stream| {
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        for piece in ["data: {\"a\":1}\n\n", "data: [DONE]\n\n"] {
            let _ = write!(stream, "{:x}\r\n{piece}\r\n", piece.len());
            // The rest comes only when the client has seen this.
            let _ = told.lock().unwrap().recv_timeout(Duration::from_secs(10));
        }
        let _ = stream.write_all(b"0\r\n\r\n");
    });
    let folder = tempfile::tempdir().unwrap();
    for settings in [settings(&provider), with_cassette(settings(&provider), folder.path(), Mode::Record)] {
        let gateway = start(settings, "run", Packed::null()).unwrap();
        let mut stream = connect(&gateway);
        let (port, token, body) = (gateway.port(), token_path(&gateway), chat("hi", true));
        write!(
            stream,
            "POST {token}{CHAT} HTTP/1.1\r\nhost: localhost:{port}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut seen = String::new();
        let mut piece = [0; 4096];
        while !seen.contains("{\"a\":1}") {
            let n = stream.read(&mut piece).unwrap();
            assert!(n > 0);
            seen.push_str(&String::from_utf8_lossy(&piece[..n]));
        }
        assert!(!seen.contains("[DONE]"));
        tell.send(()).unwrap();
        let mut is_told = false;
        while !seen.ends_with("0\r\n\r\n") {
            let n = stream.read(&mut piece).unwrap();
            assert!(n > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&piece[..n]));
            if seen.contains("[DONE]") && !is_told {
                is_told = true;
                tell.send(()).unwrap();
            }
        }
    }
}

#[test]
fn a_client_that_leaves_closes_the_way_to_the_provider() {
    let is_closed = Arc::new(AtomicBool::new(false));
    let closed = is_closed.clone();
    let provider = Provider::new(move |_, stream| {
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        for _ in 0..2000 {
            if write!(stream, "9\r\ndata: 1\n\n\r\n").is_err() {
                closed.store(true, Ordering::SeqCst);
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let gateway = before(&provider);
    let mut stream = connect(&gateway);
    let (port, token, body) = (gateway.port(), token_path(&gateway), chat("hi", true));
    write!(stream, "POST {token}{CHAT} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    assert!(stream.read(&mut [0; 512]).unwrap() > 0);
    drop(stream);
    let deadline = Instant::now() + Duration::from_secs(5);
    while !is_closed.load(Ordering::SeqCst) {
        assert!(Instant::now() < deadline, "the provider still sends");
        std::thread::sleep(Duration::from_millis(10));
    }
    let (trajectory, _) = ended(gateway);
    let Action::ModelCall(call) = &trajectory.steps()[0].action else { panic!() };
    assert_eq!(call.exchange.as_ref().unwrap().end, ExchangeEnd::Cut);
}

#[test]
fn a_miss_is_told_in_the_providers_words_and_not_tried_again() {
    let provider = speaking("/v1/chat/completions");
    let folder = tempfile::tempdir().unwrap();
    let recording =
        start(with_cassette(settings(&provider), folder.path(), Mode::Record), "run", Packed::null())
            .unwrap();
    assert_eq!(status(&post(&recording, CHAT, &chat("hello", false))), 200);
    recording.stop();
    let asked = provider.seen().len();
    let gateway =
        start(with_cassette(settings(&provider), folder.path(), Mode::Replay), "run", Packed::null())
            .unwrap();
    let answer = post(&gateway, CHAT, &chat("goodbye", false));
    assert_eq!(status(&answer), 400, "{answer}");
    assert!(answer.contains("x-should-retry: false\r\n"), "{answer}");
    let said: Value = serde_json::from_str(body(&answer)).unwrap();
    let message = said["error"]["message"].as_str().unwrap();
    assert!(message.contains("hello") && message.contains("goodbye"), "{message}");
    let anthropic = json!({"model": "claude-sonnet-4-5", "max_tokens": 5, "messages": []}).to_string();
    let answer = post(&gateway, "/anthropic/v1/messages", &anthropic);
    let said: Value = serde_json::from_str(body(&answer)).unwrap();
    assert_eq!((status(&answer), &said["type"]), (400, &json!("error")), "{answer}");
    // A second time there is no second answer.
    assert_eq!(status(&post(&gateway, CHAT, &chat("hello", false))), 200);
    assert_eq!(status(&post(&gateway, CHAT, &chat("hello", false))), 400);
    let (trajectory, troubles) = ended(gateway);
    assert_eq!((troubles.len(), trajectory.steps().len()), (3, 6), "{troubles:?}");
    assert_eq!(provider.seen().len(), asked, "replay asked the provider");
}

#[test]
fn auto_asks_once_and_other_apis_are_recorded_too() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let provider = Provider::new(move |request, stream| {
        count.fetch_add(1, Ordering::SeqCst);
        assert!(request.contains("accept-encoding: identity"), "{request}");
        respond(stream, "200 OK", "content-type: application/json\r\n", r#"{"data":[]}"#);
    });
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let gateway =
            start(with_cassette(settings(&provider), folder.path(), Mode::Auto), "run", Packed::null())
                .unwrap();
        let (port, token) = (gateway.port(), token_path(&gateway));
        let request = format!(
            "GET {token}/openai/v1/models HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n"
        );
        let answer = send(&gateway, request.as_bytes());
        assert!(answer.contains(r#"{"data":[]}"#), "{answer}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn what_is_not_whole_or_no_success_is_not_recorded() {
    let turn = Arc::new(AtomicUsize::new(0));
    let provider = Provider::new(move |_, stream| match turn.fetch_add(1, Ordering::SeqCst) {
        0 => respond(
            stream,
            "429 Too Many",
            "content-type: application/json\r\n",
            r#"{"error":{"message":"slow down"}}"#,
        ),
        1 => {
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{{"
            );
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        _ => respond(stream, "200 OK", "content-type: application/json\r\n", r#"{"error":{"message":"no"}}"#),
    });
    let folder = tempfile::tempdir().unwrap();
    let gateway =
        start(with_cassette(settings(&provider), folder.path(), Mode::Auto), "run", Packed::null()).unwrap();
    assert_eq!(status(&post(&gateway, CHAT, &chat("hi", false))), 429);
    let cut = post(&gateway, CHAT, &chat("hi", false));
    assert!(!cut.ends_with("0\r\n\r\n"), "a cut answer looked whole: {cut}");
    assert_eq!(status(&post(&gateway, CHAT, &chat("hi", false))), 200);
    gateway.stop();
    let kept = std::fs::read_dir(folder.path()).map_or(0, |files| {
        files.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().len() == 69).count()
    });
    assert_eq!(kept, 0);
}

#[test]
fn a_budget_refuses_before_money_is_spent() {
    let provider = Provider::saying("{}");
    let budgets = Budget::new(Money::from_dollars(0.000_001).unwrap()).into();
    let mut settings = Settings { budgets, ..settings(&provider) };
    // What is on this machine is free, so the price must be asked for by a name that is not.
    settings.upstreams.set("far", "http://192.0.2.1:9").unwrap();
    let gateway = start(settings, "run", Packed::null()).unwrap();
    for model in ["gpt-5", "nobody-knows-me"] {
        let body = json!({"model": model, "messages": [], "max_tokens": 100}).to_string();
        let answer = post(&gateway, "/far/v1/chat/completions", &body);
        assert_eq!(status(&answer), 400, "{answer}");
        assert!(answer.contains("budget"), "{answer}");
    }
    let (_, troubles) = ended(gateway);
    assert_eq!(troubles.len(), 2);
}

#[test]
fn keys_go_on_and_hop_headers_stay() {
    let provider = Provider::saying("{}");
    let gateway = before(&provider);
    let (port, token) = (gateway.port(), token_path(&gateway));
    let request = format!(
        "POST {token}/anthropic/v1/messages?beta=true HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx-api-key: sk-1\r\n\
         authorization: Bearer two\r\nanthropic-version: 2023-06-01\r\nconnection: close, x-hop\r\nx-hop: 1\r\nte: trailers\r\n\
         keep-alive: 5\r\nproxy-authorization: Basic x\r\nupgrade: h2c\r\naccept-encoding: gzip, br\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
    );
    assert_eq!(status(&send(&gateway, request.as_bytes())), 200);
    let seen = &provider.seen()[0];
    let lower = seen.to_lowercase();
    assert!(seen.starts_with("POST /v1/messages?beta=true HTTP/1.1\r\n"), "{seen}");
    for kept in [
        "x-api-key: sk-1",
        "authorization: bearer two",
        "anthropic-version: 2023-06-01",
        "accept-encoding: gzip, br",
        "content-length: 2",
    ] {
        assert!(lower.contains(&format!("{kept}\r\n")), "{kept}: {seen}");
    }
    for dropped in [
        "x-hop",
        "\r\nte:",
        "keep-alive",
        "proxy-authorization",
        "upgrade",
        "transfer-encoding",
        "connection: close",
    ] {
        assert!(!lower.contains(dropped), "{dropped}: {seen}");
    }
}

#[test]
fn requests_follow_one_another_on_a_connection_however_they_are_cut() {
    let provider = speaking("/v1/chat/completions");
    let folder = tempfile::tempdir().unwrap();
    let recording =
        start(with_cassette(settings(&provider), folder.path(), Mode::Record), "run", Packed::null())
            .unwrap();
    for n in 0..3 {
        post(&recording, CHAT, &chat(&format!("number {n}"), false));
    }
    recording.stop();
    let gateway =
        start(with_cassette(settings(&provider), folder.path(), Mode::Replay), "run", Packed::null())
            .unwrap();
    let (port, token) = (gateway.port(), token_path(&gateway));
    let (mut bytes, mut asks_at) = (Vec::new(), 0);
    for n in 0..3 {
        let (body, close) =
            (chat(&format!("number {n}"), false), if n == 2 { "connection: close\r\n" } else { "" });
        let length = body.len();
        let expect = if n == 1 { "expect: 100-continue\r\n" } else { "" };
        write!(bytes, "POST {token}{CHAT} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{expect}{close}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        if n == 1 {
            asks_at = bytes.len() - length;
        }
    }
    let mut stream = connect(&gateway);
    stream.set_nodelay(true).unwrap();
    let cut = |mut stream: &TcpStream, bytes: &[u8]| {
        for piece in bytes.chunks(97) {
            stream.write_all(piece).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    // A client that asks for leave waits for it. One that does not is told nothing if its body comes at once.
    cut(&stream, &bytes[..asks_at]);
    let mut answers = Vec::new();
    while !answers.ends_with(b"HTTP/1.1 100 Continue\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answers.push(byte[0]);
    }
    cut(&stream, &bytes[asks_at..]);
    stream.read_to_end(&mut answers).unwrap();
    let answers = String::from_utf8(answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 3, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 100 Continue").count(), 1, "{answers}");
}

#[test]
fn a_recorded_stream_can_be_played_as_fast_as_it_came() {
    let provider = Provider::new(|_, stream: &mut TcpStream| {
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        for piece in [
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
            "data: [DONE]\n\n",
        ] {
            std::thread::sleep(Duration::from_millis(120));
            let _ = write!(stream, "{:x}\r\n{piece}\r\n", piece.len());
        }
        let _ = stream.write_all(b"0\r\n\r\n");
    });
    let folder = tempfile::tempdir().unwrap();
    let recording =
        start(with_cassette(settings(&provider), folder.path(), Mode::Record), "run", Packed::null())
            .unwrap();
    post(&recording, CHAT, &chat("hi", true));
    recording.stop();
    for (pace, least, most) in [(Pace::Recorded, 200, 2000), (Pace::None, 0, 150)] {
        let settings = Settings { pace, ..with_cassette(settings(&provider), folder.path(), Mode::Replay) };
        let gateway = start(settings, "run", Packed::null()).unwrap();
        let (began, watch) = (Instant::now(), Stopwatch::start());
        assert!(post(&gateway, CHAT, &chat("hi", true)).contains("[DONE]"));
        let (took, fair) = (began.elapsed().as_millis(), watch.fair().as_millis());
        assert!(least <= took && fair < most, "{pace:?} took {took} ms, {fair} without lag");
    }
}

#[test]
fn stopping_lets_what_is_under_way_end_within_its_grace() {
    let provider = Provider::new(|_, stream: &mut TcpStream| {
        std::thread::sleep(Duration::from_millis(300));
        respond(stream, "200 OK", "content-type: application/json\r\n", "{}");
    });
    for (grace, is_answered) in [(5_000, true), (20, false)] {
        let settings = Settings { grace: Duration::from_millis(grace), ..settings(&provider) };
        let gateway = start(settings, "run", Packed::null()).unwrap();
        let idle = connect(&gateway);
        let mut stream = connect(&gateway);
        let (port, token, body) = (gateway.port(), token_path(&gateway), chat("hi", false));
        write!(stream, "POST {token}{CHAT} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let watch = Stopwatch::start();
        let (trajectory, _) = ended(gateway);
        assert!(watch.fair() < Duration::from_millis(2_000), "{:?}", watch.fair());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert_eq!(status(&answer) == 200, is_answered, "{answer}");
        let Action::ModelCall(call) = &trajectory.steps()[0].action else { panic!() };
        let is_unfinished = call.exchange.as_ref().unwrap().end == ExchangeEnd::Unfinished;
        assert!(!is_unfinished, "a call was never settled");
        drop(idle);
    }
}

#[test]
fn many_connections_lose_nothing() {
    let provider = speaking("/v1/chat/completions");
    let folder = tempfile::tempdir().unwrap();
    let gateway =
        start(with_cassette(settings(&provider), folder.path(), Mode::Record), "run", Packed::null())
            .unwrap();
    std::thread::scope(|scope| {
        for n in 0..64 {
            let gateway = &gateway;
            scope.spawn(move || {
                assert_eq!(status(&post(gateway, CHAT, &chat(&format!("thread {n}"), n % 2 == 0))), 200)
            });
        }
    });
    let (trajectory, troubles) = ended(gateway);
    assert!(troubles.is_empty(), "{troubles:?}");
    let calls = trajectory.steps().iter().filter(|step| matches!(step.action, Action::ModelCall(_))).count();
    assert_eq!((calls, provider.seen().len()), (64, 64));
    let settings_after = settings(&provider);
    drop(provider);
    let gateway =
        start(with_cassette(settings_after, folder.path(), Mode::Replay), "run", Packed::null()).unwrap();
    for n in 0..64 {
        assert_eq!(status(&post(&gateway, CHAT, &chat(&format!("thread {n}"), n % 2 == 0))), 200);
    }
}

#[test]
fn repeated_requests_take_turns_however_they_are_spelled() {
    let count = AtomicUsize::new(0);
    let provider = Provider::new(move |_, stream| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        let message = json!({"role": "assistant", "content": format!("answer {n}")});
        let choices = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
        let usage = json!({"prompt_tokens": 10 + n, "completion_tokens": 1});
        let answer = json!({"model": "gpt-5", "choices": choices, "usage": usage}).to_string();
        respond(stream, "200 OK", "content-type: application/json\r\n", &answer);
    });
    let folder = tempfile::tempdir().unwrap();
    let recording =
        start(with_cassette(settings(&provider), folder.path(), Mode::Record), "run", Packed::null())
            .unwrap();
    (0..4).for_each(|_| _ = post(&recording, CHAT, &chat("hi", false)));
    recording.stop();
    let gateway =
        start(with_cassette(settings(&provider), folder.path(), Mode::Replay), "run", Packed::null())
            .unwrap();
    let (one, other) = (chat("hi", false), chat("hi", false).replace(':', " : "));
    for (n, body) in [&one, &other, &one, &other].into_iter().enumerate() {
        let answer = post(&gateway, CHAT, body);
        assert!(answer.contains(&format!("answer {n}")), "{n}: {answer}");
    }
    assert_eq!(status(&post(&gateway, CHAT, &one)), 400);
    let (trajectory, _) = ended(gateway);
    let tokens = trajectory.steps().iter().map(|step| match &step.action {
        Action::ModelCall(call) => call.usage.unwrap().prompt_tokens(),
        _ => panic!("a model call"),
    });
    assert_eq!(tokens.collect::<Vec<_>>(), [10, 11, 12, 13, 0]);
}

#[test]
fn a_server_can_serve_run_after_run() {
    let provider = speaking("/v1/chat/completions");
    let folder = tempfile::tempdir().unwrap();
    let recording =
        start(with_cassette(settings(&provider), folder.path(), Mode::Record), "run", Packed::null())
            .unwrap();
    post(&recording, CHAT, &chat("hi", false));
    recording.stop();
    let cassette = support::cassette(folder.path(), Mode::Replay).beginning_again();
    let gateway =
        start(Settings { cassette: Some(Arc::new(cassette)), ..settings(&provider) }, "run", Packed::null())
            .unwrap();
    for _ in 0..3 {
        assert_eq!(status(&post(&gateway, CHAT, &chat("hi", false))), 200);
    }
}
