//! Why no recording answers a request, and which one is nearest.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::difference::{self, Difference};
use super::inquiry::AskedDocument;
use super::verify_replay::is_redacted;
use super::{Entry, Inquiry, Shelf, Volatile};
use crate::common::Request;
use crate::redact::MARK;

/// So many recordings are looked at for the nearest one, the newest first.
const LOOKED_AT: usize = 5_000;

/// So many differences are shown.
const SHOWN: usize = 6;

/// A request that no recording answers.
#[derive(Debug, Clone)]
pub struct Miss {
    /// The key that was looked for.
    pub key: String,
    /// What was asked, in a few words.
    pub asked: String,
    /// Why there is no answer.
    pub reason: Reason,
    /// Which request of this key it was.
    turn: usize,
    directory: String,
    nearest: Option<Nearest>,
    recordings: usize,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The request was never recorded.
    Never,
    /// It was recorded, but less often than it is asked now.
    UsedUp {
        /// How often.
        recorded: usize,
    },
    /// It was recorded too long ago.
    Expired {
        /// How long ago.
        age: Duration,
        /// How old a recording may be.
        ttl: Duration,
    },
}

#[derive(Debug, Clone)]
struct Nearest {
    key: String,
    differences: Vec<Difference>,
}

impl Miss {
    pub(super) fn explain(shelf: &Shelf, inquiry: Inquiry, reason: Reason, turn: usize) -> Miss {
        let asked = inquiry.document();
        let files = shelf.files().unwrap_or_default();
        let recordings = files.len();
        let nearest = match reason {
            Reason::Never => nearest(files, &inquiry, &asked),
            _ => None,
        };
        Miss {
            key: inquiry.key().to_string(),
            asked: asked.summary(),
            reason,
            turn,
            directory: shelf.directory().display().to_string(),
            nearest,
            recordings,
        }
    }

    /// What happened, in one line.
    pub fn message(&self) -> String {
        let what = &self.asked;
        match &self.reason {
            Reason::Never => format!("no recording answers this request to {what}"),
            Reason::UsedUp { recorded } => format!(
                "request {} to {what} has no recording: the same was recorded {}",
                self.turn + 1,
                times(*recorded)
            ),
            Reason::Expired { age, .. } => {
                format!("the recording of this request to {what} is {} old", span(*age))
            }
        }
    }

    /// What should have been there.
    pub fn expected(&self) -> String {
        match &self.reason {
            Reason::Expired { ttl, .. } => format!("a recording of at most {}", span(*ttl)),
            _ => format!("{}.json in {}", self.key, self.directory),
        }
    }

