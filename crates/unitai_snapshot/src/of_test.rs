//! The snapshots of one test, while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use unitai_wire::gate;
use unitai_wire::redact::Secrets;

use crate::difference::difference;
use crate::{Content, NameFault, place};

/// What becomes of a value that is not as it was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The test fails.
    Compare,
    /// It is kept from now on.
    Update,
}

/// What came of a look at a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The value is as it was kept.
    Same,
    /// There was none, and now there is.
    Written,
    /// It was another, and now is this one.
    Changed,
}

/// Why a value does not match.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The name is none of a file in the folder.
    #[error(transparent)]
    Name(NameFault),
    /// Another name of this test is the same one where capitals do not count.
    #[error("two names of one test differ in capitals only")]
    Alike {
        /// The other name.
        other: String,
    },
    /// Another value has this name already, in this test.
    #[error("two values of one test cannot have one snapshot")]
    Twice,
    /// It was never kept.
    #[error("there is no snapshot {path}", path = .path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// It was kept otherwise.
    #[error("the value is not what the snapshot says")]
    Differs {
        /// Where it is.
        path: PathBuf,
        /// What is different, in lines.
        difference: String,
    },
    /// The system did not let us.
    #[error("{path} cannot be used: {error}", path = .path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// The snapshots of one test.
#[derive(Debug)]
pub struct TestSnapshots {
    folder: PathBuf,
    mode: Mode,
    /// What the test has looked at: its name and its bytes, by the name without capitals.
    seen: BTreeMap<String, (String, Vec<u8>)>,
}

impl TestSnapshots {
    /// Those of a test in this file. `names` are those of its classes, its function and its parameters.
    pub fn of(file: &Path, names: &[impl AsRef<str>], mode: Mode) -> TestSnapshots {
        TestSnapshots { folder: place::folder(file, names), mode, seen: BTreeMap::new() }
    }

    /// The folder that holds them.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Looks whether a value is what the snapshot of this name says, or keeps it, as the mode is.
    pub fn look(&mut self, name: &str, value: Content, secrets: &Secrets) -> Result<Outcome, Trouble> {
        place::check_name(name).map_err(Trouble::Name)?;
        let key = place::without_case(name);
        if let Some((other, _)) = self.seen.get(&key).filter(|(other, _)| other != name) {
            return Err(Trouble::Alike { other: other.clone() });
        }
        let path = self.folder.join(name);
        let kept = match fs::read(&path) {
            Ok(file) => Some(value.read(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Trouble::System { path, error }),
        };
        let came = value.written(secrets);
        if self.seen.get(&key).is_some_and(|(_, before)| *before != came) {
            return Err(Trouble::Twice);
        }
        self.seen.insert(key, (name.to_owned(), came.clone()));
        match (kept, self.mode) {
            (Some(kept), _) if kept == came => Ok(Outcome::Same),
            (Some(kept), Mode::Compare) => {
                Err(Trouble::Differs { path, difference: difference(&kept, &came) })
            }
            (None, Mode::Compare) => Err(Trouble::Missing { path }),
            (kept, Mode::Update) => match gate::write_public(&path, &came, secrets) {
                Ok(()) if kept.is_some() => Ok(Outcome::Changed),
                Ok(()) => Ok(Outcome::Written),
                Err(error) => Err(Trouble::System { path, error }),
            },
        }
    }

    /// The files in the folder that the test has not looked at. Only of a test that came to its end does that say
    /// that nobody needs them.
    pub fn unused(&self) -> Vec<PathBuf> {
        let files: BTreeSet<OsString> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .map(|entry| entry.file_name())
            .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
            .collect();
        // Where capitals do not count, a file may have another name than the one by which it was read.
        let is_seen = |name: &OsStr| {
            let seen = name.to_str().and_then(|name| self.seen.get(&place::without_case(name)));
            seen.is_some_and(|(seen, _)| name == seen.as_str() || !files.contains(OsStr::new(seen)))
        };
        files.iter().filter(|name| !is_seen(name)).map(|name| self.folder.join(name)).collect()
    }

    /// Removes files that [`TestSnapshots::unused`] has named, and the folder if nothing is left in it.
    pub fn remove(&self, files: &[PathBuf]) -> io::Result<()> {
        files.iter().try_for_each(fs::remove_file)?;
        // One that still holds something stays.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path, mode: Mode) -> TestSnapshots {
        TestSnapshots::of(&folder.join("test_it.py"), &["test_one"], mode)
    }

    fn text(text: &str) -> Content {
        Content::Text(text.to_owned())
    }

    #[test]
    fn a_difference_is_told_and_nothing_is_written_until_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        let mut update = open(folder.path(), Mode::Update);
        assert_eq!(update.look("a.txt", text("one\n"), &secrets).unwrap(), Outcome::Written);
        let Err(Trouble::Differs { difference, path }) =
            open(folder.path(), Mode::Compare).look("a.txt", text("two"), &secrets)
        else {
            panic!()
        };
        assert!(difference.ends_with("-one\n+two"), "{difference}");
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
        let mut update = open(folder.path(), Mode::Update);
        assert_eq!(update.look("a.txt", text("two"), &secrets).unwrap(), Outcome::Changed);
        assert_eq!(fs::read(&path).unwrap(), b"two\n");
    }

