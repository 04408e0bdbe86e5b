//! The keys of providers.

use pyo3::prelude::*;

/// The variables of which one must hold the key for a model; none where the name does not tell.
#[pyfunction]
pub(crate) fn key_variables(model: &str) -> Vec<&'static str> {
    unitai_wire::keys::variables_of(model).to_vec()
}
