//! Reports: readers of trajectories, findings and run events. Nothing here decides anything.
//!
//! ```
//! use unitai_model::{Ending, Packed, Trajectory};
//! use unitai_report::{Style, failure_report};
//!
//! let idle = Trajectory::new("run-1", Packed::null(), 0.0, 1.2, vec![], Ending::returned(Packed::null()));
//! let text = failure_report(&idle, None, Style::plain());
//! assert!(text.contains("(no steps)"));
//! ```

mod ansi;
mod failure;
mod html;
pub mod junit;
mod layers;
mod listing;
mod markdown;
mod results;
mod run;
mod steps;
mod style;
mod summary;
mod words;

pub use failure::failure_report;
pub use html::html_report;
pub use layers::layer_lines;
pub use listing::{Look, listing};
pub use markdown::markdown;
pub use results::results_block;
pub use run::{Counts, Run, Test};
pub use steps::{step_line, trajectory_lines};
pub use style::Style;
pub use summary::{Spent, Summary, TestSummary};
pub use words::rate_line;
