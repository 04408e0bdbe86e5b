//! The recording of a request in which a secret was hidden that a replay does not know: the cookie of the provider that
//! answered then, or a key of the machine that recorded.

use std::sync::{Arc, OnceLock};

use memchr::memmem;

use super::inquiry::AskedDocument;
use super::{Entry, Inquiry, Shelf};
use crate::redact::MARK;

/// The recorded requests that hold marks, read when the first request has no recording under its own key.
#[derive(Default)]
pub(super) struct MarkedRequests(OnceLock<Vec<(Arc<str>, AskedDocument)>>);

impl MarkedRequests {
    /// The key of the one recording whose request is this one with marks in the place of what may be secrets.
    pub(super) fn key_for(&self, shelf: &Shelf, inquiry: &Inquiry) -> Option<&Arc<str>> {
        let marked = self.0.get_or_init(|| marked(shelf));
        if marked.is_empty() {
            return None;
        }
        let body = inquiry.body();
        let mut fitting = marked.iter().filter(|(_, asked)| inquiry.is_unredacted_form_of(asked, &body));
        // Of two that fit, either may be meant.
        fitting.next().filter(|_| fitting.next().is_none()).map(|(key, _)| key)
    }
}

fn marked(shelf: &Shelf) -> Vec<(Arc<str>, AskedDocument)> {
    let files = shelf.files().unwrap_or_default().into_iter();
    let marked = files.filter_map(|(key, path)| {
        let bytes = std::fs::read(path).ok()?;
        // Most recordings hold none, which is seen faster than a checksum is made.
        memmem::find(&bytes, MARK.as_bytes())?;
        Some((Arc::from(key), Entry::read_asked(&bytes)?))
    });
    marked.collect()
}
