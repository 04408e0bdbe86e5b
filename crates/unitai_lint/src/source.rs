//! Bytes of a file become text, in whichever encoding Python would read them.

use encoding_rs::Encoding;

/// No file of tests is larger than this.
pub(crate) const LARGEST: usize = 10_000_000;

/// The text of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Without the mark of the byte order.
    pub text: String,
    /// Whether it can be written back: it is UTF-8.
    pub is_utf8: bool,
    /// Whether a mark of the byte order stands before it.
    pub has_mark: bool,
}

/// Why bytes are no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The system says so.
    #[error("it cannot be opened: {0}")]
    Closed(String),
    /// It is too large.
    #[error("it has {:.1} MB, and more than 10 MB are not looked at", *.0 as f64 / 1e6)]
    TooLarge(u64),
    /// It is UTF-16 or UTF-32, which Python does not read.
    #[error("it is written in {0}, which Python does not read")]
    Wide(&'static str),
    /// It says an encoding that nobody knows.
    #[error("it says that its encoding is `{0}`, which is not known")]
    UnknownEncoding(String),
    /// It has bytes that its encoding does not know.
    #[error("line {line} has a byte that is no {encoding}")]
    WrongByte {
        /// The line, from 1.
        line: usize,
        /// What it should be.
        encoding: String,
    },
    /// It has a byte that is zero.
    #[error("line {0} has a byte that is zero, which Python does not take")]
    Zero(usize),
    /// It is nested too deeply.
    #[error("line {0} is nested too deeply")]
    TooDeep(usize),
}

impl Unreadable {
    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            Unreadable::Closed(_) => "make it readable, or exclude it in `[tool.unitai.lint]`",
            Unreadable::TooLarge(_) => {
                "exclude it in `[tool.unitai.lint]`, or keep its data in a file of its own"
            }
            Unreadable::Wide(_) | Unreadable::WrongByte { .. } => "save it as UTF-8",
            Unreadable::UnknownEncoding(_) => {
                "write `# -*- coding: utf-8 -*-`, or nothing, and save it as UTF-8"
            }
            Unreadable::Zero(_) => "it may be damaged, or no text at all",
            Unreadable::TooDeep(_) => {
                "Python itself would hardly take it; exclude it in `[tool.unitai.lint]`"
            }
        }
    }
}

impl Source {
    /// The text of the bytes of a file of Python.
    ///
    /// ```
    /// use unitai_lint::Source;
    /// let source = Source::of_python(b"# coding: latin-1\nname = 'Zo\xeb'\n".to_vec()).unwrap();
    /// assert!(source.text.ends_with("'Zoë'\n") && !source.is_utf8);
    /// assert!(Source::of_python(b"name = 'Zo\xeb'\n".to_vec()).is_err());
    /// ```
    pub fn of_python(bytes: Vec<u8>) -> Result<Source, Unreadable> {
        let (bytes, has_mark) = checked(bytes)?;
        let name = match declared(&bytes) {
            None => return utf8(bytes, has_mark),
            Some(name) => name,
        };
        let folded = name.to_ascii_lowercase().replace('_', "-");
        if matches!(folded.as_str(), "utf-8" | "utf8" | "u8" | "utf-8-sig" | "ascii" | "us-ascii")
            || folded.starts_with("utf-8-")
        {
            return utf8(bytes, has_mark);
        }
        let label = match folded.as_str() {
            "latin-1" | "latin1" | "iso-latin-1" | "l1" => "iso-8859-1",
            "latin-2" => "iso-8859-2",
            "latin-9" | "latin9" => "iso-8859-15",
            "cp932" | "shift-jis" | "sjis" => "shift_jis",
            "euc-kr" | "cp949" => "euc-kr",
            other => other,
        };
        let encoding =
            Encoding::for_label(label.as_bytes()).ok_or_else(|| Unreadable::UnknownEncoding(shown(&name)))?;
        match encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
            Some(text) => Ok(Source { text: text.into_owned(), is_utf8: false, has_mark }),
            None => {
                let wrong = bytes.iter().position(|byte| *byte >= 0x80).unwrap_or_default();
                Err(Unreadable::WrongByte { line: line_of(&bytes, wrong), encoding: shown(&name) })
            }
        }
    }

    /// The text of the bytes of a file of YAML, which is UTF-8.
    pub fn of_yaml(bytes: Vec<u8>) -> Result<Source, Unreadable> {
        let (bytes, has_mark) = checked(bytes)?;
        utf8(bytes, has_mark)
    }
}

/// Bytes that can be looked at, without the mark of the byte order.
fn checked(mut bytes: Vec<u8>) -> Result<(Vec<u8>, bool), Unreadable> {
    if bytes.len() > LARGEST {
        return Err(Unreadable::TooLarge(bytes.len() as u64));
    }
    for (mark, name) in [
        (&b"\xff\xfe\x00\x00"[..], "UTF-32"),
        (b"\x00\x00\xfe\xff", "UTF-32"),
        (b"\xff\xfe", "UTF-16"),
        (b"\xfe\xff", "UTF-16"),
    ] {
        if bytes.starts_with(mark) {
            return Err(Unreadable::Wide(name));
        }
    }
    if let Some(at) = memchr::memchr(0, &bytes) {
        return Err(Unreadable::Zero(line_of(&bytes, at)));
    }
    let has_mark = bytes.starts_with(b"\xef\xbb\xbf");
    if has_mark {
        bytes.drain(..3);
    }
    Ok((bytes, has_mark))
}

fn utf8(bytes: Vec<u8>, has_mark: bool) -> Result<Source, Unreadable> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { text, is_utf8: true, has_mark }),
        Err(error) => {
            let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
            Err(Unreadable::WrongByte { line, encoding: "UTF-8".to_owned() })
        }
    }
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1
}

/// A name of an encoding, as much of it as one wants to read.
fn shown(name: &str) -> String {
    name.chars().take(40).collect()
}

/// The encoding that one of the first two lines says, as Python reads it (PEP 263).
fn declared(bytes: &[u8]) -> Option<String> {
    for line in bytes.split(|byte| *byte == b'\n').take(2) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let comment = line.strip_prefix(b"#")?;
        let at = memchr::memmem::find_iter(comment, b"coding").find_map(|at| {
            let rest = &comment[at + b"coding".len()..];
            rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b"="))
        });
        if let Some(rest) = at {
            let name: String = rest
                .trim_ascii_start()
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
                .map(|byte| char::from(*byte))
                .collect();
            if !name.is_empty() {
                return Some(name);
            }
        }
    }
    None
}
