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
