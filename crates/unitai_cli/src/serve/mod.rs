//! `unitai serve`: a gateway, until it is stopped, or for as long as a command runs.

mod record;
mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::{env, io};

use clap::{Args, ValueEnum};
use unitai_config::{CacheSettings, Choice};
use unitai_gateway::{Gateway, Pace, Settings, Upstreams, start};
use unitai_model::{Ending, Failure, Money, Packed, Value};
use unitai_wire::cassette::{Cassette, Mode, Options, Volatile, redacted_note, ttl_of_hours};
use unitai_wire::meter::{Budget, Price, PriceTable, Whose};
use unitai_wire::redact::Secrets;

use crate::child::{self, Exit, Signals, Told};
use crate::say;

pub(crate) const EXAMPLES: &str = "Examples:
  unitai serve --record -- node agent.mjs    run an agent and record what its models answer
  unitai serve --replay -- node agent.mjs    run it again: offline, free, the same answers
  unitai serve --budget 0.50 -- ./agent.sh   run it live, and never spend more than half a dollar
  unitai serve --auto                        serve until Ctrl-C; prints the variables to set

The command finds the gateway by the variables that its clients know: OPENAI_BASE_URL, ANTHROPIC_BASE_URL,
GOOGLE_GEMINI_BASE_URL, ... Where one of them is set already, requests go on to the address that it holds.
Its exit code is the command's own; 1 if a request had no recording or the budget was used up.";

/// The arguments of `unitai serve`.
#[derive(Args)]
pub(crate) struct Serve {
    /// Ask the providers, and record what they answer
    #[arg(long, group = "mode")]
    record: bool,
    /// Answer from recordings alone
    #[arg(long, group = "mode")]
    replay: bool,
    /// Answer from recordings, and ask the providers where there is none
    #[arg(long, group = "mode")]
    auto: bool,
    /// Ask the providers and record nothing, whatever the configuration says
    #[arg(long, group = "mode")]
    live: bool,
    /// The folder of the recordings [default: the configuration's, else .unitai/cache]
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// How many hours a recording may be replayed; 0 for ever [default: the configuration's, else 168]
    #[arg(long, value_name = "HOURS")]
    ttl_hours: Option<f64>,
    /// Where requests to NAME go; may be repeated
    #[arg(long, value_name = "NAME=URL")]
    upstream: Vec<String>,
    /// The port on 127.0.0.1 [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Write what the agent did to this file [default: .unitai/runs/trajectory.json, with a command]
    #[arg(long, value_name = "FILE")]
    trajectory: Option<PathBuf>,
    /// Refuse calls that could spend more than this in all
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<f64>,
    /// How fast recorded streams are played
    #[arg(long, value_enum, default_value = "none")]
    pace: PaceWord,
    /// Say what happens on standard error
    #[arg(long, short)]
    verbose: bool,
    /// The command to run, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum PaceWord {
    /// At once
    None,
    /// As they came
    Recorded,
}

impl Serve {
    /// Serves. Gives the command's exit code, if there is one.
    pub(crate) fn run(self) -> i32 {
        match self.serve() {
            Ok(code) => code,
            Err(message) => {
                say::complain(&message);
                2
            }
        }
    }

    fn serve(self) -> Result<i32, String> {
        let secrets = Arc::new(say::of_environment());
        let settings = self.settings(&secrets)?;
        let cassette = settings.cassette.clone();
        let mode = cassette.as_ref().map(|cassette| cassette.mode());
        let input = Value::List(self.command.iter().map(|word| Value::Str(word.clone())).collect()).pack();
        let input = if self.command.is_empty() { Packed::null() } else { input };
        // From here on a signal closes the gateway instead of ending the process.
        let signals = Signals::catch().map_err(|error| error.to_string())?;
        let run_id = uuid::Uuid::new_v4().to_string();
        let gateway = start(settings, &run_id, input).map_err(|error| error.to_string())?;
        let environment = gateway.environment(|name| env::var(name).ok());
        let exit = if self.command.is_empty() {
            self.announce(&gateway, &environment, mode).map_err(|error| error.to_string())?;
            signals.wait();
            Exit::Code(0)
        } else {
            let mut command = std::process::Command::new(&self.command[0]);
            command.args(&self.command[1..]).envs(environment);
            child::run(&mut command, &signals, Told::AsItCame, None)
                .map_err(|error| format!("{} cannot be run: {error}", self.command[0]))?
        };
        let ended = gateway.stop();
        let troubles = ended.troubles.clone();
        let trajectory = ended.trajectory(ending(exit));
        let default = (!self.command.is_empty()).then(|| PathBuf::from(record::DEFAULT));
        let file = self.trajectory.clone().or(default);
        let is_written = match &file {
            Some(path) => record::write(path, &trajectory, &secrets),
            None => Ok(()),
        };
        say::note(&words::summary(&trajectory, file.as_deref()));
        let redacted = cassette.map_or(0, |cassette| cassette.tally().counts().redacted);
        if let Some(note) = redacted_note(redacted) {
            say::note(&note);
        }
        is_written?;
        if !self.is_verbose() {
            troubles.iter().for_each(|trouble| say::note(&trouble.text));
        }
        Ok(match exit.code() {
            0 if !troubles.is_empty() => 1,
            code => code,
        })
    }

