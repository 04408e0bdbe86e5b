//! The reports of a run that is over, from its events: made by pytest's process, or by the command if that one died.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use unitai_config::{Name, RunsPlace, Settings, Trouble};
use unitai_model::event::{RunEnding, RunEvent, RunFinished, RunStarted, TestFinished};
use unitai_report::{Run, Style, junit, markdown, results_block};
use unitai_wire::gate::{Log, write_public};
use unitai_wire::redact::Secrets;

/// What came of making them.
#[derive(Debug)]
pub struct Reports {
    /// The block for the end of the terminal's output.
    pub block: String,
    /// What could not be written, and why.
    pub troubles: Vec<String>,
}

/// The file for the events of a run that begins now in a folder. Those of the oldest runs go.
pub fn fresh_events(folder: &Path, now_seconds: u64, id: &str) -> Result<PathBuf, Trouble> {
    let place = RunsPlace::of(folder)?;
    for old in place.old(RunsPlace::KEPT - 1).unwrap_or_default() {
        // One that stays does no harm.
        let _ = fs::remove_file(old);
    }
    Ok(place.fresh(now_seconds, id))
}

/// The run that these events tell of.
pub fn read(events: &Path) -> Result<Run, String> {
    // A device has no end.
    if !events.is_file() {
        return Err(format!("the events of the run cannot be read: {} is no file", events.display()));
    }
    let text = fs::read(events).map_err(|error| unreadable(events, &error))?;
    Run::read(&String::from_utf8_lossy(&text)).map_err(|error| format!("{}: {error}", events.display()))
}

/// Writes down how a run ended whose own process did not, and how those tests did that nobody else tells of.
pub fn end(
    events: &Path,
    run: &Run,
    tests: Vec<TestFinished>,
    how: Ended<'_>,
    secrets: &Secrets,
) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let began = run.started.as_ref().map_or(now, |started| started.at);
    let run_id = events.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    // Its process never came so far as to tell it.
    let started = run.started.is_none().then(|| RunStarted::now(&run_id, now, "unknown", "unknown"));
    let finished = RunFinished {
        at: now,
        duration_seconds: (now - began).max(0.0),
        ending: how.ending,
        exit_code: how.exit_code,
        reason: Some(how.reason.to_owned()),
        spending: None,
        budget: None,
    };
    let tests = tests.into_iter().map(|end| RunEvent::TestFinished(Box::new(end)));
    let lines = started.map(RunEvent::RunStarted).into_iter().chain(tests);
    let mut lines = lines.chain([RunEvent::RunFinished(finished)]);
    let written = Log::open(events).and_then(|mut log| {
        log.end_line()?;
        lines.try_for_each(|event| log.add(&event.line(), secrets))
    });
    written.map_err(|error| unreadable(events, &error))
}

/// How a run ended whose own process did not say it.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// In a word.
    pub ending: RunEnding,
    /// The exit code; `None` where a signal ended it.
    pub exit_code: Option<i32>,
    /// In a few words.
    pub reason: &'a str,
}

/// Where the reports of a run go, and how much they say. Known before the run, for tests change the environment.
#[derive(Debug, Clone)]
pub struct Places {
    junit: PathBuf,
    summary: Option<PathBuf>,
    is_verbose: bool,
}

impl Places {
    /// Those of the project of a folder.
    pub fn of(folder: &Path) -> Result<Places, Trouble> {
        let settings = Settings::of(folder)?;
        let summary = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        Ok(Places {
            junit: settings.get(Name::JunitXml).value.path().map(Path::to_owned).unwrap_or_default(),
            summary: summary.map(PathBuf::from),
            is_verbose: settings.get(Name::Verbose).value.flag().unwrap_or(false),
        })
    }

    /// The JUnit file.
    pub fn junit(&self) -> &Path {
        &self.junit
    }

    /// Puts a JUnit file that says that the run is not over in the place of an older one: nobody may take that for this
    /// run's if it never ends.
    pub fn begin(&self, secrets: &Secrets) -> io::Result<()> {
        if self.junit.is_file() {
            self.write_junit(&Run::default(), secrets)?;
        }
        Ok(())
    }

    /// Makes the reports of a run that is over: JUnit always, and Markdown where GitHub waits for a summary.
    pub fn finish(&self, events: &Path, colour: bool, secrets: &Secrets) -> Result<Reports, String> {
        let run = read(events)?;
        let mut troubles = Vec::new();
        let mut note = |what: &str, named_by: &str, path: &Path, written: io::Result<()>| {
            if let Err(error) = written {
                let path = path.display();
                troubles
                    .push(format!("{what} could not be written: {path}: {error}; {named_by} names another"));
            }
        };
        note("the JUnit file", "the setting `junit_xml`", &self.junit, self.write_junit(&run, secrets));
        if let Some(summary) = &self.summary {
            // Other commands of the same step have written to it, too.
            let written = Log::open(summary).and_then(|mut log| log.add(&markdown(&run), secrets));
            note("the summary for GitHub", "GITHUB_STEP_SUMMARY", summary, written);
        }
        let style = if colour { Style::colour() } else { Style::plain() };
        let block = results_block(&run, self.is_verbose, style);
        Ok(Reports { block, troubles })
    }

    fn write_junit(&self, run: &Run, secrets: &Secrets) -> io::Result<()> {
        write_public(&self.junit, junit::write(run, junit::Form::default()).as_bytes(), secrets)
    }
}

fn unreadable(events: &Path, error: &io::Error) -> String {
    format!("the events of the run cannot be used: {}: {error}", events.display())
}
