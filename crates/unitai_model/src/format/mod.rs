//! A trajectory as JSON: format `unitai.trajectory`, version 1.
//!
//! Old versions open; a newer one is refused. Step indices are not written, nor totals but for those that were given,
//! because the steps already say them. An unknown key is an error, unless its name begins with `x-`.
//! `schemas/trajectory.schema.json` is generated from [`v1::Document`].

pub mod exchange;
mod extensions;
mod fast;
pub mod fault;
mod v0;
pub mod v1;
mod write;

use crate::Trajectory;

/// The version that this release writes.
pub const VERSION: u64 = 1;

/// The name of the format.
pub const FORMAT: &str = "unitai.trajectory";

/// Why a document is not a trajectory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The document is of a later version than this release knows.
    #[error("the trajectory is of format version {found}, and this release reads up to version {VERSION}")]
    Newer {
        /// The document's version.
        found: u64,
    },
    /// The document is not a trajectory of the version it claims.
    #[error("not a trajectory: {reason}")]
    Malformed {
        /// What is wrong, with line and column where known.
        reason: String,
    },
}

impl FormatError {
    pub(crate) fn malformed(reason: impl ToString) -> FormatError {
        FormatError::Malformed { reason: reason.to_string() }
    }
}

impl Trajectory {
    /// The trajectory as one line of JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    /// Adds the trajectory to a text, as one line of JSON.
    pub fn write_json(&self, out: &mut String) {
        write::document(self, out);
    }

    /// Reads a trajectory of this or an earlier version.
    ///
    /// ```
    /// use unitai_model::{FormatError, Trajectory};
    /// let newer = r#"{"format":"unitai.trajectory","version":7,"something":"else"}"#;
    /// assert_eq!(Trajectory::from_json(newer).unwrap_err(), FormatError::Newer { found: 7 });
    /// ```
    pub fn from_json(text: &str) -> Result<Trajectory, FormatError> {
        if let Some(trajectory) = fast::read(text) {
            return Ok(trajectory);
        }
        match general(text) {
            // Nearly no document has such keys, so they are looked for only where something is wrong.
            Err(FormatError::Malformed { reason }) => match extensions::left_out(text) {
                Some(text) => general(&text),
                None => Err(FormatError::Malformed { reason }),
            },
            read => read,
        }
    }
}

fn general(text: &str) -> Result<Trajectory, FormatError> {
    match serde_json::from_str::<v1::Document<'_>>(text) {
        Ok(document) if document.version == VERSION => document.read(),
        Ok(document) => other_version(text, document.version),
        Err(error) => match serde_json::from_str::<Header>(text) {
            Ok(Header { version: Some(VERSION), .. }) => Err(FormatError::malformed(error)),
            Ok(Header { version: Some(found), .. }) => other_version(text, found),
            Ok(Header { version: None }) => v0::read(text),
            Err(_) => Err(FormatError::malformed(error)),
        },
    }
}

fn other_version(text: &str, found: u64) -> Result<Trajectory, FormatError> {
    if found > VERSION { Err(FormatError::Newer { found }) } else { v0::read(text) }
}

#[derive(serde::Deserialize)]
struct Header {
    version: Option<u64>,
}
