//! A request and its answer: bytes are handed on as they came, the way they are cut makes no difference,
//! and the record can be written and read.
//!
//! The digits of the first line choose the dialect, whether it streams, status, content type, encoding,
//! whether the body is to be compressed first, how the answer ends, and whether usage is hidden.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use unitai_fuzz::{Choices, bounded_cost, compressed, readable_record, ways_to_cut, with_checksums};
use unitai_model::{ModelCall, Source};
use unitai_wire::Target;
use unitai_wire::encoding::decode;
use unitai_wire::exchange::{Asked, Exchange, How};
use unitai_wire::meter::PriceTable;

/// A request of each dialect: its URL and body when plain, and when streamed.
const REQUESTS: &[[(&str, &str); 2]] = &[
    [
        ("https://api.openai.com/v1/chat/completions", r#"{"model":"gpt-4o","messages":[]}"#),
        ("https://api.openai.com/v1/chat/completions", r#"{"model":"gpt-4o","messages":[],"stream":true}"#),
    ],
    [
        ("https://api.openai.com/v1/responses", r#"{"model":"gpt-4o","input":"hi"}"#),
        ("https://api.openai.com/v1/responses", r#"{"model":"gpt-4o","input":"hi","stream":true}"#),
    ],
    [
        (
            "https://api.anthropic.com/v1/messages",
            r#"{"model":"claude-sonnet-4-5","messages":[],"max_tokens":9}"#,
        ),
        (
            "https://api.anthropic.com/v1/messages",
            r#"{"model":"claude-sonnet-4-5","messages":[],"max_tokens":9,"stream":true}"#,
        ),
    ],
    [
        (
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
            r#"{"contents":[]}"#,
        ),
        (
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent",
            r#"{"contents":[]}"#,
        ),
    ],
    [
        (
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-pro-v1%3A0/converse",
            r#"{"messages":[]}"#,
        ),
        (
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-pro-v1%3A0/converse-stream",
            r#"{"messages":[]}"#,
        ),
    ],
    [
        (
            "http://localhost:11434/api/chat",
            r#"{"model":"llama3.2","messages":[{"role":"user","content":"hi"}],"stream":false}"#,
        ),
        (
            "http://localhost:11434/api/chat",
            r#"{"model":"llama3.2","messages":[{"role":"user","content":"hi"}]}"#,
        ),
    ],
    [
        (
            "https://api.cohere.com/v2/chat",
            r#"{"model":"command-a-03-2025","messages":[{"role":"user","content":"hi"}],"stream":false}"#,
        ),
        (
            "https://api.cohere.com/v2/chat",
            r#"{"model":"command-a-03-2025","messages":[{"role":"user","content":"hi"}],"stream":true}"#,
        ),
    ],
];

const CONTENT_TYPES: &[&str] = &[
    "application/json",
    "text/event-stream; charset=utf-8",
    "application/x-ndjson",
    "application/vnd.amazon.eventstream",
    "text/plain",
    "",
    " Text/Event-Stream ;",
];

/// What the first line chooses.
struct Case {
    url: &'static str,
    request: &'static str,
    status: u16,
    content_type: &'static str,
    encoding: &'static str,
    end: u8,
    hides_usage: bool,
}

fuzz_target!(|input: &[u8]| {
    let (mut choices, body) = Choices::split(input);
    let dialect = choices.of(REQUESTS);
    let (url, request) = choices.of(&dialect);
    let case = Case {
        url,
        request,
        status: choices.of(&[200, 201, 304, 400, 429, 529, 0, u16::MAX]),
        content_type: choices.of(CONTENT_TYPES),
        encoding: choices.of(&["", "gzip", "deflate", "zstd", "br", "identity", "gzip, br"]),
        end: 0,
        hides_usage: false,
    };
    let is_compressed = choices.of(&[true, false]);
    let case = Case { end: choices.of(&[0, 1, 2]), hides_usage: choices.of(&[false, true]), ..case };
    let body = if url.contains("bedrock") { with_checksums(body) } else { body.to_vec() };
    let body = compressed(case.encoding, &body).filter(|_| is_compressed).unwrap_or(body);
    let whole = watch(&case, &[&body]);
    if !case.hides_usage {
        assert!(whole.handed_on == body, "bytes were changed");
    }
    assert!(is_part(&whole.handed_on, &body), "bytes were added");
    let is_readable = decode(case.encoding, &body).is_ok();
    for pieces in ways_to_cut(&body) {
        let cut = watch(&case, &pieces);
        assert!(cut.handed_on == whole.handed_on, "the cut shows in what the client gets");
        // How much a decoder gives before it sees that the bytes are broken depends on the cut.
        if is_readable {
            assert_eq!(fixed(cut.call), fixed(whole.call.clone()), "the cut shows in the record");
        }
    }
    if let Some(usage) = whole.call.usage {
        bounded_cost(&usage, Some(&whole.call.model), None);
    }
    readable_record(whole.call);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unitai_fuzz::mutate(data, size, max_size, seed)
});

struct Watched {
    call: ModelCall,
    handed_on: Vec<u8>,
}

fn watch(case: &Case, pieces: &[&[u8]]) -> Watched {
    let asked = Target::of(case.url).and_then(|target| Asked::read(&target, case.request.as_bytes()));
    let Some(asked) = asked else { panic!("no request: {} {}", case.url, case.request) };
    let mut exchange = Exchange::begin(asked, Source::Live, case.hides_usage);
    exchange.head(case.status, case.content_type, case.encoding);
    let mut handed_on = Vec::new();
    for piece in pieces {
        match exchange.feed(piece) {
            Some(instead) => handed_on.extend(instead),
            None => handed_on.extend_from_slice(piece),
        }
    }
    let how = match case.end {
        0 => How::Ended,
        1 => How::Closed,
        _ => How::Broke("reset".to_owned()),
    };
    if how == How::Ended {
        handed_on.extend(exchange.end());
    }
    Watched { call: exchange.ended(&how, PriceTable::release()), handed_on }
}

/// The record without what the clock decides.
fn fixed(mut call: ModelCall) -> ModelCall {
    if let Some(exchange) = &mut call.exchange {
        exchange.latency = None;
        exchange.time_to_first_token = None;
    }
    call
}

/// Whether a text is another one with parts left out.
fn is_part(part: &[u8], whole: &[u8]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|byte| whole.any(|other| other == byte))
}
