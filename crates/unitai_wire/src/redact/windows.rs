//! The pieces of known values, and where a text holds one.
//!
//! A piece is eight bytes, kept as one exact number. So no eight bytes in a row of a value are left in a
//! text, wherever the text was cut, and a text that holds none costs a fraction of a nanosecond a byte:
//! every window of eight holds a run of five that begins at a multiple of four, so it is enough to look
//! those up in a bitmap.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::forms::{Form, Shares};

/// A piece has so many bytes.
pub(super) const WINDOW: usize = 8;
/// Eight hexadecimal digits are four bytes, and the checksums of a long text would hold some of them by
/// chance. So many are six bytes.
const SHORTEST_FOLDED: usize = 12;
/// What the bitmap knows: the first five bytes from every fourth on.
const GRAM: usize = 5;
const STRIDE: usize = 4;
/// Two to this many bits: 16 KB, which stay in the first cache.
const BITMAP_BITS: u32 = 17;
const BITMAP_WORDS: usize = 1 << (BITMAP_BITS - 6);

/// The pieces of every known value, in all their spellings.
#[derive(Clone)]
pub(super) struct Windows {
    exact: FxHashSet<u64>,
    /// Pieces that are the same in either case: hexadecimal digits.
    folded: FxHashSet<u64>,
    filter: Box<[u64; BITMAP_WORDS]>,
    /// Every byte that a piece holds.
    alphabet: [bool; 256],
    gaps: Vec<Gap>,
    after: FxHashMap<u64, Vec<usize>>,
    before: FxHashMap<u64, Vec<usize>>,
    /// First pieces in base64 before which stands a character that is partly the value's,
    shared_before: FxHashSet<u64>,
    /// last pieces after which one does,
    shared_after: FxHashSet<u64>,
    /// and last pieces after which there is nothing but padding.
    padded: FxHashSet<u64>,
}

/// A part of a value that is too common to be a piece (`sk-proj-`), with the pieces at its sides. It is
/// hidden only where it stands beside them.
#[derive(Clone)]
struct Gap {
    bytes: Vec<u8>,
    /// What it shares with its neighbours, where it is the first or the last part of a spelling.
    shares: Shares,
}

/// A part of a text that is made of pieces.
struct Hit {
    range: Range<usize>,
    is_exact: bool,
}

