//! What was found last time: one file, keyed by what the linter and its settings were, and by what each file was.
//!
//! A file counts as unchanged if its times, size and inode are what they were; one of the times is the system's own, which
//! nobody can set back. That is not enough for a file that was changed twice within one tick of the clock: of those that were
//! fresh when they were looked at, the digest of the content is kept as well, and compared.

use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::Kind;
use super::located::KeptLocated;
use crate::Summary;
use crate::ignores::KeptIgnore;

/// How every such file begins.
const MAGIC: &[u8; 16] = b"unitai lint  1\n\0";

/// Clocks of file systems tick as slowly as this.
const TICK: Duration = Duration::from_secs(3);

/// More files than any project has are not remembered.
const MOST: usize = 100_000;

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Identity {
    nanos: i128,
    /// When the system last saw it change.
    changed: i128,
    size: u64,
    inode: u64,
}

impl Identity {
    pub(crate) fn of(metadata: &Metadata) -> Identity {
        let nanos = metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        });
        #[cfg(unix)]
        let (inode, changed) = {
            use std::os::unix::fs::MetadataExt;
            let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
            (metadata.ino(), changed)
        };
        #[cfg(not(unix))]
        let (inode, changed) = (0, 0);
        Identity { nanos, changed, size: metadata.len(), inode }
    }

    /// Whether the file may be changed once more without a trace, if it is looked at now.
    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        let tick = now.checked_sub(TICK).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        tick.is_none_or(|tick| self.nanos.max(self.changed) >= tick.as_nanos() as i128)
    }
}

pub(crate) type ContentDigest = [u8; 32];

pub(crate) fn content_digest(bytes: &[u8]) -> ContentDigest {
    Sha256::digest(bytes).into()
}

/// What is kept of one file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) identity: Identity,
    /// What it was taken for.
    pub(crate) kind: Kind,
    /// Of a file that was fresh when it was looked at.
    pub(crate) digest: Option<ContentDigest>,
    /// Whether it is a test, or was taken for one.
    pub(crate) is_test: bool,
    pub(crate) findings: Vec<KeptLocated>,
    pub(crate) ignores: Vec<KeptIgnore>,
    pub(crate) summary: Option<Summary>,
}

/// What was found last time, by the paths of files.
pub(crate) type Memory = FxHashMap<String, Kept>;

/// Reads what was kept by the same linter with the same settings. Anything else is nothing.
pub(crate) fn read(bytes: &[u8], fingerprint: u64) -> Option<Memory> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (print, rest) = rest.split_at_checked(8)?;
    let (digest, payload) = rest.split_at_checked(32)?;
    if print != fingerprint.to_le_bytes() || digest != content_digest(payload) {
        return None;
    }
    postcard::from_bytes(payload).ok()
}

/// What is to be written.
pub(crate) fn write(memory: &Memory, fingerprint: u64) -> Option<Vec<u8>> {
    if memory.len() > MOST {
        return None;
    }
    let payload = postcard::to_stdvec(memory).ok()?;
    let mut bytes = Vec::with_capacity(payload.len() + 64);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&fingerprint.to_le_bytes());
    bytes.extend_from_slice(&content_digest(&payload));
    bytes.extend_from_slice(&payload);
    Some(bytes)
}
