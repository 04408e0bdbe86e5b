//! `unitai yaml run`: tests, one after the other, and what came of them.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use unitai_config::{JudgeAnswers, JudgeProvider, root_above};
use unitai_mcp::client::Settings;
use unitai_mcp::engine::Engine;
use unitai_model::event::RunEnding;
use unitai_spec::document::{Severity, Spec, read_file, report_names};
use unitai_spec::run::{Around, Ending, Recording, Replay, Run as Ran, Source, Stop, Unobserved, prove};

use unitai_wire::gate::write_public;

use super::files;
use super::models::{Models, Wanted};
use super::run_log::RunLog;
use super::telling::{self, Tally, Watched};
use crate::child::Signals;
use crate::say::{complain, note, say, secrets};

/// What `unitai yaml run --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai yaml run                          every test below tests/llm\n  unitai yaml run tests/llm/api.yaml -v    one file, with each step as it ends\n  unitai yaml run --timeout 20             no test longer than 20 seconds\n  unitai yaml run --record                 keep what the tools answer\n  unitai yaml run --replay                 run again without tools and network\n  unitai yaml run --mode agentic           a model calls the tools, and its calls are checked\n  unitai yaml run --mode dry               only tell what would happen\n  unitai yaml run --json | jq .verdict     one line of JSON for each test\n  unitai yaml run --junit junit.xml        JUnit XML for CI\n\nThe run is kept for `unitai results` and `unitai report`.\n\nExit codes: 0 nothing failed, 1 a test failed, 2 something around the tests is not as needed";

/// The exit code of a run that was stopped by Ctrl-C or a signal.
const INTERRUPTED: i32 = 130;

