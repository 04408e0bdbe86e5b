//! `unitai lint`: looks at tests with rules.

mod explain;
mod fixing;
mod memory;
mod progress;
mod wanted;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use unitai_config::{Settings, is_root};
use unitai_lint::output::{self, Palette};
use unitai_lint::run::{Outcome, Run};
use unitai_lint::{Plan, Severity};
use unitai_wire::gate::write_public;

use self::fixing::Repairs;
use self::memory::Memory;
use self::progress::Progress;
use crate::say::{complain, is_coloured, note, say, secrets};

/// What `unitai lint --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai lint                        every test below this folder\n  unitai lint tests/unit --fix       repair what can be repaired safely\n  unitai lint --diff                 show the repairs, and write nothing\n  unitai lint --select assert-true   one rule alone\n  unitai lint --format sarif --output lint.sarif\n  unitai lint --explain assert-true  what a rule means, with examples\n\nA line is left alone by a comment with a reason: # unitai: ignore[rule] reason";

/// How findings are told.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with the lines that they are about
    Text,
    /// For programs; see schemas/lint.schema.json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub's workflows
    Github,
}

/// The arguments of `unitai lint`.
#[derive(Args)]
pub(crate) struct Lint {
    /// Files, or folders to look in [default: this folder]
    paths: Vec<PathBuf>,
    /// Repair what can be repaired safely
    #[arg(long)]
    fix: bool,
    /// Show what --fix would change, and write nothing
    #[arg(long, conflicts_with = "fix")]
    diff: bool,
    /// Leave out what is excluded or no test, though it is named: for hooks that name every file
    #[arg(long)]
    force_exclude: bool,
    /// Only these rules, with commas between
    #[arg(long, value_name = "RULES")]
    select: Vec<String>,
    /// Without these rules, with commas between
    #[arg(long, value_name = "RULES")]
    ignore: Vec<String>,
    /// How findings are told
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the findings to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show how often each rule found something, instead of every finding
    #[arg(long)]
    statistics: bool,
    /// Warnings make it fail, too
    #[arg(long)]
    strict: bool,
    /// Look at every file anew, and remember nothing
    #[arg(long)]
    no_cache: bool,
    /// How many files are looked at side by side [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Show what a rule means, with examples
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "fix", "diff", "output", "list"])]
    explain: Option<String>,
    /// Show every rule
    #[arg(long, conflicts_with_all = ["paths", "fix", "diff", "output"])]
    list: bool,
}

impl Lint {
    /// Does it, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        let done = match &self.explain {
            Some(name) => explain::rule(name).map(|text| (text, 0)),
            None if self.list => Ok((explain::list(), 0)),
            None => self.looked(),
        };
        match done {
            Ok((text, code)) => {
                // Nobody may be reading any more.
                let _ = if text.is_empty() { Ok(()) } else { say(text.trim_end()) };
                code
            }
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    /// What is to be said, and the exit code.
    fn looked(&self) -> Result<(String, i32), String> {
        if self.statistics && self.format != Format::Text {
            return Err("--statistics is for people; leave it out, or --format".to_owned());
        }
        let here =
            std::env::current_dir().map_err(|error| format!("the folder of this shell is gone: {error}"))?;
        let settings = wanted::settings(&here, &self.select, &self.ignore)?;
        let plan = wanted::plan(&settings)?;
        let named = if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths.clone() };
        let mut outcome = self.outcome(&here, &settings, &plan, &named)?;
        let mut repairs = Repairs::default();
        if self.fix || self.diff {
            repairs = Repairs::find(&outcome, &plan, settings.root());
            repairs.left_out().iter().for_each(|told| note(told));
            let can_repair = !repairs.is_empty();
            if self.fix {
                repairs.write();
            }
            repairs.not_written().iter().for_each(|told| note(told));
            if self.diff {
                return Ok((repairs.diff(), i32::from(can_repair)));
            }
            if can_repair {
                repairs.done().iter().for_each(|told| note(told));
                outcome = self.outcome(&here, &settings, &plan, &named)?;
            }
        }
        let is_bad =
            outcome.count(Severity::Error) > 0 || (self.strict && outcome.count(Severity::Warning) > 0);
        let code = if repairs.not_written().is_empty() { i32::from(is_bad) } else { 2 };
        Ok((self.told(&outcome, repairs.count())?, code))
    }

    fn outcome(
        &self,
        here: &std::path::Path,
        settings: &Settings,
        plan: &Plan,
        named: &[PathBuf],
    ) -> Result<Outcome, String> {
        let memory = (!self.no_cache).then(|| Memory::of(settings, here, named));
        let kept = memory.as_ref().and_then(Memory::read);
        let progress = Progress::new();
        let jobs = match self.jobs {
            Some(jobs) => usize::from(jobs),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let run = Run {
            root: settings.root(),
            is_project: is_root(settings.root()),
            here,
            named,
            force_exclude: self.force_exclude,
            plan,
            kept: kept.as_deref(),
            jobs,
            progress: &|done, of| progress.told(done, of),
        };
        let outcome = run.run();
        progress.over();
        let outcome = outcome?;
        if let (Some(memory), Some(bytes)) = (memory, &outcome.keep) {
            memory.write(bytes);
        }
        Ok(outcome)
    }

    /// What is said on standard output; the rest goes to where it was asked for.
    fn told(&self, outcome: &Outcome, repaired: usize) -> Result<String, String> {
        let is_shown = self.output.is_none() && is_coloured();
        let palette = if is_shown { Palette::Colour } else { Palette::Plain };
        let mut text = match self.format {
            Format::Text if self.statistics => output::statistics(outcome),
            Format::Text => output::text(outcome, palette),
            Format::Json => output::json(outcome, repaired),
            Format::Sarif => output::sarif(outcome),
            Format::Github => output::github(outcome),
        };
        let summary = output::summary(outcome, repaired);
        let Some(file) = &self.output else {
            if self.format == Format::Text {
                text.push_str(&summary);
            } else {
                note(&summary);
            }
            return Ok(text);
        };
        write_public(file, text.as_bytes(), secrets()).map_err(|error| {
            format!("{} could not be written: {error}; name another file", file.display())
        })?;
        Ok(summary)
    }
}
