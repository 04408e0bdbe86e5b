//! Text that XML can hold.

use std::borrow::Cow;

use crate::ansi::without_escapes;

/// The text without commands of a terminal, and with every character spelled out that XML does not allow. All others
/// stay as they are.
pub(super) fn legal(text: &str) -> Cow<'_, str> {
    let text = without_escapes(text);
    if text.chars().all(is_legal) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if is_legal(c) => out.push(c),
            c if u32::from(c) < 0x100 => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    Cow::Owned(out)
}

/// Whether it is a character of XML 1.0.
fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_does_not_allow_is_spelled_out() {
        assert_eq!(legal("a\0b\u{1b}\u{7}\u{1b}[31mc\u{ffff}\u{fffe}"), "a\\x00b\\x1b\\x07c\\uffff\\ufffe");
        let kept = "tab\t, line\n, \u{85}\u{2028}\u{7f}\u{fffd}\u{1ffff}\u{10ffff}";
        assert_eq!(legal(kept), kept);
    }
}
