//! The keys of providers.

use pyo3::prelude::*;

/// Whether what a variable holds can be a key.
#[pyfunction]
pub(crate) fn is_key(value: &str) -> bool {
    unitai_wire::keys::is_key(value)
}

/// The variables of which one must hold the key for a model; none where the name does not tell.
#[pyfunction]
pub(crate) fn key_variables(model: &str) -> Vec<&'static str> {
    unitai_wire::keys::variables_of(model).to_vec()
}
