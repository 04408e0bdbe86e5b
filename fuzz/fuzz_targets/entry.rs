//! Recordings: no file brings the reader down, what can be read is written and read back the same, the readers
//! agree, and no changed byte goes unnoticed.
//!
//! An input is what stands inside of a file, and is sealed here, since no fuzzer guesses a checksum. It is
//! also read as a file.

#![no_main]

use std::path::Path;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use sha2::{Digest, Sha256};
use unitai_wire::cassette::Entry;

const KEY: &str = "key";

fuzz_target!(|input: &[u8]| {
    let path = Path::new("key.json");
    assert!(Entry::read(path, KEY, input).is_err() || input.starts_with(b"{\n\"checksum\""));
    Entry::read_asked(input);
    let file = sealed(input);
    let asked = Entry::read_asked(&file);
    let slots = Entry::read_slots(path, KEY, &file);
    let Ok(entry) = Entry::read(path, KEY, &file) else { return };
    assert_eq!(asked.as_ref(), Some(&entry.asked), "the readers differ in what was asked");
    let count = slots.expect("one reader reads it, the other does not").len();
    assert_eq!(count, entry.slots.len());
    entry.asked.key();
    let written = entry.write(KEY);
    let again = match Entry::read(path, KEY, &written) {
        Ok(again) => again,
        Err(damage) => panic!("{damage}: {}", String::from_utf8_lossy(&written)),
    };
    assert_eq!(again.write(KEY), written, "read back as another");
    for (one, other) in entry.slots.iter().zip(&again.slots) {
        assert_eq!(one.recording.body(), other.recording.body(), "another body");
    }
    // One byte of it, chosen by the input.
    let place = input.iter().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let mut changed = written.clone();
    changed[place % written.len()] ^= 1 << (place % 8);
    assert!(Entry::read(path, KEY, &changed).is_err(), "a changed byte went unnoticed");
    assert!(Entry::read(path, KEY, &written[..place % written.len()]).is_err(), "a cut went unnoticed");
});

fn sealed(entry: &[u8]) -> Vec<u8> {
    let sum: String = Sha256::digest(entry).iter().map(|byte| format!("{byte:02x}")).collect();
    [b"{\n\"checksum\": \"sha256:", sum.as_bytes(), b"\",\n\"entry\": ", entry, b"\n}\n"].concat()
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unitai_fuzz::mutate(data, size, max_size, seed)
});
