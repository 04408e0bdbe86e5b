//! Schemas of tools: whether arguments fit, and what a result could look like.

use pyo3::prelude::*;
use unitai_model::Packed;
use unitai_schema::Schema;

use crate::errors::invalid;
use crate::values::{encode, to_python};

/// The plainest value that a schema allows.
#[pyfunction]
pub(crate) fn example_of<'py>(schema: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = schema.py();
    let example = unitai_schema::example(&read(&encode(schema)?.packed));
    let packed = Packed::from_json(&example.to_string()).map_err(|error| invalid(py, error.to_string()))?;
    to_python(py, &packed)
}

/// What is wrong with a value, by place; nothing where it fits, or where the schema is none that can be asked.
pub(crate) fn violations(schema: &Bound<'_, PyAny>, value: &Packed) -> PyResult<Vec<String>> {
    let schema = encode(schema)?.packed;
    Ok(Schema::cached(schema.text()).map_or_else(Vec::new, |schema| schema.violations(&read(value))))
}

fn read(packed: &Packed) -> serde_json::Value {
    serde_json::from_str(packed.text()).unwrap_or_default()
}
