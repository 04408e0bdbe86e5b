//! Where a project is.

use std::path::PathBuf;

use pyo3::prelude::*;
use unitai_config::root_around;

/// The root of the project that a folder belongs to, for somebody who stands in `here`.
#[pyfunction]
pub(crate) fn project_root(folder: PathBuf, here: PathBuf) -> PathBuf {
    root_around(&folder, &here).to_owned()
}
