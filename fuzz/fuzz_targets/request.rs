//! Requests: what can be read can be given another model, and nothing else changes; the digest does not
//! know the order of keys; reserves are upper bounds; and a scripted answer is one that we can read.
//!
//! The first line is a digit for the dialect and the path, the second the other model, the rest the body.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use serde_json::{Map, Value};
use unitai_fuzz::{Choices, read_frames, reversed};
use unitai_model::Usage;
use unitai_wire::common::{Answer, Request, Said, Stamp};
use unitai_wire::dialects::{ALL, Body, Dialect, Seen};
use unitai_wire::digest;
use unitai_wire::meter::PriceTable;

fuzz_target!(|input: &[u8]| {
    let (mut choices, rest) = Choices::split(input);
    let (model, body) = Choices::line(rest);
    let dialect = choices.of(ALL);
    let (Ok(path), Ok(model)) = (str::from_utf8(choices.rest()), str::from_utf8(model)) else { return };
    // A path comes from a URL: it begins with a slash and has no query.
    if !path.starts_with('/') || path.contains(['?', '#']) || !dialect.claims(path) {
        return;
    }
    let Ok(object) = serde_json::from_slice::<Map<String, Value>>(body) else { return };
    let Some(request) = dialect.read_request(path, &object) else { return };
    check_digest(dialect, &request, &object);
    check_bounds(&request);
    check_scripted(dialect, &request);
    if !model.is_empty() && !model.contains(char::is_control) {
        check_model(dialect, path, body, model, &request);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unitai_fuzz::mutate(data, size, max_size, seed)
});

fn check_digest(dialect: &dyn Dialect, request: &Request, object: &Map<String, Value>) {
    let canonical = |object: &Map<String, Value>| serde_json::to_string(object).expect("JSON can be written");
    let digest = |object| digest(&[dialect.name(), &request.model, &canonical(object)]);
    let other: Map<String, Value> = match serde_json::from_str(&reversed(object)) {
        Ok(other) => other,
        Err(error) => panic!("{error}: {}", reversed(object)),
    };
    assert_eq!(digest(object), digest(&other), "the order of keys shows in the digest");
}

fn check_bounds(request: &Request) {
    let most = request.most_prompt_tokens();
    assert!(most >= request.likely_prompt_tokens(), "{most} is no upper bound: {request:?}");
    let said = request.system().len() + request.last_message().len();
    let given_back: usize = request.tool_results().iter().map(|(_, content)| content.len()).sum();
    assert!(most >= (said.max(given_back)) as u64, "{most} is less than was said: {request:?}");
    if let Some(price) = PriceTable::release().price_of(&request.model) {
        let _ = price.worst_case(most, request.max_output.unwrap_or(u64::MAX));
    }
}

/// Puts another model into the request. All else must read as before.
fn check_model(dialect: &dyn Dialect, path: &str, body: &[u8], model: &str, request: &Request) {
    let mut expected = request.clone();
    // Gemini's paths name the folder of models; a model's name may have it too.
    let is_short = dialect.name() == "gemini";
    expected.model = if is_short { model.rsplit('/').next() } else { None }.unwrap_or(model).to_owned();
    if expected.model.is_empty() {
        return;
    }
    let Some(mut changed) = Body::read(body) else { panic!("the body of a request was not read") };
    let new_path = dialect.set_model(path, &mut changed, model);
    let new_path = new_path.as_deref().unwrap_or(path);
    let text = changed.write();
    assert!(dialect.claims(new_path), "{new_path} is no path of {}", dialect.name());
    let read = serde_json::from_str(&text).ok().and_then(|object| dialect.read_request(new_path, &object));
    assert_eq!(read.as_ref(), Some(&expected), "{} {new_path} {text}", dialect.name());
}

/// A scripted answer to this request is one that we read as whole, whether streamed or not.
fn check_scripted(dialect: &dyn Dialect, request: &Request) {
    let answer = Answer {
        parts: vec![
            Said::Text(request.last_message()),
            Said::ToolCall { name: request.model.clone(), args: request.system() },
        ],
        usage: Usage { cache_read: 3, ..Usage::of(7, 20) },
        finish: None,
    };
    let stamp = Stamp { turn: 1 };
    let mut plain = Seen::default();
    let text = dialect.write_answer(request, &answer, stamp);
    match serde_json::from_str::<Value>(&text) {
        Ok(body) => dialect.read_answer(&body, &mut plain),
        Err(error) => panic!("{error}: {text}"),
    }
    let mut streamed = Seen::default();
    let bytes = dialect.write_stream(request, &answer, stamp).concat();
    let (events, rest) = read_frames(dialect.framing(), &[&bytes]);
    assert!(rest.is_empty(), "{rest:?}");
    events.iter().for_each(|event| dialect.read_event(event, &mut streamed));
    // Some providers tell the usage of a stream only when asked.
    for (seen, tells_usage) in [(plain, true), (streamed, request.asks_for_usage)] {
        assert!(seen.is_whole && seen.error.is_none(), "{} {seen:?}", dialect.name());
        let counts = seen.usage.map(|usage| (usage.prompt_tokens(), usage.completion_tokens()));
        assert_eq!(counts, tells_usage.then_some((10, 20)), "{} {seen:?}", dialect.name());
    }
}