    /// What is there: the nearest recording, and where it differs.
    pub fn found(&self) -> String {
        match (&self.reason, &self.nearest) {
            (Reason::UsedUp { recorded }, _) => format!("{} in that file", answers(*recorded)),
            (Reason::Expired { .. }, _) => format!("{}.json in {}", self.key, self.directory),
            (Reason::Never, None) if self.recordings == 0 => "no recordings at all".to_owned(),
            (Reason::Never, None) => format!("{}, and none is of the same kind", files(self.recordings)),
            (Reason::Never, Some(nearest)) => {
                let short = nearest.key.get(..12).unwrap_or(&nearest.key);
                let mut text = format!("{}; the nearest ({short}….json) differs in", files(self.recordings));
                for difference in nearest.differences.iter().take(SHOWN) {
                    text.push_str(&format!("\n    {difference}"));
                }
                if nearest.differences.len() > SHOWN {
                    text.push_str(&format!("\n    and {} more", nearest.differences.len() - SHOWN));
                }
                text
            }
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        let again = "record again, with `--record` or mode=\"record\"";
        match (&self.reason, self.volatile()) {
            (Reason::UsedUp { .. }, _) => format!("{again} with as many runs as are replayed"),
            (Reason::Expired { .. }, _) => format!("{again}; ttl_hours = 0 lets recordings live for ever"),
            (Reason::Never, Some(words)) => {
                let words = words.join("\", \"");
                format!(
                    "if that means nothing, declare it: volatile=[\"{words}\"], and record again; otherwise {again}"
                )
            }
            (Reason::Never, None) if self.recordings == 0 => {
                "record first, with `unitai test --record` or mode=\"record\"; what was recorded on another machine must be \
                 committed, and .unitai is not: `cache_directory` names a folder that is"
                    .to_owned()
            }
            (Reason::Never, None) if self.is_redacted() => {
                format!("the recording is stale: it was made by UnitAI 0.1.0, or where other secrets were known; {again}")
            }
            (Reason::Never, None) => format!("if the change is meant, {again}; otherwise take it back"),
        }
    }

    /// Whether the nearest recording is the same but for what redaction took out of it.
    fn is_redacted(&self) -> bool {
        let is_redacted = |difference: &Difference| match (&difference.was, &difference.is) {
            (Some(was), Some(is)) => was.contains(MARK) && is_redacted(is.as_bytes(), was.as_bytes()),
            _ => false,
        };
        self.nearest.as_ref().is_some_and(|nearest| nearest.differences.iter().all(is_redacted))
    }

    /// What would have to be declared volatile for the nearest recording to fit, where that is all.
    fn volatile(&self) -> Option<Vec<&'static str>> {
        let differences = &self.nearest.as_ref()?.differences;
        let pairs: Option<Vec<(&str, &str)>> = differences
            .iter()
            .map(|difference| Some((difference.was.as_deref()?, difference.is.as_deref()?)))
            .collect();
        Volatile::explaining(&pairs?)
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\n  expected: {}\n  found: {}\n  to do: {}",
            self.message(),
            self.expected(),
            self.found(),
            self.remedy()
        )
    }
}

fn nearest(
    mut files: Vec<(String, std::path::PathBuf)>,
    inquiry: &Inquiry,
    asked: &AskedDocument,
) -> Option<Nearest> {
    if files.len() > LOOKED_AT {
        let modified =
            |path: &std::path::Path| std::fs::metadata(path).and_then(|found| found.modified()).ok();
        files.sort_by_cached_key(|(_, path)| std::cmp::Reverse(modified(path)));
        files.truncate(LOOKED_AT);
    }
    let mut best: Option<(f64, Nearest)> = None;
    let now = asked.request();
    for (key, path) in files {
        let Some(recorded) = std::fs::read(&path).ok().and_then(|bytes| Entry::read_asked(&bytes)) else {
            continue;
        };
        if !inquiry.is_like(&recorded) {
            continue;
        }
        let differences = differences(&recorded, asked, now.as_ref());
        let weight: f64 = differences.iter().map(Difference::weight).sum();
        if best.as_ref().is_none_or(|(least, _)| weight < *least) {
            best = Some((weight, Nearest { key, differences }));
        }
    }
    best.map(|(_, nearest)| nearest)
}

fn differences(was: &AskedDocument, is: &AskedDocument, now: Option<&Request>) -> Vec<Difference> {
    let in_words = match (was.request(), now) {
        (Some(was), Some(now)) => difference::of_requests(&was, now),
        _ => Vec::new(),
    };
    if !in_words.is_empty() {
        return in_words;
    }
    match (was, is) {
        (AskedDocument::Model { body: was, .. }, AskedDocument::Model { body: is, .. }) => {
            difference::of_documents(was, is)
        }
        (AskedDocument::Api { url: old, body: was, .. }, AskedDocument::Api { url: new, body: is, .. }) => {
            let mut found = difference::of_documents(&Value::from(old.as_str()), &Value::from(new.as_str()));
            found.iter_mut().for_each(|difference| difference.what = "the address".to_owned());
            found.extend(difference::of_documents(was, is));
            found
        }
        _ => Vec::new(),
    }
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn answers(count: usize) -> String {
    if count == 1 { "1 answer".to_owned() } else { format!("{count} answers") }
}

fn files(count: usize) -> String {
    if count == 1 { "1 recording".to_owned() } else { format!("{count} recordings") }
}

/// A span of time in the unit that suits it.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}
