//! The bytes of a file become text.

use std::borrow::Cow;

/// The text of an XML file: UTF-8, or UTF-16 with its mark, or what an old tool declares as Latin-1. `None` of anything
/// else.
pub(super) fn text(bytes: &[u8]) -> Option<Cow<'_, str>> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => str::from_utf8(rest).ok().map(Cow::Borrowed),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        bytes => match str::from_utf8(bytes) {
            Ok(text) => Some(Cow::Borrowed(text)),
            Err(_) if declares_latin(bytes) => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Err(_) => None,
        },
    }
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<Cow<'static, str>> {
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<String, _>>().ok().map(Cow::Owned)
}

fn declares_latin(bytes: &[u8]) -> bool {
    let head: Vec<u8> = bytes.iter().take(200).map(u8::to_ascii_lowercase).collect();
    let Some(end) = head.windows(2).position(|pair| pair == b"?>") else { return false };
    let names: [&[u8]; 3] = [b"iso-8859-1", b"windows-1252", b"latin1"];
    names.iter().any(|name| head[..end].windows(name.len()).any(|part| part == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_encodings_are_read_and_others_are_not_guessed() {
        assert_eq!(text("\u{feff}<a/>é".as_bytes()).unwrap(), "<a/>é");
        assert_eq!(text(b"\xff\xfe<\0\xe9\0").unwrap(), "<é");
        assert_eq!(text(b"\xfe\xff\0<\0\xe9").unwrap(), "<é");
        assert_eq!(
            text(b"<?xml version='1.0' encoding='ISO-8859-1'?>\xe9").unwrap().chars().last(),
            Some('é')
        );
        for wrong in [&b"\xe9"[..], b"\xff\xfe<", b"\xff\xfe\x00\xd8", b"<?xml encoding='shift_jis'?>\xe9"] {
            assert_eq!(text(wrong), None);
        }
    }
}
