//! Server-sent events: the same events however they are cut, no byte lost, and what is written is read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_fuzz::{check_frames, read_frames};
use unitai_wire::frames::{Framing, write_sse};

fuzz_target!(|input: &[u8]| {
    let (events, rest) = check_frames(Framing::Sse, input);
    assert!(!rest.ends_with(b"\n\n"), "an event was left over");
    // Every event is checked by itself; of a stream of many, the first few do.
    for event in events.into_iter().take(8) {
        assert!(event.raw.ends_with(b"\n") || event.raw.ends_with(b"\r"));
        let is_blank = event.raw.iter().all(|byte| matches!(byte, b'\n' | b'\r'));
        if !is_blank {
            assert_eq!(read_frames(Framing::Sse, &[&event.raw]), (vec![event.clone()], Vec::new()));
        }
        check_written(&event.name, &event.data);
    }
});

/// An event of this name and data can be written and read.
fn check_written(name: &str, data: &[u8]) {
    let Ok(data) = str::from_utf8(data) else { return };
    if data.contains('\n') {
        return;
    }
    let mut written = Vec::new();
    write_sse(&mut written, name, data);
    let (events, rest) = check_frames(Framing::Sse, &written);
    assert!(rest.is_empty() && events.len() == 1, "{events:?} {rest:?}");
    assert_eq!((events[0].name.as_str(), &events[0].data[..]), (name, data.as_bytes()));
}
