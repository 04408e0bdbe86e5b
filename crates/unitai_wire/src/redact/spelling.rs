//! The spellings in which a value may stand in a text: as it is, in base64, in hexadecimal, and one of these inside
//! another.
//!
//! Escapes (`%2F`, `\/`, `\u002f`) are no spellings: [`super::escapes`] undoes them in the text, because every writer
//! escapes something else. Only inside of base64 and hexadecimal, where they cannot be undone, are the usual ones spelled.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rustc_hash::FxHashSet;

use super::matcher::WINDOW;

/// A part of a value tells of it if so many of its bytes are not common ones.
const TELLING: usize = 3;
/// Longer values are not looked for in a spelling of a spelling: there are some 80 of them. A token with many claims is shorter.
const LONGEST_NESTED: usize = 4096;

/// One spelling of a value.
#[derive(Clone)]
pub(super) struct Spelling {
    pub(super) bytes: Vec<u8>,
    /// Upper and lower case are the same.
    pub(super) any_case: bool,
    /// Which bytes of the value are common: its prefix, words.
    common: Vec<bool>,
    /// So many bits of the value are in one byte of the spelling,
    bits: usize,
    /// and the spelling begins so many bits into the value.
    skipped: usize,
    /// Whether the characters beside it are partly the value's.
    pub(super) shares: Shares,
    /// Whether a part of it is hidden where the text was cut.
    pub(super) is_cut: bool,
}

/// Base64 cuts bytes, so a character at a border may be made of two of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Shares {
    pub(super) before: bool,
    pub(super) after: bool,
}

impl Spelling {
    fn plain(value: &[u8], common: &[bool]) -> Spelling {
        Spelling {
            bytes: value.to_vec(),
            any_case: false,
            common: common.to_vec(),
            bits: 8,
            skipped: 0,
            shares: Shares::default(),
            is_cut: true,
        }
    }

    /// Whether this part of the spelling is met only where the value is.
    pub(super) fn is_telling(&self, from: usize, to: usize) -> bool {
        let part = &self.bytes[from..to];
        let distinct = (0..part.len()).filter(|n| !part[..*n].contains(&part[*n])).take(TELLING).count();
        let first = (self.skipped + from * self.bits) / 8;
        let last = ((self.skipped + to * self.bits - 1) / 8).min(self.common.len() - 1);
        let telling = self.common[first..=last].iter().filter(|common| !**common).count();
        distinct >= TELLING && telling >= TELLING && !is_numbering(part)
    }
}

/// Digits with signs between them, as versions and dates are written.
fn is_numbering(part: &[u8]) -> bool {
    !part.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        && part.iter().filter(|byte| !byte.is_ascii_digit()).count() >= 2
}

/// Every spelling of a value, of whose bytes some are common.
pub(super) fn spellings(value: &[u8], common: &[bool]) -> Vec<Spelling> {
    let plain = Spelling::plain(value, common);
    if value.len() < WINDOW || !plain.is_telling(0, value.len()) {
        return Vec::new();
    }
    let mut all = vec![plain];
    if value.contains(&b' ') {
        // As a form on a web page writes it.
        let with_signs: Vec<u8> = value.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte }).collect();
        all.push(Spelling::plain(&with_signs, common));
    }
    all.extend(encoded(value, common));
    if value.len() <= LONGEST_NESTED {
        let mut inner: Vec<Vec<u8>> = all[1..].iter().map(|spelling| spelling.bytes.clone()).collect();
        inner.push(hexadecimal(value).to_ascii_uppercase());
        for kept in [NON_ALPHANUMERIC, UNRESERVED, UNRESERVED_AND_SLASH] {
            let escaped = percent_encode(value, kept).to_string();
            inner.push(small_escapes(&escaped));
            inner.push(escaped.into_bytes());
        }
        let json = serde_json::Value::from(String::from_utf8_lossy(value)).to_string();
        let json = &json[1..json.len() - 1];
        // Some writers escape slashes, too, and some every letter that is not of ASCII.
        for json in [json.to_owned(), json.replace('/', r"\/"), in_ascii(json)] {
            inner.push(json.into_bytes());
        }
        for bytes in inner.iter().filter(|bytes| bytes.as_slice() != value) {
            let nested = encoded(bytes, &vec![false; bytes.len()]);
            all.extend(nested.into_iter().map(|spelling| Spelling { is_cut: false, ..spelling }));
        }
    }
    let mut seen = FxHashSet::default();
    all.retain(|spelling| spelling.bytes.len() >= WINDOW && seen.insert(spelling.bytes.clone()));
    all
}

/// What RFC 3986 lets stand as it is,
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// and what Python does.
const UNRESERVED_AND_SLASH: &AsciiSet = &UNRESERVED.remove(b'/');

/// `\u00fc` for `ü`.
fn in_ascii(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            escaped.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}

/// `%2F` as `%2f`.
fn small_escapes(escaped: &str) -> Vec<u8> {
    let mut bytes = escaped.as_bytes().to_vec();
    for at in 0..bytes.len() {
        if bytes[at] == b'%' {
            bytes[at + 1..at + 3].make_ascii_lowercase();
        }
    }
    bytes
}

/// A value in hexadecimal, and in base64 wherever it begins in a group of three bytes, in both alphabets.
fn encoded(value: &[u8], common: &[bool]) -> Vec<Spelling> {
    let plain = Spelling::plain(value, common);
    let mut all = vec![Spelling { bytes: hexadecimal(value), any_case: true, bits: 4, ..plain.clone() }];
    for in_front in 0..3 {
        let padded = [&vec![0; in_front], value].concat();
        // Only characters that are the value's alone: those at its borders depend on what stands beside it.
        let (first, end) = ((in_front * 8).div_ceil(6), padded.len() * 8 / 6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let bytes = engine.encode(&padded).as_bytes()[first..end].to_vec();
            let shares = Shares { before: in_front > 0, after: !padded.len().is_multiple_of(3) };
            let skipped = first * 6 - in_front * 8;
            all.push(Spelling { bytes, bits: 6, skipped, shares, ..plain.clone() });
        }
    }
    all
}

fn hexadecimal(value: &[u8]) -> Vec<u8> {
    let digits = value.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect()
}
