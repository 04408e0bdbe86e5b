//! `unitai report`: the last run, or one that is given, as one HTML file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use clap::Args;
use unitai_report::html_report;
use unitai_wire::gate::write_public;

use crate::cache::size;
use crate::given::given;
use crate::say::{complain, say, secrets};

/// What `unitai report --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai report                        the last run, as test-results/unitai.html\n  unitai report --open                 the same, and look at it\n  unitai report run.jsonl -o run.html  a run whose events are in this file\n  unitai report junit.xml              any JUnit file, of any tool\n  unitai report -o -                   to standard output";

/// The arguments of `unitai report`.
#[derive(Args)]
pub(crate) struct Report {
    /// The events of a run, as in .unitai/runs, or any JUnit file; - for standard input [default: the last run]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Where the report goes; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "test-results/unitai.html")]
    output: PathBuf,
    /// Open the report in a browser
    #[arg(long)]
    open: bool,
}

impl Report {
    /// Makes the report, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        match self.made() {
            Ok(()) => 0,
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn made(&self) -> Result<(), String> {
        let is_shown = self.output == Path::new("-");
        if is_shown && self.open {
            return Err(
                "`--open` opens a file, and `--output -` makes none; leave one of them out".to_owned()
            );
        }
        let page = html_report(&given(self.file.as_deref(), "report")?.run);
        let shown = self.output.display();
        if is_shown {
            return say(page.trim_end()).map_err(|error| format!("the report could not be told: {error}"));
        }
        write_public(&self.output, page.as_bytes(), secrets()).map_err(|error| {
            format!("the report could not be written to {shown}: {error}; `--output FILE` puts it elsewhere")
        })?;
        // Nobody may be reading any more.
        let _ = say(&format!("{shown} ({})", size(page.len() as u64)));
        if self.open {
            open(&self.output)?;
        }
        Ok(())
    }
}

/// Opens a file in the browser that is asked for, or in the system's own.
fn open(file: &Path) -> Result<(), String> {
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let asked = env::var_os("BROWSER").filter(|browser| !browser.is_empty());
    let mut command = match asked {
        Some(browser) => Command::new(browser),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None if cfg!(windows) => Command::new("explorer"),
        None => Command::new("xdg-open"),
    };
    let name = command.get_program().to_string_lossy().into_owned();
    // It may stay open for hours; nobody waits for it.
    let started = command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.map(drop).map_err(|error| {
        format!(
            "{name} could not be started: {error}; open {} yourself, or name a browser in BROWSER",
            file.display()
        )
    })
}
