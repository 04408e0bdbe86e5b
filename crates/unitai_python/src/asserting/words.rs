//! What comparisons in Python may leave behind: an error that a check could not raise, and words.

use std::cell::Cell;

use pyo3::prelude::*;
use unitai_model::value::plain;

use crate::values::encode_data;

thread_local! {
    /// The first error that a comparison raised. A check cannot raise by itself, and is judged in one
    /// thread from start to end.
    static TROUBLE: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Keeps the error of a comparison for [`raise_trouble`].
pub(super) fn note_trouble(error: PyErr) {
    TROUBLE.with(|trouble| trouble.set(Some(trouble.take().unwrap_or(error))));
}

/// Raises what a comparison has raised since the last time.
pub(super) fn raise_trouble() -> PyResult<()> {
    TROUBLE.take().map_or(Ok(()), Err)
}

/// A value in an explanation: as data where it is data, by its `repr` where it is not.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    match encode_data(value) {
        Some(data) => data.value().shown(80),
        None => {
            let repr = value.repr().map_or_else(|_| "?".to_owned(), |repr| plain(&repr.to_string_lossy()));
            match repr.char_indices().nth(80) {
                Some((end, _)) => format!("{}…", &repr[..end]),
                None => repr,
            }
        }
    }
}
