//! What becomes of the recordings of another tool: entries that are found by our keys, and what must stay
//! outside.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use unitai_model::value::plain;
use unitai_model::{ExchangeEnd, Source};

use super::Interaction;
use crate::Target;
use crate::cassette::entry::is_an_error;
use crate::cassette::inquiry::AskedDocument;
use crate::cassette::{CassetteError, Chunk, Inquiry, Recording, ReplayDefect, Shelf, Volatile};
use crate::encoding::{self, EncodingError};
use crate::exchange::{Asked, Exchange, How};
use crate::frames::{Frames, Framing};
use crate::meter::PriceTable;
use crate::redact::{MARK, Secrets};

/// What one file brings.
#[derive(Default)]
pub struct Plan {
    /// What was asked, and the answers to it in their order.
    entries: Vec<(Inquiry, Vec<Recording>)>,
    /// Answers of models.
    pub models: usize,
    /// Answers of other APIs.
    pub apis: usize,
    /// Where these APIs are.
    pub origins: BTreeSet<String>,
    /// What stays outside.
    pub left_out: Vec<LeftOut>,
    volatile: Vec<Volatile>,
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Answers that were added.
    pub added: usize,
    /// Answers that were there already. They count as new from now on.
    pub known: usize,
    /// What could not be stored.
    pub left_out: Vec<LeftOut>,
}

/// Something that cannot be brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Method and address, without query.
    pub what: String,
    /// Why not.
    pub why: Why,
}

/// Why something cannot be brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It did not succeed.
    Status(u16),
    /// It has no status.
    NoStatus,
    /// It succeeded, and its body says only what went wrong.
    Error,
    /// A model's answer ends in the middle, or cannot be read.
    Cut,
    /// Its body cannot be decoded.
    Encoding(EncodingError),
    /// A part of the body of its request was hidden when it was recorded, so that no request is like it.
    Filtered,
    /// Its body stands there as a bare number.
    Spelling,
    /// It is of a protocol that is not recorded here.
    Protocol,
    /// Its address is not one of HTTP.
    Address,
    /// It is a request without an answer, or an answer without a request.
    Unpaired,
    /// A replay could not give back what was answered.
    NotReplayable(ReplayDefect),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Status(status) => write!(f, "status {status}: only answers of 200 to 299 are replayed"),
            Why::NoStatus => f.write_str("it has no status"),
            Why::Error => f.write_str("the answer only says what went wrong"),
            Why::Cut => f.write_str("the model's answer is not whole"),
            Why::Encoding(error) => error.fmt(f),
            Why::Filtered => {
                f.write_str("a part of the request was filtered out, so that no request can be like it")
            }
            Why::Spelling => f.write_str("its body cannot be read: it is a bare number, or badly encoded"),
            Why::Protocol => f.write_str("only HTTP is replayed"),
            Why::Address => f.write_str("its address is not a URL: it was filtered out when it was recorded"),
            Why::Unpaired => f.write_str("the file has more of one than of the other"),
            Why::NotReplayable(defect) => defect.fmt(f),
        }
    }
}

/// A request in a few words, without what may be secret in its address: who logs in, and the query.
pub(super) fn shown(method: &str, url: &str) -> String {
    let path = Target::of(url).map_or("", |target| target.path);
    match origin_of(url) {
        Some(origin) => plain(&format!("{method} {}{path}", origin.trim_end_matches('/'))).to_string(),
        None => plain(method).to_string(),
    }
}

/// Scheme and host: `https://api.example.com/`.
fn origin_of(url: &str) -> Option<String> {
    let (scheme, _) = url.split_once("://")?;
    let target = Target::of(url)?;
    let host = if target.host.contains(':') { format!("[{}]", target.host) } else { target.host.to_owned() };
    Some(match target.port {
        Some(port) => format!("{scheme}://{host}:{port}/"),
        None => format!("{scheme}://{host}/"),
    })
}

/// What cassetter writes in the place of a secret.
const FILTERED: &str = "[FILTERED]";

impl Plan {
    /// Looks at all that a file holds. `secrets` should have been taught what authorised each of them, of all
    /// files.
    pub fn of(interactions: Vec<Interaction>, secrets: &Secrets, volatile: &[Volatile]) -> Plan {
        let mut plan = Plan { volatile: volatile.to_vec(), ..Plan::default() };
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        for interaction in interactions {
            let what = shown(&interaction.method, &interaction.url);
            let origin = origin_of(&interaction.url);
            let (inquiry, recording, is_model) = match understood(interaction, secrets, volatile) {
                Ok(understood) => understood,
                Err(why) => {
                    plan.left_out.push(LeftOut { what, why });
                    continue;
                }
            };
            if is_model {
                plan.models += 1;
            } else {
                plan.apis += 1;
                plan.origins.extend(origin);
            }
            match places.get(inquiry.key()) {
                Some(place) => plan.entries[*place].1.push(recording),
                None => {
                    places.insert(inquiry.key().clone(), plan.entries.len());
                    plan.entries.push((inquiry, vec![recording]));
                }
            }
        }
        plan
    }
}

