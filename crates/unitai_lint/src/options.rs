//! What rules may be told by the settings.

/// What rules may be told by the settings. A field belongs to one rule and is named after what it means.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Options {}
