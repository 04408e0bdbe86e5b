//! The body of a request that is changed in one place: all else reads as before.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use serde_json::{Map, Value, json};
use unitai_wire::dialects::Body;

fuzz_target!(|input: &[u8]| {
    let object: Option<Map<String, Value>> = serde_json::from_slice(input).ok();
    let Some(body) = Body::read(input) else {
        assert!(object.is_none(), "an object was not read");
        return;
    };
    let written = body.write();
    assert_eq!(Body::read(written.as_bytes()).map(|body| body.write()), Some(written.clone()));
    let Some(object) = object else { return };
    assert_eq!(read(&written), object);
    for (key, value) in &object {
        assert_eq!(body.get(key).as_ref(), Some(value), "{key}");
    }
    let first = object.keys().next().cloned();
    for key in first.into_iter().chain(["model".to_owned(), "\"\\\u{1}é".to_owned()]) {
        check_changed(input, &object, &key);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unitai_fuzz::mutate(data, size, max_size, seed)
});

/// A value can be set, and nothing else changes.
fn check_changed(input: &[u8], object: &Map<String, Value>, key: &str) {
    let Some(mut body) = Body::read(input) else { return };
    let value = json!({"a\n": ["é", 0.1, null]});
    body.set(key, &value);
    let mut expected = object.clone();
    expected.insert(key.to_owned(), value.clone());
    assert_eq!(body.get(key), Some(value));
    assert_eq!(read(&body.write()), expected, "{key} was set");
}

fn read(text: &str) -> Map<String, Value> {
    match serde_json::from_str(text) {
        Ok(object) => object,
        Err(error) => panic!("{error}: {text}"),
    }
}
