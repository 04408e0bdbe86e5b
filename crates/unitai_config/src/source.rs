//! Who has said what a setting is.

use std::fmt;
use std::path::PathBuf;

/// Who has said what a setting is. Whoever stands higher in the list wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An argument of a call.
    Argument,
    /// An option of the command line.
    CommandLine(String),
    /// A variable of the environment.
    Variable(String),
    /// A file.
    File(Place),
    /// Nobody: it is so unless somebody speaks.
    Default,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte in a text.
    pub(crate) fn of(path: PathBuf, text: &str, byte: usize) -> Place {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let line = before.rsplit('\n').next().unwrap_or_default();
        // What editors do not show takes no place.
        let column = line.trim_start_matches('\u{feff}').chars().count() + 1;
        Place { path, line: before.matches('\n').count() + 1, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

impl Source {
    /// What kind of speaker it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::Argument => "argument",
            Source::CommandLine(_) => "command line",
            Source::Variable(_) => "environment",
            Source::File(_) => "file",
            Source::Default => "default",
        }
    }

    /// Which one it is: the option, the variable, or the place in the file.
    pub fn detail(&self) -> Option<String> {
        match self {
            Source::CommandLine(name) | Source::Variable(name) => Some(name.clone()),
            Source::File(place) => Some(place.to_string()),
            Source::Argument | Source::Default => None,
        }
    }

    /// How much it has to say: more than all with less.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Source::Default => 0,
            Source::File(_) => 1,
            Source::Variable(_) => 2,
            Source::CommandLine(_) => 3,
            Source::Argument => 4,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            Some(detail) => write!(f, "{detail}"),
            None => write!(f, "{}", self.kind()),
        }
    }
}
