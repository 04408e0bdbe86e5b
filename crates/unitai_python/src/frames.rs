//! Whose code the frames of a traceback are: ours, what is installed, or the project's, which alone its
//! people can mend.

use std::path::PathBuf;

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::attribute::Attribute;
use crate::errors::class;
use crate::settings::project_folder;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    Ours,
    /// Python itself, and what was installed into it.
    Installed,
    Project,
}

/// Whose code a file holds: `unitai`, `installed` or `project`.
#[pyfunction]
pub(crate) fn whose_code(file: &Bound<'_, PyString>) -> &'static str {
    match whose(file.py(), &file.to_string_lossy()) {
        Whose::Ours => "unitai",
        Whose::Installed => "installed",
        Whose::Project => "project",
    }
}

/// Where an exception was raised, by file, line and function: its innermost frame of the project, else
/// of what is installed, unless we raised it there. Ours say nothing about an agent.
pub(crate) fn place(error: &Bound<'_, PyBaseException>, is_ours: bool) -> Option<String> {
    let mut entry = error.attribute("__traceback__").ok()?;
    let (mut nearest, mut found) = (if is_ours { Whose::Project } else { Whose::Installed }, None);
    while !entry.is_none() {
        let code = entry.attribute("tb_frame").ok()?.attribute("f_code").ok()?;
        let file: String = code.attribute("co_filename").ok()?.extract().ok()?;
        let whose = whose(error.py(), &file);
        if whose >= nearest {
            nearest = whose;
            let line: u64 = entry.attribute("tb_lineno").ok()?.extract().ok()?;
            let function: String = code.attribute("co_name").ok()?.extract().ok()?;
            let name = file.rsplit(SEPARATORS).next().unwrap_or(&file);
            found = Some(format!("{name}:{line} in {function}"));
        }
        entry = entry.attribute("tb_next").ok()?;
    }
    found
}

const SEPARATORS: [char; 2] = ['/', '\\'];

fn whose(py: Python<'_>, file: &str) -> Whose {
    let folders = folders(py);
    let is_in = |folder: &Option<String>| folder.as_ref().is_some_and(|folder| file.starts_with(folder));
    if is_in(&folders.ours) {
        return Whose::Ours;
    }
    if let Some(package) = package_of(file) {
        return if folders.have(package) { Whose::Project } else { Whose::Installed };
    }
    if file.starts_with("<frozen ") || is_in(&folders.python) { Whose::Installed } else { Whose::Project }
}

fn folders(py: Python<'_>) -> &'static Folders {
    static FOLDERS: PyOnceLock<Folders> = PyOnceLock::new();
    FOLDERS.get_or_init(py, || Folders::of(py))
}

/// The package, or the module, that an installed file belongs to.
fn package_of(file: &str) -> Option<&str> {
    let mut parts = file.split(SEPARATORS);
    parts.find(|part| matches!(*part, "site-packages" | "dist-packages"))?;
    parts.next()
}

/// Where code lies, each with a separator at its end. What cannot be told is nobody's.
struct Folders {
    ours: Option<String>,
    python: Option<String>,
    /// The folder of the project.
    here: Option<PathBuf>,
}

impl Folders {
    fn of(py: Python<'_>) -> Folders {
        let around = |file: PyResult<Bound<'_, PyAny>>| {
            let file: String = file.ok()?.extract().ok()?;
            file.rfind(SEPARATORS).map(|end| file[..=end].to_owned())
        };
        Folders {
            ours: around(class(py, "__file__")),
            python: around(py.import("os").and_then(|os| os.attribute("__file__"))),
            here: project_folder(py).ok(),
        }
    }

    /// Whether a package that is installed lies here as well: tox and nox install the project itself, and run that.
    fn have(&self, package: &str) -> bool {
        let Some(here) = &self.here else { return false };
        [here.join(package), here.join("src").join(package)].iter().any(|source| source.exists())
    }
}
