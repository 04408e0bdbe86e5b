//! Where something about a test is kept: in a folder beside its file, under a name that no other test has.

use std::path::{Path, PathBuf};

use crate::digest::digest;
use crate::document::Spec;

/// The longest part of a test's name that stands in the name of a file.
pub const LONGEST_NAME: usize = 60;

/// As much of a name as every file system takes: small letters, digits and dashes.
///
/// ```
/// assert_eq!(unitai_spec::run::plain_name("Refunds: are they polite?"), "refunds-are-they-polite");
/// ```
pub fn plain_name(name: &str) -> String {
    let plain: String =
        name.to_lowercase().chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-").chars().take(LONGEST_NAME).collect()
}

/// The file for a test in a folder beside its own: `recordings/users.fetch-them.1f2e3d4c.json`.
///
/// ```
/// use std::path::Path;
/// use unitai_spec::document::read;
/// use unitai_spec::run::beside;
/// let text = "test: {name: Fetch them!}\nsteps: [{tool: wait}]\nverdict: checks";
/// let path = beside(&read(text, Path::new("tests/llm/users.yaml")).specs[0], "answers");
/// let path = path.to_string_lossy().replace('\\', "/");
/// assert!(path.starts_with("tests/llm/answers/users.fetch-them."), "{path}");
/// ```
pub fn beside(spec: &Spec, folder: &str) -> PathBuf {
    let name = match &spec.case {
        Some(case) => format!("{} {case}", spec.test.name),
        None => spec.test.name.clone(),
    };
    beside_file(&spec.place.file, &name, spec.twin, folder)
}

/// The same for whatever stands in a file under a name; `twin` tells those apart that have the same one, from 1.
pub fn beside_file(file: &Path, name: &str, twin: u32, folder: &str) -> PathBuf {
    let digest = &digest(name)[..8];
    let plain = plain_name(name);
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or(Path::new("")).join(folder);
    let twin = if twin > 1 { format!(".{twin}") } else { String::new() };
    folder.join(format!("{stem}.{plain}.{digest}{twin}.json"))
}
