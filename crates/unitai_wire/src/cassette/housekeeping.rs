//! Keeping a folder of recordings in order: what is there, what goes, what was counted.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::HEAD;
use super::shelf::QUARANTINE;
use super::tally::Counts;
use super::{CassetteError, Shelf};
use crate::gate;

const TALLY: &str = ".tally";

/// What is in a folder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stats {
    /// Files.
    pub entries: u64,
    /// Their size.
    pub bytes: u64,
    /// Files that were set aside because they were damaged.
    pub quarantined: u64,
    /// What all sessions counted.
    pub counts: Counts,
}

impl Shelf {
    /// Deletes every recording, and what was set aside. Gives how many recordings went.
    pub fn clear(&self) -> Result<u64, CassetteError> {
        self.remove(|_, _| true)
    }

    /// Deletes what is older than `ttl`, if there is one, and what a killed process left behind. Gives how many
    /// recordings went.
    pub fn prune(&self, ttl: Option<Duration>) -> Result<u64, CassetteError> {
        let now = SystemTime::now();
        let is_old =
            |time: SystemTime| ttl.is_some_and(|ttl| now.duration_since(time).is_ok_and(|age| age > ttl));
        self.remove(|key, path| match self.slots(key) {
            Ok(Some(slots)) => slots.iter().all(|slot| is_old(slot.recorded_at)),
            _ => fs::metadata(path).and_then(|found| found.modified()).is_ok_and(is_old),
        })
    }

    fn remove(&self, is_meant: impl Fn(&str, &Path) -> bool) -> Result<u64, CassetteError> {
        let (files, aside) = (self.files()?, recordings_in(&self.directory.join(QUARANTINE))?);
        if files.is_empty() && aside.is_empty() && !self.has_unfinished()? {
            return Ok(0);
        }
        let _lock = self.lock()?;
        let mut removed = 0;
        for (key, path) in self.files()? {
            if is_meant(&key, &path) {
                delete(&path)?;
                removed += 1;
            }
        }
        // Only under the lock: a writer's own file is never here then.
        for path in listed(&self.directory)?.into_iter().filter(|path| is_unfinished(path)) {
            delete(&path)?;
        }
        for (_, path) in aside.into_iter().filter(|(_, path)| is_meant("", path)) {
            delete(&path)?;
        }
        Ok(removed)
    }

    fn has_unfinished(&self) -> Result<bool, CassetteError> {
        Ok(listed(&self.directory)?.iter().any(|path| is_unfinished(path)))
    }

    /// Every recording's key and file.
    pub fn files(&self) -> Result<Vec<(String, PathBuf)>, CassetteError> {
        recordings_in(&self.directory)
    }

    /// What is in the folder.
    pub fn stats(&self) -> Result<Stats, CassetteError> {
        let files = self.files()?;
        let sizes = files.iter().filter_map(|(_, path)| fs::metadata(path).ok());
        let quarantined = recordings_in(&self.directory.join(QUARANTINE))?.len() as u64;
        let bytes = sizes.map(|found| found.len()).sum();
        Ok(Stats { entries: files.len() as u64, bytes, quarantined, counts: self.counts() })
    }

    fn counts(&self) -> Counts {
        let text = fs::read(self.directory.join(TALLY)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Adds what a session counted to what the folder remembers.
    pub fn remember(&self, counts: Counts) -> Result<(), CassetteError> {
        if counts == Counts::default() || !self.directory.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let text = serde_json::to_vec(&self.counts().plus(counts)).unwrap_or_default();
        let path = self.directory.join(TALLY);
        gate::write_sealed(&path, &text, &self.secrets).map_err(|error| CassetteError::Disk {
            doing: "cannot write",
            path,
            error,
        })
    }
}

/// The recordings in a folder, by key. Somebody may keep other things there, and they are none of ours.
fn recordings_in(directory: &Path) -> Result<Vec<(String, PathBuf)>, CassetteError> {
    Ok(listed(directory)?.into_iter().filter_map(|path| Some((key_of(&path)?, path))).collect())
}

/// The key of a recording's file; `None` for any other file.
fn key_of(path: &Path) -> Option<String> {
    let key = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    // A digest is nobody else's name, however damaged the file is. Other keys were chosen by hand.
    let is_ours = is_digest(key.split('-').next().unwrap_or_default())
        || (!key.starts_with('.') && begins_as_ours(path));
    is_ours.then(|| key.to_owned())
}

fn begins_as_ours(path: &Path) -> bool {
    let mut start = [0; HEAD.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *HEAD.as_bytes()
}

fn is_unfinished(path: &Path) -> bool {
    path.file_name().is_some_and(gate::is_unfinished)
}

fn listed(directory: &Path) -> Result<Vec<PathBuf>, CassetteError> {
    let disk = |error| CassetteError::Disk { doing: "cannot list", path: directory.to_owned(), error };
    match fs::read_dir(directory) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path()).map_err(disk)).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(disk(error)),
    }
}

fn delete(path: &Path) -> Result<(), CassetteError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(CassetteError::Disk { doing: "cannot delete", path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}
