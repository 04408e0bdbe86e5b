//! The fast pass: exact built-in types, and nothing that could run Python code.

#![expect(unsafe_code, reason = "the hot path of every recorded call; each use is argued")]

use pyo3::ffi;
use pyo3::prelude::*;
use unitai_model::value::text;

use super::MAX_TEXT;

/// Writes `value` if it is plain data; `false`, with `out` unfinished, if it is not.
pub(super) fn push(out: &mut String, value: &Bound<'_, PyAny>) -> bool {
    push_fast(out, value.as_ptr(), &mut Ancestors::new())
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
