//! The fast pass: exact built-in types, and nothing that could run Python code.

#![expect(unsafe_code, reason = "the hot path of every recorded call; each use is argued")]

use pyo3::ffi;
use pyo3::prelude::*;
use unitai_model::value::text;

use super::Verdict::{self, TooLarge, Unknown, Written};
use super::{MAX_PARTS, MAX_TEXT};

/// Writes `value` if it is plain data; if it is not, `out` is left unfinished.
pub(super) fn push(out: &mut String, value: &Bound<'_, PyAny>) -> Verdict {
    let mut pass = Pass { out, parts: 0 };
    pass.push(value.as_ptr(), None)
}

struct Pass<'a> {
    out: &'a mut String,
    parts: usize,
}

/// The containers around the current value, to notice cycles and depth: a list on the stack.
#[derive(Clone, Copy)]
struct Around<'a> {
    container: *mut ffi::PyObject,
    outer: Option<&'a Around<'a>>,
    depth: usize,
}

impl<'a> Around<'a> {
    /// Enters `container`, unless it lies within itself or too deep.
    fn enter(container: *mut ffi::PyObject, outer: Option<&'a Around<'a>>) -> Option<Around<'a>> {
        let depth = outer.map_or(1, |outer| outer.depth + 1);
        let mut around = outer;
        while let Some(level) = around {
            if level.container == container {
                return None;
            }
            around = level.outer;
        }
        (depth <= text::MAX_DEPTH).then_some(Around { container, outer, depth })
    }
}

impl Pass<'_> {
    fn push(&mut self, object: *mut ffi::PyObject, outer: Option<&Around<'_>>) -> Verdict {
        self.parts += 1;
        if self.parts > MAX_PARTS || self.out.len() > MAX_TEXT {
            return TooLarge;
        }
        // SAFETY: the interpreter is held by every caller, `object` is a live reference, and only
        // exact built-in types are touched, whose accessors run no Python code and so release nothing.
        unsafe {
            if ffi::PyUnicode_CheckExact(object) != 0 {
                return self.push_str(object);
            }
            if ffi::PyLong_CheckExact(object) != 0 {
                let mut overflow = 0;
                let value = ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow);
                if overflow != 0 {
                    return Unknown;
                }
                text::push_int(self.out, value);
            } else if object == ffi::Py_None() {
                self.out.push_str("null");
            } else if object == ffi::Py_True() {
                self.out.push_str("true");
            } else if object == ffi::Py_False() {
                self.out.push_str("false");
            } else if ffi::PyFloat_CheckExact(object) != 0 {
                text::push_float(self.out, ffi::PyFloat_AsDouble(object));
            } else if ffi::PyDict_CheckExact(object) != 0 {
                let Some(here) = Around::enter(object, outer) else { return Unknown };
                return self.push_dict(object, &here);
            } else if ffi::PyList_CheckExact(object) != 0 {
                let Some(here) = Around::enter(object, outer) else { return Unknown };
                return self.push_list(object, &here);
            } else {
                return Unknown;
            }
        }
        Written
    }

    /// SAFETY: as in [`Pass::push`], and `object` is an exact `str`.
    unsafe fn push_str(&mut self, object: *mut ffi::PyObject) -> Verdict {
        unsafe {
            let mut size: ffi::Py_ssize_t = 0;
            let data = ffi::PyUnicode_AsUTF8AndSize(object, &mut size);
            if data.is_null() {
                // Lone surrogates; the careful pass spells them out.
                ffi::PyErr_Clear();
                return Unknown;
            }
            // The interpreter vouches that this is UTF-8, and keeps it as long as the string lives.
            let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size as usize);
            text::push_str(self.out, std::str::from_utf8_unchecked(bytes));
        }
        Written
    }

    /// SAFETY: as in [`Pass::push`], and `object` is an exact `dict`.
    unsafe fn push_dict(&mut self, object: *mut ffi::PyObject, here: &Around<'_>) -> Verdict {
        unsafe {
            let (mut position, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
            self.out.push('{');
            let mut is_first = true;
            while ffi::PyDict_Next(object, &mut position, &mut key, &mut value) != 0 {
                if !is_first {
                    self.out.push(',');
                }
                is_first = false;
                let start = self.out.len();
                if ffi::PyUnicode_CheckExact(key) == 0 || self.push_str(key) != Written {
                    return Unknown;
                }
                if self.out[start + 1..].starts_with(text::TAG) {
                    return Unknown;
                }
                self.out.push(':');
                let verdict = self.push(value, Some(here));
                if verdict != Written {
                    return verdict;
                }
            }
            self.out.push('}');
        }
        Written
    }

    /// SAFETY: as in [`Pass::push`], and `object` is an exact `list`.
    unsafe fn push_list(&mut self, object: *mut ffi::PyObject, here: &Around<'_>) -> Verdict {
        unsafe {
            self.out.push('[');
            let mut at = 0;
            while at < ffi::PyList_Size(object) {
                if at > 0 {
                    self.out.push(',');
                }
                let verdict = self.push(ffi::PyList_GetItem(object, at), Some(here));
                if verdict != Written {
                    return verdict;
                }
                at += 1;
            }
            self.out.push(']');
        }
        Written
    }
}
