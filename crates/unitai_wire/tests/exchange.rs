//! One request and its answer, from the first byte to the last, in every way that can go wrong.

use std::io::Write;

use unitai_model::{ExchangeEnd, ModelCall, Money, Source, Usage};
use unitai_wire::Target;
use unitai_wire::exchange::{Asked, Exchange, How};
use unitai_wire::meter::PriceTable;

const CHAT: &str = "https://api.openai.com/v1/chat/completions";
const PLAIN: &str = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}"#;
const STREAMED: &str = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"stream":true}"#;
const ANSWER: &str = r#"{"id":"c","object":"chat.completion","model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"Grüße 👋"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":600}}}"#;

fn stream() -> String {
    let chunk = |rest: &str| format!("data: {{\"model\":\"gpt-4o\",{rest}}}\n\n");
    let usage =
        r#"{"prompt_tokens":1000,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":600}}"#;
    [
        chunk(r#""choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]"#),
        chunk(r#""choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}]"#),
        chunk(r#""choices":[{"index":0,"delta":{"content":"👋 welt"},"finish_reason":null}]"#),
        chunk(r#""choices":[{"index":0,"delta":{},"finish_reason":"stop"}]"#),
        chunk(&format!(r#""choices":[],"usage":{usage}"#)),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

fn asked(body: &str) -> Asked {
    Asked::read(&Target::of(CHAT).expect("a URL"), body.as_bytes()).expect("a request")
}

fn watch(body: &str, kind: &str, encoding: &str, pieces: &[&[u8]], how: How) -> (ModelCall, Vec<u8>) {
    let mut exchange = Exchange::begin(asked(body), Source::Live, false);
    exchange.head(200, kind, encoding);
    let mut out = Vec::new();
    for piece in pieces {
        match exchange.feed(piece) {
            Some(instead) => out.extend(instead),
            None => out.extend_from_slice(piece),
        }
    }
    if how == How::Ended {
        out.extend(exchange.end());
    }
    (exchange.ended(&how, PriceTable::release()), out)
}

fn expected() -> Usage {
    Usage { fresh: 400, cache_read: 600, output: 100, ..Usage::default() }
}

/// gpt-4o: $2.50 fresh, $1.25 cached, $10 out, for a million: 400 * 2.50 + 600 * 1.25 + 100 * 10 = 2750
/// millionths of a dollar.
fn price() -> Money {
    "0.00275".parse().expect("an amount")
}

#[test]
fn a_plain_answer_is_read_and_priced() {
    let (call, out) = watch(PLAIN, "application/json", "", &[ANSWER.as_bytes()], How::Ended);
    assert_eq!((call.usage, call.cost), (Some(expected()), Some(price())));
    assert_eq!(out, ANSWER.as_bytes());
    let exchange = call.exchange.unwrap();
    assert_eq!(exchange.end, ExchangeEnd::Answered { finish_reason: Some("stop".into()) });
    assert!(exchange.raw_usage.unwrap().text().contains("cached_tokens"));
}

#[test]
fn every_way_of_cutting_a_stream_gives_the_same_record() {
    let stream = stream();
    for at in 0..=stream.len() {
        let (left, right) = stream.as_bytes().split_at(at);
        let (call, out) = watch(STREAMED, "text/event-stream", "", &[left, right], How::Ended);
        assert_eq!((call.usage, call.cost), (Some(expected()), Some(price())), "cut at {at}");
        assert_eq!(out, stream.as_bytes());
    }
}

#[test]
fn a_client_that_leaves_after_the_end_marker_has_a_whole_answer() {
    let (call, _) = watch(STREAMED, "text/event-stream", "", &[stream().as_bytes()], How::Closed);
    assert!(matches!(call.exchange.unwrap().end, ExchangeEnd::Answered { .. }));
}

#[test]
fn a_client_that_leaves_midway_is_counted_and_labelled_as_an_estimate() {
    let stream = stream();
    let events: Vec<&str> = stream.split_inclusive("\n\n").collect();
    let mut least = 0;
    for n in 1..events.len() - 1 {
        let part = events[..n].concat();
        let (call, _) = watch(STREAMED, "text/event-stream", "", &[part.as_bytes()], How::Closed);
        let exchange = call.exchange.unwrap();
        assert_eq!(exchange.end, ExchangeEnd::Cut);
        assert!(exchange.usage_is_estimated && call.cost.is_some());
        let output = call.usage.unwrap().output;
        assert!(output >= least);
        least = output;
    }
    assert!(least >= 4, "17 bytes of text came");
}

#[test]
fn compressed_answers_are_read_and_handed_on_as_they_came() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(ANSWER.as_bytes()).unwrap();
    let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    deflate.write_all(ANSWER.as_bytes()).unwrap();
    let brotli = include_bytes!("data/answer.json.br").to_vec();
    let zstd = zstd::encode_all(ANSWER.as_bytes(), 3).unwrap();
    let bodies = [
        ("gzip", gzip.finish().unwrap()),
        ("deflate", deflate.finish().unwrap()),
        ("br", brotli),
        ("zstd", zstd),
    ];
    for (encoding, bytes) in bodies {
        for at in 0..bytes.len() {
            let (left, right) = bytes.split_at(at);
            let (call, out) = watch(PLAIN, "application/json", encoding, &[left, right], How::Ended);
            assert_eq!(call.usage, Some(expected()), "{encoding} cut at {at}");
            assert_eq!(out, bytes);
        }
    }
}

#[test]
fn what_cannot_be_read_is_unknown_and_handed_on_as_it_came() {
    for (kind, encoding, body) in [
        ("application/json", "", "{\"usage\":"),
        ("application/json", "", ""),
        ("text/html", "", "<html>"),
        ("application/json", "gzip", "this is no gzip"),
        ("application/json", "secret", ANSWER),
        ("application/json", "", "{\"choices\":[{\"message\":{\"content\":\"x\"}}]}"),
    ] {
        let (call, out) = watch(PLAIN, kind, encoding, &[body.as_bytes()], How::Ended);
        let is_unknown = call.usage.is_none() || call.exchange.unwrap().usage_is_estimated;
        assert!(is_unknown, "{kind} {encoding} {body}: {:?}", call.usage);
        assert_eq!(out, body.as_bytes());
    }
}

#[test]
fn usage_in_every_chunk_is_not_added_up() {
    let chunk = |n: u64| {
        let usage = format!(r#"{{"prompt_tokens":10,"completion_tokens":{n}}}"#);
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"a\"}}}}],\"usage\":{usage}}}\n\n")
    };
    let stream = format!("{}{}{}data: [DONE]\n\n", chunk(1), chunk(2), chunk(3));
    let (call, _) = watch(STREAMED, "text/event-stream", "", &[stream.as_bytes()], How::Ended);
    assert_eq!(call.usage, Some(Usage::of(10, 3)));
}

#[test]
fn usage_in_the_field_of_groq_counts() {
    let chunk = r#"data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}"#;
    let last = r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.1,"prompt_tokens":12,"completion_tokens":26,"total_tokens":38}}}"#;
    let stream = format!("{chunk}\n\n{last}\n\ndata: [DONE]\n\n");
    let (call, _) = watch(STREAMED, "text/event-stream", "", &[stream.as_bytes()], How::Ended);
    assert_eq!(call.usage, Some(Usage::of(12, 26)));
}

#[test]
fn a_stream_with_the_wrong_content_type_is_read_all_the_same() {
    for kind in ["application/json", "text/plain", "", "application/octet-stream"] {
        let (call, _) = watch(STREAMED, kind, "", &[stream().as_bytes()], How::Ended);
        assert_eq!(call.usage, Some(expected()), "{kind}");
    }
    let (call, _) = watch(STREAMED, "application/json", "", &[ANSWER.as_bytes()], How::Ended);
    assert_eq!(call.usage, Some(expected()), "a server that does not stream");
}

#[test]
fn what_is_no_count_is_unknown_and_not_zero() {
    for usage in [
        r#"{"prompt_tokens":"100","completion_tokens":20}"#,
        r#"{"prompt_tokens":-1,"completion_tokens":20}"#,
        r#"{"prompt_tokens":1.5,"completion_tokens":20}"#,
        r#"{"prompt_tokens":100}"#,
        r#"{"completion_tokens":20}"#,
        r#"{}"#,
        r#"[]"#,
    ] {
        let body = format!(
            r#"{{"choices":[{{"message":{{"content":"x"}},"finish_reason":"stop"}}],"usage":{usage}}}"#
        );
        let (call, _) = watch(PLAIN, "application/json", "", &[body.as_bytes()], How::Ended);
        assert_eq!((call.usage, call.cost), (None, None), "{usage}");
    }
    let whole = r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":100.0,"completion_tokens":2e1}}"#;
    let (call, _) = watch(PLAIN, "application/json", "", &[whole.as_bytes()], How::Ended);
    assert_eq!(call.usage, Some(Usage::of(100, 20)));
}

#[test]
fn a_server_without_an_end_mark_has_answered_when_it_said_why_it_stopped() {
    let stream = stream().replace("data: [DONE]\n\n", "");
    let (call, _) = watch(STREAMED, "text/event-stream", "", &[stream.as_bytes()], How::Ended);
    assert_eq!(call.usage, Some(expected()));
    assert!(matches!(call.exchange.unwrap().end, ExchangeEnd::Answered { .. }));
}

#[test]
fn an_app_with_a_chat_of_its_own_is_no_ollama() {
    let body = br#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
    let is_a_models = |url| Asked::read(&Target::of(url).unwrap(), body).is_some();
    assert!(
        is_a_models("http://localhost:11434/api/chat") && is_a_models("https://ollama.example.com/api/chat")
    );
    assert!(!is_a_models("http://testserver/api/chat") && !is_a_models("http://localhost:8000/api/chat"));
}

#[test]
fn usage_that_only_we_asked_for_is_kept_from_the_client() {
    let rewritten = asked(STREAMED).rewrite("/v1/chat/completions", STREAMED.as_bytes(), None, true).unwrap();
    assert!(
        rewritten.asks_for_usage && rewritten.body.contains(r#""stream_options":{"include_usage":true}"#)
    );
    let stream = stream();
    let shown: String = stream.split_inclusive("\n\n").filter(|event| !event.contains("\"usage\"")).collect();
    for at in 0..=stream.len() {
        let mut exchange = Exchange::begin(asked(STREAMED), Source::Live, true);
        exchange.head(200, "text/event-stream", "");
        let (left, right) = stream.as_bytes().split_at(at);
        let mut out = exchange.feed(left).unwrap();
        out.extend(exchange.feed(right).unwrap());
        out.extend(exchange.end());
        assert_eq!(String::from_utf8(out).unwrap(), shown, "cut at {at}");
        assert_eq!(exchange.ended(&How::Ended, PriceTable::release()).usage, Some(expected()));
    }
}

#[test]
fn a_refused_request_costs_nothing_and_says_why() {
    let mut exchange = Exchange::begin(asked(PLAIN), Source::Live, false);
    exchange.head(429, "application/json", "");
    exchange.feed(br#"{"error":{"message":"Rate limit reached","type":"requests"}}"#);
    exchange.end();
    let call = exchange.ended(&How::Ended, PriceTable::release());
    assert_eq!((call.usage, call.cost), (Some(Usage::default()), Some(Money::ZERO)));
    let end = call.exchange.unwrap().end;
    assert_eq!(end, ExchangeEnd::Failed { status: Some(429), message: "Rate limit reached".into() });
}

#[test]
fn a_request_that_was_never_sent_costs_nothing_and_one_that_was_may_have() {
    let broken = |reason: &str| {
        let exchange = Exchange::begin(asked(PLAIN), Source::Live, false);
        exchange.ended(&How::Broke(reason.to_owned()), PriceTable::release())
    };
    let never_sent = broken("ConnectError: refused");
    assert_eq!((never_sent.usage, never_sent.cost), (Some(Usage::default()), Some(Money::ZERO)));
    let call = broken("ReadTimeout: timed out");
    assert_eq!((call.usage, call.cost), (None, None));
    assert!(matches!(call.exchange.unwrap().end, ExchangeEnd::Failed { status: None, .. }));
}

#[test]
fn a_body_of_fifty_megabytes_passes() {
    let text = "x".repeat(50 << 20);
    let body = format!(r#"{{"model":"gpt-4o","messages":[{{"role":"user","content":"{text}"}}]}}"#);
    assert_eq!(asked(&body).request.last_message().len(), text.len());
    let answer = ANSWER.replace("Grüße 👋", &text);
    let pieces: Vec<&[u8]> = answer.as_bytes().chunks(1 << 16).collect();
    let (call, _) = watch(PLAIN, "application/json", "", &pieces, How::Ended);
    assert_eq!(call.usage, Some(expected()));
}

#[test]
fn a_bomb_is_not_unpacked() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let spaces = vec![b' '; 1 << 20];
    for _ in 0..256 {
        encoder.write_all(&spaces).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let (call, out) = watch(PLAIN, "application/json", "gzip", &[&bomb], How::Ended);
    assert_eq!(call.usage, None);
    assert_eq!(out.len(), bomb.len());
}

#[test]
fn traffic_that_is_no_models_is_left_alone() {
    for (url, body) in [
        ("https://chat.example.com/v1/messages", r#"{"text":"hi"}"#),
        ("https://example.com/responses", r#"{"answer":1}"#),
        ("https://example.com/v1/chat/completions", "not json"),
        ("https://example.com/v1/chat/completions", "[]"),
        ("https://example.com/v1/chat/completions", r#"{"model":"m"}"#),
        ("https://example.com/api/orders", PLAIN),
    ] {
        assert!(Asked::read(&Target::of(url).unwrap(), body.as_bytes()).is_none(), "{url} {body}");
    }
}

#[test]
fn a_local_model_is_free_and_an_unknown_one_unpriced() {
    let target = Target::of("http://localhost:8000/v1/chat/completions").unwrap();
    let local = Asked::read(&target, PLAIN.as_bytes()).unwrap();
    assert_eq!(local.worst_cost(PriceTable::release(), 0), Some(Money::ZERO));
    let unknown = asked(&PLAIN.replace("gpt-4o", "no-such-model"));
    assert_eq!(unknown.worst_cost(PriceTable::release(), 0), None);
}
