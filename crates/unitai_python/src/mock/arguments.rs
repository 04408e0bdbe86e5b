//! The arguments of a call as one dictionary.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};

/// Gathers what a tool was called with: keywords, or one mapping, or positionals bound to the
/// tool's parameters where they are known and named `arg0`, `arg1`, ... where they are not.
pub(crate) fn gather<'py>(
    tool: &str,
    parameters: Option<&[String]>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = args.py();
    if args.is_empty() {
        return Ok(kwargs.cloned().unwrap_or_else(|| PyDict::new(py)));
    }
    let has_keywords = kwargs.is_some_and(|kwargs| !kwargs.is_empty());
    if args.len() == 1 && !has_keywords {
        let only = args.get_item(0)?;
        if let Some(mapping) = as_arguments(&only, parameters)? {
            return Ok(mapping);
        }
    }
    let out = match kwargs {
        Some(kwargs) => kwargs.copy()?,
        None => PyDict::new(py),
    };
    for (n, value) in args.iter().enumerate() {
        let name = match parameters {
            None => format!("arg{n}"),
            Some(names) => names.get(n).cloned().ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "{tool}() takes {} positional arguments but {} were given",
                    names.len(),
                    args.len()
                ))
            })?,
        };
        if out.contains(&name)? {
            return Err(PyTypeError::new_err(format!("{tool}() got multiple values for argument '{name}'")));
        }
        out.set_item(name, value)?;
    }
    Ok(out)
}

/// One mapping is all the arguments, unless the tool's parameters are known and it does not fit them.
fn as_arguments<'py>(
    value: &Bound<'py, PyAny>,
    parameters: Option<&[String]>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let dict = match value.cast_exact::<PyDict>() {
        Ok(dict) => dict.clone(),
        Err(_) => match value.cast::<PyMapping>() {
            Ok(mapping) => {
                let dict = PyDict::new(value.py());
                dict.update(mapping)?;
                dict
            }
            Err(_) => return Ok(None),
        },
    };
    let fits = parameters.is_none_or(|names| {
        dict.keys().iter().all(|key| key.extract::<String>().is_ok_and(|key| names.contains(&key)))
    });
    Ok(fits.then_some(dict))
}
