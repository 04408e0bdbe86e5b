//! Lines of `.gitignore`: recordings, results of runs and keys are nobody's to commit by accident.

use std::fs;
use std::io;
use std::path::Path;

use unitai_wire::gate;

use super::lay::{Fate, Laid, unwritable};
use crate::git::{Standing, names_it, standing};
use crate::say::secrets;

/// What must not be committed.
pub(crate) struct Kept {
    line: &'static str,
    what: &'static str,
}

/// The folder of recordings and results.
pub(crate) const FOLDER: Kept = Kept { line: ".unitai/", what: "where recordings and results go" };
/// The folder of reports, unless settings name another.
pub(crate) const REPORTS: Kept = Kept { line: "test-results/", what: "where reports go" };
/// The file of keys that layers read.
pub(crate) const KEYS: Kept = Kept { line: ".env.test", what: "where keys for tests go" };

/// Sees to it in the folder where `.unitai` will be. Where there is neither a list nor a repository nothing is made, and
/// it is said which lines a list needs once there is one. A repository without a list gets one: what a test records must not be committed by the next `git add .`.
pub(crate) fn see_to_it(root: &Path, here: &Path, kept: &[Kept], is_dry: bool) -> Laid {
    let path = root.join(".gitignore");
    let fate = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if kept.iter().any(|it| standing(root, it.line) == Standing::NoRepository) {
                Fate::Left(format!(
                    "not made, for there is no git repository: once there is one, add {}, or run this again",
                    lines(kept)
                ))
            } else {
                begun(root, &path, kept, is_dry)
            }
        }
        Err(error) => Fate::Failed(unwritable(&error)),
        // Git does not follow it either, and it may lead out of the project.
        Ok(found) if found.file_type().is_symlink() => Fate::Left(format!(
            "it is a link, which git does not read: add {} to a list yourself",
            lines(kept)
        )),
        Ok(found) if !found.is_file() => {
            Fate::Left(format!("it is no file: add {} to a list yourself", lines(kept)))
        }
        Ok(_) => extended(root, &path, kept, is_dry),
    };
    Laid { file: path.strip_prefix(here).unwrap_or(&path).to_owned(), fate }
}

fn begun(root: &Path, path: &Path, kept: &[Kept], is_dry: bool) -> Fate {
    let seen: Vec<&Kept> = kept.iter().filter(|it| standing(root, it.line) == Standing::Seen).collect();
    if seen.is_empty() {
        return Fate::Left(format!("{} {} ignored by another list", lines(kept), are(kept)));
    }
    let text = addition(b"", &seen);
    match if is_dry { Ok(()) } else { gate::write_new(path, text.as_bytes(), secrets()) } {
        Ok(()) => Fate::Made(format!("keeps out of git: {}", told(&seen))),
        Err(error) => Fate::Failed(unwritable(&error)),
    }
}

fn extended(root: &Path, path: &Path, kept: &[Kept], is_dry: bool) -> Fate {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Fate::Failed(unwritable(&error)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let unnamed: Vec<&Kept> = kept.iter().filter(|it| !names_it(&text, it.line)).collect();
    if unnamed.is_empty() {
        return Fate::Left(format!("it names {} already", lines(kept)));
    }
    let seen: Vec<&Kept> =
        unnamed.into_iter().filter(|it| standing(root, it.line) != Standing::Ignored).collect();
    if seen.is_empty() {
        return Fate::Left(format!("{} {} ignored already", lines(kept), are(kept)));
    }
    match if is_dry { Ok(()) } else { gate::append(path, addition(&bytes, &seen).as_bytes(), secrets()) } {
        Ok(()) => Fate::Extended(format!("added {}", told(&seen))),
        Err(error) => Fate::Failed(unwritable(&error)),
    }
}

/// The lines in the manner of the file: with its line ends, and each on a line of its own.
fn addition(bytes: &[u8], kept: &[&Kept]) -> String {
    let end = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let begin = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { end };
    let lines: String = kept.iter().map(|it| format!("{}{end}", it.line)).collect();
    format!("{begin}{lines}")
}

fn lines(kept: &[Kept]) -> String {
    kept.iter().map(|it| it.line).collect::<Vec<_>>().join(", ")
}

fn are(kept: &[Kept]) -> &'static str {
    if kept.len() == 1 { "is" } else { "are" }
}

fn told(kept: &[&Kept]) -> String {
    kept.iter().map(|it| format!("{}, {}", it.line, it.what)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_in_the_manner_of_the_file() {
        let addition = |bytes| addition(bytes, &[&FOLDER]);
        assert_eq!(addition(b""), ".unitai/\n");
        assert_eq!(addition(b"a\n"), ".unitai/\n");
        assert_eq!(addition(b"a"), "\n.unitai/\n");
        assert_eq!(addition(b"a\r\nb"), "\r\n.unitai/\r\n");
        assert_eq!(addition(b"a\r\nb\r\n"), ".unitai/\r\n");
    }

    #[test]
    fn lines_are_added_each_on_its_own() {
        assert_eq!(addition(b"a", &[&FOLDER, &KEYS]), "\n.unitai/\n.env.test\n");
    }
}
