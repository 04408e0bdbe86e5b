//! `unitai report`: the last run, or one that is given, as one HTML file.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

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
            let program = open(&self.output)?;
            let _ = say(&format!("opened with {program}"));
        }
        Ok(())
    }
}

/// How long a program is waited for that opens a file: one that finds no browser says so at once, and a browser stays for hours.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens a file in the browser that is asked for, or in the system's own, and gives the program's name.
fn open(file: &Path) -> Result<String, String> {
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let asked = env::var_os("BROWSER").filter(|browser| !browser.is_empty());
    let mut command = match asked {
        Some(browser) => Command::new(browser),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None if cfg!(windows) => Command::new("explorer"),
        None => Command::new("xdg-open"),
    };
    let name = command.get_program().to_string_lossy().into_owned();
    let unopened =
        |why: String| format!("{name} {why}; open {} yourself, or name a browser in BROWSER", file.display());
    let started = command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut program = started.map_err(|error| unopened(format!("could not be started: {error}")))?;
    let ended = ended_within(&mut program, PATIENCE);
    // Explorer says 1 whatever it did.
    match ended.filter(|ended| !ended.success() && name != "explorer") {
        Some(ended) => Err(unopened(format!("opened nothing: {ended}"))),
        None => Ok(name),
    }
}

/// How a program ended, if it did before nobody waits any more.
fn ended_within(program: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + patience;
    loop {
        match program.try_wait() {
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            ended => return ended.ok().flatten(),
        }
    }
}
