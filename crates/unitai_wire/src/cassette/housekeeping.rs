//! Keeping a folder of recordings in order: what is there, what goes, what was counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::entry::HEAD;
use super::shelf::QUARANTINE;
use super::tally::Counts;
use super::{CassetteError, Entry, Shelf, Slot};
use crate::gate;

const TALLY: &str = ".tally";

/// What the sessions that used a folder leave behind in it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Sessions {
    /// What all of them counted.
    #[serde(flatten)]
    counts: Counts,
    /// When each test was last recorded from its beginning to its end: when that began, in seconds since 1970. What it recorded before is
    /// of no use to it any more.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    recorded: BTreeMap<String, f64>,
    /// Those of these tests that used no recording then, or are no more: renamed, or deleted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    unrecorded: BTreeSet<String>,
    /// When the last of these tests had ended. A file that was changed later came from elsewhere: by version control.
    #[serde(default)]
    ended: f64,
    /// Recordings that answered tests which have none of their own.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    borrowed: BTreeSet<String>,
}

/// Answers of one recording that the tests which recorded them do not use any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// The recording's key.
    pub key: String,
    /// What was asked, in a few words.
    pub request: String,
    /// The tests.
    pub scopes: BTreeSet<String>,
    /// Whether other tests still use answers of it.
    pub is_shared: bool,
}

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

    /// What tests recorded before the last time that they were recorded as a whole: a changed prompt leaves the answers to
    /// the old one behind. In doubt an answer is in use.
    pub fn unused(&self) -> Result<Vec<Unused>, CassetteError> {
        Ok(self.replaced()?.into_iter().map(|(unused, _)| unused).collect())
    }

    /// Deletes what [`unused`](Shelf::unused) finds, and gives it.
    pub fn prune_unused(&self) -> Result<Vec<Unused>, CassetteError> {
        if self.replaced()?.is_empty() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        let mut pruned = Vec::new();
        for (unused, left) in self.replaced()? {
            if left.slots.is_empty() {
                delete(&self.path(&unused.key))?;
            } else {
                self.write_entry(&unused.key, left)?;
            }
            pruned.push(unused);
        }
        Ok(pruned)
    }

    /// The recordings that hold replaced answers, and what is left of each without them.
    fn replaced(&self) -> Result<Vec<(Unused, Entry)>, CassetteError> {
        let sessions = self.sessions();
        if sessions.recorded.is_empty() {
            return Ok(Vec::new());
        }
        let mut entries = Vec::new();
        // Tests whose last recordings are here: after a change of branch they may not be.
        let mut present = BTreeSet::new();
        for (key, path) in self.files()? {
            // Whether the answers of a damaged file are used is not known.
            let Ok(Some(entry)) = self.read(&key) else { continue };
            let fresh = entry.slots.iter().filter(|slot| sessions.is_fresh(slot));
            present.extend(fresh.map(|slot| slot.scope.clone()));
            let is_from_elsewhere = modified(&path).is_none_or(|time| time > sessions.ended);
            if !is_from_elsewhere && !sessions.borrowed.contains(&key) {
                entries.push((key, entry));
            }
        }
        let mut found = Vec::new();
        for (key, mut entry) in entries {
            let is_known =
                |slot: &Slot| present.contains(&slot.scope) || sessions.unrecorded.contains(&*slot.scope);
            let is_unused = |slot: &Slot| is_known(slot) && sessions.has_replaced(slot);
            let unused: BTreeSet<String> = entry
                .slots
                .iter()
                .filter(|slot| is_unused(slot))
                .map(|slot| slot.scope.to_string())
                .collect();
            if !unused.is_empty() {
                entry.slots.retain(|slot| !is_unused(slot));
                let (request, is_shared) = (entry.asked.summary(), !entry.slots.is_empty());
                found.push((Unused { key, request, scopes: unused, is_shared }, entry));
            }
        }
        Ok(found)
    }

    fn remove(&self, is_meant: impl Fn(&str, &Path) -> bool) -> Result<u64, CassetteError> {
        let (files, aside) = (self.files()?, recordings_in(&self.directory.join(QUARANTINE))?);
        if files.is_empty() && aside.is_empty() && !self.has_unfinished()? {
            let _ = fs::remove_dir(self.directory.join(QUARANTINE));
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
        // One that holds anything else stays.
        let _ = fs::remove_dir(self.directory.join(QUARANTINE));
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
        let counts = self.sessions().counts;
        Ok(Stats { entries: files.len() as u64, bytes, quarantined, counts })
    }

    fn sessions(&self) -> Sessions {
        let text = fs::read(self.directory.join(TALLY)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Adds what a session of this test counted to what the folder remembers.
    pub fn remember(&self, scope: &str, counts: Counts) -> Result<(), CassetteError> {
        if counts == Counts::default() {
            return Ok(());
        }
        self.change_sessions(|sessions| {
            sessions.counts = sessions.counts.plus(counts);
            // It is back, and its recordings are in use.
            if counts.hits > 0 && sessions.unrecorded.remove(scope) {
                sessions.recorded.remove(scope);
            }
        })
    }

    /// Remembers tests that use none of their recordings any more, of all that recorded here: those that were recorded as a
    /// whole and asked nothing in the session that was opened then, and those that are no more.
    pub fn remember_unrecorded(
        &self,
        opened: SystemTime,
        is_unrecorded: impl Fn(&str) -> bool,
    ) -> Result<(), CassetteError> {
        let mut scopes = BTreeSet::new();
        for (key, _) in self.files()? {
            let slots = self.slots(&key).ok().flatten().unwrap_or_default();
            scopes.extend(slots.into_iter().map(|slot| slot.scope));
        }
        scopes.retain(|scope| is_unrecorded(scope));
        if scopes.is_empty() {
            return Ok(());
        }
        self.change_sessions(|sessions| {
            for scope in scopes {
                let known = sessions.recorded.entry(scope.to_string()).or_default();
                *known = known.max(seconds(opened));
                sessions.unrecorded.insert(scope.to_string());
            }
            sessions.ended = seconds(SystemTime::now());
        })
    }

    /// Remembers that a test was recorded as a whole in the session that was opened then.
    pub(super) fn remember_recorded(&self, scope: &str, opened: SystemTime) -> Result<(), CassetteError> {
        self.change_sessions(|sessions| {
            sessions.recorded.insert(scope.to_owned(), seconds(opened));
            sessions.unrecorded.remove(scope);
            sessions.ended = seconds(SystemTime::now());
        })
    }

    /// Remembers recordings that answered tests which have none of their own.
    pub(super) fn remember_borrowed(&self, keys: BTreeSet<String>) -> Result<(), CassetteError> {
        self.change_sessions(|sessions| sessions.borrowed.extend(keys))
    }

    fn change_sessions(&self, change: impl FnOnce(&mut Sessions)) -> Result<(), CassetteError> {
        if !self.directory.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let mut sessions = self.sessions();
        change(&mut sessions);
        let text = serde_json::to_vec(&sessions).unwrap_or_default();
        let path = self.directory.join(TALLY);
        gate::write_sealed(&path, &text, &self.secrets).map_err(|error| CassetteError::Disk {
            doing: "cannot write",
            path,
            error,
        })
    }
}

impl Sessions {
    /// Whether the test that recorded this was recorded anew since then.
    fn has_replaced(&self, slot: &Slot) -> bool {
        self.recorded.get(&*slot.scope).is_some_and(|opened| seconds(slot.recorded_at) < *opened)
    }

    /// Whether it is of the last recording of its test.
    fn is_fresh(&self, slot: &Slot) -> bool {
        self.recorded.get(&*slot.scope).is_some_and(|opened| seconds(slot.recorded_at) >= *opened)
    }
}

fn modified(path: &Path) -> Option<f64> {
    fs::metadata(path).and_then(|found| found.modified()).ok().map(seconds)
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
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
