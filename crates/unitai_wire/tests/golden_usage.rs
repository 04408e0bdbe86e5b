//! Usage as providers document it, plain and streamed, with cached and reasoning tokens, priced by hand.
//! Each cost is worked out in the comment beside it, in millionths of a dollar.

use unitai_model::{ModelCall, Money, Source, Usage};
use unitai_wire::Target;
use unitai_wire::exchange::{Asked, Exchange, How};
use unitai_wire::meter::{Price, PriceTable};

struct Golden {
    name: &'static str,
    url: &'static str,
    request: &'static str,
    answer: String,
    kind: &'static str,
    usage: Usage,
    micro_dollars: &'static str,
}

const CHAT: &str = "https://api.openai.com/v1/chat/completions";
const RESPONSES: &str = "https://api.openai.com/v1/responses";
const MESSAGES: &str = "https://api.anthropic.com/v1/messages";
const GEMINI: &str = "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent";
const GEMINI_STREAM: &str =
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse";

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";

/// Prices of our own, so that a refresh of the table changes nothing here. For a million tokens.
fn prices() -> PriceTable {
    let dollars = |text: &str| text.parse::<Money>().expect("an amount");
    PriceTable::release().with([
        (
            "gpt-x".to_owned(),
            Price::per_million(dollars("2.50"), dollars("10")).cached_input(dollars("1.25")),
        ),
        (
            "claude-x".to_owned(),
            Price::per_million(dollars("3"), dollars("15"))
                .cached_input(dollars("0.30"))
                .cache_write(dollars("3.75"))
                .cache_write_long(dollars("6")),
        ),
        (
            "gemini-x".to_owned(),
            Price::per_million(dollars("1.25"), dollars("10")).cached_input(dollars("0.125")),
        ),
    ])
}

fn sse(events: &[(&str, &str)]) -> String {
    let event = |(name, data): &(&str, &str)| match *name {
        "" => format!("data: {data}\n\n"),
        name => format!("event: {name}\ndata: {data}\n\n"),
    };
    events.iter().map(event).collect()
}

fn chat(usage: &str) -> String {
    format!(
        r#"{{"id":"c","object":"chat.completion","created":1,"model":"gpt-x","choices":[{{"index":0,"message":{{"role":"assistant","content":"Hello"}},"finish_reason":"stop"}}],"usage":{usage}}}"#
    )
}

fn chat_stream(usage: &str) -> String {
    let last = format!(
        r#"{{"id":"c","object":"chat.completion.chunk","model":"gpt-x","choices":[],"usage":{usage}}}"#
    );
    sse(&[
        (
            "",
            r#"{"id":"c","model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}],"usage":null}"#,
        ),
        (
            "",
            r#"{"id":"c","model":"gpt-x","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}],"usage":null}"#,
        ),
        ("", &last),
        ("", "[DONE]"),
    ])
}

fn response(usage: &str) -> String {
    format!(
        r#"{{"id":"r","object":"response","status":"completed","model":"gpt-x","output":[{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"Hello"}}]}}],"usage":{usage}}}"#
    )
}

