//! The fast pass: exact built-in types, and nothing that could run Python code.

#![expect(unsafe_code, reason = "the hot path of every recorded call; each use is argued")]

use pyo3::ffi;
use pyo3::prelude::*;
use unitai_model::value::text;

use super::MAX_TEXT;

/// Writes `value` if it is plain data; `false`, with `out` unfinished, if it is not.
pub(super) fn push(out: &mut String, value: &Bound<'_, PyAny>) -> bool {
    push_fast(out, value.as_ptr(), None)
}

/// The containers around the current value, to notice cycles and depth: a list on the stack.
#[derive(Clone, Copy)]
struct Around<'a> {
    container: *mut ffi::PyObject,
    outer: Option<&'a Around<'a>>,
    depth: usize,
}

/// Whether `container` may be entered: it does not lie within itself, nor too deep.
fn may_enter(container: *mut ffi::PyObject, outer: Option<&Around<'_>>) -> bool {
    let mut around = outer;
    while let Some(level) = around {
        if level.container == container || level.depth >= text::MAX_DEPTH {
            return false;
        }
        around = level.outer;
    }
    true
}

/// Writes `object` if it is plain data; `false`, with `out` unfinished, if it is not.
fn push_fast(out: &mut String, object: *mut ffi::PyObject, outer: Option<&Around<'_>>) -> bool {
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
            may_enter(object, outer) && push_fast_dict(out, object, outer)
        } else if ffi::PyList_CheckExact(object) != 0 {
            may_enter(object, outer) && push_fast_list(out, object, outer)
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
unsafe fn push_fast_dict(out: &mut String, object: *mut ffi::PyObject, outer: Option<&Around<'_>>) -> bool {
    unsafe {
        let (mut position, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        let here = Around { container: object, outer, depth: outer.map_or(1, |outer| outer.depth + 1) };
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
            if !push_fast(out, value, Some(&here)) {
                return false;
            }
        }
        out.push('}');
        out.len() <= MAX_TEXT
    }
}

/// SAFETY: as in [`push_fast`], and `object` is an exact `list`.
unsafe fn push_fast_list(out: &mut String, object: *mut ffi::PyObject, outer: Option<&Around<'_>>) -> bool {
    unsafe {
        let here = Around { container: object, outer, depth: outer.map_or(1, |outer| outer.depth + 1) };
        out.push('[');
        let mut at = 0;
        while at < ffi::PyList_Size(object) {
            if at > 0 {
                out.push(',');
            }
            if !push_fast(out, ffi::PyList_GetItem(object, at), Some(&here)) {
                return false;
            }
            at += 1;
        }
        out.push(']');
        out.len() <= MAX_TEXT
    }
}
