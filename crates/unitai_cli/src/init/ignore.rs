//! `.unitai/` in `.gitignore`: recordings and results of runs are nobody's to commit by accident.

use std::fs;
use std::io;
use std::path::Path;

use unitai_wire::gate;

use super::lay::{Fate, Laid, unwritable};
use crate::git::{Standing, names_it, standing};
use crate::say::secrets;

const LINE: &str = ".unitai/";

/// Sees to it in the folder where `.unitai` will be. Where there is neither a list nor a repository there is nothing to
/// do. A repository without a list gets one: what a test records must not be committed by the next `git add .`.
pub(crate) fn see_to_it(root: &Path, here: &Path, is_dry: bool) -> Option<Laid> {
    let path = root.join(".gitignore");
    let fate = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match standing(root) {
            Standing::NoRepository => return None,
            Standing::Ignored => Fate::Left(format!("{LINE} is ignored by another list")),
            Standing::Seen if is_dry => made(),
            Standing::Seen => match gate::write_new(&path, format!("{LINE}\n").as_bytes(), secrets()) {
                Ok(()) => made(),
                Err(error) => Fate::Failed(unwritable(&error)),
            },
        },
        Err(error) => Fate::Failed(unwritable(&error)),
        // Git does not follow it either, and it may lead out of the project.
        Ok(found) if found.file_type().is_symlink() => {
            Fate::Left(format!("it is a link, which git does not read: add {LINE} to a list yourself"))
        }
        Ok(found) if !found.is_file() => Fate::Left(format!("it is no file: add {LINE} to a list yourself")),
        Ok(_) => extended(root, &path, is_dry),
    };
    Some(Laid { file: path.strip_prefix(here).unwrap_or(&path).to_owned(), fate })
}

fn made() -> Fate {
    Fate::Made(format!("keeps {LINE}, where recordings and results go, out of git"))
}

fn extended(root: &Path, path: &Path, is_dry: bool) -> Fate {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Fate::Failed(unwritable(&error)),
    };
    if names_it(&String::from_utf8_lossy(&bytes)) {
        return Fate::Left(format!("it names {LINE} already"));
    }
    if standing(root) == Standing::Ignored {
        return Fate::Left(format!("{LINE} is ignored already"));
    }
    let done = if is_dry { Ok(()) } else { gate::append(path, addition(&bytes).as_bytes(), secrets()) };
    match done {
        Ok(()) => Fate::Extended(format!("{LINE} added, where recordings and results go")),
        Err(error) => Fate::Failed(unwritable(&error)),
    }
}

/// The line in the manner of the file: with its line ends, and on a line of its own.
fn addition(bytes: &[u8]) -> String {
    let end = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let begin = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { end };
    format!("{begin}{LINE}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_in_the_manner_of_the_file() {
        assert_eq!(addition(b""), ".unitai/\n");
        assert_eq!(addition(b"a\n"), ".unitai/\n");
        assert_eq!(addition(b"a"), "\n.unitai/\n");
        assert_eq!(addition(b"a\r\nb"), "\r\n.unitai/\r\n");
        assert_eq!(addition(b"a\r\nb\r\n"), ".unitai/\r\n");
    }
}