/// The arguments of `unitai yaml run`.
#[derive(Args)]
pub(crate) struct Run {
    /// Files, or folders to look in [default: tests/llm]
    paths: Vec<PathBuf>,
    /// Seconds for each test, whatever it says itself
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
    /// Show each step as it ends
    #[arg(short, long)]
    verbose: bool,
    /// What a test counts as that nobody could decide
    #[arg(long, value_enum, default_value_t = Unclear::Skip)]
    unclear: Unclear,
    /// Keep what tools and judge answer, in `recordings` beside each file
    #[arg(long, conflicts_with = "replay")]
    record: bool,
    /// Answer from recordings alone: no tool, no judge, no network
    #[arg(long)]
    replay: bool,
    /// How tests are run
    #[arg(long, value_enum, conflicts_with = "replay")]
    mode: Option<Mode>,
    /// Who judges, and drives in the agentic mode [default: judge.provider]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(JudgeProvider::ALL.map(JudgeProvider::word)).try_map(provider))]
    provider: Option<JudgeProvider>,
    /// The model of whoever judges and drives [default: judge.model, or with another --provider its own]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Where the judge's answers come from [default: judge.answers]
    #[arg(long, value_name = "MODE", value_parser = PossibleValuesParser::new(JudgeAnswers::ALL.map(JudgeAnswers::word)).try_map(answers))]
    judge: Option<JudgeAnswers>,
    /// One line of JSON for each test, with all evidence
    #[arg(long)]
    json: bool,
    /// Write the run as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

fn provider(word: String) -> Result<JudgeProvider, String> {
    JudgeProvider::of_word(&word).ok_or(word)
}

fn answers(word: String) -> Result<JudgeAnswers, String> {
    JudgeAnswers::of_word(&word).ok_or(word)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Unclear {
    Skip,
    Fail,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// The engine calls the tools
    Engine,
    /// A model calls the tools of the steps; what counts is what it called
    Agentic,
    /// As engine, and what tools and judge answer is kept
    Record,
    /// Answers come from recordings alone
    Replay,
    /// Nothing is run: what would happen is told
    Dry,
}

impl Run {
    /// Runs them, and gives the exit code.
    pub(crate) fn run(&self, python: &str) -> i32 {
        match self.ran(python) {
            Ok(code) => code,
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn ran(&self, python: &str) -> Result<i32, String> {
        let mode = self.mode();
        if mode == Mode::Dry {
            let tests = self.tests()?;
            let specs: Vec<Spec> = tests.into_iter().map(|(_, spec)| spec).collect();
            return Ok(telling::plans(&specs, self.json));
        }
        let here = env::current_dir().map_err(|error| format!("there is no current folder: {error}"))?;
        let arguments = self.paths.iter().map(|path| path.display().to_string()).collect();
        let mut log = RunLog::begin(&here, arguments, self.junit.clone())?;
        let (ending, ended) = match self.run_all(&here, mode, python, &mut log) {
            Ok(code) if code == INTERRUPTED => (RunEnding::Interrupted, Ok(code)),
            Ok(code) => (RunEnding::Completed, Ok(code)),
            Err(message) => (RunEnding::Broken, Err(message)),
        };
        let reason = ended.as_ref().err().and_then(|message| message.lines().next()).map(str::to_owned);
        match (log.finish(ending, *ended.as_ref().unwrap_or(&2), reason), ended) {
            (Err(trouble), Err(message)) => Err(format!("{message}\n{trouble}")),
            (Err(trouble), Ok(_)) => Err(trouble),
            (Ok(trouble), ended) => {
                trouble.iter().for_each(|trouble| note(trouble));
                ended
            }
        }
    }

    /// Runs them, and writes down what happens.
    fn run_all(&self, here: &Path, mode: Mode, python: &str, log: &mut RunLog) -> Result<i32, String> {
        let tests = self.tests()?;
        log.found(tests.len());
        let is_kept = mode == Mode::Record || (self.record && mode != Mode::Replay);
        let wanted = Wanted { provider: self.provider, model: self.model.as_deref(), answers: self.judge };
        let models = Models::open(here, wanted)?;
        let settings = Settings { python: Some(python.into()), ..Settings::new(root_above(here)) };
        let engine = Engine::new(settings);
        let servers = engine.servers().map_err(|error| error.to_string())?;
        let signals = Arc::new(Signals::catch().map_err(|error| error.to_string())?);
        let stop = Stop::default();
        let (waiting, asking) = (Arc::clone(&signals), stop.clone());
        std::thread::spawn(move || {
            if waiting.wait().is_some() {
                note("stopping; teardown still runs");
                asking.ask();
            }
        });
        let env: Vec<(String, String)> = env::vars_os()
            .map(|(name, it)| (name.to_string_lossy().into_owned(), it.to_string_lossy().into_owned()))
            .collect();
        let mut tally = Tally::default();
        let mut run_each = || -> Result<bool, String> {
            for (name, spec) in &tests {
                let logged = log.start(spec, name);
                let recording = if mode == Mode::Replay { Some(recording(spec)?) } else { None };
                let clean = |text: &str| secrets().clean(text).into_owned();
                let engaged = models.of_test();
                let around = Around {
                    run_id: &uuid::Uuid::new_v4().to_string(),
                    connector: servers.as_ref(),
                    judge: &engaged.judge,
                    observer: if self.verbose { &Watched } else { &Unobserved },
                    env: &env,
                    timeout: self.timeout,
                    source: match &recording {
                        Some(recording) => Source::Recording(Replay { recording, clean: &clean }),
                        None if mode == Mode::Agentic => Source::Driver(&engaged.driver),
                        None => Source::Tools,
                    },
                };
                let whole = async {
                    let mut ran = unitai_spec::run::run(spec, &around, &stop).await;
                    if is_kept {
                        prove(spec, &around, &clean, &mut ran).await;
                    }
                    ran
                };
                let ran = engine
                    .block_on_checked(whole, &stop, &mut || false)
                    .map_err(|error| error.to_string())?;
                // What ended without a verdict is no answer to the next run.
                if is_kept && matches!(ran.ending, Ending::Decided(_)) {
                    keep(spec, &ran)?;
                }
                log.end(logged, &ran, engaged.tally(), self.unclear);
                telling::result(spec, &ran, &mut tally, self.json);
                if matches!(ran.ending, Ending::Stopped { .. }) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let is_stopped = run_each();
        // However it ends, plugins of the session are cleaned up.
        for trouble in engine.shutdown() {
            note(&trouble);
        }
        log.spent_of(models.suite_limit());
        if is_stopped? {
            return Ok(INTERRUPTED);
        }
        if !self.json {
            let _ = say(&tally.text());
        }
        let is_red = tally.failed > 0 || (self.unclear == Unclear::Fail && tally.unclear > 0);
        Ok(if tally.errors > 0 { 2 } else { i32::from(is_red) })
    }

    /// Every test with its name in reports, unless one of the files cannot be used: then none is run.
    fn tests(&self) -> Result<Vec<(String, Spec)>, String> {
        let (mut tests, mut wrong) = (Vec::new(), Vec::new());
        for file in files::tests(&self.paths)? {
            let source = std::fs::read_to_string(&file).ok();
            let reading = read_file(&file);
            for trouble in &reading.troubles {
                let told = trouble.render(source.as_deref());
                match trouble.severity {
                    Severity::Error => wrong.push(told),
                    Severity::Warning => note(&told),
                }
            }
            let names = reading.specs.iter().map(|spec| (spec.test.name.as_str(), spec.case.as_deref()));
            let names = report_names(names, &file);
            tests.extend(names.into_iter().zip(reading.specs));
        }
        if wrong.is_empty() { Ok(tests) } else { Err(wrong.join("\n")) }
    }

    fn mode(&self) -> Mode {
        match (self.mode, self.record, self.replay) {
            (Some(mode), ..) => mode,
            (None, true, _) => Mode::Record,
            (None, _, true) => Mode::Replay,
            (None, false, false) => Mode::Engine,
        }
    }
}

/// What answers instead of tools and judges.
fn recording(spec: &Spec) -> Result<Recording, String> {
    let path = Recording::path_of(spec);
    let told = |why: String| format!("{}: {why}", path.display());
    let text = std::fs::read_to_string(&path)
        .map_err(|error| told(format!("{error}; `unitai yaml run --record` makes it")))?;
    Recording::from_text(&text).map_err(told)
}

/// Keeps a run for the next.
fn keep(spec: &Spec, ran: &Ran) -> Result<(), String> {
    let path = Recording::path_of(spec);
    let text = Recording::of(spec, ran).to_text();
    write_public(&path, text.as_bytes(), secrets()).map_err(|error| format!("{}: {error}", path.display()))
}