    fn settings(&self, secrets: &Arc<Secrets>) -> Result<Settings, String> {
        let mut upstreams = Upstreams::default();
        upstreams.adopt(|name| env::var(name).ok());
        for given in &self.upstream {
            let (name, url) = given.split_once('=').ok_or_else(|| {
                format!("--upstream wants NAME=URL, as openai=http://127.0.0.1:8000, and got {given:?}")
            })?;
            upstreams.set(name, url).map_err(|error| error.to_string())?;
        }
        let budget = match self.budget {
            None => None,
            Some(dollars) => {
                let limit = Money::from_dollars(dollars).filter(|_| dollars >= 0.0);
                let limit =
                    limit.ok_or_else(|| format!("--budget wants an amount of dollars, and got {dollars}"))?;
                Some(Budget::new(limit).of(Whose::Gateway))
            }
        };
        let pace = match self.pace {
            PaceWord::None => Pace::None,
            PaceWord::Recorded => Pace::Recorded,
        };
        let is_verbose = self.is_verbose();
        let log = move |line: &str| {
            if is_verbose {
                say::note(line);
            }
        };
        let here = env::current_dir().map_err(|error| error.to_string())?;
        let configured = unitai_config::Settings::of(&here).map_err(|trouble| trouble.told())?;
        let prices = configured.runs().prices;
        let prices = prices.iter().map(|(model, price)| (model.clone(), Price::from(price)));
        Ok(Settings {
            port: self.port,
            upstreams,
            cassette: self.cassette(secrets, configured.cache())?.map(Arc::new),
            pace,
            budgets: budget.into_iter().collect(),
            prices: Arc::new(PriceTable::release().with(prices)),
            secrets: secrets.clone(),
            log: Box::new(log),
            ..Settings::live()
        })
    }

    /// Whether everything is told when it happens.
    fn is_verbose(&self) -> bool {
        self.verbose || self.command.is_empty()
    }

    fn cassette(
        &self,
        secrets: &Arc<Secrets>,
        configured: CacheSettings,
    ) -> Result<Option<Cassette>, String> {
        let choice = match (self.record, self.replay, self.auto, self.live) {
            (true, ..) => Choice::On(Mode::Record),
            (_, true, ..) => Choice::On(Mode::Replay),
            (_, _, true, _) => Choice::On(Mode::Auto),
            (.., true) => Choice::Off,
            _ => configured.mode.unwrap_or_default(),
        };
        let Choice::On(mode) = choice else { return Ok(None) };
        let hours = self.ttl_hours.unwrap_or(configured.ttl_hours);
        let ttl = ttl_of_hours(hours)
            .ok_or_else(|| format!("--ttl-hours wants a number of hours, 0 for ever, and got {hours}"))?;
        let meant =
            |word: &String| Volatile::of_word(word).ok_or_else(|| format!("`{word}` is nothing volatile"));
        let volatile = configured.volatile.iter().map(meant).collect::<Result<Vec<_>, _>>()?;
        let directory = self.cache.clone().unwrap_or(configured.directory);
        let cassette = Cassette::open(&directory, Options { mode, ttl, volatile, secrets: secrets.clone() });
        // A server cannot tell one run from the next; a command is one run.
        Ok(Some(if self.command.is_empty() { cassette.beginning_again() } else { cassette }))
    }

    fn announce(
        &self,
        gateway: &Gateway,
        environment: &[(String, String)],
        mode: Option<Mode>,
    ) -> io::Result<()> {
        for (name, value) in environment {
            say::say(&format!("export {name}={}", words::shell(value)))?;
        }
        let mode = mode.map_or("live", Mode::word);
        let port = gateway.port();
        say::note(&format!("serving on 127.0.0.1:{port} ({mode}); stop with Ctrl-C"));
        Ok(())
    }
}

fn ending(exit: Exit) -> Ending {
    match exit {
        Exit::Code(0) => Ending::returned(Packed::null()),
        Exit::Code(code) => {
            let bases = ["builtins.BaseException"];
            Ending::Raised(Failure::new("builtins.SystemExit", bases, format!("exit code {code}")))
        }
        Exit::Signal(signal) => {
            let bases = ["builtins.BaseException"];
            Ending::Raised(Failure::new("builtins.SystemExit", bases, format!("ended by signal {signal}")))
        }
    }
}
