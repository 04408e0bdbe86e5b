//! Answers: whatever a provider says, whole or in events, its usage has a cost within bounds.
//!
//! The first byte chooses the dialect. The rest is read as a document and as server-sent events,
//! whatever the dialect's own framing is: `event_stream` and `lines` fuzz those.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use serde_json::Value;
use unitai_fuzz::{Choices, bounded_cost, read_frames};
use unitai_wire::dialects::{ALL, Seen};
use unitai_wire::frames::Framing;

fuzz_target!(|input: &[u8]| {
    let (mut choices, body) = Choices::split(input);
    let dialect = choices.of(ALL);
    if let Ok(body) = serde_json::from_slice::<Value>(body) {
        let mut seen = Seen::default();
        dialect.read_answer(&body, &mut seen);
        check(&Seen::default(), &seen);
        assert!(!seen.is_whole || seen.error.is_none(), "an answer that failed is whole: {seen:?}");
        let _ = dialect.read_refusal(&body);
    }
    let mut seen = Seen::default();
    for event in read_frames(Framing::Sse, &[body]).0 {
        let before = seen.clone();
        dialect.read_event(&event, &mut seen);
        check(&before, &seen);
        if dialect.is_usage_alone(&event) {
            assert_eq!(seen.content_bytes, before.content_bytes, "an event with content would be hidden");
        }
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unitai_fuzz::mutate(data, size, max_size, seed)
});

/// What was seen is not forgotten, and usage has a cost within bounds.
fn check(before: &Seen, seen: &Seen) {
    assert!(seen.content_bytes >= before.content_bytes);
    assert!(seen.error.is_some() || before.error.is_none(), "an error was forgotten: {before:?} {seen:?}");
    assert!(seen.usage.is_some() || before.usage.is_none(), "usage was forgotten: {before:?} {seen:?}");
    // Counts may come one by one: what was written is kept until they are all there.
    assert!(seen.raw_usage.is_some() || seen.usage.is_none());
    if let Some(usage) = seen.usage {
        bounded_cost(&usage, seen.model.as_deref(), seen.service_tier.as_deref());
    }
}
