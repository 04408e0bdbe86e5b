//! The folder that a caller who is not the user is confined to.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

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
        if is_plain(rest) {
            Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
        } else {
            Err(OutsideRoot)
        }
    }

    /// Opens a file at the place that [`ProjectRoot::resolve`] gave. There was no link in it, so none is followed: one that
    /// has taken the place of a part since then is an error.
    ///
    /// # Errors
    /// When it is not below the root, or cannot be opened.
    pub fn open(&self, real: &Path) -> io::Result<File> {
        match real.strip_prefix(&self.0) {
            Ok(inner) if is_plain(inner) => open_below(&self.0, inner),
            _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not below the root")),
        }
    }
}

/// Whether a path has no steps upwards and begins nowhere else.
fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Opens one part after the other, each in the folder that was opened before it. A pipe is not waited for.
#[cfg(unix)]
fn open_below(root: &Path, inner: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, openat};

    let mut opened = File::open(root)?;
    let mut parts = inner.components().peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { OFlags::DIRECTORY } else { OFlags::NONBLOCK };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | kind;
        opened = openat(&opened, part.as_os_str(), flags, Mode::empty())?.into();
    }
    Ok(opened)
}

/// Windows makes links for administrators only.
#[cfg(not(unix))]
fn open_below(root: &Path, inner: &Path) -> io::Result<File> {
    File::open(root.join(inner))
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

    #[cfg(unix)]
    #[test]
    fn a_link_that_came_after_the_path_was_resolved_is_not_followed() {
        use std::io::Read;
        use std::os::unix::fs::symlink;

        let (folder, root) = project();
        let tests = root.folder().join("tests");
        let file = root.resolve("tests/a.yaml".as_ref()).unwrap();
        let mut text = String::new();
        root.open(&file).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "a");
        // The file becomes a link, then its folder does.
        fs::remove_file(&file).unwrap();
        symlink(folder.path().join("secret.yaml"), &file).unwrap();
        assert!(root.open(&file).is_err());
        fs::write(folder.path().join("a.yaml"), "no").unwrap();
        fs::rename(&tests, root.folder().join("before")).unwrap();
        symlink(folder.path(), &tests).unwrap();
        assert!(root.open(&file).is_err());
        assert!(root.open(&folder.path().join("secret.yaml")).is_err());
        // `..` is no part of a path that was resolved.
        assert!(root.open(&root.folder().join("before/../../secret.yaml")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_opened_without_waiting_for_a_writer() {
        let (_folder, root) = project();
        let pipe = root.folder().join("tests/pipe.yaml");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(!root.open(&pipe).unwrap().metadata().unwrap().is_file());
    }
}
