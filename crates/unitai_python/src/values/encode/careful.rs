//! The careful pass: any object at all, whatever it does while it is looked at.

use pyo3::exceptions::PyException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use unitai_model::value::text;
use unitai_model::{Opaque, Packed};

use super::super::{StoredRepr, snapshot};
use super::{Encoded, MAX_PARTS, MAX_TEXT};
use crate::attribute::Attribute;
use crate::errors::qualified_name;
use crate::gate;

/// The longest `repr` that is stored.
const MAX_REPR: usize = 10_000;

/// Writes `value` and keeps a copy of it where the text alone cannot bring it back.
pub(super) fn encode(out: &mut String, value: &Bound<'_, PyAny>) -> PyResult<Encoded> {
    let mut careful = Careful { out, depth: 0, parts: 0, around: Vec::new(), needs_object: false };
    careful.push(value)?;
    if careful.is_too_large() {
        return summary(value);
    }
    let kept = if careful.needs_object { Some(snapshot(value)?.unbind()) } else { None };
    Ok(Encoded { packed: Packed::from_trusted(out), kept })
}

/// What stands in the record for a value that is too large to be written out.
pub(super) fn summary(value: &Bound<'_, PyAny>) -> PyResult<Encoded> {
    let type_name = qualified_name(&value.get_type());
    let short = type_name.trim_start_matches("builtins.");
    let repr = format!("<a {short} of more than {MAX_PARTS} parts or {} MiB>", MAX_TEXT >> 20);
    let mut out = String::new();
    text::push_opaque(&mut out, &Opaque { type_name, repr });
    Ok(Encoded { packed: Packed::from_trusted(&out), kept: Some(snapshot(value)?.unbind()) })
}

struct Careful<'a> {
    out: &'a mut String,
    /// Levels of JSON, of which a tagged container takes two or three.
    depth: usize,
    parts: usize,
    around: Vec<*mut ffi::PyObject>,
    /// Whether the text alone cannot bring the value back.
    needs_object: bool,
}

impl Careful<'_> {
    fn is_too_large(&self) -> bool {
        self.parts > MAX_PARTS || self.out.len() > MAX_TEXT
    }

    fn push(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.parts += 1;
        if self.is_too_large() {
            return Ok(());
        }
        let length = self.out.len();
        self.push_data(value)?;
        if self.out.len() == length {
            return self.push_opaque(value);
        }
        // An enum that is a string, a number of numpy, an ordered dictionary: written as the data
        // that it is, and kept as what else it is.
        self.needs_object |= !is_exact_data(value);
        Ok(())
    }

    /// Writes data, of built-in types and of classes derived from them; nothing if it is none.
    fn push_data(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if value.is_none() {
            self.out.push_str("null");
        } else if let Ok(value) = value.cast::<PyBool>() {
            self.out.push_str(if value.is_true() { "true" } else { "false" });
        } else if let Ok(value) = value.cast::<PyString>() {
            self.push_str(value)?;
        } else if let Ok(value) = value.cast::<PyInt>() {
            self.push_int(value)?;
        } else if let Ok(value) = value.cast::<PyFloat>() {
            text::push_float(self.out, value.value());
        } else if let Ok(value) = value.cast::<PyBytes>() {
            text::push_bytes(self.out, value.as_bytes());
        } else if let Ok(value) = value.cast::<PyDict>() {
            self.nested(value.as_any(), 3, |this| this.push_dict(value))?;
        } else if let Ok(value) = value.cast::<PyList>() {
            let items = value.get_slice(0, value.len());
            self.nested(value.as_any(), 1, |this| this.push_items(items.iter()))?;
        } else if let Ok(value) = value.cast::<PyTuple>() {
            self.nested(value.as_any(), 2, |this| this.push_tagged("tuple", value.iter()))?;
        } else if let Ok(value) = value.cast::<PySet>() {
            let items = value.py().get_type::<PyTuple>().call1((value,))?.cast_into::<PyTuple>()?;
            self.nested(value.as_any(), 2, |this| this.push_tagged("set", items.iter()))?;
        } else if let Ok(value) = value.cast::<PyFrozenSet>() {
            let items = value.py().get_type::<PyTuple>().call1((value,))?.cast_into::<PyTuple>()?;
            self.nested(value.as_any(), 2, |this| this.push_tagged("frozenset", items.iter()))?;
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
            self.needs_object = true;
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
                let encode = value.py().get_type::<PyString>().attribute("encode")?;
                let points = encode.call1((value, "utf-32-le", "surrogatepass"))?;
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
            Ok(number) => text::push_int(self.out, number),
            Err(_) => {
                // Hexadecimal, because Python limits how many decimal digits it converts.
                let format = value.py().get_type::<PyInt>().attribute("__format__")?;
                let hex: String = format.call1((value, "x"))?.extract()?;
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
        self.needs_object = true;
        let type_name = qualified_name(&value.get_type());
        // A stored repr that is stored again stays what it was.
        if let Ok(stored) = value.cast_exact::<StoredRepr>() {
            let stored = stored.get();
            let opaque = Opaque { type_name: stored.type_name.clone(), repr: stored.text.clone() };
            text::push_opaque(self.out, &opaque);
            return Ok(());
        }
        let repr = match gate::call(&value.py().import("builtins")?.attribute("repr")?, (value,), None) {
            Ok(repr) => repr.cast::<PyString>()?.to_string_lossy().into_owned(),
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

/// Whether a value is of a built-in type itself, not of a class derived from one.
fn is_exact_data(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_exact_instance_of::<PySet>()
        || value.is_exact_instance_of::<PyFrozenSet>()
}
