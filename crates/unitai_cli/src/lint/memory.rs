//! Where it is kept what the linter found last time. To remember is a service: where it fails, every file is looked at.

use std::fs;
use std::path::{Path, PathBuf};

use unitai_config::Settings;
use unitai_wire::gate;

use crate::say::secrets;

/// No such file is larger than this.
const MOST_BYTES: u64 = 256 << 20;

pub(super) struct Memory(PathBuf);

impl Memory {
    /// Runs over folders and over single files have other rules, and do not take each other's place.
    pub(super) fn of(settings: &Settings, here: &Path, named: &[PathBuf]) -> Memory {
        let has_folder = named.iter().any(|path| here.join(path).is_dir());
        let name = if has_folder { "folders" } else { "files" };
        Memory(settings.cache().directory.join("lint").join(name))
    }

    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let length = fs::metadata(&self.0).ok()?.len();
        if length > MOST_BYTES { None } else { fs::read(&self.0).ok() }
    }

    pub(super) fn write(&self, bytes: &[u8]) {
        let ignored = self.0.with_file_name(".gitignore");
        if !ignored.exists() {
            let _ = gate::write_private(&ignored, b"*\n", secrets());
        }
        // A line of a test that holds a secret is not kept, and so nothing is.
        let _ = gate::write_sealed(&self.0, bytes, secrets());
    }
}
