//! One document a line: the same lines however they are cut, and no byte lost.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_fuzz::check_frames;
use unitai_wire::frames::Framing;

fuzz_target!(|input: &[u8]| {
    let (events, rest) = check_frames(Framing::Lines, input);
    let lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    assert!(rest.is_empty());
    assert_eq!(events.len(), lines.len());
    for (event, line) in events.iter().zip(lines) {
        assert_eq!((&event.raw[..], &event.data[..]), (line, line.trim_ascii()));
        assert!(event.name.is_empty());
    }
});
