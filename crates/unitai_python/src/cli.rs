//! The command line, handed on.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::gate::without_interpreter;

/// Runs the `unitai` command; `python` is the interpreter to start tests with.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, args: Vec<OsString>, python: String) -> i32 {
    without_interpreter(py, || unitai_cli::run(args, &python))
}
