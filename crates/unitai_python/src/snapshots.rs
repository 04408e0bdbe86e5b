//! The snapshots of a test, for the fixture.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use unitai_model::value::quoted;
use unitai_snapshot::{Content, Mode, Outcome, TestSnapshots, Trouble};

use crate::errors::Trouble as Raised;
use crate::secrets;

/// The snapshots of one test. Threads of the test may share it.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Snapshots {
    root: PathBuf,
    is_update: bool,
    /// The option that updates them: another plugin may have the short one.
    option: String,
    of_test: Mutex<TestSnapshots>,
}

/// A value as Python hands it over.
#[derive(FromPyObject)]
enum Given {
    Text(String),
    Bytes(Vec<u8>),
}

#[pymethods]
impl Snapshots {
    /// Those of a test: its file, the names of its classes, its function and its parameters. Paths are told from `root`,
    /// and `option` is what updates them.
    #[new]
    fn open(file: PathBuf, names: Vec<String>, root: PathBuf, update: bool, option: String) -> Snapshots {
        let mode = if update { Mode::Update } else { Mode::Compare };
        let of_test = Mutex::new(TestSnapshots::of(&file, &names, mode));
        Snapshots { root, is_update: update, option, of_test }
    }

    /// Looks whether a value is what a snapshot says, or keeps it: `same`, `written` or `changed`.
    fn look(&self, py: Python<'_>, name: &str, value: Given) -> PyResult<&'static str> {
        let value = match value {
            Given::Text(text) => Content::Text(text),
            Given::Bytes(bytes) => Content::Bytes(bytes),
        };
        let secrets = secrets::here(py);
        let mut of_test = self.of_test.lock().unwrap_or_else(PoisonError::into_inner);
        match of_test.look(name, value, &secrets) {
            Ok(Outcome::Same) => Ok("same"),
            Ok(Outcome::Written) => Ok("written"),
            Ok(Outcome::Changed) => Ok("changed"),
            Err(trouble) => Err(self.raised(py, name, trouble)),
        }
    }

    /// The snapshots that the test has not looked at, now that it is over. They are removed in an update.
    fn leave(&self) -> PyResult<Vec<String>> {
        let of_test = self.of_test.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = of_test.unused();
        if self.is_update {
            of_test.remove(&unused).map_err(|error| refused(of_test.folder(), &error))?;
        }
        Ok(unused.iter().map(|path| self.near(path)).collect())
    }

    /// The path of a snapshot, from the root.
    fn place(&self, name: &str) -> String {
        self.near(&self.of_test.lock().unwrap_or_else(PoisonError::into_inner).folder().join(name))
    }
}

impl Snapshots {
    fn near(&self, path: &Path) -> String {
        near(&self.root, path)
    }

    fn raised(&self, py: Python<'_>, name: &str, trouble: Trouble) -> PyErr {
        let update = format!("run it with {}", self.option);
        let told = trouble.to_string();
        let raised = match trouble {
            Trouble::Name(fault) => {
                Raised::new("InvalidArgumentError", told).expected(fault.expected()).found(quoted(name))
            }
            Trouble::Alike { other } => Raised::new("InvalidArgumentError", told)
                .expected("names that are two files also where capitals do not count")
                .found(format!("{} and {}", quoted(&other), quoted(name)))
                .remedy("give one of them another name"),
            Trouble::Twice => Raised::new("InvalidArgumentError", told)
                .found(format!("another value for {}", quoted(name)))
                .remedy("give each value a name of its own"),
            Trouble::Missing { path } => {
                Raised::new("SnapshotError", format!("there is no snapshot {}", self.near(&path)))
                    .remedy(format!("if the value is right, {update}, and commit the file"))
            }
            Trouble::Differs { path, difference } => {
                Raised::new("SnapshotError", format!("the value is not what {} says", self.near(&path)))
                    .found(difference)
                    .remedy(format!("read the difference; if it is meant, {update}, and commit the file"))
            }
            Trouble::System { path, error } => return refused(&path, &error),
        };
        raised.into_err(py)
    }
}

fn refused(path: &Path, error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), error.to_string(), path.to_string_lossy().into_owned()))
}

/// The folders of snapshots that belong to none of a file's tests, which are all given by their names; from `root`.
#[pyfunction]
pub(crate) fn stray_snapshots(file: PathBuf, tests: Vec<Vec<String>>, root: PathBuf) -> Vec<String> {
    unitai_snapshot::strays(&file, &tests).iter().map(|path| near(&root, path)).collect()
}

/// The folders of snapshots in a folder of tests whose file is gone; from `root`.
#[pyfunction]
pub(crate) fn snapshots_without_file(folder: PathBuf, root: PathBuf) -> Vec<String> {
    unitai_snapshot::without_file(&folder).iter().map(|path| near(&root, path)).collect()
}

fn near(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Whether a folder holds a test's snapshots, and no tests.
#[pyfunction]
pub(crate) fn holds_snapshots(folder: PathBuf) -> bool {
    unitai_snapshot::holds_snapshots(&folder)
}
