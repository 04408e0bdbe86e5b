//! The careful pass: any object at all, whatever it does while it is looked at.

use pyo3::exceptions::PyException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use unitai_model::value::text;
use unitai_model::{Opaque, Packed};

use super::super::{StoredRepr, snapshot};
use super::{Encoded, MAX_TEXT};
use crate::errors::qualified_name;

/// The longest `repr` that is stored.
const MAX_REPR: usize = 10_000;

/// Writes `value` and keeps a copy of it where the text alone cannot bring it back.
pub(super) fn encode(out: &mut String, value: &Bound<'_, PyAny>) -> PyResult<Encoded> {
    let mut careful = Careful { out, depth: 0, around: Vec::new(), has_opaque: false };
    careful.push(value)?;
    let is_long = careful.out.len() > MAX_TEXT;
    let needs_object = careful.has_opaque || is_long;
    if is_long {
        out.clear();
        let type_name = qualified_name(&value.get_type());
        let repr = format!("<a {type_name} whose text is longer than {} MiB>", MAX_TEXT >> 20);
        text::push_opaque(out, &Opaque { type_name, repr });
    }
    let kept = if needs_object { Some(snapshot(value)?.unbind()) } else { None };
    Ok(Encoded { packed: Packed::from_trusted(&**out), kept })
}

struct Careful<'a> {
    out: &'a mut String,
    /// Levels of JSON, of which a tagged container takes two or three.
    depth: usize,
    around: Vec<*mut ffi::PyObject>,
    has_opaque: bool,
}

