//! Snapshots of no test: it was renamed, or is gone, or its whole file is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::place;

/// So deep are the folders of tests: a class in a class, a function, its parameters.
const DEPTH: usize = 8;

/// The folders that hold snapshots and belong to none of these tests, which are all that the file has: each given by
/// the names of its classes, its function and its parameters.
///
/// ```
/// use unitai_snapshot::{Content, Mode, TestSnapshots, strays};
/// use unitai_wire::redact::Secrets;
///
/// let folder = tempfile::tempdir().unwrap();
/// let file = folder.path().join("test_it.py");
/// for test in ["test_old", "test_new"] {
///     let mut snapshots = TestSnapshots::of(&file, &[test], Mode::Update);
///     snapshots.look("a.txt", Content::Text("a".to_owned()), &Secrets::none()).unwrap();
/// }
/// let left = strays(&file, &[vec!["test_new".to_owned()]]);
/// assert_eq!(left, [folder.path().join("snapshots/test_it/test_old")]);
/// ```
pub fn strays(file: &Path, tests: &[Vec<String>]) -> Vec<PathBuf> {
    let known: BTreeSet<PathBuf> = tests.iter().map(|names| place::folder(file, names)).collect();
    let mut found = Vec::new();
    walk(&place::of_file(file), DEPTH, &known, &mut found);
    found.sort();
    found
}

/// The folders of snapshots, of all that are beside the files of this folder, whose file of tests is gone. Whether such
/// a folder was one of a file of tests, its name must tell: people may keep other things there.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// for name in ["test_here", "test_gone"] {
///     let kept = folder.path().join("snapshots").join(name).join("test_it");
///     std::fs::create_dir_all(&kept).unwrap();
///     std::fs::write(kept.join("a.txt"), "a").unwrap();
/// }
/// std::fs::write(folder.path().join("test_here.py"), "").unwrap();
/// let left = unitai_snapshot::without_file(folder.path());
/// assert_eq!(left, [folder.path().join("snapshots/test_gone")]);
/// ```
pub fn without_file(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(place::FOLDER)).into_iter().flatten().flatten();
    let is_gone = |path: &PathBuf| {
        let mut held = Vec::new();
        walk(path, DEPTH, &BTreeSet::from([path.clone()]), &mut held);
        let part = path.file_name().and_then(|name| name.to_str());
        !held.is_empty() && part.is_some_and(|part| !place::has_file(folder, part))
    };
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(is_gone)
        .collect();
    found.sort();
    found
}

fn walk(folder: &Path, depth: usize, known: &BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) {
    let mut holds_files = false;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            // A link may lead anywhere.
            Ok(kind) if kind.is_dir() && depth > 0 => walk(&entry.path(), depth - 1, known, found),
            Ok(kind) if kind.is_file() => {
                holds_files |= !entry.file_name().as_encoded_bytes().starts_with(b".");
            }
            _ => {}
        }
    }
    if holds_files && !known.contains(folder) {
        found.push(folder.to_owned());
    }
}
