//! Whether git takes notice of a file or folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// How git stands to a file or folder of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It would be left out of commits.
    Ignored,
    /// It would be committed.
    Seen,
    /// There is no repository.
    NoRepository,
}

/// How git stands to what is or will be in this folder. A slash at the end of its name: a folder is meant, though it may
/// not be there yet.
pub(crate) fn standing(root: &Path, name: &str) -> Standing {
    if !root.ancestors().any(|folder| folder.join(".git").exists()) {
        return Standing::NoRepository;
    }
    // What a pattern means is git's to say.
    let asked = Command::new("git")
        .args(["check-ignore", "--quiet", "--no-index", name])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match asked.ok().and_then(|status| status.code()) {
        Some(0) => Standing::Ignored,
        Some(1) => Standing::Seen,
        // Git is not here, or does not trust the folder.
        _ if names_it(&fs::read_to_string(root.join(".gitignore")).unwrap_or_default(), name) => {
            Standing::Ignored
        }
        _ => Standing::Seen,
    }
}

/// Whether the text of a `.gitignore` names it.
pub(crate) fn names_it(text: &str, name: &str) -> bool {
    let wanted = name.trim_end_matches('/');
    text.lines().any(|line| {
        let line = line.trim();
        let line = line.strip_prefix("**/").or_else(|| line.strip_prefix('/')).unwrap_or(line);
        line.strip_prefix(wanted).is_some_and(|rest| ["", "/", "/*", "/**"].contains(&rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_found_in_a_list() {
        for line in [".unitai/", "/.unitai", "x\r\n.unitai\r\ny", "**/.unitai/", "  .unitai/*"] {
            assert!(names_it(line, ".unitai/"), "{line:?}");
        }
        for line in ["", "# .unitai/", "!.unitai/", ".unitai-old/", "a/.unitai/"] {
            assert!(!names_it(line, ".unitai/"), "{line:?}");
        }
    }

    #[test]
    fn without_a_repository_there_is_nothing_to_ignore() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(standing(folder.path(), ".unitai/"), Standing::NoRepository);
    }
}
