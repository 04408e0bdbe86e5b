//! Where a text holds a known value: whole, in one of its spellings; and where the text says that it was cut, the beginning or
//! the end that the cut has left of one.
//!
//! A spelling is looked up by its first eight bytes, as one number, and then compared as a whole. A text that holds none
//! costs a fraction of a nanosecond a byte: every window of eight holds a run of five that begins at a multiple of four,
//! so it is enough to look those up in a bitmap.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::common::prefix;
use super::ordinary::is_name;
use super::spelling::Spelling;

/// No spelling is shorter than this, and neither is what is hidden at a cut.
pub(super) const WINDOW: usize = 8;
/// Eight hexadecimal digits are four bytes, which a checksum at the end of a text could be by chance. So many are six.
const SHORTEST_FOLDED: usize = 12;
/// What the bitmap knows: the first five bytes from every fourth on.
const GRAM: usize = 5;
const STRIDE: usize = 4;
/// Two to this many bits: 16 KB, which stay in the first cache.
const BITMAP_BITS: u32 = 17;
const BITMAP_WORDS: usize = 1 << (BITMAP_BITS - 6);
/// How a text says that it was cut: ours do where something is left out, and so do those of pytest and of others. The end
/// of a text says nothing: most texts are whole, and so are their strings.
const ELLIPSES: [&[u8]; 3] = ["\u{2026}".as_bytes(), b"...", br"\u2026"];

/// The spellings of every known value.
#[derive(Clone)]
pub(super) struct Matcher {
    spellings: Vec<Spelling>,
    /// Which spellings begin with a window, and which end with one. Letters count in either case.
    starts: FxHashMap<u64, Vec<usize>>,
    ends: FxHashMap<u64, Vec<usize>>,
    filter: Box<[u64; BITMAP_WORDS]>,
    /// Every byte that a spelling holds.
    alphabet: [bool; 256],
    longest: usize,
}

impl Matcher {
    pub(super) fn new() -> Matcher {
        Matcher {
            spellings: Vec::new(),
            starts: FxHashMap::default(),
            ends: FxHashMap::default(),
            filter: Box::new([0; BITMAP_WORDS]),
            alphabet: [false; 256],
            longest: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spellings.is_empty()
    }

    /// Whether a spelling can hold this byte.
    pub(super) fn holds(&self, byte: u8) -> bool {
        self.alphabet[usize::from(byte)]
    }

    /// The length of the longest spelling.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Adds one spelling of a value.
    pub(super) fn add(&mut self, spelling: Spelling) {
        let bytes = &spelling.bytes;
        let number = self.spellings.len();
        for byte in bytes {
            self.alphabet[usize::from(*byte)] = true;
            if spelling.any_case {
                self.alphabet[usize::from(byte.to_ascii_uppercase())] = true;
            }
        }
        self.longest = self.longest.max(bytes.len());
        let (first, last) = (fold(load(bytes, 0)), fold(load(bytes, bytes.len() - WINDOW)));
        let is_cut = spelling.is_cut;
        self.spellings.push(spelling);
        self.starts.entry(first).or_default().push(number);
        self.sift(first);
        if is_cut {
            self.ends.entry(last).or_default().push(number);
            self.sift(last);
        }
    }

    fn sift(&mut self, window: u64) {
        for at in 0..STRIDE {
            let bit = bit_of(window >> (8 * at));
            self.filter[bit >> 6] |= 1 << (bit & 63);
        }
    }

    /// The parts of a text that are known values. They may overlap.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        if text.len() < WINDOW || self.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let last = text.len() - WINDOW;
        let mut at = 0;
        while at <= last {
            if self.may_hold(load(text, at)) {
                for start in at.saturating_sub(STRIDE - 1)..=at {
                    self.look(text, start, &mut found);
                }
            }
            at += STRIDE;
        }
        // Windows whose multiple of four lies too near to the end to be loaded.
        for start in (at - STRIDE + 1)..=last {
            self.look(text, start, &mut found);
        }
        found
    }

    #[inline]
    fn may_hold(&self, window: u64) -> bool {
        let bit = bit_of(fold(window));
        self.filter[bit >> 6] & (1 << (bit & 63)) != 0
    }

