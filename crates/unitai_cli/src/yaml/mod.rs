//! `unitai yaml`: YAML tests without pytest.

mod check;
pub(crate) mod files;
mod harden;
pub(crate) mod models;
mod run;
mod run_log;
mod telling;

use clap::{Args, Subcommand};
use unitai_spec::document;

use crate::say::say;

/// What `unitai yaml --help` shows below the commands.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai yaml run                     run the tests in tests/llm\n  unitai yaml run api.yaml --verbose  one file, with each step as it ends\n  unitai yaml check                   are all files well written?\n  unitai yaml harden                  which expectations could be checks?\n  unitai yaml schema > yaml-test.schema.json";

/// The arguments of `unitai yaml`.
#[derive(Args)]
pub(crate) struct Yaml {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run tests, and tell what came of them
    #[command(after_help = run::EXAMPLES)]
    Run(run::Run),
    /// Read files, and tell what is wrong with them
    Check(check::Check),
    /// Propose checks for expectations that need no judge; writes nothing unless told
    #[command(after_help = harden::EXAMPLES)]
    Harden(harden::Harden),
    /// Print the JSON schema of the files, for editors
    Schema,
}

impl Yaml {
    /// Does it, and gives the exit code.
    pub(crate) fn run(&self, python: &str) -> i32 {
        match &self.command {
            Command::Run(run) => run.run(python),
            Command::Check(check) => check.run(),
            Command::Harden(harden) => harden.run(),
            Command::Schema => {
                // The reader may have closed the pipe.
                let _ = say(&format!("{:#}", document::schema()));
                0
            }
        }
    }
}
