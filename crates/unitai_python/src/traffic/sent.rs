//! A request as its client sends it.

use pyo3::prelude::*;
use unitai_wire::Target;

use super::Cassette;
use super::headers::pairs;

/// A request as its client sends it.
pub(super) struct Sent<'a, 'py> {
    pub(super) target: Target<'a>,
    pub(super) url: &'a str,
    pub(super) method: &'a str,
    pub(super) body: &'a [u8],
    pub(super) headers: &'a Bound<'py, PyAny>,
}

impl Sent<'_, '_> {
    /// What authorises it must never be written, wherever else it turns up.
    pub(super) fn learn_secrets(&self, cassette: &Cassette) {
        if !cassette.is_replay() {
            // The environment may have changed since the cassette was opened, and something may be written.
            let _ = crate::secrets::here(self.headers.py());
        }
        let secrets = cassette.tapes.secrets();
        secrets.learn_url(self.url);
        pairs(self.headers, |name, value| secrets.learn_header(name, value));
    }
}
