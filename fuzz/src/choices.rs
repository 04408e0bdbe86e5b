//! An input whose first line chooses between variants and whose rest is the text under test. Choices
//! are digits, so that a seed can be written by hand: `0210`, a line end, a body.

/// The choices of an input, one byte each.
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    /// Splits an input into its choices and its body.
    pub fn split(input: &'a [u8]) -> (Choices<'a>, &'a [u8]) {
        let (head, body) = line(input);
        (Choices(head), body)
    }

    /// The next choice. What is not chosen is the first.
    pub fn of<T: Copy>(&mut self, variants: &[T]) -> T {
        let (byte, rest) = self.0.split_first().map_or((b'0', self.0), |(byte, rest)| (*byte, rest));
        self.0 = rest;
        variants[usize::from(byte.wrapping_sub(b'0')) % variants.len()]
    }

    /// What is left of the line.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Splits a line off.
    pub fn line(input: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        line(input)
    }
}

fn line(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[]),
    }
}
