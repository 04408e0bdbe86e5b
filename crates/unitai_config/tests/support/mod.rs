//! A project in a folder of its own.

use std::fs;

use unitai_config::{Project, Settings, Spoken, Trouble, Variables};

/// The settings of a project with this file.
pub(crate) fn settings(file: &str, text: &str, spoken: &Spoken) -> Result<Settings, Trouble> {
    let folder = tempfile::tempdir().expect("a folder of our own");
    fs::write(folder.path().join(file), text).expect("a folder of our own");
    let deep = folder.path().join("deep");
    fs::create_dir(&deep).expect("a folder of our own");
    Settings::resolve(&Project::of(&deep)?, &deep, spoken)
}

/// The same where nobody else says anything.
#[allow(dead_code)]
pub(crate) fn of_own_file(text: &str) -> Result<Settings, Trouble> {
    settings("unitai.toml", text, &Spoken::default())
}

/// The same where only these variables say something.
#[allow(dead_code)]
pub(crate) fn of_variables(variables: &[(&str, &str)]) -> Result<Settings, Trouble> {
    let variables = Variables::of(variables.iter().copied());
    settings("unitai.toml", "", &Spoken { variables, ..Spoken::default() })
}
