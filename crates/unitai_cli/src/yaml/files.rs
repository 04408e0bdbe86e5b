//! The files that a command is about.

use std::fs;
use std::path::{Path, PathBuf};

use unitai_spec::document::looks_like_test;

/// Where tests are, if nobody says.
pub(crate) const USUAL: &str = "tests/llm";

/// The files that are named, and every test below the folders that are.
pub(crate) fn tests(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let usual = [PathBuf::from(USUAL)];
    let named = if named.is_empty() { &usual } else { named };
    let mut found = Vec::new();
    for path in named {
        if path.is_dir() {
            below(path, &mut found).map_err(|error| format!("{}: {error}", path.display()))?;
        } else if path.exists() {
            found.push(path.clone());
        } else {
            return Err(format!("there is no {}; name files or folders with YAML tests", path.display()));
        }
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        let named: Vec<String> = named.iter().map(|path| path.display().to_string()).collect();
        return Err(format!("there is no YAML test in {}", named.join(", ")));
    }
    Ok(found)
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            below(&path, found)?;
        } else if is_yaml(&path) && (is_test_name(&name) || is_test(&path)) {
            found.push(path);
        }
    }
    Ok(())
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// A file that says it is a test is one, even if it cannot be read.
fn is_test_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.starts_with("test_") || stem.ends_with("_test")
}

fn is_test(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| looks_like_test(&String::from_utf8_lossy(&bytes)))
}
