//! Reading attributes without leaving strings behind.

use pyo3::prelude::*;
use pyo3::types::PyString;

/// Reads an attribute by an interned name. The interpreter remembers the names it has looked up by
/// their address, so a fresh string for every look-up would be slow, and be kept.
pub(crate) trait Attribute<'py> {
    fn attribute(&self, name: &str) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py, T> Attribute<'py> for Bound<'py, T> {
    fn attribute(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.as_any().getattr(PyString::intern(self.py(), name))
    }
}
