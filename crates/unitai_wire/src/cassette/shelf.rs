//! The folder of a cassette: reading, adding, and keeping it in order.
//!
//! Readers take no lock: a file is there whole or not at all. Those who change one hold the folder's lock
//! meanwhile, because a change reads the file first. The lock is the system's, so it dies with its holder.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::inquiry::AskedDocument;
use super::verify_replay::{NotReplayable, ReplayDefect, verify_answer, verify_file, verify_request};
use super::{CassetteError, Entry, Inquiry, Recording, Slot, Volatile, cleaning, full_disk};
use crate::gate::{self, Lock};
use crate::redact::Secrets;

/// Larger files are not read.
const MOST_BYTES: u64 = 256 << 20;

const LOCK: &str = ".lock";
pub(super) const QUARANTINE: &str = "quarantine";

/// What is of use only while somebody records.
const PASSING: &str = ".lock
.tally
.unfinished-*
quarantine/
";

/// A folder of recordings.
pub struct Shelf {
    pub(super) directory: PathBuf,
    pub(super) secrets: Arc<Secrets>,
}

impl Shelf {
    /// The folder at this place. It need not exist.
    pub fn at(directory: &Path, secrets: Arc<Secrets>) -> Shelf {
        Shelf { directory: directory.to_owned(), secrets }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a key.
    pub fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.json"))
    }

    /// Reads the entry of a key; `None` when there is none.
    pub fn read(&self, key: &str) -> Result<Option<Entry>, CassetteError> {
        let path = self.path(key);
        let Some(bytes) = self.bytes(&path)? else { return Ok(None) };
        match Entry::read(&path, key, &bytes) {
            Ok(entry) => Ok(Some(entry)),
            Err(damage) => Err(CassetteError::Damaged(Box::new(damage))),
        }
    }

    /// Reads the answers of a key alone, as a replay needs them.
    pub(super) fn slots(&self, key: &str) -> Result<Option<Vec<Slot>>, CassetteError> {
        let path = self.path(key);
        let Some(bytes) = self.bytes(&path)? else { return Ok(None) };
        match Entry::read_slots(&path, key, &bytes) {
            Ok(slots) => Ok(Some(slots)),
            Err(damage) => Err(CassetteError::Damaged(Box::new(damage))),
        }
    }

