//! The layers of tests, for the plugin.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_config::{EnvFile, Project, Settings, Spoken, root_above};
use unitai_model::Layer;
use unitai_model::event::TestOutcome;

use crate::errors::{Trouble, invalid};
use crate::settings::standing;

/// Every layer: the name of its marker, and what that means.
#[pyfunction]
pub(crate) fn layers() -> Vec<(&'static str, &'static str)> {
    Layer::ALL.map(|layer| (layer.word(), layer.meaning())).to_vec()
}

/// The layer that the tests of a folder belong to. `root` is what pytest takes for the root, and `began` the folder that it
/// was started in: where no file says which folder is the project's, pytest's root is no more than the tests it was given.
#[pyfunction]
pub(crate) fn layer_of(folder: PathBuf, root: PathBuf, began: PathBuf) -> Option<&'static str> {
    let above = root_above(&root);
    let base: &Path = if above.starts_with(&began) && above == root { &began } else { above };
    Layer::of_path(folder.strip_prefix(base).unwrap_or(&folder)).map(Layer::word)
}

/// What tests of each layer came to, in lines; each test is given by its layer, its outcome and its seconds.
#[pyfunction]
pub(crate) fn layer_lines(
    py: Python<'_>,
    tests: Vec<(Option<String>, String, f64)>,
) -> PyResult<Vec<String>> {
    let read = |(layer, outcome, seconds): (Option<String>, String, f64)| {
        let outcome: TestOutcome = serde_json::from_value(outcome.into()).ok()?;
        Some((layer.as_deref().and_then(Layer::of_word), outcome, seconds))
    };
    let tests: Option<Vec<_>> = tests.into_iter().map(read).collect();
    Ok(unitai_report::layer_lines(tests.ok_or_else(|| invalid(py, "there is no such outcome"))?))
}

/// What tests of each layer need: `keys` by layer, each the variables of which one is enough; and `unit_seconds`.
#[pyfunction]
pub(crate) fn layer_settings(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = standing(py)?.settings.layers();
    let keys = PyDict::new(py);
    for layer in Layer::ALL {
        keys.set_item(layer.word(), settings.keys(layer).collect::<Vec<_>>())?;
    }
    let all = PyDict::new(py);
    all.set_item("keys", keys)?;
    all.set_item("unit_seconds", settings.unit_seconds)?;
    Ok(all)
}

/// The variables that every test of a project is given by its file. Settings that cannot be used are told by who uses
/// them.
#[pyfunction]
pub(crate) fn env_file_variables(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(String, String)>> {
    let settings =
        Project::of(&folder).and_then(|project| Settings::resolve(&project, &folder, &Spoken::of_process()));
    let Ok(settings) = settings else { return Ok(Vec::new()) };
    let file = EnvFile::read(&settings.layers().env_file).map_err(|trouble| {
        Trouble::new("ConfigError", trouble.to_string())
            .remedy("mend the file, or name another one in the setting `layers_env_file`")
            .into_err(py)
    })?;
    Ok(file.variables)
}
