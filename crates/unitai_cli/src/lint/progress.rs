//! How far it is, for whoever waits at a terminal.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::say::live;

/// Work that is shorter needs no word.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Progress {
    is_watched: bool,
    began: Instant,
    /// When something was last shown.
    shown: Mutex<Option<Instant>>,
}

impl Progress {
    pub(super) fn new() -> Progress {
        Progress { is_watched: io::stderr().is_terminal(), began: Instant::now(), shown: Mutex::new(None) }
    }

    pub(super) fn told(&self, done: usize, of: usize) {
        if !self.is_watched || self.began.elapsed() < PATIENCE {
            return;
        }
        // Whoever finds it taken is not the only one with something to show.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        if shown.is_none_or(|at| at.elapsed() > PAUSE) {
            *shown = Some(Instant::now());
            live(&format!("{done} of {of} files"));
        }
    }

    pub(super) fn over(&self) {
        if self.shown.lock().is_ok_and(|shown| shown.is_some()) {
            live("");
        }
    }
}
