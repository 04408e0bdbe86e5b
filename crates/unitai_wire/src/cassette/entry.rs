//! One file of a cassette: what was asked, and the answers that came, sealed by a checksum.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::inquiry::AskedDocument;
use super::telling;
use crate::digest_bytes;
use crate::frames::Frames;

/// The version of the file's form.
const FORMAT: u32 = 1;

/// What was asked, and the answers that came.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What was asked, without secrets.
    pub asked: AskedDocument,
    /// Where secrets were taken out of it.
    pub redacted: Vec<String>,
    /// What in it was made equal because it was declared volatile.
    pub normalised: Vec<String>,
    /// The answers, those of one scope in their order.
    pub slots: Vec<Slot>,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Who asked: a test's id, or nothing.
    pub scope: Arc<str>,
    /// How often the scope had asked before.
    pub turn: usize,
    /// When it came.
    pub recorded_at: SystemTime,
    /// Where secrets were taken out of it.
    pub redacted: Vec<String>,
    /// The answer.
    pub recording: Arc<Recording>,
}

impl Slot {
    /// How old it is.
    pub fn age(&self) -> Duration {
        SystemTime::now().duration_since(self.recorded_at).unwrap_or_default()
    }
}

/// An answer as it was sent, without secrets.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The HTTP status.
    pub status: u16,
    /// The headers that a client may look at.
    pub headers: Vec<(String, String)>,
    /// The body in the pieces in which it came, decoded. A plain answer is one piece.
    pub chunks: Vec<Chunk>,
    /// Seconds from the request to the end of the answer.
    pub latency: f64,
    /// Whether its last event tells usage that only we had asked for, so that the client must not see it.
    pub hides_usage: bool,
    /// Usage as the provider wrote it, for readers of the file.
    pub usage: Option<serde_json::Value>,
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Seconds since the piece before, or since the request.
    pub after: f64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Recording {
    /// The headers worth keeping: what tells something of the answer, and not of the connection. Cookies and
    /// what authorises never are.
    pub fn keeps_header(name: &str) -> bool {
        const LEFT: [&str; 22] = [
            "age",
            "alt-svc",
            "authorization",
            "cf-cache-status",
            "cf-ray",
            "connection",
            "content-encoding",
            "content-length",
            "date",
            "keep-alive",
            "nel",
            "proxy-authenticate",
            "proxy-authorization",
            "report-to",
            "server",
            "server-timing",
            "strict-transport-security",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "via",
        ];
        let name = name.to_ascii_lowercase();
        !LEFT.contains(&name.as_str())
            && !name.contains("cookie")
            && !name.contains("api-key")
            && !name.ends_with("token")
    }

    /// The content type, as the provider says it; empty where it does not.
    pub fn content_type(&self) -> &str {
        let found = self.headers.iter().find(|(name, _)| name == "content-type");
        found.map_or("", |(_, kind)| kind)
    }

    /// Whether a body that is said to be JSON is, and so is each event of a stream.
    fn is_readable(&self) -> bool {
        let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
        let body = self.body();
        match telling::framing(self.content_type()) {
            Some(framing) => {
                let mut events = Vec::new();
                let mut frames = Frames::new(framing);
                frames.feed(&body, &mut events);
                frames.finish(&mut events);
                let begins_as_json = |text: &[u8]| text.trim_ascii_start().starts_with(b"{");
                events.iter().all(|event| !begins_as_json(&event.data) || is_json(&event.data))
            }
            None if self.content_type().contains("json") => body.is_empty() || is_json(&body),
            None => true,
        }
    }

    /// The whole body.
    pub fn body(&self) -> Vec<u8> {
        self.chunks.iter().flat_map(|chunk| chunk.bytes.iter().copied()).collect()
    }
}

/// Whether the body is a document that only says what went wrong.
pub(super) fn is_an_error(body: &[u8]) -> bool {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(serde_json::Value::Object(body)) => {
            let is_told = match body.get("error") {
                None | Some(serde_json::Value::Null | serde_json::Value::Bool(false)) => false,
                Some(serde_json::Value::String(text)) => !text.is_empty(),
                Some(_) => true,
            };
            // An answer may have a field for errors beside what was asked for.
            const BESIDE: [&str; 8] =
                ["error", "error_description", "type", "code", "message", "status", "detail", "request_id"];
            is_told && body.keys().all(|name| BESIDE.contains(&name.as_str()))
        }
        _ => false,
    }
}

/// A file that is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: DamageKind,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DamageKind {
    /// Its checksum does not fit, or it has none.
    Checksum,
    /// It is whole, and holds nothing that is understood.
    Form(String),
    /// An answer that release 0.1.0 damaged when it took secrets out of it.
    Redacted,
    /// It was made by a later release.
    Newer(u32),
}

