//! `unitai report`: the last run, or one that is given, as one HTML file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use clap::Args;
use unitai_config::RunsPlace;
use unitai_report::{Run, html_report};
use unitai_wire::gate::write_public;

use crate::cache::size;
use crate::say::{complain, say, secrets};

/// What `unitai report --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai report                        the last run, as test-results/unitai.html\n  unitai report --open                 the same, and look at it\n  unitai report run.jsonl -o run.html  a run whose events are in this file\n  unitai report -o -                   to standard output";

/// The arguments of `unitai report`.
#[derive(Args)]
pub(crate) struct Report {
    /// The events of a run, as in .unitai/runs [default: those of the last run]
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
        let file = match &self.file {
            Some(file) => file.clone(),
            None => last()?,
        };
        let page = html_report(&read(&file)?);
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

/// The events of the last run.
fn last() -> Result<PathBuf, String> {
    let here = env::current_dir().map_err(|error| format!("the folder of this shell is gone: {error}"))?;
    let place =
        RunsPlace::of(&here).map_err(|trouble| format!("{trouble}; expected {}", trouble.expected))?;
    let folder = place.folder().strip_prefix(&here).unwrap_or(place.folder()).display();
    let newest = place.newest().map_err(|error| format!("{folder} could not be looked into: {error}"))?;
    newest.ok_or_else(|| {
        format!("there is no run in {folder}; `unitai test` makes one, and `unitai report FILE` takes any file of events")
    })
}

fn read(file: &Path) -> Result<Run, String> {
    let shown = file.display();
    let expected = "expected a file of events, as `unitai test` leaves them in .unitai/runs";
    let bytes = fs::read(file).map_err(|error| format!("{shown} could not be read: {error}; {expected}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown} is no text in UTF-8; {expected}"))?;
    // Before they are written as HTML, in which a secret may be spelled otherwise. Where that damages a number, the
    // gate alone has to find it.
    let run = Run::read(&secrets().clean(&text)).or_else(|_| Run::read(&text));
    let run = run.map_err(|error| format!("{shown}: {error}; {expected}"))?;
    if run == Run::default() {
        return Err(format!("{shown} tells of no run; {expected}"));
    }
    Ok(run)
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
