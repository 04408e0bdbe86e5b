//! Colour, or none.

/// How a report is dressed. Every mark is also there without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// No escape sequence at all: for files, pipes and JUnit.
    pub const fn plain() -> Style {
        Style { colour: false }
    }

    /// For a terminal.
    pub const fn colour() -> Style {
        Style { colour: true }
    }

    pub(crate) fn offending(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn expected(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn actual(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// A word for what is as it should be.
    pub fn good(self, text: &str) -> String {
        self.expected(text)
    }

    /// A word for what is not.
    pub fn bad(self, text: &str) -> String {
        self.offending(text)
    }

    /// A word for what nobody can say.
    pub fn doubtful(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// What stands above the rest.
    pub fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What can be passed over.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
