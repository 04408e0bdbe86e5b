//! Python objects as the text of a record.
//!
//! Two passes over one rule. The fast pass takes exact built-in types only and runs no Python code,
//! so nothing can change under it; it serves nearly every call. Whatever it does not know is left
//! to the careful pass, which copies each container before walking it, survives cycles, depth and
//! size, and stores the rest by its `repr`.

#![expect(unsafe_code, reason = "the hot path of every recorded call; each use is argued")]

use std::cell::Cell;

use pyo3::exceptions::PyException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use unitai_model::value::text;
use unitai_model::{Opaque, Packed};

use super::snapshot;
use crate::errors::qualified_name;

/// The longest text that one value may become. Shared substructure is written out each time it is
/// met, so a small value can be an immense text.
const MAX_TEXT: usize = 64 << 20;

/// The longest `repr` that is stored.
const MAX_REPR: usize = 10_000;

/// A value for the record.
pub(crate) struct Encoded {
    pub(crate) packed: Packed,
    /// A copy of the Python value, where the text alone cannot bring it back.
    pub(crate) kept: Option<Py<PyAny>>,
}

thread_local! {
    static SCRATCH: Cell<String> = const { Cell::new(String::new()) };
}

/// A value as it is at this moment.
pub(crate) fn encode(value: &Bound<'_, PyAny>) -> PyResult<Encoded> {
    // The buffer is taken, not borrowed: a `repr` in the careful pass may record another call.
    let mut out = SCRATCH.take();
    out.clear();
    let is_plain = push_fast(&mut out, value.as_ptr(), &mut Ancestors::new());
    let encoded = if is_plain {
        Ok(Encoded { packed: Packed::from_trusted(&*out), kept: None })
    } else {
        out.clear();
        encode_carefully(&mut out, value)
    };
    if out.capacity() <= 1 << 16 {
        SCRATCH.set(out);
    }
    encoded
}

/// The text of a value that the fast pass knows; `None` for any other.
pub(crate) fn encode_text(value: &Bound<'_, PyAny>) -> Option<String> {
    let mut out = String::new();
    push_fast(&mut out, value.as_ptr(), &mut Ancestors::new()).then_some(out)
}

/// The containers around the current one, to notice cycles and depth.
struct Ancestors {
    stack: [*mut ffi::PyObject; text::MAX_DEPTH],
    depth: usize,
}

impl Ancestors {
    fn new() -> Ancestors {
        Ancestors { stack: [std::ptr::null_mut(); text::MAX_DEPTH], depth: 0 }
    }

    fn enter(&mut self, container: *mut ffi::PyObject) -> bool {
        if self.depth == self.stack.len() || self.stack[..self.depth].contains(&container) {
            return false;
        }
        self.stack[self.depth] = container;
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// Writes `object` if it is plain data; `false`, with `out` unfinished, if it is not.
fn push_fast(out: &mut String, object: *mut ffi::PyObject, around: &mut Ancestors) -> bool {
    // SAFETY: the interpreter is held by every caller, `object` is a live reference, and only exact
    // built-in types are touched, whose accessors run no Python code and so release nothing.
    unsafe {
        if ffi::PyUnicode_CheckExact(object) != 0 {
            push_fast_str(out, object)
        } else if ffi::PyLong_CheckExact(object) != 0 {
            let mut overflow = 0;
            let value = ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow);
            if overflow != 0 {
                return false;
            }
            text::push_int(out, value);
            true
        } else if object == ffi::Py_None() {
            out.push_str("null");
            true
        } else if object == ffi::Py_True() {
            out.push_str("true");
            true
        } else if object == ffi::Py_False() {
            out.push_str("false");
            true
        } else if ffi::PyFloat_CheckExact(object) != 0 {
            text::push_float(out, ffi::PyFloat_AsDouble(object));
            true
        } else if ffi::PyDict_CheckExact(object) != 0 {
            around.enter(object) && push_fast_dict(out, object, around)
        } else if ffi::PyList_CheckExact(object) != 0 {
            around.enter(object) && push_fast_list(out, object, around)
        } else {
            false
        }
    }
}

/// SAFETY: as in [`push_fast`], and `object` is an exact `str`.
unsafe fn push_fast_str(out: &mut String, object: *mut ffi::PyObject) -> bool {
    unsafe {
        let mut size: ffi::Py_ssize_t = 0;
        let data = ffi::PyUnicode_AsUTF8AndSize(object, &mut size);
        if data.is_null() {
            // Lone surrogates; the careful pass spells them out.
            ffi::PyErr_Clear();
            return false;
        }
        // The interpreter vouches that this is UTF-8, and keeps it as long as the string lives.
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size as usize);
        text::push_str(out, std::str::from_utf8_unchecked(bytes));
        out.len() <= MAX_TEXT
    }
}

/// SAFETY: as in [`push_fast`], and `object` is an exact `dict`.
unsafe fn push_fast_dict(out: &mut String, object: *mut ffi::PyObject, around: &mut Ancestors) -> bool {
    unsafe {
        let (mut position, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        out.push('{');
        let mut is_first = true;
        while ffi::PyDict_Next(object, &mut position, &mut key, &mut value) != 0 {
            if !is_first {
                out.push(',');
            }
            is_first = false;
            let start = out.len();
            if ffi::PyUnicode_CheckExact(key) == 0 || !push_fast_str(out, key) {
                return false;
            }
            if out[start + 1..].starts_with(text::TAG) {
                return false;
            }
            out.push(':');
            if !push_fast(out, value, around) {
                return false;
            }
        }
        out.push('}');
        around.leave();
        out.len() <= MAX_TEXT
    }
}

/// SAFETY: as in [`push_fast`], and `object` is an exact `list`.
unsafe fn push_fast_list(out: &mut String, object: *mut ffi::PyObject, around: &mut Ancestors) -> bool {
    unsafe {
        out.push('[');
        let mut at = 0;
        while at < ffi::PyList_Size(object) {
            if at > 0 {
                out.push(',');
            }
            if !push_fast(out, ffi::PyList_GetItem(object, at), around) {
                return false;
            }
            at += 1;
        }
        out.push(']');
        around.leave();
        out.len() <= MAX_TEXT
    }
}

fn encode_carefully(out: &mut String, value: &Bound<'_, PyAny>) -> PyResult<Encoded> {
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
        if let Ok(stored) = value.cast_exact::<super::StoredRepr>() {
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
