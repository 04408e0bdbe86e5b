//! Schemas of tools: whether arguments fit, and what a result could look like.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use unitai_model::Packed;
use unitai_schema::Schema;

use crate::errors::invalid;
use crate::values::{encode, to_python};

/// How many schemas are kept ready. An agent has fewer tools than that.
const KEPT: usize = 256;

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
    Ok(ready(&schema).map_or_else(Vec::new, |schema| schema.violations(&read(value))))
}

/// The schema, ready to be asked: reading one takes longer than asking it.
fn ready(schema: &Packed) -> Option<Arc<Schema>> {
    static READY: Mutex<Option<HashMap<String, Option<Arc<Schema>>>>> = Mutex::new(None);
    let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    let ready = ready.get_or_insert_default();
    if let Some(known) = ready.get(schema.text()) {
        return known.clone();
    }
    if ready.len() >= KEPT {
        ready.clear();
    }
    let made = Schema::new(&read(schema)).ok().map(Arc::new);
    ready.insert(schema.text().to_owned(), made.clone());
    made
}

fn read(packed: &Packed) -> serde_json::Value {
    serde_json::from_str(packed.text()).unwrap_or_default()
}
