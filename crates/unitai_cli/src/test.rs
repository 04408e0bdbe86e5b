//! `unitai test`: pytest, with what UnitAI adds to it, and an exit code that never calls good what was not seen to be.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use unitai_config::{Examination, Name, Spoken};
use unitai_model::event::{RunEnding, RunFinished};
use unitai_report::Run;

use crate::child::{self, Exit, Signals, Told};
use crate::doctor;
use crate::reports::{self, Ended, Places};
use crate::say::{complain, say, secrets};

/// The arguments of `unitai test`.
#[derive(Args)]
pub(crate) struct Test {
    /// Ask the models afresh, and record every answer
    #[arg(long, group = "cache")]
    record: bool,
    /// Answer from recordings alone; a request that was never recorded fails its test
    #[arg(long, group = "cache")]
    replay: bool,
    /// Answer from recordings, and record what is missing
    #[arg(long, group = "cache")]
    auto: bool,
    /// Take no notice of recordings
    #[arg(long, group = "cache")]
    no_cache: bool,
    /// How often tests are repeated that do not say it themselves
    #[arg(long, value_name = "RUNS")]
    n: Option<String>,
    /// The share of the runs that must pass, from 0 to 1, for tests that do not say it themselves
    #[arg(long, value_name = "SHARE")]
    threshold: Option<String>,
    /// The model that agents use instead of their own
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// What the model calls of all tests may cost together, in US dollars
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<String>,
    /// Go on after the first failure
    #[arg(long)]
    keep_going: bool,
    /// Compare repeated tests with this baseline: one that regressed fails the run. Goes on after a failure
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Save how repeated tests did as this baseline: a name, or a path that ends in .json. Goes on after a failure
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
    /// Everything else goes to pytest: paths, -k, -n, ...
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PYTEST")]
    rest: Vec<OsString>,
}

/// The arguments of `unitai test` with its own options first: clap hands everything from the first path on to pytest, and
/// people write options behind it. What follows `--` is pytest's.
pub(crate) fn own_first(command: &clap::Command, args: Vec<OsString>) -> Vec<OsString> {
    let mut given = args.into_iter();
    let (mut own, mut rest) = (Vec::new(), Vec::new());
    while let Some(arg) = given.next() {
        if arg == "--" {
            rest.push(arg);
            rest.extend(given);
            break;
        }
        // No option of ours is anything but text.
        let text = arg.to_str().unwrap_or_default();
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let known = command.get_arguments().find(|known| {
            known.get_long().is_some_and(|long| name.strip_prefix("--").is_some_and(|name| name == long))
        });
        let takes_value = known.is_some_and(|known| known.get_action().takes_values());
        let is_known = known.is_some();
        let wants_next = takes_value && value.is_none();
        if !is_known {
            rest.push(arg);
            continue;
        }
        own.push(arg);
        if wants_next {
            own.extend(given.next());
        }
    }
    own.extend(rest);
    own
}

