//! Lines and columns of a text.

use ruff_text_size::{TextRange, TextSize};

/// After so many bytes, characters are counted up: a column far into a long line is found without counting from its start.
const STRIDE: usize = 256;

/// Where the lines of a text begin. Lines end with `\n`, `\r\n` or a lone `\r`, as Python has it.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<u32>,
    /// How many characters begin before each stride; empty where every byte is one.
    chars: Vec<u32>,
}

impl Lines {
    /// Of a text.
    ///
    /// ```
    /// use unitai_lint::Lines;
    /// let text = "a = 1\nname = 'Zoë'; b = 2\n";
    /// let lines = Lines::of(text);
    /// let at = text.find("b =").unwrap();
    /// assert_eq!(lines.place((at as u32).into(), text), (2, 15));
    /// assert_eq!(lines.offset(1, 14, text), at);
    /// ```
    pub fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        let mut chars = Vec::new();
        if !bytes.is_ascii() {
            let mut before = 0;
            for stride in bytes.chunks(STRIDE) {
                chars.push(before);
                before += count(stride) as u32;
            }
            chars.push(before);
        }
        Lines { starts, chars }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line of an offset, from 0.
    pub fn line(&self, offset: TextSize) -> usize {
        self.starts.partition_point(|start| *start <= offset.to_u32()) - 1
    }

    /// A line's range, without what ends it.
    pub fn range(&self, line: usize, text: &str) -> Option<TextRange> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).map_or(text.len(), |next| *next as usize);
        let end = start as usize + text[start as usize..end].trim_end_matches(['\n', '\r']).len();
        Some(TextRange::new(start.into(), (end as u32).into()))
    }

    /// The line and the column of an offset, from 1, in characters.
    pub fn place(&self, offset: TextSize, text: &str) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.starts[line] as usize;
        let column = self.chars_before(usize::from(offset), text) - self.chars_before(start, text);
        (line + 1, column + 1)
    }

    /// The byte at which a character of a line begins, both from 0; the end of the line where it has fewer.
    pub fn offset(&self, line: usize, column: usize, text: &str) -> usize {
        let Some(range) = self.range(line, text) else { return text.len() };
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        if self.chars.is_empty() {
            return end.min(start + column);
        }
        let wanted = self.chars_before(start, text) + column;
        let stride = self.chars.partition_point(|before| *before as usize <= wanted) - 1;
        let (from, before) = (stride * STRIDE, self.chars[stride] as usize);
        let begins = |at: &usize| text.is_char_boundary(*at);
        (from..end).filter(begins).nth(wanted - before).unwrap_or(end)
    }

    /// How many characters begin before an offset.
    fn chars_before(&self, offset: usize, text: &str) -> usize {
        match self.chars.get(offset / STRIDE) {
            None => offset,
            Some(before) => *before as usize + count(&text.as_bytes()[offset / STRIDE * STRIDE..offset]),
        }
    }
}

/// How many characters begin in these bytes of UTF-8.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{Lines, STRIDE};

    #[test]
    fn columns_are_those_that_one_counts() {
        let long = "ab名é🦀".repeat(STRIDE);
        for text in
            [String::new(), "a\r\nb\rc\n".to_owned(), "x".repeat(3 * STRIDE), format!("ü\n{long}\r\n{long}")]
        {
            let lines = Lines::of(&text);
            let (mut line, mut column, mut last) = (1, 1, ' ');
            for (at, c) in text.char_indices() {
                if last == '\n' || last == '\r' && c != '\n' {
                    (line, column) = (line + 1, 1);
                }
                assert_eq!(lines.place((at as u32).into(), &text), (line, column));
                if !matches!(c, '\n' | '\r') {
                    assert_eq!(lines.offset(line - 1, column - 1, &text), at);
                }
                (column, last) = (column + 1, c);
            }
            let end = lines.range(0, &text).map(|range| usize::from(range.end()));
            assert_eq!(Some(lines.offset(0, usize::MAX / 2, &text)), end);
        }
    }
}
