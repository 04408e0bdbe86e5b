//! The file of a baseline, as Python sees it: read whole, written whole, and without secrets.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use unitai_config::BaselinePlace;
use unitai_model::baseline::{Baseline, BaselineError};
use unitai_model::value::{plain, quoted};
use unitai_wire::gate;
use unitai_wire::redact::Secrets;

use crate::errors::{Trouble, invalid, unusable};
use crate::gate::without_interpreter;
use crate::secrets;

/// The file of a baseline.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct BaselineFile {
    place: BaselinePlace,
    said: String,
}

#[pymethods]
impl BaselineFile {
    /// The file that is meant: a name, or a path that ends in `.json`.
    #[new]
    fn new(py: Python<'_>, said: String, folder: PathBuf) -> PyResult<BaselineFile> {
        let place = BaselinePlace::of(&folder, &said).map_err(|trouble| unusable(py, trouble))?;
        let place = place.ok_or_else(|| {
            Trouble::new(
                "InvalidArgumentError",
                format!("{} cannot be the name of a baseline", quoted(&said)),
            )
            .expected(BaselinePlace::EXPECTED)
            .into_err(py)
        })?;
        Ok(BaselineFile { place: absolute(place), said })
    }

    /// The file at a path, however it ends.
    #[staticmethod]
    fn at(path: PathBuf) -> BaselineFile {
        let said = path.display().to_string();
        BaselineFile { place: absolute(BaselinePlace::At(path)), said }
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.place.path().to_owned()
    }

    /// The baseline as JSON.
    fn read(&self, py: Python<'_>) -> PyResult<String> {
        match without_interpreter(py, || self.load()) {
            Ok(Some(baseline)) => Ok(baseline.write()),
            Ok(None) => Err(self.missing(py)),
            Err(fault) => Err(self.raised(py, fault)),
        }
    }

    /// Writes a baseline in place of the one that was there.
    fn write(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let (baseline, secrets) = (given(py, text)?, secrets::here(py));
        without_interpreter(py, || {
            let _lock = self.lock()?;
            self.save(baseline, &secrets)
        })
        .map_err(|fault| self.raised(py, fault))
    }

    /// Adds the tests of a baseline to those that are there, in place of those of the same name.
    fn add(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let (later, secrets) = (given(py, text)?, secrets::here(py));
        without_interpreter(py, || {
            let _lock = self.lock()?;
            let whole = match self.load()? {
                Some(mut known) => {
                    known.update(retold(later, &secrets));
                    known
                }
                None => later,
            };
            self.save(whole, &secrets)
        })
        .map_err(|fault| self.raised(py, fault))
    }
}

/// Why a file could not be used.
enum Fault {
    Unreadable(BaselineError),
    Disk(&'static str, io::Error),
}

impl BaselineFile {
    fn load(&self) -> Result<Option<Baseline>, Fault> {
        let path = self.place.readable();
        // A device has no end.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(Fault::Disk("read", io::Error::other("it is no file")));
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Fault::Disk("read", error)),
        };
        let text = String::from_utf8(bytes)
            .map_err(|error| Fault::Unreadable(BaselineError::Malformed { reason: error.to_string() }))?;
        Baseline::read(&text).map(Some).map_err(Fault::Unreadable)
    }

    fn save(&self, baseline: Baseline, secrets: &Arc<Secrets>) -> Result<(), Fault> {
        let text = retold(baseline, secrets).write();
        gate::write_public(self.place.path(), text.as_bytes(), secrets)
            .map_err(|error| Fault::Disk("written", error))?;
        // It has moved: a copy that is never read would only look like one that is.
        match &self.place {
            BaselinePlace::Named { path, old, .. } if path != old => match fs::remove_file(old) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(Fault::Disk("moved", error)),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Keeps other processes from changing the baselines of this project. A file outside of their folder has no lock.
    fn lock(&self) -> Result<Option<gate::Lock>, Fault> {
        let BaselinePlace::Named { lock, .. } = &self.place else { return Ok(None) };
        let made = || {
            gate::make_folder(lock.parent().unwrap_or(Path::new(".")))?;
            gate::lock(lock)
        };
        made().map(Some).map_err(|error| Fault::Disk("written", error))
    }

    fn missing(&self, py: Python<'_>) -> PyErr {
        let others = match &self.place {
            BaselinePlace::Named { path, old, .. } => names(&[path, old]),
            BaselinePlace::At(_) => Vec::new(),
        };
        let found = match others.as_slice() {
            [] => format!("no file {}", plain(&self.place.path().display().to_string())),
            others => format!("the baselines {}", plain(&others.join(", "))),
        };
        Trouble::new("BaselineError", format!("there is no baseline {}", plain(&self.said)))
            .found(found)
            .remedy(format!(
                "save one with `unitai test --save-baseline {}`, or `stats.save(...)`",
                plain(&self.said)
            ))
            .into_err(py)
    }

    fn raised(&self, py: Python<'_>, fault: Fault) -> PyErr {
        let path = self.place.path().display().to_string();
        let path = plain(&path);
        match fault {
            Fault::Disk(what, error) => {
                Trouble::new("BaselineError", format!("the baseline {path} cannot be {what}: {error}"))
                    .remedy("see to the file and its folder")
            }
            Fault::Unreadable(error) => {
                let remedy = match &error {
                    BaselineError::Newer { .. } => "upgrade UnitAI, or delete the file and save it again",
                    BaselineError::Malformed { .. } => {
                        "take the file back from where it came, or delete it and save it again"
                    }
                };
                let message = format!("the baseline {path} cannot be read: {}", plain(&error.to_string()));
                Trouble::new("BaselineError", message).remedy(remedy)
            }
        }
        .into_err(py)
    }
}

/// A process may go elsewhere before the file is written.
fn absolute(place: BaselinePlace) -> BaselinePlace {
    let whole = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    match place {
        BaselinePlace::Named { path, old, lock } => {
            BaselinePlace::Named { path: whole(path), old: whole(old), lock: whole(lock) }
        }
        BaselinePlace::At(path) => BaselinePlace::At(whole(path)),
    }
}

/// What Python made is a baseline, unless somebody put something else into it.
fn given(py: Python<'_>, text: &str) -> PyResult<Baseline> {
    Baseline::read(text).map_err(|error| invalid(py, format!("this cannot be saved: {error}")))
}

fn retold(baseline: Baseline, secrets: &Secrets) -> Baseline {
    baseline.retold(|text| secrets.clean(&text).into_owned())
}

/// The names of the baselines that are beside these files.
fn names(files: &[&PathBuf]) -> Vec<String> {
    let folders = files.iter().filter_map(|file| file.parent());
    let entries = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names.dedup();
    names
}
