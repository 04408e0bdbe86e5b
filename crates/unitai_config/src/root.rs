//! The folder of a project that has no file to say so.

use std::path::Path;

/// The nearest folder, at or above this one, that looks like a project's; else this one. pytest may be started in
/// any folder of it.
pub fn root_above(folder: &Path) -> &Path {
    const SIGNS: [&str; 6] = [".unitai", "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".git"];
    let is_root = |folder: &&Path| SIGNS.iter().any(|sign| folder.join(sign).exists());
    folder.ancestors().find(is_root).unwrap_or(folder)
}
