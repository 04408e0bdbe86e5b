//! What `unitai yaml run` leaves behind: the events of the run, of which `unitai results` and `unitai report` tell again, and
//! JUnit XML where that is wanted.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use unitai_config::root_above;
use unitai_judge::Tally;
use unitai_model::event::{
    AgentRan, Document, Limit, Part, Phase, RunEnding, RunEvent, RunFinished, RunStarted, Spending,
    TestFailure, TestFinished, TestOutcome, TestStarted, TestsFound,
};
use unitai_report::{Run, junit};
use unitai_spec::document::Spec;
use unitai_spec::run::{Ending, Run as Ran, Signs, Word, tell};
use unitai_wire::gate::{Log, write_public};

use super::run::Unclear;
use crate::reports::fresh_events;
use crate::say::secrets;

/// The events of a run, as they happen.
pub(super) struct RunLog {
    lines: String,
    /// The file of the project; none if it cannot be written, which costs no test its result.
    file: Option<Log>,
    trouble: Option<String>,
    junit: Option<PathBuf>,
    began: f64,
    root: PathBuf,
    budget: Option<Limit>,
}

/// One test, as reports know it.
pub(super) struct LoggedTest {
    started: TestStarted,
}

impl RunLog {
    /// Begins a run in a folder. What stands in the JUnit file from an earlier one gives way: nobody may take it for this
    /// run's.
    pub(super) fn begin(
        folder: &Path,
        arguments: Vec<String>,
        junit: Option<PathBuf>,
    ) -> Result<RunLog, String> {
        if let Some(path) = junit.as_deref().filter(|path| path.is_file()) {
            write_junit(path, &Run::default())?;
        }
        let (began, run_id) = (now(), uuid::Uuid::new_v4().to_string());
        let path = fresh_events(folder, began as u64, &run_id).map_err(|trouble| trouble.told());
        let told = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        let file = path.and_then(|path| Log::begin(&path).map_err(|error| told(&path, error)));
        let (file, trouble) = match file {
            Ok(file) => (Some(file), None),
            Err(why) => (None, Some(why)),
        };
        let root = root_above(folder).to_owned();
        let mut log = RunLog { lines: String::new(), file, trouble, junit, began, root, budget: None };
        log.add(&RunEvent::RunStarted(RunStarted { arguments, ..RunStarted::now(&run_id, began, "", "") }));
        Ok(log)
    }

    /// The tests are known.
    pub(super) fn found(&mut self, count: usize) {
        self.add(&RunEvent::TestsFound(TestsFound { at: now(), count: count as u64, deselected: 0 }));
    }

    /// A test begins, which has this name in its file.
    pub(super) fn start(&mut self, spec: &Spec, name: &str) -> LoggedTest {
        let file = &*spec.place.file;
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let file = absolute.strip_prefix(&self.root).unwrap_or(file);
        let parts = file.components().map(|part| part.as_os_str().to_string_lossy());
        let file =
            if file.is_absolute() { file.display().to_string() } else { parts.collect::<Vec<_>>().join("/") };
        let started = TestStarted {
            at: now(),
            test: format!("{file}::{name}"),
            file: Some(file),
            line: Some(spec.place.line as u64),
        };
        self.add(&RunEvent::TestStarted(started.clone()));
        LoggedTest { started }
    }

    /// A test is over.
    pub(super) fn end(&mut self, test: LoggedTest, ran: &Ran, tally: Tally, unclear: Unclear) {
        let LoggedTest { started } = test;
        let mut trajectory = String::new();
        ran.trajectory.write_json(&mut trajectory);
        if let Some(trajectory) = Document::of(trajectory) {
            let ran = AgentRan { test: started.test.clone(), example_of: None, is_yaml: true, trajectory };
            self.add(&RunEvent::AgentRan(ran));
        }
        let outcome = outcome(&ran.ending, unclear);
        let text = tell(&ran.ending, Signs::Drawn);
        let message = text.lines().next().unwrap_or_default().to_owned();
        let end = TestFinished {
            at: now(),
            outcome,
            reason: (outcome == TestOutcome::Skipped).then(|| message.clone()),
            failures: match outcome {
                TestOutcome::Failed | TestOutcome::Error => {
                    vec![TestFailure {
                        phase: Phase::Call,
                        message: message.clone(),
                        text,
                        report: None,
                        broken: vec![],
                    }]
                }
                _ => Vec::new(),
            },
            spending: spending(tally),
            ..TestFinished::without_end(&started, ran.seconds, String::new(), String::new())
        };
        self.add(&RunEvent::TestFinished(Box::new(end)));
    }

    /// What all tests together have spent of what they may.
    pub(super) fn spent_of(&mut self, budget: Option<Limit>) {
        self.budget = budget;
    }

    /// The run is over. Writes it as JUnit, if that is wanted; gives why the events could not be written.
    pub(super) fn finish(
        mut self,
        ending: RunEnding,
        exit_code: i32,
        reason: Option<String>,
    ) -> Result<Option<String>, String> {
        let at = now();
        self.add(&RunEvent::RunFinished(RunFinished {
            at,
            duration_seconds: (at - self.began).max(0.0),
            ending,
            exit_code: Some(exit_code),
            reason,
            spending: None,
            budget: self.budget,
        }));
        if let Some(path) = &self.junit {
            // Before it is written in another form, in which a secret may be spelled otherwise.
            let run = Run::read(&secrets().clean(&self.lines)).or_else(|_| Run::read(&self.lines));
            write_junit(path, &run.map_err(|error| error.to_string())?)?;
        }
        Ok(self.trouble.map(|why| format!("the run could not be kept for `unitai results`: {why}")))
    }

    fn add(&mut self, event: &RunEvent) {
        let line = event.line();
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.add(&line, secrets())) {
            (self.file, self.trouble) = (None, Some(error.to_string()));
        }
        self.lines.push_str(&line);
        self.lines.push('\n');
    }
}

fn write_junit(path: &Path, run: &Run) -> Result<(), String> {
    let text = junit::write(run, junit::Form::Common);
    write_public(path, text.as_bytes(), secrets()).map_err(|error| {
        format!("the JUnit file could not be written: {}: {error}; name another with --junit", path.display())
    })
}

/// What a test came to, in the words of reports.
fn outcome(ending: &Ending, unclear: Unclear) -> TestOutcome {
    match ending {
        Ending::Decided(verdict) => match (verdict.word, unclear) {
            (Word::Pass, _) => TestOutcome::Passed,
            (Word::Unclear, Unclear::Skip) => TestOutcome::Skipped,
            (Word::Fail, _) | (Word::Unclear, Unclear::Fail) => TestOutcome::Failed,
        },
        Ending::Error { .. } | Ending::Stopped { .. } => TestOutcome::Error,
    }
}

/// What judges and drivers came to, if any was asked.
fn spending(tally: Tally) -> Option<Spending> {
    let live = Part {
        calls: tally.calls,
        tokens: tally.input_tokens.saturating_add(tally.output_tokens),
        cost: tally.cost.dollars(),
        unpriced: tally.unpriced,
    };
    (live.calls > 0).then(|| Spending { live, ..Spending::default() })
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
