//! `unitai test`: pytest, with the answers of models recorded or replayed.

use std::process::Command;

use clap::Args;

use crate::say::complain;

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
    rest: Vec<String>,
}

/// The arguments of `unitai test` with its own options first: clap hands everything from the first path on to pytest, and
/// people write options behind it. What follows `--` is pytest's.
pub(crate) fn own_first(command: &clap::Command, args: Vec<String>) -> Vec<String> {
    let mut given = args.into_iter();
    let (mut own, mut rest) = (Vec::new(), Vec::new());
    while let Some(arg) = given.next() {
        if arg == "--" {
            rest.push(arg);
            rest.extend(given);
            break;
        }
        let (name, value) =
            arg.split_once('=').map_or((arg.as_str(), None), |(name, value)| (name, Some(value)));
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
    /// Runs pytest and gives its exit code.
    pub(crate) fn run(&self, python: &str) -> i32 {
        let mut command = Command::new(python);
        command.args(["-m", "pytest", "--tb=short", "-q"]);
        // Half of a suite is no baseline, and half of a comparison is none.
        let is_measured = self.baseline.is_some() || self.save_baseline.is_some();
        if !self.keep_going && !is_measured {
            command.arg("-x");
        }
        if let Some(name) = &self.baseline {
            command.arg(format!("--unitai-baseline={name}"));
        }
        if let Some(name) = &self.save_baseline {
            command.arg(format!("--unitai-save-baseline={name}"));
        }
        for (variable, value) in
            [("UNITAI_DEFAULT_N", &self.n), ("UNITAI_DEFAULT_THRESHOLD", &self.threshold)]
        {
            if let Some(value) = value {
                command.env(variable, value);
            }
        }
        if let Some(name) = &self.model {
            command.arg(format!("--unitai-model={name}"));
        }
        if let Some(mode) = self.mode() {
            command.arg(format!("--unitai-cache={mode}"));
        }
        if let Some(dollars) = &self.budget {
            command.arg(format!("--unitai-budget={dollars}"));
        }
        match command.args(&self.rest).status() {
            // A signal is an interruption.
            Ok(status) => status.code().unwrap_or(2),
            Err(error) => {
                complain(&format!("{python} could not be started: {error}"));
                2
            }
        }
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
        let sorted = |text: &str| own_first(&command, text.split(' ').map(str::to_owned).collect()).join(" ");
        assert_eq!(sorted("tests/x.py --budget 1 -n 4 --record"), "--budget 1 --record tests/x.py -n 4");
        assert_eq!(sorted("-k a --baseline=main b"), "--baseline=main -k a b");
        assert_eq!(sorted("a -- --record"), "a -- --record");
        assert_eq!(sorted("--lf -x a"), "--lf -x a");
    }
}
