//! What the environment says: which keys are set.

use std::env;

use unitai_wire::keys::{ALL, is_key};

/// The names of the keys that are set.
pub(crate) fn keys() -> Vec<&'static str> {
    ALL.into_iter()
        .filter(|name| env::var_os(name).is_some_and(|value| is_key(&value.to_string_lossy())))
        .collect()
}
