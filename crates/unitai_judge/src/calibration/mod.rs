//! How good a judge is: it is asked what people have answered already, and code counts where the two agree.
//!
//! [`case`](JudgeCase) is what a file says; [`interview`] asks; a [`Score`] holds every answer, and its [`Table`] the figures.
//! A set of our own comes with the program: [`bundled`].

mod bundled;
mod case;
mod interview;
mod kappa;
mod labelling;
mod scoring;
mod table;
mod writing;

pub use bundled::bundled;
pub use case::{USUAL, answered_text, call_of, case_files, read_cases};
pub use interview::{Progress, Unanswered, interview};
pub use kappa::Kappa;
pub use labelling::{Labelled, add_label, file_name};
pub use scoring::{Heard, Minima, Missed, Score};
pub use table::{Rate, Row, Table};
pub use unitai_spec::document::JudgeCase;
