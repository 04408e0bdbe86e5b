//! Where something stands in a file.

use std::path::PathBuf;
use std::sync::Arc;

/// A place in a file. Parts that came from an included file stand in that one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file.
    pub file: Arc<PathBuf>,
    /// The line, from 1; 0 when the test was not read from a file.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        Ok(())
    }
}