impl Shelf {
    /// Brings what was planned. An answer that is there already is not brought twice, so a file can be
    /// imported again. The answers serve every test.
    pub fn import(&self, plan: Plan) -> Result<Imported, CassetteError> {
        let mut imported = Imported::default();
        for (inquiry, recordings) in plan.entries {
            let all = recordings.len();
            let (added, left_out) = self.add_missing(&inquiry, recordings, &plan.volatile)?;
            imported.added += added;
            imported.known += all - added - left_out.len();
            let left_out = left_out.into_iter();
            imported
                .left_out
                .extend(left_out.map(|it| LeftOut { what: it.request, why: Why::NotReplayable(it.why) }));
        }
        Ok(imported)
    }
}

/// What was asked, what was answered, and whether a model did.
fn understood(
    interaction: Interaction,
    secrets: &Secrets,
    volatile: &[Volatile],
) -> Result<(Inquiry, Recording, bool), Why> {
    if !(200..300).contains(&interaction.status) {
        return Err(Why::Status(interaction.status));
    }
    let question = decoded(&interaction.request_headers, interaction.request_body)?;
    let body = decoded(&interaction.headers, interaction.body)?;
    let target = Target::of(&interaction.url).ok_or(Why::Address)?;
    let is_post = interaction.method.eq_ignore_ascii_case("POST");
    let asked = is_post.then(|| Asked::read(&target, &question)).flatten();
    let path = target.path;
    let (inquiry, chunks, usage) = match asked {
        Some(asked) => {
            let inquiry = Inquiry::of_model(&asked, path);
            let framing = asked.request.streamed.then(|| asked.dialect.framing());
            let kind = named(&interaction.headers, "content-type").unwrap_or_default().to_owned();
            let usage = usage_of_whole(asked, interaction.status, &kind, &body)?;
            (Some(inquiry), pieces(framing, body), usage)
        }
        None if is_an_error(&body) => return Err(Why::Error),
        None => (None, pieces(None, body), None),
    };
    let is_model = inquiry.is_some();
    // What was hidden in an address is hidden in that of the request that asks for it, too.
    let url = interaction.url.replace(FILTERED, MARK);
    let inquiry = inquiry.unwrap_or_else(|| Inquiry::of_api(&interaction.method, &url, &question));
    if has_filtered(&inquiry.document()) {
        return Err(Why::Filtered);
    }
    let headers = interaction.headers.into_iter().filter(|(name, _)| Recording::keeps_header(name));
    let recording = Recording {
        status: interaction.status,
        headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect(),
        chunks,
        // Nobody took the time.
        latency: 0.0,
        hides_usage: false,
        usage,
    };
    Ok((inquiry.cleaned(secrets, volatile), recording, is_model))
}

/// The usage that a model's answer tells, if the answer is whole.
fn usage_of_whole(asked: Asked, status: u16, kind: &str, body: &[u8]) -> Result<Option<Value>, Why> {
    let mut exchange = Exchange::begin(asked, Source::Replay, false);
    exchange.head(status, kind, "");
    exchange.feed(body);
    exchange.end();
    let wire = exchange.ended(&How::Ended, PriceTable::release()).exchange;
    match wire.map(|wire| (wire.end.clone(), wire.raw_usage.clone())) {
        Some((ExchangeEnd::Answered { .. }, usage)) => {
            Ok(usage.and_then(|usage| serde_json::from_str(usage.text()).ok()))
        }
        Some((ExchangeEnd::Failed { .. }, _)) => Err(Why::Error),
        _ => Err(Why::Cut),
    }
}

/// The body as it is replayed: a stream event by event, since how it came is not known any more.
fn pieces(framing: Option<Framing>, body: Vec<u8>) -> Vec<Chunk> {
    let whole = |bytes| Chunk { after: 0.0, bytes };
    let Some(framing) = framing else { return vec![whole(body)] };
    let mut events = Vec::new();
    let mut frames = Frames::new(framing);
    frames.feed(&body, &mut events);
    let rest = frames.finish(&mut events);
    let mut chunks: Vec<Chunk> = events.into_iter().map(|event| whole(event.raw)).collect();
    chunks.push(whole(rest));
    chunks.retain(|chunk| !chunk.bytes.is_empty());
    let is_same = chunks.iter().flat_map(|chunk| &chunk.bytes).eq(&body);
    if is_same { chunks } else { vec![whole(body)] }
}

/// A body without its compression. Some tools decode it and keep the header.
fn decoded(headers: &[(String, String)], body: Vec<u8>) -> Result<Vec<u8>, Why> {
    let Some(encoding) = named(headers, "content-encoding") else { return Ok(body) };
    let text = std::str::from_utf8(&body);
    let is_plain =
        text.is_ok_and(|text| !text.chars().any(|letter| letter.is_control() && !letter.is_whitespace()));
    if is_plain {
        return Ok(body);
    }
    match encoding::decode(encoding, &body) {
        Ok(decoded) => Ok(decoded),
        Err(_) if text.is_ok() => Ok(body),
        Err(error) => Err(Why::Encoding(error)),
    }
}

fn named<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut found = headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.as_str())
}

fn has_filtered(asked: &AskedDocument) -> bool {
    match asked {
        AskedDocument::Model { body, .. } | AskedDocument::Api { body, .. } => is_filtered(body),
        AskedDocument::Value { .. } => false,
    }
}

fn is_filtered(value: &Value) -> bool {
    match value {
        Value::String(text) => text == FILTERED,
        Value::Array(items) => items.iter().any(is_filtered),
        Value::Object(members) => members.values().any(is_filtered),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
