//! The folder of a project that has no file to say so.

use std::path::Path;

/// What lies in the folder of a project.
const SIGNS: [&str; 7] =
    [".unitai", "unitai.toml", "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".git"];

/// Whether a folder looks like a project's.
pub fn is_root(folder: &Path) -> bool {
    SIGNS.iter().any(|sign| folder.join(sign).exists())
}

/// The nearest folder, at or above this one, that looks like a project's; else this one. pytest may be started in
/// any folder of it.
pub fn root_above(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| is_root(folder)).unwrap_or(folder)
}

/// The same for what lies in a folder when somebody stands in another: where nothing looks like a project's, a folder that
/// one stands in or above is meant by whoever names what is below it.
///
/// ```
/// # use std::path::Path;
/// use unitai_config::root_around;
/// assert_eq!(root_around(Path::new("/nowhere/a/tests/llm"), Path::new("/nowhere/a")), Path::new("/nowhere/a"));
/// assert_eq!(root_around(Path::new("/nowhere/b"), Path::new("/nowhere/a")), Path::new("/nowhere/b"));
/// ```
pub fn root_around<'a>(folder: &'a Path, here: &'a Path) -> &'a Path {
    let usual = if folder.starts_with(here) { here } else { folder };
    folder.ancestors().find(|folder| is_root(folder)).unwrap_or(usual)
}