impl Windows {
    pub(super) fn new() -> Windows {
        Windows {
            exact: FxHashSet::default(),
            folded: FxHashSet::default(),
            filter: Box::new([0; BITMAP_WORDS]),
            alphabet: [false; 256],
            gaps: Vec::new(),
            after: FxHashMap::default(),
            before: FxHashMap::default(),
            shared_before: FxHashSet::default(),
            shared_after: FxHashSet::default(),
            padded: FxHashSet::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.folded.is_empty()
    }

    /// Whether a piece can hold this byte.
    pub(super) fn holds(&self, byte: u8) -> bool {
        self.alphabet[usize::from(byte)]
    }

    /// Adds the pieces of one spelling of a value.
    pub(super) fn add(&mut self, form: &Form) {
        let bytes = &form.bytes;
        if bytes.len() < WINDOW {
            return;
        }
        let mut covered = 0;
        let mut last = None;
        for at in 0..=bytes.len() - WINDOW {
            if !form.is_telling(at) {
                continue;
            }
            let window = load(bytes, at);
            self.insert(window, form.any_case);
            for byte in &bytes[at..at + WINDOW] {
                self.alphabet[usize::from(*byte)] = true;
                if form.any_case {
                    self.alphabet[usize::from(byte.to_ascii_uppercase())] = true;
                }
            }
            if at > covered {
                let shares = Shares { before: form.shares.before && last.is_none(), last: false };
                self.add_gap(
                    Gap { bytes: bytes[covered..at].to_vec(), shares },
                    last,
                    Some(window),
                    form.any_case,
                );
            } else if at == 0 && form.shares.before {
                self.shared_before.insert(window);
            }
            if form.shares.last {
                match bytes.len() - WINDOW - at {
                    0 => self.padded.insert(window),
                    1 => self.shared_after.insert(window),
                    _ => false,
                };
            }
            (covered, last) = (at + WINDOW, Some(window));
        }
        if last.is_some() && covered < bytes.len() {
            let shares = Shares { before: false, last: form.shares.last };
            self.add_gap(Gap { bytes: bytes[covered..].to_vec(), shares }, last, None, form.any_case);
        }
    }

    fn insert(&mut self, window: u64, any_case: bool) {
        let is_new = if any_case { self.folded.insert(fold(window)) } else { self.exact.insert(window) };
        if is_new {
            for at in 0..STRIDE {
                let bit = bit_of(fold(window) >> (8 * at));
                self.filter[bit >> 6] |= 1 << (bit & 63);
            }
        }
    }

    fn add_gap(&mut self, gap: Gap, before: Option<u64>, after: Option<u64>, any_case: bool) {
        let key = |window: u64| if any_case { fold(window) } else { window };
        let number = self.gaps.len();
        self.gaps.push(gap);
        if let Some(window) = before {
            self.before.entry(key(window)).or_default().push(number);
        }
        if let Some(window) = after {
            self.after.entry(key(window)).or_default().push(number);
        }
    }

    /// The parts of a text that are made of pieces, in order and apart from each other.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        if text.len() < WINDOW || self.is_empty() {
            return Vec::new();
        }
        let mut hits = Vec::new();
        let last = text.len() - WINDOW;
        let mut at = 0;
        while at <= last {
            if self.may_hold(load(text, at)) {
                for start in at.saturating_sub(STRIDE - 1)..=at {
                    self.look(text, start, &mut hits);
                }
            }
            at += STRIDE;
        }
        // Windows whose multiple of four lies too near to the end to be loaded.
        for start in (at - STRIDE + 1)..=last {
            self.look(text, start, &mut hits);
        }
        hits.retain(|hit| hit.is_exact || hit.range.len() >= SHORTEST_FOLDED);
        let mut found: Vec<Range<usize>> = hits.into_iter().map(|hit| hit.range).collect();
        for range in &mut found {
            self.fill(text, range);
        }
        found.dedup_by(|next, range| {
            let joined = next.start <= range.end;
            if joined {
                range.start = range.start.min(next.start);
                range.end = range.end.max(next.end);
            }
            joined
        });
        found
    }

    #[inline]
    fn may_hold(&self, window: u64) -> bool {
        let bit = bit_of(fold(window));
        self.filter[bit >> 6] & (1 << (bit & 63)) != 0
    }

    fn look(&self, text: &[u8], start: usize, hits: &mut Vec<Hit>) {
        let window = load(text, start);
        let is_exact = self.exact.contains(&window);
        if !is_exact && !self.folded.contains(&fold(window)) {
            return;
        }
        match hits.last_mut() {
            Some(hit) if start <= hit.range.end => {
                hit.range.end = start + WINDOW;
                hit.is_exact |= is_exact;
            }
            _ => hits.push(Hit { range: start..start + WINDOW, is_exact }),
        }
    }

    /// Widens a part over what is common in the value that it comes from, and over characters of base64 that
    /// are only partly the value's.
    fn fill(&self, text: &[u8], range: &mut Range<usize>) {
        let gaps = |map: &FxHashMap<u64, Vec<usize>>, window: u64| -> Vec<&Gap> {
            let numbers = [window, fold(window)].map(|key| map.get(&key));
            numbers.into_iter().flatten().flatten().map(|number| &self.gaps[*number]).collect()
        };
        let alike = |(a, b): &(&u8, &u8)| a.eq_ignore_ascii_case(b);
        let (first, last) = (load(text, range.start), load(text, range.end - WINDOW));
        // A value that was cut has something else beside it.
        let is_shared =
            |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|byte| is_base64(*byte));
        let in_front = |same: usize, shares: bool| {
            same + usize::from(shares && is_shared(range.start.checked_sub(same + 1)))
        };
        let behind =
            |same: usize, shares: bool| same + usize::from(shares && is_shared(Some(range.end + same)));
        let mut before = in_front(0, self.shared_before.contains(&first));
        for gap in gaps(&self.after, first) {
            let same = text[..range.start].iter().rev().zip(gap.bytes.iter().rev()).take_while(alike).count();
            before = before.max(in_front(same, gap.shares.before && same == gap.bytes.len()));
        }
        let mut after = behind(0, self.shared_after.contains(&last));
        let mut is_padded = self.padded.contains(&last);
        for gap in gaps(&self.before, last) {
            let same = text[range.end..].iter().zip(&gap.bytes).take_while(alike).count();
            after = after.max(behind(same, gap.shares.last && same + 1 == gap.bytes.len()));
            is_padded |= gap.shares.last && same == gap.bytes.len();
        }
        *range = range.start - before..range.end + after;
        if is_padded {
            range.end += text[range.end..].iter().take(2).take_while(|byte| **byte == b'=').count();
        }
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

fn load(bytes: &[u8], at: usize) -> u64 {
    let mut window = [0; WINDOW];
    window.copy_from_slice(&bytes[at..at + WINDOW]);
    u64::from_le_bytes(window)
}

/// The same for a letter in either case. Some other bytes fall together too, which only the bitmap and
/// hexadecimal digits ever see.
const fn fold(window: u64) -> u64 {
    window | 0x2020_2020_2020_2020
}

/// Where the bitmap keeps the first five bytes of a window.
#[inline]
const fn bit_of(window: u64) -> usize {
    let gram = window << (8 * (WINDOW - GRAM));
    (gram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITMAP_BITS)) as usize
}
