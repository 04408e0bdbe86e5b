//! Compressed bodies: no bytes make a decoder panic or fill the memory, the way they are cut makes no
//! difference, and what was compressed comes back, as soon as it was flushed.
//!
//! The first byte chooses the encoding.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use unitai_fuzz::{Choices, Counted, flushed, peak_of, ways_to_cut};
use unitai_wire::encoding::{Decoder, EncodingError, MOST_BYTES, decode};

#[global_allocator]
static MEMORY: Counted = Counted;

/// A list that grows holds its old and its new room for a moment, and the result is copied once.
const MOST_MEMORY: usize = 4 * MOST_BYTES;

/// What takes more than this is checked, but not kept for further changes: nothing else would be done.
const LARGE: usize = 1 << 20;

fuzz_target!(|input: &[u8]| -> Corpus {
    let (mut choices, body) = Choices::split(input);
    let encoding = choices.of(&["gzip", "deflate", "br", "zstd", "identity"]);
    let peak = check_foreign(encoding, body);
    check_flushed(encoding, body);
    if peak < LARGE { Corpus::Keep } else { Corpus::Reject }
});

/// Bytes that anybody may have sent. Gives the memory that they took.
fn check_foreign(encoding: &str, body: &[u8]) -> usize {
    let (whole, peak) = peak_of(|| decode(encoding, body));
    assert!(peak <= MOST_MEMORY, "{} bytes of {encoding} take {peak} bytes of memory", body.len());
    assert!(whole.as_ref().is_ok_and(|decoded| decoded.len() <= MOST_BYTES) || whole.is_err());
    // A body that is too large may be taken piece by piece.
    if whole == Err(EncodingError::TooLarge) {
        return peak;
    }
    // Of what becomes large, one way is enough: others would only take long.
    let ways = if peak < LARGE { usize::MAX } else { 1 };
    for pieces in ways_to_cut(body).iter().rev().take(ways) {
        let cut = decoded(encoding, pieces);
        let lengths = (cut.as_ref().map(Vec::len), whole.as_ref().map(Vec::len));
        assert!(cut == whole, "the cut shows in what is decoded: {lengths:?}");
    }
    peak
}

/// What a server has compressed and flushed. The second part is too long for any buffer on the way.
fn check_flushed(encoding: &str, body: &[u8]) {
    let (first, second) = body.split_at(body.len() / 2);
    let second = second.repeat(1 + 20_000 / (second.len() + 1));
    let parts = [first, &second, body];
    let Some(pieces) = flushed(encoding, &parts) else { return };
    let Ok(Some(mut decoder)) = Decoder::of(encoding) else { panic!("no decoder of {encoding}") };
    for (piece, part) in pieces.iter().zip(parts) {
        let came = decoder.feed(piece);
        let length = came.as_ref().map(Vec::len);
        assert!(came.as_deref() == Ok(part), "{length:?} of {} flushed bytes came: {encoding}", part.len());
    }
    let pieces = pieces.concat();
    for pieces in ways_to_cut(&pieces) {
        assert!(decoded(encoding, &pieces) == Ok(parts.concat()), "what was compressed is lost");
    }
}

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
