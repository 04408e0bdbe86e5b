//! `unitai test`: pytest, with what UnitAI adds to it.

mod ending;
mod hard_timeout;

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use unitai_config::{Examination, Name, Spoken};
use unitai_model::Layer;
use unitai_model::nearest::nearest;

use crate::child::{self, Signals, Told};
use crate::doctor;
use crate::reports;
use crate::say::complain;
use hard_timeout::HardTimeout;

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
    /// Which tests may call models live: allow (all), marked (those marked unitai_live, and repeated ones) or never
    #[arg(long, value_name = "WHICH")]
    live_models: Option<String>,
    /// Only tests of these layers: unit, contract, integration, behavioral, regression; commas between them
    #[arg(long, value_name = "LAYERS", value_delimiter = ',', value_parser = layer)]
    layer: Vec<Layer>,
    /// Go on after the first failure
    #[arg(long)]
    keep_going: bool,
    /// Compare repeated tests with this baseline: one that regressed fails the run. Goes on after a failure
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Save how repeated tests did as this baseline: a name, or a path that ends in .json. Goes on after a failure
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
    /// Everything else goes to pytest: paths, -k, -n, --snapshot-update, --llm, ...
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PYTEST")]
    rest: Vec<OsString>,
}

/// The layer of a word.
fn layer(word: &str) -> Result<Layer, String> {
    Layer::of_word(word).ok_or_else(|| {
        let words = Layer::ALL.map(Layer::word);
        let hint = nearest(word, words).map_or_else(String::new, |word| format!("perhaps {word}; "));
        format!("{hint}a layer is one of: {}", words.join(", "))
    })
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
        if self.rest.iter().any(|arg| arg.to_string_lossy().starts_with("--unitai-events")) {
            return Err("`unitai test` keeps the events of its runs itself, in .unitai/runs; leave `--unitai-events` out, \
                        or start pytest yourself"
                .to_owned());
        }
        // Before pytest is started, which takes its time, and in the words of whoever wrote the option.
        let spoken = Spoken { command_line: self.settings(), ..Spoken::of_process() };
        let settings = match Examination::of(&folder, &spoken).settings {
            Ok(settings) => settings,
            Err(troubles) => {
                troubles.iter().for_each(|trouble| complain(&trouble.told()));
                return Ok(2);
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let events = reports::fresh_events(&folder, now, &uuid::Uuid::new_v4().to_string())
            .map_err(|trouble| trouble.told())?;
        let signals = Signals::catch().map_err(|error| error.to_string())?;
        let limit = settings.get(Name::HardTimeout).value.number().filter(|_| !self.asks_for_debugger());
        let mut timeout = limit.map(|seconds| HardTimeout::new(seconds, &events));
        let mut is_exceeded = timeout.as_mut().map(|timeout| || timeout.is_exceeded());
        let must_end = is_exceeded.as_mut().map(|it| it as child::MustEnd<'_>);
        let exit = child::run(&mut self.command(python, &events), &signals, Told::ToStop, must_end)
            .map_err(|error| format!("{python} could not be started: {error}"))?;
        let overdue = timeout.map(HardTimeout::into_overdue).unwrap_or_default();
        ending::conclude(&folder, &events, exit, self.only_looks(), overdue)
    }

    /// The options that are settings.
    fn settings(&self) -> Vec<(String, Name, String)> {
        let given = [
            ("--n", Name::DefaultN, &self.n),
            ("--threshold", Name::DefaultThreshold, &self.threshold),
            ("--budget", Name::CostBudgetPerSuite, &self.budget),
            ("--live-models", Name::LiveModels, &self.live_models),
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
        if !self.layer.is_empty() {
            let words: Vec<&str> = self.layer.iter().map(|layer| layer.word()).collect();
            command.arg(format!("--unitai-layer={}", words.join(",")));
        }
        for (option, value) in [
            ("--unitai-baseline", &self.baseline),
            ("--unitai-save-baseline", &self.save_baseline),
            ("--unitai-model", &self.model),
            ("--unitai-budget", &self.budget),
            ("--unitai-cache", &self.mode().map(str::to_owned)),
            ("--live-models", &self.live_models),
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

    /// Whether somebody wants to look into tests while they stand still.
    fn asks_for_debugger(&self) -> bool {
        self.rest.iter().any(|arg| matches!(arg.to_str(), Some("--pdb" | "--trace")))
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