    #[test]
    fn the_end_of_the_last_line_says_nothing_in_texts_and_something_in_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        let mut update = open(folder.path(), Mode::Update);
        update.look("a", text("one"), &secrets).unwrap();
        update.look("b", Content::Bytes(b"one".to_vec()), &secrets).unwrap();
        let mut compare = open(folder.path(), Mode::Compare);
        assert_eq!(compare.look("a", text("one\n"), &secrets).unwrap(), Outcome::Same);
        let with_end = compare.look("b", Content::Bytes(b"one\n".to_vec()), &secrets);
        assert!(matches!(with_end, Err(Trouble::Differs { .. })));
        fs::write(compare.folder().join("c"), "of another tool").unwrap();
        assert_eq!(compare.look("c", text("of another tool"), &secrets).unwrap(), Outcome::Same);
    }

    #[test]
    fn a_secret_is_never_written_and_matches_what_stands_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        secrets.learn("Zk3vQ8xWn2LmR7tY");
        secrets.learn("Qp9sD4fGh1JkL6mN");
        let mut update = open(folder.path(), Mode::Update);
        update.look("a.txt", text("the key is Zk3vQ8xWn2LmR7tY"), &secrets).unwrap();
        assert_eq!(fs::read(update.folder().join("a.txt")).unwrap(), b"the key is [redacted]\n");
        let mut compare = open(folder.path(), Mode::Compare);
        assert_eq!(
            compare.look("a.txt", text("the key is Qp9sD4fGh1JkL6mN"), &secrets).unwrap(),
            Outcome::Same
        );
    }

    #[test]
    fn one_name_is_one_value() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        let mut update = open(folder.path(), Mode::Update);
        update.look("a", text("one"), &secrets).unwrap();
        assert_eq!(update.look("a", text("one"), &secrets).unwrap(), Outcome::Same);
        assert!(matches!(update.look("a", text("two"), &secrets), Err(Trouble::Twice)));
        assert!(matches!(update.look("../a", text("one"), &secrets), Err(Trouble::Name(NameFault::Place))));
        let alike = update.look("A", text("one"), &secrets);
        assert!(matches!(alike, Err(Trouble::Alike { other }) if other == "a"));
    }

    #[test]
    fn what_git_makes_of_the_ends_of_lines_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        let mut update = open(folder.path(), Mode::Update);
        fs::create_dir_all(update.folder()).unwrap();
        let path = update.folder().join("a");
        fs::write(&path, "one\r\ntwo\rthree\r\n").unwrap();
        let mut compare = open(folder.path(), Mode::Compare);
        // A text with one of its own is meant so.
        let own = compare.look("a", text("one\ntwo\rthree"), &secrets);
        assert!(matches!(own, Err(Trouble::Differs { .. })));
        fs::write(&path, "one\r\n\r\ntwo\r\n").unwrap();
        assert_eq!(update.look("a", text("one\n\ntwo"), &secrets).unwrap(), Outcome::Same);
        assert_eq!(fs::read(&path).unwrap(), b"one\r\n\r\ntwo\r\n", "it is not touched");
        let bytes =
            open(folder.path(), Mode::Compare).look("a", Content::Bytes(b"one\n\ntwo\n".to_vec()), &secrets);
        assert!(matches!(bytes, Err(Trouble::Differs { .. })));
    }

    #[test]
    fn a_file_that_was_read_by_a_name_with_other_capitals_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        let mut update = open(folder.path(), Mode::Update);
        update.look("a", text("one"), &secrets).unwrap();
        fs::rename(update.folder().join("a"), update.folder().join("A")).unwrap();
        assert_eq!(update.unused(), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_a_test_does_not_look_at_is_unused() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::none();
        let mut update = open(folder.path(), Mode::Update);
        update.look("a", text("one"), &secrets).unwrap();
        update.look("b", text("one"), &secrets).unwrap();
        fs::write(update.folder().join(".note"), "").unwrap();
        let mut later = open(folder.path(), Mode::Update);
        later.look("a", text("one"), &secrets).unwrap();
        let unused = later.unused();
        assert_eq!(unused, [later.folder().join("b")]);
        later.remove(&unused).unwrap();
        assert!(later.unused().is_empty() && later.folder().join("a").exists());
    }
}
