//! `unitai explain`: the page about an error, from the catalogue in this program.

use clap::Args;
use unitai_model::catalogue::{CATALOGUE, Entry};
use unitai_model::nearest::nearest;
use unitai_model::value::plain;

use crate::say::{complain, say};

/// The examples of the help.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai explain UA206              what the error means, what to do, and a program that raises it\n  unitai explain UnmockedToolError  the same, by the name of its class\n  unitai explain                    every error in a line\n\nA rule of the linter: unitai lint --explain RULE";

/// The arguments of `unitai explain`.
#[derive(Args)]
pub(crate) struct Explain {
    /// The code of the error, as in UA206, or its class [default: list all]
    error: Option<String>,
}

impl Explain {
    /// Prints the page, and gives the exit code: 2 where there is no such error.
    pub(crate) fn run(&self) -> i32 {
        match self.error.as_deref().map_or_else(|| Ok(list()), page) {
            Ok(text) => {
                // The reader may have closed the pipe.
                let _ = say(text.trim_end());
                0
            }
            Err(message) => {
                complain(&message);
                2
            }
        }
    }
}

fn page(name: &str) -> Result<String, String> {
    let is_meant = |entry: &&Entry| {
        [entry.code, entry.class]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name.trim_matches(['[', ']'])))
    };
    CATALOGUE.iter().find(is_meant).map(Entry::page).ok_or_else(|| {
        let names = CATALOGUE.iter().map(|entry| entry.code).chain(CATALOGUE.iter().map(|entry| entry.class));
        // One code is as near to another as any.
        let near = nearest(name, names).filter(|near| !near.starts_with("UA"));
        let hint = near.map_or_else(String::new, |near| format!("perhaps `{near}`; "));
        format!("there is no error `{}`; {hint}`unitai explain` lists every error", plain(name))
    })
}

fn list() -> String {
    let width = CATALOGUE.iter().map(|entry| entry.class.len()).max().unwrap_or(0);
    CATALOGUE
        .iter()
        .map(|entry| format!("{}  {:width$}  {}\n", entry.code, entry.class, entry.summary))
        .collect()
}
