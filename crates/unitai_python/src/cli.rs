//! The command line, handed on.

use pyo3::prelude::*;

use crate::gate::without_interpreter;

/// Runs the `unitai` command; `python` is the interpreter to start tests with.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, args: Vec<String>, python: String) -> i32 {
    without_interpreter(py, || unitai_cli::run(args, &python))
}