    fn bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, CassetteError> {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(path)?;
            let length = file.metadata()?.len();
            if length > MOST_BYTES {
                return Err(ErrorKind::FileTooLarge.into());
            }
            let mut bytes = Vec::with_capacity(length as usize + 1);
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CassetteError::Disk { doing: "cannot read", path: path.to_owned(), error }),
        }
    }

    /// Adds an answer. What its scope recorded before `replaced_before` gives way to it. When this returns, it
    /// is on the disk. Says whether secrets were taken out of it.
    pub(super) fn add(
        &self,
        inquiry: &Inquiry,
        slot: Slot,
        replaced_before: Option<SystemTime>,
        volatile: &[Volatile],
    ) -> Result<bool, CassetteError> {
        let mut slot = self.proven(inquiry, slot, volatile)?;
        let _lock = self.lock()?;
        let mut slots = self.slots_to_change(inquiry.key())?;
        if let Some(then) = replaced_before {
            slots.retain(|old| old.scope != slot.scope || old.recorded_at >= then);
        }
        // Another process may have recorded the same turn of the same scope meanwhile. Both are kept.
        while slots.iter().any(|old| old.scope == slot.scope && old.turn == slot.turn) {
            slot.turn += 1;
        }
        let at = slots.iter().position(|old| old.scope == slot.scope && old.turn > slot.turn);
        let is_redacted = !slot.redacted.is_empty();
        slots.insert(at.unwrap_or(slots.len()), slot);
        self.write_slots(inquiry, slots)?;
        Ok(is_redacted)
    }

    /// The answer without secrets, once it is proven that a replay will find it and that it says the same.
    fn proven(&self, inquiry: &Inquiry, slot: Slot, volatile: &[Volatile]) -> Result<Slot, NotReplayable> {
        let original = slot.recording.clone();
        let cleaned = cleaning::cleaned(&self.secrets, slot);
        verify_request(inquiry, &self.secrets, volatile)
            .and_then(|()| verify_answer(inquiry, &self.secrets, &original, &cleaned.recording))
            .map_err(|why| NotReplayable { request: inquiry.summary(), why })?;
        Ok(cleaned)
    }

    /// Adds those answers that are not there yet, for everybody. Those that are there count as new. Gives how
    /// many were added, and why others cannot be.
    pub(super) fn add_missing(
        &self,
        inquiry: &Inquiry,
        recordings: Vec<Recording>,
        volatile: &[Volatile],
    ) -> Result<(usize, Vec<NotReplayable>), CassetteError> {
        let _lock = self.lock()?;
        let mut slots = self.slots_to_change(inquiry.key())?;
        let recorded_at = SystemTime::now();
        let scope: Arc<str> = Arc::from("");
        // The same answer twice in one file is two answers: each of those that are there stands for one.
        let mut taken = vec![false; slots.len()];
        let mut turn =
            slots.iter().filter(|old| old.scope == scope).map(|old| old.turn + 1).max().unwrap_or(0);
        let (mut added, mut left_out) = (Vec::new(), Vec::new());
        for recording in recordings {
            let recording = Arc::new(recording);
            let slot = Slot { scope: scope.clone(), turn, recorded_at, redacted: Vec::new(), recording };
            let slot = match self.proven(inquiry, slot, volatile) {
                Ok(slot) => slot,
                Err(why) => {
                    left_out.push(why);
                    continue;
                }
            };
            let is_there = |(at, old): (usize, &Slot)| {
                !taken[at] && old.scope == scope && old.recording == slot.recording
            };
            if let Some(at) = slots.iter().enumerate().position(is_there) {
                taken[at] = true;
                slots[at].recorded_at = recorded_at;
            } else {
                added.push(slot);
                turn += 1;
            }
        }
        let count = added.len();
        slots.extend(added);
        if !slots.is_empty() {
            self.write_slots(inquiry, slots)?;
        }
        Ok((count, left_out))
    }

    /// The answers of a key, to be written again. A damaged file is set aside.
    fn slots_to_change(&self, key: &str) -> Result<Vec<Slot>, CassetteError> {
        match self.slots(key) {
            Ok(slots) => Ok(slots.unwrap_or_default()),
            Err(CassetteError::Damaged(damage)) if !damage.is_newer() => {
                self.quarantine(key)?;
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    fn write_slots(&self, inquiry: &Inquiry, slots: Vec<Slot>) -> Result<(), CassetteError> {
        let entry = Entry {
            asked: inquiry.document(),
            redacted: inquiry.redacted().to_vec(),
            normalised: inquiry.normalised().to_vec(),
            slots,
        };
        self.write_entry(inquiry.key(), entry)
    }

    /// Writes an entry whose answers may have been recorded when fewer secrets were known: they are redacted again, and those
    /// that would not survive it are left out.
    pub(super) fn write_entry(&self, key: &str, mut entry: Entry) -> Result<(), CassetteError> {
        match self.write(key, &entry) {
            Err(CassetteError::NotReplayable(NotReplayable { why: ReplayDefect::Secret, .. })) => {
                let inquiry = Inquiry::from_document(&entry.asked);
                entry.slots = entry
                    .slots
                    .into_iter()
                    .filter_map(|slot| self.redacted_again(inquiry.as_ref(), slot))
                    .collect();
                self.write(key, &entry)
            }
            done => done,
        }
    }

    fn redacted_again(&self, inquiry: Option<&Inquiry>, slot: Slot) -> Option<Slot> {
        let original = slot.recording.clone();
        let cleaned = cleaning::cleaned(&self.secrets, slot);
        let is_same = inquiry.is_none_or(|inquiry| {
            verify_answer(inquiry, &self.secrets, &original, &cleaned.recording).is_ok()
        });
        is_same.then_some(cleaned)
    }

    /// Puts a value under a key that was chosen by hand, in the place of what is there.
    pub fn put(
        &self,
        key: &str,
        inputs: serde_json::Value,
        recording: Recording,
    ) -> Result<(), CassetteError> {
        let _lock = self.lock()?;
        let mut asked = AskedDocument::Value { inputs };
        let mut redacted = Vec::new();
        if let AskedDocument::Value { inputs } = &mut asked {
            redacted = self.secrets.clean_json(inputs).iter().map(ToString::to_string).collect();
        }
        let slot = Slot {
            scope: Arc::from(""),
            turn: 0,
            recorded_at: SystemTime::now(),
            redacted: Vec::new(),
            recording: Arc::new(recording),
        };
        let entry = Entry {
            asked,
            redacted,
            normalised: Vec::new(),
            slots: vec![cleaning::cleaned(&self.secrets, slot)],
        };
        self.write(key, &entry)
    }

    fn write(&self, key: &str, entry: &Entry) -> Result<(), CassetteError> {
        let path = self.path(key);
        let bytes = entry.write(key);
        verify_file(&path, key, entry, &bytes)
            .map_err(|why| NotReplayable { request: entry.asked.summary(), why })?;
        gate::write_sealed(&path, &bytes, &self.secrets).map_err(|error| {
            if error.kind() == ErrorKind::InvalidData {
                return NotReplayable { request: entry.asked.summary(), why: ReplayDefect::Secret }.into();
            }
            full_disk::note(&self.directory, bytes.len());
            CassetteError::Disk { doing: "cannot write", path, error }
        })
    }

    /// Sets a damaged file aside. Somebody else may have done so and recorded anew since it was read, so it is
    /// read again.
    pub(super) fn set_aside(&self, key: &str) -> Result<(), CassetteError> {
        let _lock = self.lock()?;
        match self.read(key) {
            Err(CassetteError::Damaged(damage)) if !damage.is_newer() => self.quarantine(key),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Moves a damaged file away, under the lock. It is kept: what was paid for is not thrown away.
    fn quarantine(&self, key: &str) -> Result<(), CassetteError> {
        let folder = self.directory.join(QUARANTINE);
        let disk = |path: &Path, error| CassetteError::Disk {
            doing: "cannot set aside",
            path: path.to_owned(),
            error,
        };
        gate::make_folder(&folder).map_err(|error| disk(&folder, error))?;
        let path = self.path(key);
        let free =
            (1..).map(|number| folder.join(format!("{key}-{number}.json"))).find(|path| !path.exists());
        let target = free.unwrap_or_else(|| folder.join(format!("{key}.json")));
        match fs::rename(&path, &target) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(disk(&path, error)),
            _ => Ok(()),
        }
    }

    /// Nobody else changes the folder while this is held.
    pub(super) fn lock(&self) -> Result<Lock, CassetteError> {
        let path = self.directory.join(LOCK);
        let disk = |error| {
            full_disk::note(&self.directory, 0);
            CassetteError::Disk { doing: "cannot lock", path: path.clone(), error }
        };
        // Only what we made is ours to speak for: a folder that was there may hold anything.
        let is_new = !self.directory.exists();
        gate::make_folder(&self.directory).map_err(disk)?;
        let lock = gate::lock(&path).map_err(disk)?;
        // Under the lock: whoever prunes takes a file that is being written for one that was left behind.
        if is_new {
            self.introduce().map_err(disk)?;
        }
        Ok(lock)
    }

    /// A new folder says what of it need not be committed. Below `.unitai` nothing is: that folder says so itself.
    fn introduce(&self) -> std::io::Result<()> {
        // A changed line end would break the checksums.
        for (name, text) in [(".gitignore", PASSING), (".gitattributes", "* -text\n")] {
            let path = self.directory.join(name);
            if !path.exists() {
                gate::write_private(&path, text.as_bytes(), &self.secrets)?;
            }
        }
        Ok(())
    }
}
