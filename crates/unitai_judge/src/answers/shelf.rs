//! Kept answers on the disk: found, and put there.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use unitai_spec::run::{Evidence, Reply, Votes};
use unitai_wire::gate::write_public;
use unitai_wire::redact::Secrets;

use super::entry::{Entry, FORMAT, Kept, KeptJudge, KeptRecord, KeptVotes, Steadiness};
use super::key::Key;
use super::making::{kept_record, kept_replies};
use super::miss::Wanted;

/// The most entries of one test: older ones make room.
const ENTRIES: usize = 128;

/// Tests of one process run side by side, and one may ask twice.
static WRITING: Mutex<()> = Mutex::new(());

/// What is kept in a file; nothing where there is none.
fn read(path: &Path) -> Result<Option<Kept>, String> {
    let told = |why: &dyn std::fmt::Display| {
        format!(
            "the kept answers in {} cannot be read: {why}; restore the file, or delete it and ask the judge again",
            path.display()
        )
    };
    match std::fs::read_to_string(path) {
        Ok(text) => Kept::from_text(&text).map(Some).map_err(|why| told(&why)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(told(&error)),
    }
}

/// Looks for answers: the newest that fit, or what is kept instead.
pub(crate) fn find(path: &Path, key: &Key, wanted: &Wanted) -> Result<Result<Entry, Option<Kept>>, String> {
    let Some(kept) = read(path)? else { return Ok(Err(None)) };
    let found = kept.entries.iter().rev().find(|it| wanted.is(it, key)).cloned();
    Ok(found.ok_or(Some(kept)))
}

/// What is to be kept.
pub(crate) struct Keeping<'a> {
    pub(crate) test: &'a str,
    pub(crate) key: &'a Key,
    pub(crate) judge: KeptJudge,
    pub(crate) second: Option<KeptJudge>,
    pub(crate) date: String,
    pub(crate) repeats: u32,
    pub(crate) replies: &'a [Reply],
    pub(crate) votes: &'a [(String, Votes)],
    pub(crate) evidence: &'a [Evidence],
}

/// Evidence in the form that is kept.
pub(crate) fn records(evidence: &[Evidence], key: &Key, secrets: &Secrets) -> Vec<KeptRecord> {
    evidence.iter().zip(&key.evidence).map(|(it, digest)| kept_record(it, digest, secrets)).collect()
}

/// Keeps answers in place of those to the same questions about the same evidence by the same judge.
pub(crate) fn keep(path: &Path, new: Keeping<'_>, secrets: &Secrets) -> Result<(), String> {
    let mut entry = Entry {
        key: new.key.digest(),
        judge: new.judge,
        second: new.second,
        date: new.date,
        template: new.key.template,
        repeats: new.repeats,
        steadiness: Steadiness::default(),
        questions: new.key.questions.clone(),
        replies: kept_replies(new.replies, new.evidence, secrets),
        votes: new.votes.iter().map(|(id, votes)| KeptVotes::of(id, *votes)).collect(),
        evidence: records(new.evidence, new.key, secrets),
        checksum: String::new(),
    };
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut kept = read(path)?.unwrap_or_else(|| Kept {
        format: FORMAT,
        test: new.test.to_owned(),
        entries: Vec::new(),
    });
    let is_replaced = |it: &Entry| it.key == entry.key && it.judge.is_same(&entry.judge);
    let steadiness = kept.entries.iter().rev().find(|it| is_replaced(it));
    let steadiness = steadiness.map(|before| Steadiness::after(before, &entry.replies)).unwrap_or_default();
    kept.entries.retain(|it| !is_replaced(it));
    entry.steadiness = steadiness;
    kept.entries.push(entry);
    let surplus = kept.entries.len().saturating_sub(ENTRIES);
    kept.entries.drain(..surplus);
    let failed =
        |why: &dyn std::fmt::Display| format!("the answers cannot be kept in {}: {why}", path.display());
    // Checksums are of what is written, so secrets go first, older entries' too: one may have been learned since.
    let cleaned = Kept::unverified(&secrets.clean(&kept.to_text())).map_err(|why| failed(&why))?;
    write_public(path, cleaned.to_text().as_bytes(), secrets).map_err(|error| failed(&error))
}
