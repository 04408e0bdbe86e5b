//! Where the events of the project's runs are kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use unitai_model::Utc;

use crate::{Project, Trouble};

/// The folder of a project's runs: one file of events each, named by when it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsPlace(PathBuf);

impl RunsPlace {
    /// How many runs are kept.
    pub const KEPT: usize = 20;

    /// The runs of the project that a folder belongs to.
    pub fn of(folder: &Path) -> Result<RunsPlace, Trouble> {
        let project = Project::of(folder)?;
        Ok(RunsPlace(project.root().join(".unitai").join("runs")))
    }

    /// The folder. It may not be there yet.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The file of a run that begins now, in seconds since the epoch. Of its id, the first eight hexadecimal digits
    /// tell it from another one of the same second.
    ///
    /// ```
    /// use std::path::Path;
    /// use unitai_config::RunsPlace;
    /// let file = RunsPlace::of(Path::new("/nowhere"))?.fresh(1_763_231_400, "9f2c11d0-63e7-4a58");
    /// assert_eq!(file, Path::new("/nowhere/.unitai/runs/20251115T183000Z-9f2c11d0.jsonl"));
    /// # Ok::<(), unitai_config::Trouble>(())
    /// ```
    pub fn fresh(&self, now_seconds: u64, id: &str) -> PathBuf {
        let digits = id.chars().filter(char::is_ascii_hexdigit).map(|digit| digit.to_ascii_lowercase());
        let digits: String = digits.chain(std::iter::repeat('0')).take(8).collect();
        self.0.join(format!("{}-{digits}.jsonl", Utc::of_seconds(now_seconds).compact()))
    }

    /// The run that began last.
    pub fn newest(&self) -> io::Result<Option<PathBuf>> {
        Ok(self.all()?.pop())
    }

    /// The runs that are too many when only so many are kept, the oldest first.
    pub fn old(&self, keep: usize) -> io::Result<Vec<PathBuf>> {
        let mut all = self.all()?;
        all.truncate(all.len().saturating_sub(keep));
        Ok(all)
    }

    /// All runs, the oldest first. What has another name is none.
    fn all(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(began) = began(&name) else { continue };
            // Of two that began in one second, the one that was written to last is the newer one. One that somebody
            // deletes just now is as good as old.
            let written =
                entry.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((began.to_owned(), written, entry.path()));
        }
        found.sort();
        Ok(found.into_iter().map(|(_, _, path)| path).collect())
    }
}

/// When the run of this file began: the first part of its name.
fn began(name: &str) -> Option<&str> {
    let (began, id) = name.strip_suffix(".jsonl")?.split_once('-')?;
    let shape = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let is_time = began.chars().map(shape).eq("00000000T000000Z".chars());
    let is_id = id.len() == 8 && id.chars().all(|c| c.is_ascii_hexdigit());
    (is_time && is_id).then_some(began)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_leads_anywhere_else() {
        let place = RunsPlace(PathBuf::from("/runs"));
        for (id, digits) in [("../../etc", "ec000000"), ("", "00000000"), ("ABCDEF0123", "abcdef01")] {
            assert_eq!(
                place.fresh(0, id),
                Path::new("/runs").join(format!("19700101T000000Z-{digits}.jsonl"))
            );
        }
    }

    #[test]
    fn the_newest_run_is_the_one_that_began_last_and_the_rest_grows_old() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".unitai")).unwrap();
        let place = RunsPlace::of(&folder.path().join("tests").join("deep")).unwrap();
        assert_eq!((place.newest().unwrap(), place.old(0).unwrap()), (None, vec![]));

        fs::create_dir(place.folder()).unwrap();
        let files: Vec<PathBuf> = [1_700_000_000, 1_600_000_000, 1_650_000_000]
            .into_iter()
            .map(|began| place.fresh(began, &format!("{began:x}")))
            .collect();
        for file in &files {
            fs::write(file, "").unwrap();
        }
        for other in ["notes.jsonl", "20250101T000000Z.jsonl", "99990101T000000Z-abc.jsonl", ".unfinished-x"]
        {
            fs::write(place.folder().join(other), "").unwrap();
        }
        assert_eq!(place.newest().unwrap().as_ref(), Some(&files[0]));
        assert_eq!(place.old(2).unwrap(), [files[1].clone()]);
        assert_eq!(place.old(0).unwrap(), [files[1].clone(), files[2].clone(), files[0].clone()]);
        assert_eq!(place.old(RunsPlace::KEPT).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn of_two_runs_of_one_second_the_one_that_was_written_to_last_is_newer() {
        let folder = tempfile::tempdir().unwrap();
        let place = RunsPlace(folder.path().to_owned());
        let (first, second) = (place.fresh(9, "ffffffff"), place.fresh(9, "00000000"));
        for (file, age) in [(&first, 60), (&second, 0)] {
            let file = fs::File::create(file).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        assert_eq!(place.newest().unwrap(), Some(second));
    }
}
