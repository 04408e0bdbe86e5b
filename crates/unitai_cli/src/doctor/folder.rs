//! The folder `.unitai`: whether it can be written, and whether git leaves it alone.

use std::path::Path;

use serde::Serialize;

use crate::git::{Standing, standing};

/// What `.unitai` is like.
#[derive(Debug, Serialize)]
pub(crate) struct Folder {
    pub(crate) exists: bool,
    pub(crate) writable: bool,
    /// `None` without a repository.
    pub(crate) ignored_by_git: Option<bool>,
}

impl Folder {
    /// That of a project.
    pub(crate) fn of(root: &Path) -> Folder {
        let own = root.join(".unitai");
        let exists = own.is_dir();
        // Something else of that name is in the way.
        let is_blocked = !exists && std::fs::symlink_metadata(&own).is_ok();
        let ignored_by_git = match standing(root, ".unitai/") {
            Standing::Ignored => Some(true),
            Standing::Seen => Some(false),
            Standing::NoRepository => None,
        };
        let writable = !is_blocked && may_write(if exists { &own } else { root });
        Folder { exists, writable, ignored_by_git }
    }
}

#[cfg(unix)]
fn may_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|found| !found.permissions().readonly())
}
