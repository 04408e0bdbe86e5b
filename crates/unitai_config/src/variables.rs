//! The environment.

/// What a variable says; one that is empty says nothing.
pub(crate) fn said(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
