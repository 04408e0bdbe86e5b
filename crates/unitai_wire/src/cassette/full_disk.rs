//! Folders that refused an answer. Recording ends there at once: every further answer would be paid for and lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::CassetteError;
use crate::gate;

/// The folders, and how many bytes they refused last. Of the process, because each of its tests opens a folder anew.
static REFUSING: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// A folder refused so many bytes.
pub(super) fn note(folder: &Path, bytes: usize) {
    refusing().insert(folder.to_owned(), bytes);
}

/// Fails while a folder refuses as much as it did last.
pub(super) fn check(folder: &Path) -> Result<(), CassetteError> {
    let Some(bytes) = refusing().get(folder).copied() else { return Ok(()) };
    gate::try_to_write(folder, bytes).map_err(|error| CassetteError::Disk {
        doing: "nothing more is recorded, and no model is asked for it, because an answer could not be written to",
        path: folder.to_owned(),
        error,
    })?;
    refusing().remove(folder);
    Ok(())
}

fn refusing() -> MutexGuard<'static, BTreeMap<PathBuf, usize>> {
    REFUSING.lock().unwrap_or_else(PoisonError::into_inner)
}
