//! `unitai results`: the last run, or any other, for a person or for a program.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use unitai_model::value::plain;
use unitai_report::junit::{self, Form};
use unitai_report::{Look, Run, Summary, listing, markdown, results_block};
use unitai_wire::gate::write_public;

use crate::given::{Given, given};
use crate::say::{self, complain, say, secrets};

pub(crate) const EXAMPLES: &str = "Examples:\n  unitai results                          the last run of this project\n  unitai results --json                   the same, for a program\n  unitai results test-results/unitai.xml  any JUnit file, of any tool\n  unitai results --markdown summary.md    write a summary of the last run";

/// The arguments of `unitai results`.
#[derive(Args)]
pub(crate) struct Results {
    /// A file of run events, or any JUnit file; - for standard input [default: the last run of this project]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print one JSON object (see schemas/results.schema.json)
    #[arg(long)]
    json: bool,
    /// Tell everything that is known of failures, and the cost of each test
    #[arg(long, short)]
    verbose: bool,
    /// Write the run as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the run as JUnit XML for readers that insist on the published schema: test cases have no properties
    #[arg(long, value_name = "FILE")]
    junit_strict: Option<PathBuf>,
    /// Write the run as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Results {
    /// Shows the run, and gives the exit code: 0 for a green one, 1 for any other, 2 when there is nothing to show.
    pub(crate) fn run(&self) -> i32 {
        match self.done() {
            Ok(is_green) => i32::from(!is_green),
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn done(&self) -> Result<bool, String> {
        let Given { run, name } = given(self.file.as_deref(), "results")?;
        written(self.junit.as_deref(), || junit::write(&run, Form::Common))?;
        written(self.junit_strict.as_deref(), || junit::write(&run, Form::Strict))?;
        written(self.markdown.as_deref(), || markdown(&run))?;
        let text = if self.json { Summary::of(&run).json() } else { self.told(&run, &name) };
        // Nobody may be reading any more.
        let _ = say(&text);
        Ok(run.is_green())
    }

    fn told(&self, run: &Run, name: &str) -> String {
        let (is_terminal, style) = (io::stdout().is_terminal(), say::style());
        let size = terminal_size::terminal_size().filter(|_| is_terminal);
        let look = Look { width: size.map(|(width, _)| usize::from(width.0)), verbose: self.verbose, style };
        format!("{name}\n\n{}\n{}", listing(run, look), results_block(run, self.verbose, style))
    }
}

/// Writes the text, if somebody said where to.
fn written(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    write_public(path, text().as_bytes(), secrets()).map_err(|error| {
        format!("{} could not be written: {error}; name another file", plain(&path.display().to_string()))
    })
}
