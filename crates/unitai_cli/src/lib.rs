//! The `unitai` command: arguments and exit codes. It decides nothing.

mod demo;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

/// Write tests for your agents like you write tests for your code.
#[derive(Parser)]
#[command(
    name = "unitai",
    version,
    after_help = "Example:\n  unitai demo      see a passing and a failing agent test, offline"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show a passing and a failing agent test, offline, in a few seconds
    #[command(
        after_help = "Examples:\n  unitai demo               run the demo in a temporary folder\n  unitai demo --keep here   leave the demo's files in ./here to play with"
    )]
    Demo(demo::Demo),
}

/// Runs the command with these arguments (without the program's name) and gives its exit code.
/// `python` is the interpreter to start tests with.
pub fn run(args: Vec<String>, python: &str) -> i32 {
    let args = std::iter::once(OsString::from("unitai")).chain(args.into_iter().map(OsString::from));
    match Arguments::try_parse_from(args) {
        Ok(Arguments { command: Command::Demo(demo) }) => demo.run(python),
        Err(error) => {
            // Help and version come this way too; clap knows their exit codes and streams.
            let _ = error.print();
            error.exit_code()
        }
    }
}