fn response_stream(usage: &str) -> String {
    let completed = format!(r#"{{"type":"response.completed","response":{}}}"#, response(usage));
    sse(&[
        (
            "response.created",
            r#"{"type":"response.created","response":{"id":"r","status":"in_progress","model":"gpt-x","usage":null}}"#,
        ),
        ("response.output_text.delta", r#"{"type":"response.output_text.delta","delta":"Hello"}"#),
        ("response.completed", &completed),
    ])
}

fn message(usage: &str) -> String {
    format!(
        r#"{{"id":"m","type":"message","role":"assistant","model":"claude-x","content":[{{"type":"text","text":"Hello"}}],"stop_reason":"end_turn","usage":{usage}}}"#
    )
}

fn message_stream(start: &str, delta: &str) -> String {
    let start = format!(
        r#"{{"type":"message_start","message":{{"id":"m","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"usage":{start}}}}}"#
    );
    let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{delta}}}"#);
    sse(&[
        ("message_start", &start),
        ("ping", r#"{"type":"ping"}"#),
        (
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ),
        (
            "content_block_delta",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}"#,
        ),
        ("content_block_stop", r#"{"type":"content_block_stop","index":0}"#),
        ("message_delta", &delta),
        ("message_stop", r#"{"type":"message_stop"}"#),
    ])
}

fn candidate(finish: &str, usage: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":"Hello"}}]}}{finish},"index":0}}],"usageMetadata":{usage},"modelVersion":"gemini-x"}}"#
    )
}

fn goldens() -> Vec<Golden> {
    const ASK: &str = r#"{"model":"gpt-x","messages":[{"role":"user","content":"hi"}]}"#;
    const ASK_STREAM: &str = r#"{"model":"gpt-x","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}"#;
    const INPUT: &str = r#"{"model":"gpt-x","input":"hi"}"#;
    const INPUT_STREAM: &str = r#"{"model":"gpt-x","input":"hi","stream":true}"#;
    const CLAUDE: &str =
        r#"{"model":"claude-x","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}"#;
    const CLAUDE_STREAM: &str =
        r#"{"model":"claude-x","max_tokens":100,"messages":[{"role":"user","content":"hi"}],"stream":true}"#;
    const CONTENTS: &str = r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#;

    let chat_usage = r#"{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":192,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}"#;
    let chat_classes = Usage { fresh: 86, cache_read: 1920, output: 300, reasoning: 192, ..Usage::default() };
    let response_usage = r#"{"input_tokens":328,"input_tokens_details":{"cached_tokens":256},"output_tokens":52,"output_tokens_details":{"reasoning_tokens":40},"total_tokens":380}"#;
    let response_classes =
        Usage { fresh: 72, cache_read: 256, output: 52, reasoning: 40, ..Usage::default() };
    let claude_usage = r#"{"input_tokens":2048,"cache_read_input_tokens":1800,"cache_creation_input_tokens":248,"cache_creation":{"ephemeral_5m_input_tokens":148,"ephemeral_1h_input_tokens":100},"output_tokens":503,"service_tier":"standard"}"#;
    let claude_start = r#"{"input_tokens":2048,"cache_read_input_tokens":1800,"cache_creation_input_tokens":248,"cache_creation":{"ephemeral_5m_input_tokens":148,"ephemeral_1h_input_tokens":100},"output_tokens":1,"service_tier":"standard"}"#;
    let claude_classes = Usage {
        fresh: 2048,
        cache_read: 1800,
        cache_write: 148,
        cache_write_long: 100,
        output: 503,
        reasoning: 0,
    };
    let gemini_usage = r#"{"promptTokenCount":1200,"cachedContentTokenCount":1000,"candidatesTokenCount":80,"thoughtsTokenCount":220,"totalTokenCount":1500}"#;
    let gemini_classes =
        Usage { fresh: 200, cache_read: 1000, output: 300, reasoning: 220, ..Usage::default() };
    let golden = |name, url, request, answer, kind, usage, micro_dollars| Golden {
        name,
        url,
        request,
        answer,
        kind,
        usage,
        micro_dollars,
    };
    vec![
        golden(
            "chat",
            CHAT,
            ASK,
            chat(r#"{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}"#),
            JSON,
            Usage::of(19, 10),
            "147.5", // 19 * 2.50 + 10 * 10
        ),
        // 86 * 2.50 + 1920 * 1.25 + 300 * 10 = 215 + 2400 + 3000
        golden("chat, cached and reasoning", CHAT, ASK, chat(chat_usage), JSON, chat_classes, "5615"),
        golden("chat, streamed", CHAT, ASK_STREAM, chat_stream(chat_usage), SSE, chat_classes, "5615"),
        // 72 * 2.50 + 256 * 1.25 + 52 * 10 = 180 + 320 + 520
        golden("responses", RESPONSES, INPUT, response(response_usage), JSON, response_classes, "1020"),
        golden(
            "responses, streamed",
            RESPONSES,
            INPUT_STREAM,
            response_stream(response_usage),
            SSE,
            response_classes,
            "1020",
        ),
        // 2048 * 3 + 1800 * 0.30 + 148 * 3.75 + 100 * 6 + 503 * 15 = 6144 + 540 + 555 + 600 + 7545
        golden("messages", MESSAGES, CLAUDE, message(claude_usage), JSON, claude_classes, "15384"),
        golden(
            "messages, streamed",
            MESSAGES,
            CLAUDE_STREAM,
            message_stream(claude_start, r#"{"output_tokens":503}"#),
            SSE,
            claude_classes,
            "15384",
        ),
        golden(
            "messages, streamed with all counts at the end",
            MESSAGES,
            CLAUDE_STREAM,
            message_stream(claude_start, claude_usage),
            SSE,
            claude_classes,
            "15384",
        ),
        golden(
            "messages, nothing cached",
            MESSAGES,
            CLAUDE,
            message(r#"{"input_tokens":12,"output_tokens":6}"#),
            JSON,
            Usage::of(12, 6),
            "126", // 12 * 3 + 6 * 15
        ),
        // 200 * 1.25 + 1000 * 0.125 + 300 * 10 = 250 + 125 + 3000: thoughts are paid like the answer
        golden(
            "gemini",
            GEMINI,
            CONTENTS,
            candidate(r#","finishReason":"STOP""#, gemini_usage),
            JSON,
            gemini_classes,
            "3375",
        ),
        golden(
            "gemini, streamed",
            GEMINI_STREAM,
            CONTENTS,
            sse(&[
                (
                    "",
                    &candidate(
                        "",
                        r#"{"promptTokenCount":1200,"cachedContentTokenCount":1000,"totalTokenCount":1200}"#,
                    ),
                ),
                (
                    "",
                    &candidate(
                        "",
                        r#"{"promptTokenCount":1200,"cachedContentTokenCount":1000,"candidatesTokenCount":40,"thoughtsTokenCount":220,"totalTokenCount":1460}"#,
                    ),
                ),
                ("", &candidate(r#","finishReason":"STOP""#, gemini_usage)),
            ]),
            SSE,
            gemini_classes,
            "3375",
        ),
    ]
}

fn watched(golden: &Golden, pieces: &[&[u8]]) -> ModelCall {
    let target = Target::of(golden.url).expect("a URL");
    let asked = Asked::read(&target, golden.request.as_bytes()).expect("a request");
    let mut exchange = Exchange::begin(asked, Source::Live, false);
    exchange.head(200, golden.kind, "");
    for piece in pieces {
        exchange.feed(piece);
    }
    exchange.end();
    exchange.ended(&How::Ended, &prices())
}

#[test]
fn usage_is_read_in_its_classes_and_priced_to_the_micro_dollar() {
    for golden in goldens() {
        let call = watched(&golden, &[golden.answer.as_bytes()]);
        assert_eq!(call.usage, Some(golden.usage), "{}", golden.name);
        let micro = call.cost.expect(golden.name).times(1_000_000).to_string();
        assert_eq!(micro, golden.micro_dollars, "{}", golden.name);
    }
}

#[test]
fn it_does_not_matter_how_the_bytes_are_cut() {
    for golden in goldens() {
        let whole = golden.answer.as_bytes();
        for at in 0..=whole.len() {
            let (left, right) = whole.split_at(at);
            let call = watched(&golden, &[left, right]);
            assert_eq!(call.usage, Some(golden.usage), "{} cut at {at}", golden.name);
        }
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(watched(&golden, &bytes).usage, Some(golden.usage), "{} byte by byte", golden.name);
    }
}
