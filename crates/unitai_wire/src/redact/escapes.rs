//! A text as it reads without its escapes: `%2F`, `\/`, `\u002f`, `\n`, also when they were escaped again.
//!
//! Only what lies around an escape is read again, and only if the escape stands for a byte that a known
//! value holds. Few hold a line end or a quotation mark, so most escapes of a JSON text are none of these.

use std::ops::Range;

use memchr::memchr2;

/// More signs of escape than this in a row are no escape of a character.
const MOST_SIGNS: usize = 32;

/// A part of a text without its escapes.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Where each byte begins in the text, and where the last one ends.
    at: Vec<usize>,
}

impl View {
    /// A string of JSON, without the quotation marks around it.
    pub(super) fn of_json(text: &[u8], string: Range<usize>) -> View {
        let mut view =
            View { bytes: Vec::with_capacity(string.len()), at: Vec::with_capacity(string.len() + 1) };
        let mut at = string.start;
        while at < string.end {
            if text[at] != b'\\' {
                view.push(&[text[at]], at);
                at += 1;
                continue;
            }
            // Half of a surrogate pair stays as it is written: it is no text.
            let (length, meant) = match text.get(at + 1) {
                Some(b'u') => unicode(&text[at..string.end], 1).unwrap_or((2, Meant::byte(b'u'))),
                Some(byte) => (2, Meant::byte(meant_by(*byte))),
                None => (1, Meant::byte(b'\\')),
            };
            view.push(meant.bytes(), at);
            at += length;
        }
        view.at.push(string.end);
        view
    }

    fn push(&mut self, bytes: &[u8], at: usize) {
        for byte in bytes {
            self.bytes.push(*byte);
            self.at.push(at);
        }
    }

    /// Where a part of the view stands in the text.
    pub(super) fn place(&self, part: &Range<usize>) -> Range<usize> {
        if part.is_empty() {
            return self.at[part.start]..self.at[part.start];
        }
        // The bytes of one character share a place; the part ends where the next character begins.
        let mut end = part.end;
        while end < self.bytes.len() && self.at[end] == self.at[part.end - 1] {
            end += 1;
        }
        self.at[part.start]..self.at[end]
    }
}

/// A whole text without its escapes.
pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    view(text, 0, text.len(), 0).0.bytes
}

/// Views of all parts of a text that hold an escape of a byte that `is_met` knows, with `around` bytes on both sides.
pub(super) fn views(text: &[u8], around: usize, is_met: impl Fn(u8) -> bool) -> Vec<View> {
    let mut views = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr2(b'\\', b'%', &text[from..]) {
        let at = from + found;
        let Some((escape, meant)) = escape(&text[at..]) else {
            from = at + 1;
            continue;
        };
        if !is_met(meant.first()) {
            from = at + escape;
            continue;
        }
        let (view, end) = view(text, at.saturating_sub(around), at + escape, around);
        views.push(view);
        from = end;
    }
    views
}

/// The view from one place until nothing has been escaped for a while.
fn view(text: &[u8], start: usize, mut last: usize, around: usize) -> (View, usize) {
    let mut view = View { bytes: Vec::new(), at: Vec::new() };
    let mut at = start;
    while at < text.len() && at < last + around {
        match text[at] {
            b'\\' | b'%' => match escape(&text[at..]) {
                Some((length, meant)) => {
                    view.push(meant.bytes(), at);
                    at += length;
                    last = last.max(at);
                    continue;
                }
                None => view.bytes.push(text[at]),
            },
            byte => view.bytes.push(byte),
        }
        view.at.push(at);
        at += 1;
    }
    view.at.push(at);
    (view, at)
}

/// What an escape stands for.
struct Meant {
    utf8: [u8; 4],
    length: usize,
}

impl Meant {
    fn byte(byte: u8) -> Meant {
        Meant { utf8: [byte, 0, 0, 0], length: 1 }
    }

    fn first(&self) -> u8 {
        self.utf8[0]
    }

    fn bytes(&self) -> &[u8] {
        &self.utf8[..self.length]
    }
}

/// The escape at the start of a text: its length, and what it stands for.
fn escape(text: &[u8]) -> Option<(usize, Meant)> {
    if text[0] == b'%' {
        // `%252F` is `%2F`, escaped again.
        let mut digits = &text[1..];
        while digits.starts_with(b"25") && hex(digits.get(2..4)?).is_some() {
            digits = &digits[2..];
        }
        let byte = hex(digits.get(..2)?)?;
        return Some((text.len() - digits.len() + 2, Meant::byte(byte as u8)));
    }
    let signs = text.iter().take(MOST_SIGNS).take_while(|byte| **byte == b'\\').count();
    let escape = match text.get(signs)? {
        b'u' => unicode(text, signs),
        b'x' => text.get(signs + 1..signs + 3).and_then(hex).map(|byte| (signs + 3, Meant::byte(byte as u8))),
        byte @ (b'"' | b'/' | b'\'') => Some((signs + 1, Meant::byte(*byte))),
        letter @ (b'n' | b'r' | b't') => Some((signs + 1, Meant::byte(meant_by(*letter)))),
        _ => None,
    };
    escape.or((signs > 1).then_some((signs, Meant::byte(b'\\'))))
}

/// What `\n` and its like mean in JSON.
fn meant_by(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        other => other,
    }
}

fn unicode(text: &[u8], signs: usize) -> Option<(usize, Meant)> {
    let unit = |from: usize| hex(text.get(from..from + 4)?);
    let first = unit(signs + 1)?;
    let mut length = signs + 5;
    let mut units = vec![first as u16];
    if (0xd800..0xdc00).contains(&first) {
        let again = text.get(length..)?.iter().take(MOST_SIGNS).take_while(|byte| **byte == b'\\').count();
        units.push(unit(length + again + 1)? as u16);
        length += again + 5;
    }
    let read = char::decode_utf16(units).next()?.ok()?;
    let mut utf8 = [0; 4];
    let written = read.encode_utf8(&mut utf8).len();
    Some((length, Meant { utf8, length: written }))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| Some(sum << 4 | char::from(*digit).to_digit(16)?))
}
