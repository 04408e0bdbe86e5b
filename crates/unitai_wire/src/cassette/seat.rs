//! The place of one request in a cassette, for those who are asked the same many times.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::Slot;

/// How often one scope asked one request, and the answers to it once they have been read. Nothing must be
/// looked up to take the next one.
pub struct Seat {
    pub(super) scope: Arc<str>,
    pub(super) key: Arc<str>,
    asked: AtomicUsize,
    slots: OnceLock<Arc<[Slot]>>,
}

impl Seat {
    pub(super) fn of(scope: &Arc<str>, key: &Arc<str>) -> Seat {
        let (scope, key) = (scope.clone(), key.clone());
        Seat { scope, key, asked: AtomicUsize::new(0), slots: OnceLock::new() }
    }

    /// The turn of a request, which is the next one's no more.
    pub(super) fn take_turn(&self) -> usize {
        self.asked.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes a turn if there is something for it.
    pub(super) fn take_turn_for<T>(&self, pick: impl Fn(usize) -> Option<T>) -> Option<T> {
        let mut turn = self.asked.load(Ordering::Relaxed);
        loop {
            let picked = pick(turn)?;
            match self.asked.compare_exchange_weak(turn, turn + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(picked),
                // Somebody else took it.
                Err(now) => turn = now,
            }
        }
    }

    /// The answers, if they have been read.
    pub(super) fn slots(&self) -> Option<&Arc<[Slot]>> {
        self.slots.get()
    }

    /// How many answers there are, once they have been read.
    pub fn len(&self) -> usize {
        self.slots().map_or(0, |slots| slots.len())
    }

    /// Whether there are none, or they have not been read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the answers. Where somebody else was faster, theirs stay: places among them must not change.
    pub(super) fn keep(&self, slots: Arc<[Slot]>) -> &Arc<[Slot]> {
        self.slots.get_or_init(|| slots)
    }
}
