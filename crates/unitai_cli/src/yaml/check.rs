//! `unitai yaml check`: whether files are well written.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use unitai_spec::document::{Severity, read_file};

use super::files;
use crate::say::{complain, counted, say};

/// The arguments of `unitai yaml check`.
#[derive(Args)]
pub(crate) struct Check {
    /// Files, or folders to look in [default: tests/llm]
    paths: Vec<PathBuf>,
}

impl Check {
    /// Reads them all, and gives the exit code: 1 where one has an error.
    pub(crate) fn run(&self) -> i32 {
        let files = match files::tests(&self.paths) {
            Ok(files) => files,
            Err(message) => {
                complain(&message);
                return 2;
            }
        };
        let (mut tests, mut errors, mut warnings) = (0, 0, 0);
        for file in &files {
            let reading = read_file(file);
            tests += reading.specs.len() as u64;
            for trouble in &reading.troubles {
                let is_error = trouble.severity == Severity::Error;
                (errors, warnings) = (errors + u64::from(is_error), warnings + u64::from(!is_error));
                let source = fs::read_to_string(trouble.place.file.as_path()).ok();
                let _ = say(&trouble.render(source.as_deref()));
            }
        }
        let files = files.len() as u64;
        let _ = say(&format!(
            "{}, {}, {}, {}",
            counted(files, "file"),
            counted(tests, "test"),
            counted(errors, "error"),
            counted(warnings, "warning")
        ));
        i32::from(errors > 0)
    }
}
