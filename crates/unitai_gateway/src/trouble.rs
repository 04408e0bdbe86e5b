//! What must not go unnoticed when a gateway closes.

use unitai_wire::cassette::Miss;

/// Something because of which a run was not what it was meant to be.
#[derive(Debug, Clone)]
pub struct Trouble {
    /// What kind of thing.
    pub kind: TroubleKind,
    /// What happened, what was expected, and what to do. Without secrets.
    pub text: String,
    /// The miss, where it is one.
    pub miss: Option<Box<Miss>>,
}

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// A request had no recording, and nothing else might answer.
    NoRecording,
    /// A recording is not what was written.
    Damaged,
    /// The budget was used up.
    Budget,
    /// There is a budget, and a model without a price.
    Unpriced,
    /// What was spent cannot be told or written down.
    Ledger,
    /// The disk refused: an answer could not be recorded, or a recording not read.
    Disk,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
