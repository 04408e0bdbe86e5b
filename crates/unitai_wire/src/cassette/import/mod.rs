//! Recordings of other tools, read so that they can be brought into a cassette: vcrpy's, in YAML and JSON, those of
//! LangChain's serializer for vcrpy, and cassetter's, in YAML and TOML. Any of them may be compressed by gzip.
//!
//! Nothing in such a file is believed: tags build no objects, and aliases, depth and size have limits. What
//! a file says in an error is never quoted, because it may be a secret.

mod form;
mod node;
mod plan;
mod table;
mod walk;

pub use plan::{Imported, LeftOut, Plan, Why};
pub use walk::{Found, find};

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::redact::Secrets;

/// Larger files are not read.
pub const MOST_BYTES: u64 = 256 << 20;

/// One request and its answer, as another tool recorded them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// The method.
    pub method: String,
    /// The address.
    pub url: String,
    /// The headers of the request.
    pub request_headers: Vec<(String, String)>,
    /// The body of the request.
    pub request_body: Vec<u8>,
    /// The status of the answer.
    pub status: u16,
    /// The headers of the answer.
    pub headers: Vec<(String, String)>,
    /// The body of the answer.
    pub body: Vec<u8>,
}

impl Interaction {
    /// What authorised it must never be written, wherever else it turns up.
    pub fn teach(&self, secrets: &Secrets) {
        secrets.learn_url(&self.url);
        for (name, value) in self.request_headers.iter().chain(&self.headers) {
            secrets.learn_header(name, value);
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contents {
    /// Requests and their answers, in the order of the file.
    pub interactions: Vec<Interaction>,
    /// What is in the file and can be no recording here.
    pub left_out: Vec<LeftOut>,
}

/// A file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The disk refused.
    #[error("{0}")]
    Disk(#[from] std::io::Error),
    /// It is too large.
    #[error("it is larger than {} MB", MOST_BYTES >> 20)]
    TooLarge,
    /// Its name ends in nothing that is known.
    #[error("its name ends in none of .yaml, .yml, .json and .toml, with or without .gz")]
    Unknown,
    /// It is whole, and holds something else.
    #[error(
        "it is not a cassette of vcrpy, LangChain or cassetter: it has neither `interactions` nor `requests` and `responses`"
    )]
    Other,
    /// It is an answer without its request.
    #[error("it holds an answer without its request, so that no request would find it")]
    AnswerAlone,
    /// It is compressed, and cannot be read.
    #[error("it is not gzip, or was cut")]
    Compressed,
    /// It is broken, or exceeds a limit.
    #[error("line {line}: {why}")]
    Broken {
        /// The line, from 1.
        line: u64,
        /// What is wrong, without a word of the file.
        why: &'static str,
    },
}

/// Reads a file of another tool. Its kind is told by the end of its name.
pub fn read(path: &Path) -> Result<Contents, Unreadable> {
    let length = fs::metadata(path)?.len();
    let kind = Kind::of(path).ok_or(Unreadable::Unknown)?;
    if length > MOST_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let mut bytes = fs::read(path)?;
    if is_compressed(path) {
        bytes = decompressed(&bytes)?;
    }
    match kind {
        Kind::Yaml => form::read_yaml(&bytes),
        Kind::Json => form::read_json(&bytes),
        Kind::Toml => table::read(&bytes),
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"))
}

/// A few bytes can stand for gigabytes, so no more is read than of any other file.
fn decompressed(bytes: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let mut whole = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(MOST_BYTES + 1);
    reader.read_to_end(&mut whole).map_err(|_| Unreadable::Compressed)?;
    if whole.len() as u64 > MOST_BYTES { Err(Unreadable::TooLarge) } else { Ok(whole) }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Yaml,
    Json,
    Toml,
}

impl Kind {
    fn of(path: &Path) -> Option<Kind> {
        let path = if is_compressed(path) { Path::new(path.file_stem()?) } else { path };
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Kind::Yaml),
            "json" => Some(Kind::Json),
            "toml" => Some(Kind::Toml),
            _ => None,
        }
    }
}
