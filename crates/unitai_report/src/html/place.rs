//! Places in the page that links lead to. They are made of numbers alone: no foreign text is in an address.

use super::write::Html;

/// A run of an agent in a test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The test's number.
    pub(super) test: usize,
    /// The number of the run in its test.
    pub(super) run: usize,
}

impl Place {
    /// Its id.
    pub(super) fn id(self) -> Html {
        let mut html = Html::default();
        html.raw("t").index(self.test).raw("r").index(self.run);
        html
    }

    /// The id of one of its steps.
    pub(super) fn step(self, step: usize) -> Html {
        let mut html = self.id();
        html.raw("s").index(step);
        html
    }
}
