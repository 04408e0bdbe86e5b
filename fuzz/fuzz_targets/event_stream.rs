//! Amazon's event stream: the same events however they are cut, no byte lost, and what is written is
//! read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_fuzz::{check_frames, with_checksums};
use unitai_wire::frames::{Framing, write_event_stream};

fuzz_target!(|input: &[u8]| {
    check_frames(Framing::EventStream, input);
    let (events, _) = check_frames(Framing::EventStream, &with_checksums(input));
    for event in events.into_iter().take(8) {
        if let Ok(data) = str::from_utf8(&event.data) {
            check_written(&event.name, data);
        }
    }
});

/// An event of this name and data can be written and read.
fn check_written(name: &str, data: &str) {
    // A header's value has two bytes for its length.
    if name.len() > usize::from(u16::MAX) {
        return;
    }
    let mut written = Vec::new();
    write_event_stream(&mut written, name, data);
    let (events, rest) = check_frames(Framing::EventStream, &written);
    assert!(rest.is_empty() && events.len() == 1, "{events:?} {rest:?}");
    assert_eq!((events[0].name.as_str(), &events[0].data[..]), (name, data.as_bytes()));
}
