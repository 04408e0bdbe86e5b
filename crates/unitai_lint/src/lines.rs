//! Lines and columns of a text.

use ruff_text_size::{TextRange, TextSize};

/// Where the lines of a text begin. Lines end with `\n`, `\r\n` or a lone `\r`, as Python has it.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Of a text.
    pub fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        Lines { starts }
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
        let column = text[start..usize::from(offset)].chars().count();
        (line + 1, column + 1)
    }
}
