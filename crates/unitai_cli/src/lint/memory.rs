//! Where it is kept what the linter found last time. To remember is a service: where it fails, every file is looked at.

use std::fs;
use std::path::{Path, PathBuf};

use unitai_config::Settings;
use unitai_spec::document::ProjectRoot;
use unitai_wire::gate;

use crate::say::secrets;

/// No such file is larger than this.
const MOST_BYTES: u64 = 256 << 20;

pub(super) struct Memory {
    file: PathBuf,
    root: PathBuf,
}

impl Memory {
    /// Runs over folders and over single files have other rules, and do not take each other's place.
    pub(super) fn of(settings: &Settings, here: &Path, named: &[PathBuf]) -> Memory {
        let has_folder = named.iter().any(|path| here.join(path).is_dir());
        let name = if has_folder { "folders" } else { "files" };
        let file = settings.cache().directory.join("lint").join(name);
        Memory { file, root: settings.root().to_owned() }
    }

    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let length = fs::metadata(&self.file).ok()?.len();
        if length > MOST_BYTES { None } else { fs::read(&self.file).ok() }
    }

    pub(super) fn write(&self, bytes: &[u8]) {
        if self.is_link_out() {
            return;
        }
        let ignored = self.file.with_file_name(".gitignore");
        if !ignored.exists() {
            let _ = gate::write_private(&ignored, b"*\n", secrets());
        }
        // A line of a test that holds a secret is not kept, and so nothing is.
        let _ = gate::write_sealed(&self.file, bytes, secrets());
    }

    /// Whether a link of the project leads to a file of others. A project that was cloned may hold one, and to look at its
    /// tests must write nothing elsewhere.
    fn is_link_out(&self) -> bool {
        let is_link = fs::symlink_metadata(&self.file).is_ok_and(|found| found.is_symlink());
        let is_elsewhere =
            || ProjectRoot::new(&self.root).is_ok_and(|root| root.resolve(&self.file).is_err());
        is_link || (self.file.starts_with(&self.root) && is_elsewhere())
    }
}
