//! What runs in other processes must know of this one, and what a forked process must not take for its own.

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;

use super::belonging::{forget_live_traffic, is_network_blocked};
use super::purse::forget_live_purses;
use super::voice_here;
use crate::settings::portable_settings;

/// The process that loaded the engine, or the child that has forgotten it.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// How often this process was forked from another since the engine was loaded.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// A forked process begins. To be called first thing in it.
#[pyfunction]
pub(crate) fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Tells a process from the one that it was forked from, for what belongs to one alone.
pub(crate) fn fork_count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Remembers which process this is. Called once, when the engine is loaded.
pub(crate) fn remember_process() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// What stands around code here and not in another process: whether a script or recordings speak for the model,
/// whether the network is blocked, and the settings.
#[pyfunction]
pub(crate) fn surroundings(py: Python<'_>) -> PyResult<(bool, bool, String)> {
    Ok((voice_here(py)?.is_some(), is_network_blocked(), portable_settings()))
}

/// In a forked process, forgets what its parent had under way: its runs, scripts, recordings, budgets and blocks.
/// Their ends are the parent's, too: nothing is closed or settled here. Does nothing when done before, and in a
/// process that was not forked; says whether there was something to forget.
#[pyfunction]
pub(crate) fn forget_parent() -> bool {
    let process = std::process::id();
    if PROCESS.swap(process, Ordering::Relaxed) == process {
        return false;
    }
    forget_live_traffic();
    forget_live_purses();
    true
}
