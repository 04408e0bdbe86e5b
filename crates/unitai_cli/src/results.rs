//! `unitai results`: the last run, or any other, for a person or for a program.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use unitai_config::RunsPlace;
use unitai_model::value::plain;
use unitai_report::junit::{self, Form};
use unitai_report::{Look, Run, Style, Summary, listing, markdown, results_block};
use unitai_wire::gate::write_public;

use crate::say::{complain, say, secrets};

pub(crate) const EXAMPLES: &str = "Examples:\n  unitai results                          the last run of this project\n  unitai results --json                   the same, for a program\n  unitai results test-results/unitai.xml  any JUnit file, of any tool\n  unitai results --markdown summary.md    write a summary of the last run";

/// No file of events is larger than this.
const MAX_BYTES: u64 = 1 << 30;

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
        let (run, name) = self.read()?;
        written(self.junit.as_deref(), || junit::write(&run, Form::Common))?;
        written(self.junit_strict.as_deref(), || junit::write(&run, Form::Strict))?;
        written(self.markdown.as_deref(), || markdown(&run))?;
        let text = if self.json { Summary::of(&run).json() } else { self.told(&run, &name) };
        // Nobody may be reading any more.
        let _ = say(&text);
        Ok(run.is_green())
    }

    fn told(&self, run: &Run, name: &str) -> String {
        let is_terminal = io::stdout().is_terminal();
        let is_colour = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        let style = if is_colour { Style::colour() } else { Style::plain() };
        let size = terminal_size::terminal_size().filter(|_| is_terminal);
        let look = Look { width: size.map(|(width, _)| usize::from(width.0)), verbose: self.verbose, style };
        format!("{name}\n\n{}\n{}", listing(run, look), results_block(run, self.verbose, style))
    }

    /// The run, and the name of where it was found.
    fn read(&self) -> Result<(Run, String), String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        let path = match &self.file {
            Some(path) if path == Path::new("-") => {
                let bytes = all(io::stdin().lock()).map_err(|error| format!("standard input: {error}"))?;
                return Ok((understood(&bytes, "standard input")?, "standard input".to_owned()));
            }
            Some(path) => path.clone(),
            None => last_run(&here)?,
        };
        let name = shown(path.strip_prefix(&here).unwrap_or(&path));
        let bytes = File::open(&path).and_then(all).map_err(|error| {
            format!("{name} cannot be read: {error}; expected a file of run events (.unitai/runs/*.jsonl) or a JUnit file")
        })?;
        Ok((understood(&bytes, &name)?, name))
    }
}

/// Writes the text, if somebody said where to.
fn written(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    write_public(path, text().as_bytes(), secrets())
        .map_err(|error| format!("{} could not be written: {error}", shown(path)))
}

/// The file of the last run of the project around this folder.
fn last_run(here: &Path) -> Result<PathBuf, String> {
    let place = RunsPlace::of(here).map_err(|trouble| format!("{trouble}; expected {}", trouble.expected))?;
    let folder = shown(place.folder().strip_prefix(here).unwrap_or(place.folder()));
    let newest = place.newest().map_err(|error| format!("{folder} cannot be read: {error}"))?;
    newest.ok_or_else(|| {
        format!("no run was found in {folder}; run `unitai test` first, or name a file: unitai results FILE")
    })
}

fn all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 1 GB"));
    }
    Ok(bytes)
}

/// The run that a file tells of, in whichever form.
fn understood(bytes: &[u8], name: &str) -> Result<Run, String> {
    let wrong = |reason: String| {
        format!(
            "{name} cannot be understood: {}; expected run events (JSON lines, as in .unitai/runs) or JUnit XML",
            plain(&reason)
        )
    };
    // A mark of the byte order stands before XML only.
    let begins_wide =
        [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"].iter().any(|mark| bytes.starts_with(mark));
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return Err(wrong("it is empty".to_owned())),
        Some(b'<') => return junit::read(bytes).map_err(|error| wrong(error.to_string())),
        Some(_) if begins_wide => return junit::read(bytes).map_err(|error| wrong(error.to_string())),
        Some(b'{') => {}
        Some(_) => return Err(wrong("it is neither JSON nor XML".to_owned())),
    }
    let text = str::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    // Before they are written in other forms, in which a secret may be spelled otherwise. Where that damages a number,
    // the gate alone has to find it.
    let run = Run::read(&secrets().clean(text)).or_else(|_| Run::read(text));
    let run = run.map_err(|error| wrong(error.to_string()))?;
    if run == Run::default() {
        return Err(wrong("it holds no run event".to_owned()));
    }
    Ok(run)
}

fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}
