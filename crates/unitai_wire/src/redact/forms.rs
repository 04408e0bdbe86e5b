//! The spellings in which a value may stand in a text: as it is, in base64 and in hexadecimal.
//!
//! Escapes (`%2F`, `\/`, `\u002f`) are no spellings: [`super::escapes`] undoes them in the text, because
//! every writer escapes something else.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::windows::WINDOW;

/// A piece tells of its value if so many of its bytes are not common ones.
const TELLING: usize = 3;

/// One spelling of a value.
pub(super) struct Form {
    pub(super) bytes: Vec<u8>,
    /// Upper and lower case are the same.
    pub(super) any_case: bool,
    /// Which bytes of the value are common: its prefix, words.
    common: Vec<bool>,
    /// So many bits of the value are in one byte of the spelling,
    bits: usize,
    /// and the spelling begins so many bits into the value.
    skipped: usize,
    /// Whether the character before it, or its own last one, is shared with what stands beside the value.
    pub(super) shares: Shares,
}

/// Base64 cuts bytes, so a character at a border may be made of two of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Shares {
    pub(super) before: bool,
    pub(super) last: bool,
}

impl Form {
    /// Whether the piece that begins here would be met only where the value is.
    pub(super) fn is_telling(&self, at: usize) -> bool {
        let window = &self.bytes[at..at + WINDOW];
        let distinct = (0..WINDOW).filter(|n| !window[..*n].contains(&window[*n])).count();
        let first = (self.skipped + at * self.bits) / 8;
        let last = (self.skipped + (at + WINDOW) * self.bits - 1) / 8;
        let last = last.min(self.common.len() - 1);
        let telling = self.common[first..=last].iter().filter(|common| !**common).count();
        distinct >= 3 && telling >= TELLING && !is_numbering(window)
    }
}

/// Digits with signs between them, as versions and dates are written.
fn is_numbering(window: &[u8]) -> bool {
    !window.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        && window.iter().filter(|byte| !byte.is_ascii_digit()).count() >= 2
}

/// Every spelling of a value, of whose bytes some are common.
pub(super) fn forms(value: &[u8], common: &[bool]) -> Vec<Form> {
    if value.is_empty() {
        return Vec::new();
    }
    let form = |bytes, any_case, bits, skipped| Form {
        bytes,
        any_case,
        common: common.to_vec(),
        bits,
        skipped,
        shares: Shares::default(),
    };
    let mut forms = vec![form(value.to_vec(), false, 8, 0)];
    if value.contains(&b' ') {
        // As a form on a web page writes it.
        forms.push(form(
            value.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte }).collect(),
            false,
            8,
            0,
        ));
    }
    let digits = value.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    forms.push(form(digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect(), true, 4, 0));
    for in_front in 0..3 {
        // Base64 writes three bytes as four characters, so it matters where in a group the value begins.
        let padded = [&vec![0; in_front], value].concat();
        let first = (in_front * 8).div_ceil(6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            // The last character is the one of a value that nothing follows; those in front of the value's
            // own depend on what stands there.
            let bytes = engine.encode(&padded).into_bytes().split_off(first);
            let shares = Shares { before: in_front > 0, last: !padded.len().is_multiple_of(3) };
            forms.push(Form { shares, ..form(bytes, false, 6, first * 6 - in_front * 8) });
        }
    }
    forms
}
