//! The right to keep the answer to one request.

use std::sync::Arc;
use std::time::SystemTime;

use super::{CassetteError, Inquiry, Options, Recording, Shelf, Slot, Tally};

/// The right to keep the answer to one request. An answer that did not come whole, or was an error, is
/// not kept: its ticket is dropped.
pub struct Ticket {
    pub(super) shelf: Arc<Shelf>,
    pub(super) tally: Arc<Tally>,
    pub(super) scope: Arc<str>,
    /// How many requests of this scope and key came before.
    pub(super) turn: usize,
    pub(super) inquiry: Box<Inquiry>,
    pub(super) options: Arc<Options>,
    /// What the scope recorded before this is replaced.
    pub(super) replaced_before: Option<SystemTime>,
}

impl Ticket {
    /// The key of the request.
    pub fn key(&self) -> &Arc<str> {
        self.inquiry.key()
    }

    /// What was asked, in a few words.
    pub(super) fn summary(&self) -> String {
        self.inquiry.summary()
    }

    pub(super) fn learn_set_cookie(&self, header: &str) {
        self.options.secrets.learn_set_cookie(header, |value| self.inquiry.says(value));
    }

    /// Keeps the answer, if a replay can give it back as it was. When this returns, it is on the disk.
    pub fn keep(self, recording: Recording) -> Result<(), CassetteError> {
        // A clock that was set back must not make this older than the session that recorded it.
        let now = SystemTime::now();
        let slot = Slot {
            scope: self.scope,
            turn: self.turn,
            recorded_at: self.replaced_before.map_or(now, |then| now.max(then)),
            redacted: Vec::new(),
            recording: Arc::new(recording),
        };
        let volatile = &self.options.volatile;
        let is_redacted = self.shelf.add(&self.inquiry, slot, self.replaced_before, volatile)?;
        self.tally.kept(is_redacted);
        Ok(())
    }
}
