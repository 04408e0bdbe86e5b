//! Chance that repeats: numbers that look random and are the same for the same keys, on every machine
//! and in every thread. Nothing is drawn from a generator that others draw from, too.

/// SplitMix64: small, and well mixed.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number that belongs to a seed and these keys.
pub(crate) fn draw(seed: u64, keys: &[u64]) -> u64 {
    keys.iter().fold(mix(seed.wrapping_add(GOLDEN)), |state, key| mix(state ^ key.wrapping_add(GOLDEN)))
}

/// A drawn number as one in [0, 1).
pub(crate) fn fraction(drawn: u64) -> f64 {
    (drawn >> 11) as f64 / (1u64 << 53) as f64
}

/// Texts as a key. Where one ends and the next begins counts.
pub(crate) fn key_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    texts.into_iter().fold(0, |state, text| {
        let folded = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        draw(state, &[folded, text.len() as u64])
    })
}