impl Damage {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self.kind {
            DamageKind::Newer(_) => "update unitai",
            DamageKind::Redacted => "record it again, with `--record` or mode=\"record\"",
            DamageKind::Checksum | DamageKind::Form(_) => {
                "take the file back from version control, or delete it and record again"
            }
        }
    }

    /// Whether nothing is wrong with it but that a later release made it.
    pub fn is_newer(&self) -> bool {
        matches!(self.kind, DamageKind::Newer(_))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            DamageKind::Checksum => {
                write!(f, "{path} was changed or cut after it was recorded: its checksum does not fit")
            }
            DamageKind::Form(why) => write!(f, "{path} is no recording: {why}"),
            DamageKind::Redacted => {
                write!(f, "{path} is stale: UnitAI 0.1.0 damaged an answer in it when it took secrets out")
            }
            DamageKind::Newer(format) => {
                write!(
                    f,
                    "{path} was recorded by a later UnitAI (form {format}; this one reads up to {FORMAT})"
                )
            }
        }
    }
}

/// How every file of ours begins.
pub(super) const HEAD: &str = "{\n\"checksum\": \"sha256:";
const MIDDLE: &str = "\",\n\"entry\": ";
const TAIL: &str = "\n}\n";
const DIGITS: usize = 64;
/// What stands before the answers. No text can hold it: a line end in a text is written otherwise.
const SLOTS: &str = "\n  \"slots\": ";

impl Entry {
    /// The file's bytes.
    pub fn write(&self, key: &str) -> Vec<u8> {
        let document = EntryDocument {
            format: FORMAT,
            key: key.to_owned(),
            asked: self.asked.clone(),
            redacted: self.redacted.clone(),
            normalised: self.normalised.clone(),
            slots: self.slots.iter().map(SlotDocument::of).collect(),
        };
        let entry = serde_json::to_string_pretty(&document).unwrap_or_default();
        let checksum = digest_bytes(entry.as_bytes());
        [HEAD, &checksum, MIDDLE, &entry, TAIL].concat().into_bytes()
    }

    /// Reads a file's bytes. Nothing in them is believed before the checksum fits.
    pub fn read(path: &Path, key: &str, bytes: &[u8]) -> Result<Entry, Damage> {
        let document: EntryDocument<'_> = document(path, bytes)?;
        let slots = slots(path, key, &document.key, document.slots)?;
        let EntryDocument { asked, redacted, normalised, .. } = document;
        Ok(Entry { asked, redacted, normalised, slots })
    }

    /// Reads the answers alone: a replay needs to know no more, and what was asked is the larger part.
    pub fn read_slots(path: &Path, key: &str, bytes: &[u8]) -> Result<Vec<Slot>, Damage> {
        // The checksum says that we wrote this, so the answers stand where we write them, and what stands before
        // them need not be read.
        if let Some(entry) = sealed(bytes)
            && entry.starts_with(format!("{{\n  \"format\": {FORMAT},\n  \"key\": \"{key}\",\n").as_bytes())
            && let Some(at) = memmem::find(entry, SLOTS.as_bytes())
        {
            let mut rest = serde_json::Deserializer::from_slice(&entry[at + SLOTS.len()..]);
            if let Ok(found) = Vec::<SlotDocument>::deserialize(&mut rest) {
                return slots(path, key, key, found);
            }
        }
        Entry::read(path, key, bytes).map(|entry| entry.slots)
    }

    /// What was asked, without reading the answers.
    pub fn read_asked(bytes: &[u8]) -> Option<AskedDocument> {
        #[derive(Deserialize)]
        struct AskedAlone {
            asked: AskedDocument,
        }
        let alone: AskedAlone = serde_json::from_slice(sealed(bytes)?).ok()?;
        Some(alone.asked)
    }
}

/// What is inside a file, once it is known to be what was written.
fn document<'a, T: Deserialize<'a>>(path: &Path, bytes: &'a [u8]) -> Result<T, Damage> {
    let damage = |kind| Damage { path: path.to_owned(), kind };
    let entry = sealed(bytes).ok_or_else(|| damage(DamageKind::Checksum))?;
    // The version stands first, so that it need not be looked for.
    let is_ours = entry.starts_with(format!("{{\n  \"format\": {FORMAT},\n").as_bytes());
    if !is_ours
        && let Ok(Version { format }) = serde_json::from_slice(entry)
        && format > FORMAT
    {
        return Err(damage(DamageKind::Newer(format)));
    }
    serde_json::from_slice(entry).map_err(|error| damage(DamageKind::Form(error.to_string())))
}