    /// Adds what begins with the window here, and what a cut has left that ends with it.
    fn look(&self, text: &[u8], start: usize, found: &mut Vec<Range<usize>>) {
        let window = fold(load(text, start));
        let numbered = |numbers: Option<&Vec<usize>>| -> Vec<&Spelling> {
            numbers.into_iter().flatten().map(|number| &self.spellings[*number]).collect()
        };
        for spelling in numbered(self.starts.get(&window)) {
            let bytes = &spelling.bytes;
            let same = alike(spelling, text[start..].iter(), bytes.iter());
            let is_left = spelling.is_cut && is_left(spelling, 0, same) && is_cut_after(text, start + same);
            if same == bytes.len() || is_left {
                found.push(widened(text, spelling, start..start + same, 0..same));
            }
        }
        let end = start + WINDOW;
        for spelling in numbered(self.ends.get(&window)) {
            let whole = spelling.bytes.len();
            let same = alike(spelling, text[..end].iter().rev(), spelling.bytes.iter().rev());
            if same < whole && is_left(spelling, whole - same, whole) && is_cut_before(text, end - same) {
                found.push(widened(text, spelling, end - same..end, whole - same..whole));
            }
        }
    }
}

/// How many bytes are the same.
fn alike<'a>(
    spelling: &Spelling,
    text: impl Iterator<Item = &'a u8>,
    bytes: impl Iterator<Item = &'a u8>,
) -> usize {
    let is_same = |(a, b): &(&u8, &u8)| a == b || (spelling.any_case && a.eq_ignore_ascii_case(b));
    text.zip(bytes).take_while(is_same).count()
}

/// Whether a part is enough of a value to be told from other text.
fn is_left(spelling: &Spelling, from: usize, to: usize) -> bool {
    let shortest = if spelling.any_case { SHORTEST_FOLDED } else { WINDOW };
    to - from >= shortest && spelling.is_telling(from, to) && !reads_as_text(&spelling.bytes, from, to)
}

/// Whether a part of a value reads as other text does: `"assistant"` may be the end of a passphrase, and
/// `"refund-service"` what stands in front of a token. Such a name is whole: a cut falls anywhere.
fn reads_as_text(value: &[u8], from: usize, to: usize) -> bool {
    let Ok(part) = std::str::from_utf8(&value[from..to]) else { return false };
    let is_short = (to - from) * 2 < value.len();
    let ends_with_it = |at: usize| at == 0 || at == value.len() || kind(value[at - 1]) != kind(value[at]);
    let is_name = || ends_with_it(from) && ends_with_it(to) && is_name(part);
    (is_short && are_words(part)) || (prefix(value) == 0 && is_name())
}

fn are_words(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_lowercase() || b" -_.".contains(&byte))
}

/// Letters, digits and signs end each other.
fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => 2,
        _ => 0,
    }
}

/// Whether the text says here that something is left out, perhaps behind the quotation mark of what it left.
fn is_cut_after(text: &[u8], end: usize) -> bool {
    let rest = &text[end..];
    let signs = rest.iter().take_while(|byte| **byte == b'\\').count();
    let has_mark = rest.get(signs).is_some_and(is_quotation_mark);
    let behind = if has_mark { &rest[signs + 1..] } else { rest };
    // The value may have gone on with a dot, which then is taken for one of the three.
    let dots = text[..end].iter().rev().take(2).take_while(|byte| **byte == b'.').count();
    let begins = |text: &[u8]| ELLIPSES.iter().any(|ellipsis| text.starts_with(ellipsis));
    begins(behind) || (1..=dots).any(|dots| begins(&text[end - dots..]))
}

fn is_cut_before(text: &[u8], start: usize) -> bool {
    let rest = &text[..start];
    let rest = rest.strip_suffix(b"\"").or(rest.strip_suffix(b"'")).unwrap_or(rest);
    ELLIPSES.iter().any(|ellipsis| rest.ends_with(ellipsis))
}

fn is_quotation_mark(byte: &u8) -> bool {
    b"\"'".contains(byte)
}

/// The part with the characters of base64 at its sides that are partly the value's, and the padding after them.
fn widened(text: &[u8], spelling: &Spelling, part: Range<usize>, of: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = part;
    let shares = spelling.shares;
    if shares.before && of.start == 0 && start > 0 && is_base64(text[start - 1]) {
        start -= 1;
    }
    if shares.after && of.end == spelling.bytes.len() {
        end += usize::from(text.get(end).is_some_and(|byte| is_base64(*byte)));
        end += text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    }
    start..end
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

fn load(bytes: &[u8], at: usize) -> u64 {
    let mut window = [0; WINDOW];
    window.copy_from_slice(&bytes[at..at + WINDOW]);
    u64::from_le_bytes(window)
}

/// The same for a letter in either case. Some other bytes fall together too, so what is found is compared.
const fn fold(window: u64) -> u64 {
    window | 0x2020_2020_2020_2020
}

/// Where the bitmap keeps the first five bytes of a window.
#[inline]
const fn bit_of(window: u64) -> usize {
    let gram = window << (8 * (WINDOW - GRAM));
    (gram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITMAP_BITS)) as usize
}
