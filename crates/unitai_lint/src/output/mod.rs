//! What a run found, told: to people, to programs, to GitHub.

mod github;
mod json;
mod sarif;
mod statistics;
mod text;

pub use github::github;
pub use json::{Document, json};
pub use sarif::sarif;
pub use statistics::statistics;
pub use text::{Palette, summary, text};

/// `1 file`, `2 files`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