fn slots(path: &Path, key: &str, found: &str, slots: Vec<SlotDocument<'_>>) -> Result<Vec<Slot>, Damage> {
    let form = |why| Damage { path: path.to_owned(), kind: DamageKind::Form(why) };
    if found != key {
        return Err(form(format!("it is the recording of {found}")));
    }
    let slots =
        slots.into_iter().map(SlotDocument::read).collect::<Result<Vec<Slot>, String>>().map_err(form)?;
    // Whatever was recorded since then was proven before it was sealed.
    let is_redacted = |slot: &Slot| slot.redacted.iter().any(|place| !place.starts_with("header "));
    if slots.iter().any(|slot| is_redacted(slot) && !slot.recording.is_readable()) {
        return Err(Damage { path: path.to_owned(), kind: DamageKind::Redacted });
    }
    Ok(slots)
}

/// The entry inside a file, if the checksum is right to the last byte.
fn sealed(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(HEAD.as_bytes())?;
    let (checksum, rest) = rest.split_at_checked(DIGITS)?;
    let entry = rest.strip_prefix(MIDDLE.as_bytes())?.strip_suffix(TAIL.as_bytes())?;
    (digest_bytes(entry).as_bytes() == checksum).then_some(entry)
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[derive(Serialize, Deserialize)]
struct EntryDocument<'a> {
    format: u32,
    key: String,
    asked: AskedDocument,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    normalised: Vec<String>,
    #[serde(borrow)]
    slots: Vec<SlotDocument<'a>>,
}

#[derive(Serialize, Deserialize)]
struct SlotDocument<'a> {
    scope: String,
    turn: usize,
    recorded_at: String,
    latency: f64,
    status: u16,
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hides_usage: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
    #[serde(borrow)]
    chunks: Vec<ChunkDocument<'a>>,
}

/// A piece of a body in the most readable form that gives back the very same bytes; one of the three.
#[derive(Serialize, Deserialize)]
struct ChunkDocument<'a> {
    after: f64,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    json: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl<'a> SlotDocument<'a> {
    fn of(slot: &'a Slot) -> SlotDocument<'a> {
        let recording = &slot.recording;
        let recorded_at = OffsetDateTime::from(slot.recorded_at).format(&Rfc3339).unwrap_or_default();
        SlotDocument {
            scope: slot.scope.to_string(),
            turn: slot.turn,
            recorded_at,
            latency: recording.latency,
            status: recording.status,
            headers: recording.headers.clone(),
            usage: recording.usage.clone(),
            hides_usage: recording.hides_usage,
            redacted: slot.redacted.clone(),
            chunks: recording.chunks.iter().map(ChunkDocument::of).collect(),
        }
    }

    fn read(self) -> Result<Slot, String> {
        let recorded_at = OffsetDateTime::parse(&self.recorded_at, &Rfc3339)
            .map_err(|_| format!("`{}` is no time", self.recorded_at))?;
        let chunks: Result<Vec<Chunk>, String> = self.chunks.into_iter().map(ChunkDocument::read).collect();
        let recording = Recording {
            status: self.status,
            headers: self.headers,
            chunks: chunks?,
            latency: self.latency,
            hides_usage: self.hides_usage,
            usage: self.usage,
        };
        Ok(Slot {
            scope: Arc::from(self.scope),
            turn: self.turn,
            recorded_at: recorded_at.into(),
            redacted: self.redacted,
            recording: Arc::new(recording),
        })
    }
}

impl<'a> ChunkDocument<'a> {
    fn of(chunk: &'a Chunk) -> ChunkDocument<'a> {
        let empty = ChunkDocument { after: chunk.after, json: None, text: None, base64: None };
        let Ok(text) = std::str::from_utf8(&chunk.bytes) else {
            return ChunkDocument { base64: Some(STANDARD.encode(&chunk.bytes)), ..empty };
        };
        let is_object = text.starts_with('{') && text.ends_with('}');
        match serde_json::from_str::<&RawValue>(text) {
            Ok(json) if is_object => ChunkDocument { json: Some(json), ..empty },
            _ => ChunkDocument { text: Some(Cow::Borrowed(text)), ..empty },
        }
    }

    fn read(self) -> Result<Chunk, String> {
        let bytes = match (self.json, self.text, self.base64) {
            (Some(json), None, None) => json.get().as_bytes().to_vec(),
            (None, Some(text), None) => text.into_owned().into_bytes(),
            (None, None, Some(text)) => STANDARD.decode(text).map_err(|error| error.to_string())?,
            _ => return Err("a piece of a body must be one of `json`, `text` and `base64`".to_owned()),
        };
        Ok(Chunk { after: self.after, bytes })
    }
}
