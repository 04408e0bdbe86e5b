//! What holds for every framing.

use unitai_wire::frames::{Event, Frames, Framing};

use crate::ways_to_cut;

/// What a framing made of a stream: its events, and what it gave back.
pub type Reading = (Vec<Event>, Vec<u8>);

/// Reads a stream that comes in these pieces.
pub fn read_frames(framing: Framing, pieces: &[&[u8]]) -> Reading {
    let (mut frames, mut events) = (Frames::new(framing), Vec::new());
    for piece in pieces {
        frames.feed(piece, &mut events);
    }
    let rest = frames.finish(&mut events);
    (events, rest)
}

/// Reads a stream, cut in every way: the events must be the same, and no byte may be lost or added.
pub fn check_frames(framing: Framing, bytes: &[u8]) -> Reading {
    let whole = read_frames(framing, &[bytes]);
    for pieces in ways_to_cut(bytes) {
        let (events, rest) = read_frames(framing, &pieces);
        let handed_on: Vec<u8> = events.iter().flat_map(|event| &event.raw).chain(&rest).copied().collect();
        assert_eq!(handed_on, bytes, "bytes were lost or added");
        assert_eq!((&events, &rest), (&whole.0, &whole.1), "the cut shows in the events");
    }
    whole
}

/// The bytes with the checksums of an Amazon event stream put right, so that more than the checksums
/// is fuzzed. A message's length is taken as it stands, as long as it fits.
pub fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut rest = &mut bytes[..];
    while let Some(prelude) = rest.first_chunk::<4>() {
        let length = u32::from_be_bytes(*prelude) as usize;
        if length < 16 || length > rest.len() {
            break;
        }
        let (message, after) = rest.split_at_mut(length);
        let prelude = checksum(&message[..8]);
        message[8..12].copy_from_slice(&prelude);
        let end = length - 4;
        let whole = checksum(&message[..end]);
        message[end..].copy_from_slice(&whole);
        rest = after;
    }
    bytes
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum().to_be_bytes()
}
