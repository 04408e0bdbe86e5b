//! The folder that a caller who is not the user is confined to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A project folder with its links resolved. Everything below it may be read; nothing else may.
///
/// ```
/// use unitai_spec::document::ProjectRoot;
///
/// let root = ProjectRoot::new(".")?;
/// assert!(root.resolve("src/lib.rs".as_ref()).is_ok());
/// assert!(root.resolve("../../etc/passwd".as_ref()).is_err());
/// assert!(root.resolve("/etc/passwd".as_ref()).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProjectRoot(PathBuf);

/// A path leads out of the project. Whether the file exists is not said: the caller must not learn it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideRoot;

impl ProjectRoot {
    /// The folder must exist.
    ///
    /// # Errors
    /// When it does not, or cannot be read.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<ProjectRoot> {
        // Every comparison is with the real folder.
        fs::canonicalize(folder).map(ProjectRoot)
    }

    /// The folder, with its links resolved.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The real place of a path, with every link on its way resolved. A relative one begins at the root. What does not
    /// exist yet is judged by the nearest folder above it that does.
    ///
    /// # Errors
    /// When it is not below the root.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, OutsideRoot> {
        let path = self.0.join(path);
        let existing = path.ancestors().find_map(|part| Some((part, fs::canonicalize(part).ok()?)));
        let Some((part, real)) = existing else { return Err(OutsideRoot) };
        if !real.starts_with(&self.0) {
            return Err(OutsideRoot);
        }
        let rest = path.strip_prefix(part).map_err(|_| OutsideRoot)?;
        // `missing/../..` is nowhere now, and could be anywhere once `missing` exists.
        let is_plain = rest.components().all(|it| matches!(it, std::path::Component::Normal(_)));
        if is_plain {
            Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
        } else {
            Err(OutsideRoot)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, ProjectRoot) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project/tests")).unwrap();
        fs::write(folder.path().join("secret.yaml"), "no").unwrap();
        fs::write(folder.path().join("project/tests/a.yaml"), "a").unwrap();
        let root = ProjectRoot::new(folder.path().join("project")).unwrap();
        (folder, root)
    }

    #[test]
    fn paths_below_the_root_are_resolved() {
        let (_folder, root) = project();
        for inside in
            ["tests/a.yaml", "tests/../tests/a.yaml", "./tests/a.yaml", "tests/new/b.yaml", "tests", ""]
        {
            assert!(root.resolve(inside.as_ref()).unwrap().starts_with(root.folder()), "{inside}");
        }
        let absolute = root.folder().join("tests/a.yaml");
        assert_eq!(root.resolve(&absolute), Ok(absolute.clone()));
    }

    #[test]
    fn paths_that_lead_out_are_refused_whether_they_exist_or_not() {
        let (folder, root) = project();
        let absolute = folder.path().join("secret.yaml").display().to_string();
        for outside in [
            "../secret.yaml",
            "../missing.yaml",
            "tests/../../secret.yaml",
            "missing/../../secret.yaml",
            "/etc/passwd",
            "/missing",
            "/",
            "..",
            &absolute,
        ] {
            assert_eq!(root.resolve(outside.as_ref()), Err(OutsideRoot), "{outside}");
        }
        // A folder whose name only begins as the root's does.
        fs::create_dir(folder.path().join("project-2")).unwrap();
        assert_eq!(root.resolve("../project-2".as_ref()), Err(OutsideRoot));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_judged_by_where_they_lead() {
        use std::os::unix::fs::symlink;
        let (folder, root) = project();
        let tests = root.folder().join("tests");
        symlink(folder.path(), tests.join("out")).unwrap();
        symlink(folder.path().join("secret.yaml"), tests.join("secret.yaml")).unwrap();
        symlink("a.yaml", tests.join("inside.yaml")).unwrap();
        for outside in ["tests/out", "tests/out/secret.yaml", "tests/out/missing.yaml", "tests/secret.yaml"] {
            assert_eq!(root.resolve(outside.as_ref()), Err(OutsideRoot), "{outside}");
        }
        assert_eq!(root.resolve("tests/inside.yaml".as_ref()), Ok(tests.join("a.yaml")));
    }
}
