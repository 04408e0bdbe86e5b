//! Laying files into somebody's project: what is there already stays as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use unitai_wire::gate;

use super::shown;
use crate::say::secrets;

/// What became of one file.
pub(crate) enum Fate {
    /// It was made, or would be; with a word on what it is.
    Made(String),
    /// It was there, and this was put at its end, or would be.
    Extended(String),
    /// It stays as it is, or is not needed; with the reason.
    Left(String),
    /// It could not be made; with the reason and the remedy.
    Failed(String),
}

/// One file, and what became of it.
pub(crate) struct Laid {
    pub(crate) file: PathBuf,
    pub(crate) fate: Fate,
}

impl Laid {
    /// A new file in a folder; a folder that is missing on the way is made. `what` is told of it.
    pub(crate) fn new_file(folder: &Path, file: &Path, text: &str, what: String, is_dry: bool) -> Laid {
        let path = folder.join(file);
        let fate = if fs::symlink_metadata(&path).is_ok() {
            Fate::Left("it is there already".to_owned())
        } else if let Some(block) = blocked_by(folder, file) {
            let block = shown(block);
            Fate::Failed(format!(
                "{block} is a file, where a folder should be: move it, or name another folder in `testpaths` of pyproject.toml"
            ))
        } else if is_dry {
            Fate::Made(what)
        } else {
            match gate::write_new(&path, text.as_bytes(), secrets()) {
                Ok(()) => Fate::Made(what),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Fate::Left("it is there already".to_owned())
                }
                Err(error) => Fate::Failed(unwritable(&error)),
            }
        };
        Laid { file: file.to_owned(), fate }
    }
}

/// Why something could not be written, and what helps.
pub(crate) fn unwritable(error: &io::Error) -> String {
    match error.kind() {
        kind @ (io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            format!("{kind}: let yourself write to this folder, or run this in another one")
        }
        _ => format!("{error}: mend it and run this again; what is there already stays"),
    }
}

/// What stands where a folder should be.
fn blocked_by<'a>(folder: &Path, file: &'a Path) -> Option<&'a Path> {
    let ancestors = file.ancestors().skip(1).filter(|part| !part.as_os_str().is_empty());
    ancestors.into_iter().find(|part| {
        let path = folder.join(part);
        fs::symlink_metadata(&path).is_ok() && !path.is_dir()
    })
}
