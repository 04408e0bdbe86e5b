//! Headers as clients keep them.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::attribute::Attribute;

/// Gives each header's name and value. What cannot be read is left out: headers matter only for what is
/// known of them.
pub(super) fn pairs(headers: &Bound<'_, PyAny>, mut each: impl FnMut(&str, &str)) {
    // httpx has them as a list of bytes already; to make texts of them takes a while.
    let items = match headers.attribute("raw") {
        Ok(raw) => Ok(raw),
        Err(_) => headers.call_method0(pyo3::intern!(headers.py(), "items")),
    };
    let Ok(items) = items.and_then(|items| items.try_iter()) else { return };
    for item in items.flatten() {
        let Ok(pair) = item.cast_into::<PyTuple>() else { continue };
        if let (Ok(name), Ok(value)) = (pair.get_item(0), pair.get_item(1))
            && let (Some(name), Some(value)) = (text(&name), text(&value))
        {
            each(&name, &value);
        }
    }
}

fn text<'a>(value: &'a Bound<'_, PyAny>) -> Option<std::borrow::Cow<'a, str>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return std::str::from_utf8(bytes.as_bytes()).ok().map(std::borrow::Cow::Borrowed);
    }
    Some(value.cast::<PyString>().ok()?.to_string_lossy())
}
