//! `unitai judge`: how good the judge of YAML tests is, and what it said.

mod at_hand;
mod calibrate;
mod kept;
mod label;
mod show;
mod telling;

use clap::{Args, Subcommand};

/// What `unitai judge --help` shows below the commands.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai judge calibrate --bundled             how good is the judge that is here?\n  unitai judge calibrate --min-tpr 0.9 --min-tnr 0.9    and is it good enough for us?\n  unitai judge show \"Refunds are polite\"       what did it say about this test, and why?\n  unitai judge label \"Refunds are polite\" Q1 no --note \"it blames the customer\"";

/// The arguments of `unitai judge`.
#[derive(Args)]
pub(crate) struct Judge {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Ask the judge what people have answered, and count where the two agree
    #[command(after_help = calibrate::EXAMPLES)]
    Calibrate(calibrate::Calibrate),
    /// Say what people answer to a question that the judge was asked: it becomes a case to calibrate with
    #[command(after_help = label::EXAMPLES)]
    Label(label::Label),
    /// Show who answered what about a test, with the words that each answer rests on
    #[command(after_help = show::EXAMPLES)]
    Show(show::Show),
}

impl Judge {
    /// Does it, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        let done = match &self.command {
            Command::Calibrate(calibrate) => calibrate.done(),
            Command::Label(label) => label.done().map(|()| 0),
            Command::Show(show) => show.done().map(|()| 0),
        };
        done.unwrap_or_else(|message| {
            crate::say::complain(&message);
            2
        })
    }
}