impl Test {
    /// Runs pytest and gives the exit code: 0 when all passed, 1 for failures, 2 when it was interrupted or could not
    /// run, 5 when there was nothing to run.
    pub(crate) fn run(&self, python: &str) -> i32 {
        match self.try_run(python) {
            Ok(code) => code,
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn try_run(&self, python: &str) -> Result<i32, String> {
        let folder = env::current_dir().map_err(|error| format!("this folder cannot be read: {error}"))?;
        if self.rest.iter().any(|arg| doctor::plugin::refuses(&arg.to_string_lossy())) {
            return Err(
                "`-p no:unitai` switches off the plugin that `unitai test` is made of; leave it out, or \
                        start pytest yourself"
                    .to_owned(),
            );
        }
        // Before pytest is started, which takes its time, and in the words of whoever wrote the option.
        let spoken = Spoken { command_line: self.settings(), ..Spoken::of_process() };
        if let Err(troubles) = Examination::of(&folder, &spoken).settings {
            troubles.iter().for_each(|trouble| complain(&trouble.told()));
            return Ok(2);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let events = reports::fresh_events(&folder, now, &uuid::Uuid::new_v4().to_string())
            .map_err(|trouble| trouble.told())?;
        let signals = Signals::catch().map_err(|error| error.to_string())?;
        let exit = child::run(&mut self.command(python, &events), &signals, Told::ToStop)
            .map_err(|error| format!("{python} could not be started: {error}"))?;
        self.conclude(&folder, &events, exit)
    }

    /// The options that are settings.
    fn settings(&self) -> Vec<(String, Name, String)> {
        let given = [
            ("--n", Name::DefaultN, &self.n),
            ("--threshold", Name::DefaultThreshold, &self.threshold),
            ("--budget", Name::CostBudgetPerSuite, &self.budget),
        ];
        let given = given.into_iter().filter_map(|(option, name, text)| Some((option, name, text.clone()?)));
        given.map(|(option, name, text)| (option.to_owned(), name, text)).collect()
    }

    fn command(&self, python: &str, events: &Path) -> Command {
        let mut command = Command::new(python);
        // By name, so that the plugin is there also where pytest was told to load none by itself.
        command.args(["-m", "pytest", "-p", "unitai", "--tb=short", "-q", "--unitai"]);
        // As one word: pytest takes a path by itself for a folder of tests, before it knows the option.
        let mut own_events = OsString::from("--unitai-events=");
        own_events.push(events);
        command.arg(own_events);
        // Half of a suite is no baseline, and half of a comparison is none.
        let is_measured = self.baseline.is_some() || self.save_baseline.is_some();
        if !self.keep_going && !is_measured {
            command.arg("-x");
        }
        for (option, value) in [
            ("--unitai-baseline", &self.baseline),
            ("--unitai-save-baseline", &self.save_baseline),
            ("--unitai-model", &self.model),
            ("--unitai-budget", &self.budget),
            ("--unitai-cache", &self.mode().map(str::to_owned)),
        ] {
            if let Some(value) = value {
                command.arg(format!("{option}={value}"));
            }
        }
        for (variable, value) in
            [("UNITAI_DEFAULT_N", &self.n), ("UNITAI_DEFAULT_THRESHOLD", &self.threshold)]
        {
            if let Some(value) = value {
                command.env(variable, value);
            }
        }
        command.args(&self.rest);
        command
    }

    /// What the run came to. Its process has made the reports, unless it died.
    fn conclude(&self, folder: &Path, events: &Path, exit: Exit) -> Result<i32, String> {
        if !events.exists() {
            return if self.only_looks() { Ok(of_pytest(exit)) } else { not_begun(folder, events, exit) };
        }
        let run = reports::read(events)?;
        if let Some(finished) = &run.finished {
            return Ok(match of_pytest(exit) {
                // It was changed after the last word, or before it, by somebody who is not asked.
                0 => of_ending(finished).max(i32::from(!run.is_green())),
                // pytest-xdist takes the first failure for an interruption.
                2 if finished.ending == RunEnding::Stopped => 1,
                // What ends the process of pytest by raising ends it with 1.
                1 if finished.exit_code == Some(PYTEST_BROKE) => 2,
                code => code,
            });
        }
        let (exit_code, how) = match exit {
            Exit::Code(code) => (Some(code), format!("with exit code {code}")),
            Exit::Signal(signal) => (None, format!("by signal {signal}")),
        };
        let has_begun = !run.tests.is_empty();
        let when = if has_begun { "in the middle of the tests" } else { "before the first test" };
        complain(&format!("the process of pytest ended {how} {when}"));
        let reason = format!("the process ended {how}");
        let how = Ended { ending: RunEnding::Crashed, exit_code, reason: &reason };
        reports::end(events, &run, how, secrets())?;
        report(folder, events)?;
        Ok(if matches!(exit, Exit::Signal(_)) || !has_begun { 2 } else { 1 })
    }

    /// Whether pytest was asked for something else than to run tests.
    fn only_looks(&self) -> bool {
        const LOOKS: [&str; 12] = [
            "--co",
            "--collect-only",
            "--version",
            "-V",
            "--help",
            "-h",
            "--fixtures",
            "--funcargs",
            "--fixtures-per-test",
            "--markers",
            "--cache-show",
            "--setup-plan",
        ];
        let is_look = |arg: &str| LOOKS.contains(&arg.split('=').next().unwrap_or(arg));
        self.rest.iter().filter_map(|arg| arg.to_str()).any(is_look)
    }

    fn mode(&self) -> Option<&'static str> {
        [(self.record, "record"), (self.replay, "replay"), (self.auto, "auto"), (self.no_cache, "off")]
            .into_iter()
            .find_map(|(is_meant, mode)| is_meant.then_some(mode))
    }
}

/// The end of a run of which pytest told nothing. It is written down nevertheless: who asks for the last run must not be
/// shown the one before.
fn not_begun(folder: &Path, events: &Path, exit: Exit) -> Result<i32, String> {
    let (exit_code, how) = match exit {
        Exit::Code(code) => (Some(code), format!("with exit code {code}")),
        Exit::Signal(signal) => (None, format!("by signal {signal}")),
    };
    let reason = format!("pytest ended {how} before it looked for tests");
    let how = Ended { ending: RunEnding::Broken, exit_code, reason: &reason };
    reports::end(events, &Run::default(), how, secrets())?;
    report(folder, events)?;
    match exit {
        Exit::Code(0) => Err("pytest ended with 0 before it looked for tests: nothing was tested. Look for what ends \
                              the process, in conftest.py for one"
            .to_owned()),
        // What pytest calls failures, it has not told to anybody.
        Exit::Code(1) => Err("pytest ended with exit code 1 and told of no test: what was tested is not known. What \
                              it says above may tell why; a test that deletes files of the project is another reason"
            .to_owned()),
        exit => Ok(of_pytest(exit)),
    }
}

/// Makes the reports that the process of pytest did not.
fn report(folder: &Path, events: &Path) -> Result<(), String> {
    let places = Places::of(folder).map_err(|trouble| trouble.told())?;
    let reports = places.finish(events, false, secrets())?;
    say(&reports.block).map_err(|error| error.to_string())?;
    reports.troubles.iter().for_each(|trouble| complain(trouble));
    Ok(())
}

/// The exit code of pytest when it fails itself, or a plugin.
const PYTEST_BROKE: i32 = 3;

/// The exit code of a run whose process says that all is well.
fn of_ending(finished: &RunFinished) -> i32 {
    match finished.ending {
        RunEnding::Completed => i32::from(finished.exit_code != Some(0)),
        RunEnding::Stopped => 1,
        RunEnding::Interrupted | RunEnding::Broken | RunEnding::Crashed => 2,
    }
}

/// The exit code of ours for pytest's, which has more of them.
fn of_pytest(exit: Exit) -> i32 {
    match exit {
        Exit::Code(code @ (0 | 1 | 5)) => code,
        Exit::Code(_) | Exit::Signal(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_options_count_wherever_they_stand_and_the_rest_keeps_its_order() {
        let command = Test::augment_args(clap::Command::new("test"));
        let sorted = |text: &str| {
            let args = own_first(&command, text.split(' ').map(OsString::from).collect());
            args.join(std::ffi::OsStr::new(" ")).into_string().unwrap()
        };
        assert_eq!(sorted("tests/x.py --budget 1 -n 4 --record"), "--budget 1 --record tests/x.py -n 4");
        assert_eq!(sorted("-k a --baseline=main b"), "--baseline=main -k a b");
        assert_eq!(sorted("a -- --record"), "a -- --record");
        assert_eq!(sorted("--lf -x a"), "--lf -x a");
    }
}
