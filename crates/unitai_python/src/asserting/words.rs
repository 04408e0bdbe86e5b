//! What comparisons in Python may leave behind: an error that a check could not raise, and words.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use unitai_model::Packed;
use unitai_model::value::plain;

use crate::values::encode_text;

/// The first error of a comparison.
#[derive(Default)]
pub(super) struct Trouble(Mutex<Option<PyErr>>);

impl Trouble {
    pub(super) fn check(&self) -> PyResult<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    pub(super) fn note(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// A value in an explanation: as data where it is data, by its `repr` where it is not.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    match encode_text(value) {
        Some(text) => Packed::from_trusted(text).value().shown(80),
        None => {
            let repr = value.repr().map_or_else(|_| "?".to_owned(), |repr| plain(&repr.to_string_lossy()));
            match repr.char_indices().nth(80) {
                Some((end, _)) => format!("{}…", &repr[..end]),
                None => repr,
            }
        }
    }
}
