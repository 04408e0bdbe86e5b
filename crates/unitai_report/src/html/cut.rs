//! Long texts: their beginning at once, the rest when it is asked for, and what is beyond all use only counted.

use super::words::counted;
use super::write::Html;

/// So much is shown at once,
const CHARS: usize = 2_000;
/// in so many lines.
const LINES: usize = 30;
/// More than this is not in the page at all.
const MOST: usize = 100_000;
/// What is only a little longer is shown whole: a click for three lines is no gain.
const GRACE: usize = 500;

/// A text that is cut where it is too long.
#[derive(Default)]
pub(super) struct Cut {
    head: Html,
    rest: Html,
    chars: usize,
    lines: usize,
    left_out: usize,
    is_over: bool,
}

impl Cut {
    /// Adds a part; with a class, it is an element of that class.
    pub(super) fn add(&mut self, class: Option<&'static str>, text: &str) {
        let mut text = text;
        while !text.is_empty() {
            if self.chars >= MOST {
                self.left_out += text.chars().count();
                return;
            }
            self.is_over |= self.chars >= CHARS || self.lines >= LINES;
            // Up to the end of a line, so that the cut is where a line ends if one ends in time.
            let line = text.find('\n').map_or(text.len(), |at| at + 1);
            let room = if self.is_over { MOST - self.chars } else { CHARS - self.chars };
            let fits = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
            let (now, later) = text.split_at(line.min(fits));
            let out = if self.is_over { &mut self.rest } else { &mut self.head };
            match class {
                Some(class) => out.span(class, now),
                None => out.text(now),
            };
            self.chars += now.chars().count();
            self.lines += usize::from(now.ends_with('\n'));
            text = later;
        }
    }

    /// Writes it as a block.
    pub(super) fn write(self, html: &mut Html) {
        let is_little = self.left_out == 0 && self.chars < CHARS + GRACE && self.lines < LINES + 8;
        html.raw("<pre>").html(&self.head);
        if self.rest.is_empty() || is_little {
            html.html(&self.rest).raw("</pre>");
            return;
        }
        html.raw("</pre><details class=\"more\"><summary>Show all ");
        html.text(&counted((self.chars + self.left_out) as u64, "character", "characters"));
        html.raw("</summary><pre>").html(&self.rest).raw("</pre>");
        if self.left_out > 0 {
            let count = counted(self.left_out as u64, "character", "characters");
            html.raw("<p class=\"note\">")
                .text(&count)
                .raw(" more are not in this page; the events file has them.</p>");
        }
        html.raw("</details>");
    }
}

/// A text of any length as a block.
pub(super) fn block(html: &mut Html, text: &str) {
    let mut cut = Cut::default();
    cut.add(None, text.trim_end_matches('\n'));
    cut.write(html);
}

/// A text whose lines tell what was expected (`-`) and what came instead (`+`).
pub(super) fn diff(html: &mut Html, text: &str) {
    let mut cut = Cut::default();
    for line in text.trim_end_matches('\n').split_inclusive('\n') {
        let class = match line.chars().next() {
            Some('-') => Some("minus"),
            Some('+') => Some("plus"),
            _ => None,
        };
        cut.add(class, line);
    }
    cut.write(html);
}

/// A text on one line, cut to about so many characters.
pub(super) fn line(text: &str, limit: usize) -> String {
    // A long text is not gone through for its first few words.
    let end = text.char_indices().nth(limit + 1).map_or(text.len(), |(at, _)| at);
    let one = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    if end < text.len() { format!("{}…", one.trim_end()) } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut html = Html::default();
        block(&mut html, text);
        html.done()
    }

    #[test]
    fn what_is_short_is_shown_whole() {
        assert_eq!(written("a\nb\n"), "<pre>a\nb</pre>");
        let long = "x".repeat(2400);
        assert_eq!(written(&long), format!("<pre>{long}</pre>"));
    }

    #[test]
    fn what_is_long_is_cut_where_a_line_ends_and_nothing_is_lost() {
        let text = (0..200).map(|n| format!("line {n}\n")).collect::<String>();
        let html = written(&text);
        assert!(html.starts_with("<pre>line 0\n"));
        assert!(html.contains("line 29\n</pre><details class=\"more\"><summary>Show all 1,689 characters</summary><pre>line 30\n"));
        assert!(html.contains("line 199</pre>"));
    }

    #[test]
    fn what_is_beyond_all_use_is_counted() {
        let html = written(&"é".repeat(100_123));
        assert!(html.contains("Show all 100,123 characters"));
        assert!(html.contains("123 characters more are not in this page"));
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line("a\n \tb\u{2028}c", 10), "a b c");
        assert_eq!(line(&"ab ".repeat(10), 4), "ab ab…");
    }
}
