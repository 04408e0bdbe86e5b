//! The ways in which the network may cut bytes.

use crate::random::Random;

/// Ways to cut bytes into pieces: not at all, everywhere, and three in between that the bytes decide.
/// Empty pieces are among them.
pub fn ways_to_cut(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut random = Random::of(bytes);
    let mut ways = vec![vec![bytes], bytes.chunks(1).collect()];
    ways.extend([3, 17, 200].map(|longest| {
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(random.below(longest + 1).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces
    }));
    ways
}
