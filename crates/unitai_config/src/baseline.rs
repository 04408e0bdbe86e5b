//! Where a baseline is.

use std::path::{Path, PathBuf};

use crate::{Name, Settings, Trouble};

/// The file of a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselinePlace {
    /// By name, in the folder of the project's baselines.
    Named {
        /// The file.
        path: PathBuf,
        /// Where release 0.1.0 kept it, in a folder that is not committed. It is read as long as `path` is not there.
        old: PathBuf,
        /// The lock that is held while a baseline of the project is changed.
        lock: PathBuf,
    },
    /// By its path.
    At(PathBuf),
}

impl BaselinePlace {
    /// What can be said, for a message.
    pub const EXPECTED: &str =
        "a name of letters, digits, `-`, `_` and `.`, as in feature-x; or a path that ends in .json";

    /// What somebody meant by `said`: what ends in `.json` is a path, from the folder where the process is; all else
    /// is a name, in the project of `folder`. `None` of what can be neither.
    pub fn of(folder: &Path, said: &str) -> Result<Option<BaselinePlace>, Trouble> {
        if said.len() > ".json".len() && said.ends_with(".json") && !said.contains('\0') {
            return Ok(Some(BaselinePlace::At(PathBuf::from(said))));
        }
        // A name is a file's name, and must never lead anywhere else, on no system.
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let begins_well = said.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if !begins_well || said.len() > 100 || !said.chars().all(is_plain) {
            return Ok(None);
        }
        let settings = Settings::of(folder)?;
        let directory = settings.get(Name::BaselineDirectory).value.path().unwrap_or(Path::new(""));
        let (file, own) = (format!("{said}.json"), settings.root().join(".unitai"));
        Ok(Some(BaselinePlace::Named {
            path: directory.join(&file),
            old: own.join("baselines").join(file),
            lock: own.join("baselines.lock"),
        }))
    }

    /// The file, as it is written.
    pub fn path(&self) -> &Path {
        match self {
            BaselinePlace::Named { path, .. } | BaselinePlace::At(path) => path,
        }
    }

    /// The file, as it is read.
    pub fn readable(&self) -> &Path {
        match self {
            BaselinePlace::Named { path, old, .. } if !path.exists() && old.exists() => old,
            place => place.path(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_in_the_projects_folder_and_a_path_is_a_path() {
        let folder = Path::new("/nowhere/at/all");
        let named = |name: &str| BaselinePlace::Named {
            path: folder.join(format!("tests/baselines/{name}.json")),
            old: folder.join(format!(".unitai/baselines/{name}.json")),
            lock: folder.join(".unitai/baselines.lock"),
        };
        for name in ["main", "v1.2", "feature-x", "_x", "älter"] {
            assert_eq!(BaselinePlace::of(folder, name), Ok(Some(named(name))));
        }
        for path in ["main.json", "../main.json", "/tmp/a/main.json"] {
            assert_eq!(BaselinePlace::of(folder, path), Ok(Some(BaselinePlace::At(PathBuf::from(path)))));
        }
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let long = "x".repeat(101);
        for name in
            ["", ".", "..", ".json", "-x", ".x", "a/b", "../x", "a\\b", "c:x", "a b", "a\0b", "a\nb", &long]
        {
            assert_eq!(BaselinePlace::of(Path::new("/nowhere"), name), Ok(None), "{name}");
        }
    }
}
