//! What this process must never write.

use std::sync::{Arc, LazyLock};

use pyo3::prelude::*;
use unitai_wire::redact::Secrets;

/// What this process knows of secrets: those of its environment, and what it saw in headers.
pub(crate) fn here(_py: Python<'_>) -> Arc<Secrets> {
    static HERE: LazyLock<Arc<Secrets>> =
        LazyLock::new(|| Arc::new(Secrets::of_environment(std::env::vars())));
    HERE.clone()
}
