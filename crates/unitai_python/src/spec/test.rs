//! A test that was read from a file, and what is wrong with one that could not be.

use std::path::PathBuf;

use pyo3::prelude::*;
use unitai_spec::document::{self, Severity, Spec};
use unitai_spec::run::Recording;

use crate::values::to_python;

/// One test of a YAML file: a document, or a row of its cases.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct YamlTest {
    pub(super) spec: Spec,
}

#[pymethods]
impl YamlTest {
    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.spec.test.name
    }

    /// Its tags.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.spec.test.tags.clone()
    }

    /// The row of its cases; `None` where the file has none.
    #[getter]
    fn case(&self) -> Option<&str> {
        self.spec.case.as_deref()
    }

    /// The line at which it begins.
    #[getter]
    fn line(&self) -> usize {
        self.spec.place.line
    }

    /// The file that its recording is kept in, beside its own.
    #[getter]
    fn recording_path(&self) -> PathBuf {
        Recording::path_of(&self.spec)
    }

    /// The whole of it, with every default filled in.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &document::to_value(&self.spec).pack())
    }

    fn __repr__(&self) -> String {
        format!("<YamlTest {:?}>", self.spec.test.name)
    }
}

/// What is wrong with a file: whether it is an error, its line and column, and the whole of it in words.
type Told = (bool, usize, usize, String);

/// The text of a file; or none, and what is wrong with the file.
#[pyfunction]
pub(crate) fn load_yaml_text(path: PathBuf) -> (Option<String>, String) {
    match document::load(&path) {
        Ok(text) => (Some(text), String::new()),
        Err(trouble) => (None, trouble.render(None)),
    }
}

/// Reads a file: its tests, and what is wrong with it. With an error there is no test.
#[pyfunction]
pub(crate) fn read_yaml_tests(text: &str, path: PathBuf) -> (Vec<YamlTest>, Vec<Told>) {
    let reading = document::read(text, &path);
    let tests = reading.specs.into_iter().map(|spec| YamlTest { spec }).collect();
    let told = |trouble: document::Trouble| {
        let is_error = trouble.severity == Severity::Error;
        // Of an included file, the line is not in this text.
        let source = (*trouble.place.file == path).then_some(text);
        (is_error, trouble.place.line, trouble.place.column, trouble.render(source))
    };
    (tests, reading.troubles.into_iter().map(told).collect())
}

/// What reports call the tests of a file, each given by its name and its case: no two are called the same.
#[pyfunction]
pub(crate) fn yaml_report_names(tests: Vec<(String, Option<String>)>, path: PathBuf) -> Vec<String> {
    document::report_names(tests.iter().map(|(name, case)| (name.as_str(), case.as_deref())), &path)
}

/// Whether a text is meant as a test, even if something in it is wrong.
#[pyfunction]
pub(crate) fn looks_like_yaml_test(text: &str) -> bool {
    document::looks_like_test(text)
}
