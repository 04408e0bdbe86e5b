//! `unitai cache show`: what one recording holds, and where secrets were taken out of it.

use std::path::Path;
use std::time::SystemTime;

use clap::Args;
use serde_json::Value;
use unitai_model::Utc;
use unitai_model::value::{plain, plain_lines};
use unitai_wire::cassette::{CassetteError, Entry, Shelf, Slot};

/// The arguments of `unitai cache show`.
#[derive(Args)]
pub(crate) struct Show {
    /// The key, or its first characters [default: list every recording]
    #[arg(value_name = "KEY")]
    key: Option<String>,
}

/// So many characters of a key tell recordings apart in a list.
const SHORT: usize = 12;
/// So many characters of a request or an answer are shown,
const SHOWN: usize = 2_000;
/// and so many of each text in a request.
const LONGEST_TEXT: usize = 200;

impl Show {
    /// The text to print.
    pub(crate) fn text(&self, shelf: &Shelf, shown: &Path) -> Result<String, String> {
        let failed = |error: CassetteError| error.to_string();
        let files = shelf.files().map_err(failed)?;
        let Some(wanted) = &self.key else {
            let keys = files.iter().map(|(key, _)| key.as_str());
            let mut lines: Vec<String> = keys.map(|key| line(key, shelf.read(key))).collect();
            lines.sort();
            lines.insert(0, shown.display().to_string());
            if lines.len() == 1 {
                lines.push("  no recordings".to_owned());
            }
            return Ok(lines.join("\n"));
        };
        let wanted = wanted.trim_end_matches(".json");
        let mut fitting = files.iter().filter(|(key, _)| key.starts_with(wanted));
        let Some((key, _)) = fitting.next() else {
            return Err(format!(
                "no recording in {} has a key that begins with {}\n  to do: `unitai cache show` lists all",
                shown.display(),
                plain(wanted)
            ));
        };
        if fitting.next().is_some() {
            return Err(format!("more than one key begins with {}\n  to do: give more of it", plain(wanted)));
        }
        let entry = shelf.read(key).map_err(failed)?.ok_or("the recording is gone")?;
        Ok(described(&shown.join(format!("{key}.json")), &entry))
    }
}

fn line(key: &str, entry: Result<Option<Entry>, CassetteError>) -> String {
    let short = plain(key.get(..SHORT).unwrap_or(key));
    match entry {
        Ok(Some(entry)) => {
            let answers = entry.slots.len();
            let answers = if answers == 1 { "1 answer".to_owned() } else { format!("{answers} answers") };
            let redacted = if is_redacted(&entry) { ", redacted" } else { "" };
            format!("  {short}  {}, {answers}{redacted}", plain(&entry.asked.summary()))
        }
        Ok(None) => format!("  {short}  deleted meanwhile"),
        Err(error) => format!("  {short}  {error}"),
    }
}

fn is_redacted(entry: &Entry) -> bool {
    !entry.redacted.is_empty() || entry.slots.iter().any(|slot| !slot.redacted.is_empty())
}

fn described(path: &Path, entry: &Entry) -> String {
    let mut lines = vec![path.display().to_string(), format!("  {}", plain(&entry.asked.summary()))];
    lines.extend(redacted("request", &entry.redacted));
    if let Some(body) = entry.asked.body() {
        // Shortened text by text, so that the last message is shown as well as the first tool.
        let text = serde_json::to_string_pretty(&shortened(body)).unwrap_or_default();
        lines.extend(shown_text(&text));
    }
    lines.extend(entry.normalised.iter().map(|what| format!("  request made equal: {}", plain(what))));
    for (at, slot) in entry.slots.iter().enumerate() {
        let recording = &slot.recording;
        let of = if slot.scope.is_empty() { String::new() } else { format!(" of {}", plain(&slot.scope)) };
        lines.push(format!(
            "answer {}{of}: {}, status {}, {:.2} s",
            at + 1,
            recorded_at(slot),
            recording.status,
            recording.latency
        ));
        lines.extend(redacted("answer", &slot.redacted));
        let body = String::from_utf8_lossy(&recording.body()).into_owned();
        lines.extend(shown_text(&body));
    }
    lines.join("\n")
}

/// A body, cut where it grows too long.
fn shown_text(body: &str) -> Vec<String> {
    let cut: String = body.chars().take(SHOWN).collect();
    let more = if cut.len() < body.len() { "\n…" } else { "" };
    format!("{}{more}", plain_lines(&cut)).lines().map(|line| format!("    {line}")).collect()
}

/// A request whose long texts are cut: images, and prompts of pages.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => Value::from(format!("{}…", &text[..end])),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, item)| (name.clone(), shortened(item))).collect())
        }
        other => other.clone(),
    }
}

fn redacted(what: &str, places: &[String]) -> Vec<String> {
    if places.is_empty() {
        return vec![format!("  {what} redacted: nowhere")];
    }
    places.iter().map(|place| format!("  {what} redacted: {}", plain(place))).collect()
}

fn recorded_at(slot: &Slot) -> Utc {
    let since = slot.recorded_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Utc::of_seconds(since.as_secs())
}
