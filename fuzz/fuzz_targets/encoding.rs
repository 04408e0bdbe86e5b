//! Compressed bodies: no bytes make a decoder panic or fill the memory, the way they are cut makes no
//! difference, and what was compressed comes back.
//!
//! The first byte chooses the encoding.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_fuzz::{Choices, Counted, compressed, peak_of, ways_to_cut};
use unitai_wire::encoding::{Decoder, EncodingError, MOST_BYTES, decode};

#[global_allocator]
static MEMORY: Counted = Counted;

/// A list that grows holds its old and its new room for a moment, and the result is copied once.
const MOST_MEMORY: usize = 4 * MOST_BYTES;

fuzz_target!(|input: &[u8]| {
    let (mut choices, body) = Choices::split(input);
    let encoding = choices.of(&["gzip", "deflate", "br", "zstd", "identity"]);
    let (whole, peak) = peak_of(|| decode(encoding, body));
    assert!(peak <= MOST_MEMORY, "{} bytes of {encoding} take {peak} bytes of memory", body.len());
    if let Ok(decoded) = &whole {
        assert!(decoded.len() <= MOST_BYTES);
    }
    // A body that is too large may be taken piece by piece.
    if whole != Err(EncodingError::TooLarge) {
        // Of what becomes large, one way is enough: others would only take long.
        let ways = if peak < 1 << 20 { usize::MAX } else { 1 };
        for pieces in ways_to_cut(body).iter().rev().take(ways) {
            assert_eq!(decoded(encoding, pieces), whole, "the cut shows in what is decoded");
        }
    }
    if let Some(compressed) = compressed(encoding, body) {
        for pieces in ways_to_cut(&compressed) {
            assert_eq!(decoded(encoding, &pieces).as_deref(), Ok(body), "what was compressed is lost");
        }
    }
});

fn decoded(encoding: &str, pieces: &[&[u8]]) -> Result<Vec<u8>, EncodingError> {
    let Some(mut decoder) = Decoder::of(encoding)? else { return Ok(pieces.concat()) };
    let mut decoded = Vec::new();
    for piece in pieces {
        let more = decoder.feed(piece)?;
        assert!(more.len() <= MOST_BYTES);
        decoded.extend(more);
    }
    Ok(decoded)
}