impl Careful<'_> {
    fn push(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.out.len() > MAX_TEXT {
            return Ok(());
        }
        if value.is_none() {
            self.out.push_str("null");
        } else if let Ok(value) = value.cast_exact::<PyBool>() {
            self.out.push_str(if value.is_true() { "true" } else { "false" });
        } else if let Ok(value) = value.cast_exact::<PyString>() {
            self.push_str(value)?;
        } else if let Ok(value) = value.cast_exact::<PyInt>() {
            self.push_int(value)?;
        } else if let Ok(value) = value.cast_exact::<PyFloat>() {
            text::push_float(self.out, value.value());
        } else if let Ok(value) = value.cast_exact::<PyBytes>() {
            text::push_bytes(self.out, value.as_bytes());
        } else if let Ok(value) = value.cast_exact::<PyDict>() {
            self.nested(value.as_any(), 3, |this| this.push_dict(value))?;
        } else if let Ok(value) = value.cast_exact::<PyList>() {
            self.nested(value.as_any(), 1, |this| this.push_items(value.to_list_copy()?.iter()))?;
        } else if let Ok(value) = value.cast_exact::<PyTuple>() {
            self.nested(value.as_any(), 2, |this| this.push_tagged("tuple", value.iter()))?;
        } else if let Ok(value) = value.cast_exact::<PySet>() {
            let items = value.py().get_type::<PyTuple>().call1((value,))?.cast_into::<PyTuple>()?;
            self.nested(value.as_any(), 2, |this| this.push_tagged("set", items.iter()))?;
        } else if let Ok(value) = value.cast_exact::<PyFrozenSet>() {
            self.nested(value.as_any(), 2, |this| this.push_tagged("frozenset", value.iter()))?;
        } else {
            self.push_opaque(value)?;
        }
        Ok(())
    }

    /// Writes a container, unless it lies within itself or too deep.
    fn nested(
        &mut self,
        container: &Bound<'_, PyAny>,
        levels: usize,
        push: impl FnOnce(&mut Self) -> PyResult<()>,
    ) -> PyResult<()> {
        let cyclic = self.around.contains(&container.as_ptr());
        if cyclic || self.depth + levels > text::MAX_DEPTH {
            self.has_opaque = true;
            let type_name = qualified_name(&container.get_type());
            let why = if cyclic { "that contains itself" } else { "nested too deep to be stored" };
            let repr = format!("<a {} {why}>", type_name.trim_start_matches("builtins."));
            text::push_opaque(self.out, &Opaque { type_name, repr });
            return Ok(());
        }
        self.around.push(container.as_ptr());
        self.depth += levels;
        let done = push(self);
        self.depth -= levels;
        self.around.pop();
        done
    }

    fn push_str(&mut self, value: &Bound<'_, PyString>) -> PyResult<()> {
        match value.to_str() {
            Ok(value) => text::push_str(self.out, value),
            Err(_) => {
                let points = value.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
                let points = points.cast_into::<PyBytes>()?;
                let points = points.as_bytes().chunks_exact(4);
                text::push_surrogates(
                    self.out,
                    points.map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])),
                );
            }
        }
        Ok(())
    }

    fn push_int(&mut self, value: &Bound<'_, PyInt>) -> PyResult<()> {
        match value.extract::<i64>() {
            Ok(value) => text::push_int(self.out, value),
            Err(_) => {
                // Hexadecimal, because Python limits how many decimal digits it converts.
                let hex: String = value.call_method1("__format__", ("x",))?.extract()?;
                text::push_big_int(self.out, &hex);
            }
        }
        Ok(())
    }

    fn push_dict(&mut self, value: &Bound<'_, PyDict>) -> PyResult<()> {
        let items = value.items();
        let is_plain = value.keys().iter().all(|key| {
            key.cast_exact::<PyString>().is_ok_and(|key| key.to_str().is_ok_and(|key| key != text::TAG))
        });
        if !is_plain {
            text::open_tag(self.out, "dict", "items");
        }
        self.out.push(if is_plain { '{' } else { '[' });
        for (n, item) in items.iter().enumerate() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            if n > 0 {
                self.out.push(',');
            }
            if !is_plain {
                self.out.push('[');
            }
            self.push(&key)?;
            self.out.push(if is_plain { ':' } else { ',' });
            self.push(&value)?;
            if !is_plain {
                self.out.push(']');
            }
        }
        self.out.push_str(if is_plain { "}" } else { "]}" });
        Ok(())
    }

    fn push_tagged<'py>(
        &mut self,
        kind: &str,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        text::open_tag(self.out, kind, "items");
        self.push_items(items)?;
        self.out.push('}');
        Ok(())
    }

    fn push_items<'py>(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<()> {
        self.out.push('[');
        for (n, item) in items.enumerate() {
            if n > 0 {
                self.out.push(',');
            }
            self.push(&item)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn push_opaque(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.has_opaque = true;
        let type_name = qualified_name(&value.get_type());
        // A stored repr that is stored again stays what it was.
        if let Ok(stored) = value.cast_exact::<StoredRepr>() {
            let stored = stored.get();
            let opaque = Opaque { type_name: stored.type_name.clone(), repr: stored.text.clone() };
            text::push_opaque(self.out, &opaque);
            return Ok(());
        }
        let repr = match value.repr() {
            Ok(repr) => repr.to_string_lossy().into_owned(),
            Err(error) if error.is_instance_of::<PyException>(value.py()) => {
                format!("<a {type_name} whose repr() raised>")
            }
            Err(error) => return Err(error),
        };
        let repr = match repr.char_indices().nth(MAX_REPR) {
            Some((end, _)) => format!("{}… ({} bytes in all)", &repr[..end], repr.len()),
            None => repr,
        };
        text::push_opaque(self.out, &Opaque { type_name, repr });
        Ok(())
    }
}

trait ListCopy<'py> {
    /// The list's items at this moment.
    fn to_list_copy(&self) -> PyResult<Bound<'py, PyList>>;
}

impl<'py> ListCopy<'py> for Bound<'py, PyList> {
    fn to_list_copy(&self) -> PyResult<Bound<'py, PyList>> {
        self.get_slice(0, self.len()).cast_into::<PyList>().map_err(PyErr::from)
    }
}
