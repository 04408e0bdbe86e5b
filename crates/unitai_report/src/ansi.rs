//! Text without the commands of a terminal.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';

/// Text without the escape sequences of terminals: colours, links, titles. What only looks like the beginning of one
/// stays, because nothing may be lost that is no command.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        match length(behind) {
            Some(length) => rest = &behind[length..],
            None => {
                out.push(ESCAPE);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// How long the sequence is whose escape character stands before this text.
fn length(behind: &str) -> Option<usize> {
    let bytes = behind.as_bytes();
    match bytes.first()? {
        // ESC [ parameters, then a letter: colours and movements.
        b'[' => {
            let end = bytes.iter().skip(1).position(|byte| !(0x20..0x40).contains(byte))? + 1;
            (0x40..0x7f).contains(&bytes[end]).then_some(end + 1)
        }
        // ESC ] and its like hold a text, up to a bell or ESC \: titles and links.
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let bell = behind.find('\u{7}').map(|at| at + 1);
            let end = behind.find("\u{1b}\\").map(|at| at + 2);
            [bell, end].into_iter().flatten().min()
        }
        // ESC ( B and its like choose a set of characters.
        0x20..0x30 => {
            let end = bytes.iter().position(|byte| !(0x20..0x30).contains(byte))?;
            (0x30..0x7f).contains(&bytes[end]).then_some(end + 1)
        }
        0x30..0x7f => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_go_and_words_stay() {
        let cases = [
            ("plain", "plain"),
            ("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[38;5;9mmore\u{1b}[m", "red and more"),
            ("\u{1b}]8;;https://x\u{7}link\u{1b}]8;;\u{1b}\\ end", "link end"),
            ("\u{1b}(Ba\u{1b}7b\u{1b}c", "ab"),
            ("\u{1b}", "\u{1b}"),
            ("\u{1b}[31", "\u{1b}[31"),
            ("\u{1b}[3\u{e9}", "\u{1b}[3\u{e9}"),
            ("\u{1b}]never ends", "\u{1b}]never ends"),
            ("\u{1b}\u{e9}", "\u{1b}\u{e9}"),
            ("\u{1b}\u{1b}[31mx", "\u{1b}x"),
        ];
        for (text, clean) in cases {
            assert_eq!(without_escapes(text), clean, "{text:?}");
        }
    }
}
