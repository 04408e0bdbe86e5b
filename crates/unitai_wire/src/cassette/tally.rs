//! What was found in a cassette and what was not.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use unitai_model::Money;

/// Counts of one session.
#[derive(Debug, Default)]
pub struct Tally {
    hits: AtomicU64,
    misses: AtomicU64,
    kept: AtomicU64,
    redacted: AtomicU64,
    saved: AtomicU64,
}

/// Counts as numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Requests that a recording answered.
    pub hits: u64,
    /// Requests that none answered.
    pub misses: u64,
    /// Answers that were recorded.
    pub kept: u64,
    /// Those of them that secrets were taken out of.
    #[serde(default)]
    pub redacted: u64,
    /// What the replayed answers cost when they were recorded, in millionths of a dollar.
    pub saved_micros: u64,
}

impl Tally {
    /// A recording answered.
    pub fn hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    /// None did.
    pub fn missed(&self) {
        self.misses.fetch_add(1, Ordering::Relaxed);
    }

    /// An answer was recorded, and whether secrets were taken out of it.
    pub fn kept(&self, is_redacted: bool) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.redacted.fetch_add(u64::from(is_redacted), Ordering::Relaxed);
    }

    /// A replay stood for a call of this cost.
    pub fn saved(&self, cost: Money) {
        self.saved.fetch_add((cost.dollars() * 1e6) as u64, Ordering::Relaxed);
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            hits: count(&self.hits),
            misses: count(&self.misses),
            kept: count(&self.kept),
            redacted: count(&self.redacted),
            saved_micros: count(&self.saved),
        }
    }
}

impl Counts {
    /// Both together.
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            hits: self.hits.saturating_add(other.hits),
            misses: self.misses.saturating_add(other.misses),
            kept: self.kept.saturating_add(other.kept),
            redacted: self.redacted.saturating_add(other.redacted),
            saved_micros: self.saved_micros.saturating_add(other.saved_micros),
        }
    }

    /// The share of requests that a recording answered; `None` when there were none.
    pub fn hit_rate(&self) -> Option<f64> {
        let all = self.hits + self.misses;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }
}

/// The line at the end of a run that recorded answers with secrets taken out of them; `None` without any.
///
/// ```
/// use unitai_wire::cassette::redacted_note;
/// assert_eq!(redacted_note(0), None);
/// assert!(redacted_note(2).unwrap().starts_with("2 recordings hold redacted answers"));
/// ```
pub fn redacted_note(count: u64) -> Option<String> {
    let hold = match count {
        0 => return None,
        1 => "1 recording holds a redacted answer".to_owned(),
        count => format!("{count} recordings hold redacted answers"),
    };
    Some(format!("{hold}; `unitai cache show` lists them and shows where"))
}
