//! What is kept: a text or bytes, in the form in which a file holds it.

use unitai_wire::redact::Secrets;

/// What is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A text. Its file ends with the end of a line, as editors leave it, whether the text does or not.
    Text(String),
    /// Bytes, kept as they are.
    Bytes(Vec<u8>),
}

impl Content {
    /// The bytes of the file.
    pub(crate) fn written(self, secrets: &Secrets) -> Vec<u8> {
        match self {
            Content::Text(text) => ended(secrets.clean(&text).into_owned().into_bytes()),
            Content::Bytes(bytes) => secrets.clean_bytes(&bytes).into_owned(),
        }
    }

    /// The bytes of a file, in the same form: another tool may have left out the end of the last line, and git may have
    /// made `\r\n` of each. In a text with `\r` of its own, that is a part of it.
    pub(crate) fn read(&self, file: Vec<u8>) -> Vec<u8> {
        match self {
            Content::Text(text) if text.contains('\r') => ended(file),
            Content::Text(_) => ended(with_plain_ends(file)),
            Content::Bytes(_) => file,
        }
    }
}

fn with_plain_ends(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    let whole = bytes.len();
    for from in 0..whole {
        if bytes[from] != b'\r' || from + 1 == whole || bytes[from + 1] != b'\n' {
            bytes[at] = bytes[from];
            at += 1;
        }
    }
    bytes.truncate(at);
    bytes
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    bytes
}
