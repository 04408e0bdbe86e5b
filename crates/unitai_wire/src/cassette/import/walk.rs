//! Which files may hold recordings of other tools.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Kind;

/// A file that may hold recordings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// Whether it was asked for by name, and not met in a folder, where other files may lie about.
    pub is_named: bool,
}

/// The files at these places, folders with all that is below them, in the order of their names. Hidden
/// folders and links to folders are passed over.
pub fn find(places: &[PathBuf]) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for place in places {
        if place.is_dir() {
            walk(place, &mut found)?;
        } else {
            found.push(Found { path: place.clone(), is_named: true });
        }
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<Found>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                walk(&path, found)?;
            }
        } else if Kind::of(&path).is_some() && path.is_file() {
            found.push(Found { path, is_named: false });
        }
    }
    Ok(())
}
