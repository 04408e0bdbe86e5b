//! Recorded text as Python objects.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyFrozenSet, PyList, PySet, PyString, PyTuple};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use unitai_model::{Packed, Value};

use super::StoredRepr;

use crate::attribute::Attribute;

/// A fresh Python object for a recorded value.
pub(crate) fn to_python<'py>(py: Python<'py>, packed: &Packed) -> PyResult<Bound<'py, PyAny>> {
    if packed.is_tagged() {
        return from_value(py, &packed.value());
    }
    let mut reader = serde_json::Deserializer::from_str(packed.text());
    Plain(py).deserialize(&mut reader).map_err(|error| crate::errors::invalid(py, error.to_string()))
}

/// Builds Python objects while the text is read, without a tree between.
#[derive(Clone, Copy)]
struct Plain<'py>(Python<'py>);

impl<'de, 'py> DeserializeSeed<'de> for Plain<'py> {
    type Value = Bound<'py, PyAny>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'py> Visitor<'de> for Plain<'py> {
    type Value = Bound<'py, PyAny>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(self.0.None().into_bound(self.0))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        value.into_bound_py_any(self.0).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        value.into_bound_py_any(self.0).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        value.into_bound_py_any(self.0).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(PyFloat::new(self.0, value).into_any())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(PyString::new(self.0, value).into_any())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let list = PyList::empty(self.0);
        while let Some(item) = seq.next_element_seed(self)? {
            list.append(item).map_err(A::Error::custom)?;
        }
        Ok(list.into_any())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let dict = PyDict::new(self.0);
        while let Some(key) = map.next_key_seed(self)? {
            dict.set_item(key, map.next_value_seed(self)?).map_err(A::Error::custom)?;
        }
        Ok(dict.into_any())
    }
}

fn from_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let all = |items: &[Value]| items.iter().map(|item| from_value(py, item)).collect::<PyResult<Vec<_>>>();
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_bound_py_any(py)?,
        Value::Int(value) => value.into_bound_py_any(py)?,
        Value::BigInt(hex) => py.import("builtins")?.attribute("int")?.call1((hex, 16))?,
        Value::Float(value) => PyFloat::new(py, *value).into_any(),
        Value::Str(value) => PyString::new(py, value).into_any(),
        Value::Surrogates(points) => {
            let bytes: Vec<u8> = points.iter().flat_map(|point| point.to_le_bytes()).collect();
            PyBytes::new(py, &bytes).call_method1("decode", ("utf-32-le", "surrogatepass"))?
        }
        Value::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Value::List(items) => PyList::new(py, all(items)?)?.into_any(),
        Value::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
        // A set of what cannot be hashed (a stored list, say) comes back as the list of its items.
        Value::Set(items) => match PySet::new(py, all(items)?) {
            Ok(set) => set.into_any(),
            Err(_) => PyList::new(py, all(items)?)?.into_any(),
        },
        Value::FrozenSet(items) => match PyFrozenSet::new(py, all(items)?) {
            Ok(set) => set.into_any(),
            Err(_) => PyList::new(py, all(items)?)?.into_any(),
        },
        Value::Dict(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(from_value(py, key)?, from_value(py, value)?)?;
            }
            dict.into_any()
        }
        Value::Opaque(opaque) => {
            StoredRepr { type_name: opaque.type_name.clone(), text: opaque.repr.clone() }
                .into_bound_py_any(py)?
        }
    })
}
