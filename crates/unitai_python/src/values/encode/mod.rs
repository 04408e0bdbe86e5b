//! Python objects as the text of a record.
//!
//! Two passes over one rule. The fast pass takes exact built-in types only and runs no Python code,
//! so nothing can change under it; it serves nearly every call. Whatever it does not know is left
//! to the careful pass, which copies each container before walking it, survives cycles, depth and
//! size, and stores the rest by its `repr`.

mod careful;
mod fast;

use std::cell::Cell;

use pyo3::prelude::*;
use unitai_model::Packed;

/// The longest text that one value may become. Shared substructure is written out each time it is
/// met, so a small value can be an immense text.
const MAX_TEXT: usize = 64 << 20;

/// The most parts that one value may have, for the same reason.
const MAX_PARTS: usize = 2_000_000;

/// A value for the record.
pub(crate) struct Encoded {
    pub(crate) packed: Packed,
    /// A copy of the Python value, where the text alone cannot bring it back.
    pub(crate) kept: Option<Py<PyAny>>,
}

/// What came of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The value is written.
    Written,
    /// It holds something that this pass does not know.
    Unknown,
    /// It has too many parts, or its text is too long.
    TooLarge,
}

thread_local! {
    static SCRATCH: Cell<String> = const { Cell::new(String::new()) };
}

/// Lends a buffer of this thread. It is taken, not borrowed: whoever runs Python code meanwhile may
/// come here again, and then gets a fresh one. A large one is not kept.
pub(crate) fn with_scratch<T>(work: impl FnOnce(&mut String) -> T) -> T {
    let mut out = SCRATCH.take();
    out.clear();
    let done = work(&mut out);
    if out.capacity() <= 1 << 20 {
        SCRATCH.set(out);
    }
    done
}

/// A value as it is at this moment.
pub(crate) fn encode(value: &Bound<'_, PyAny>) -> PyResult<Encoded> {
    with_scratch(|out| match fast::push(out, value) {
        Verdict::Written => Ok(Encoded { packed: Packed::from_trusted(out), kept: None }),
        Verdict::TooLarge => careful::summary(value),
        Verdict::Unknown => {
            out.clear();
            careful::encode(out, value)
        }
    })
}

/// A value that the fast pass knows; `None` for any other.
pub(crate) fn encode_data(value: &Bound<'_, PyAny>) -> Option<Packed> {
    with_scratch(|out| (fast::push(out, value) == Verdict::Written).then(|| Packed::from_trusted(out)))
}
