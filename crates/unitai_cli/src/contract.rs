//! `unitai contract`: which interfaces a project has, and which of their implementations contract tests cover.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use unitai_config::{Settings, is_root};
use unitai_lint::run::Run;
use unitai_lint::{Contracts, Cover, Implementation, Interface, Options, Plan, Wanted};
use unitai_model::value::plain;

use crate::say::{complain, counted, say};

/// What `unitai contract --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai contract list                every interface, what implements it, and which test covers that\n  unitai contract list --check        fail if an implementation is not covered, for CI\n  unitai contract list --format json  the same for programs";

/// The version of the JSON form.
const VERSION: u32 = 1;

/// The arguments of `unitai contract`.
#[derive(Args)]
pub(crate) struct Contract {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Show every interface, what implements it, and which contract test covers that
    #[command(after_help = EXAMPLES)]
    List(List),
}

/// How the list is told.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The arguments of `unitai contract list`.
#[derive(Args)]
struct List {
    /// How it is told
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Fail if an implementation is not covered
    #[arg(long)]
    check: bool,
}

impl Contract {
    /// Does it, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        let What::List(list) = &self.what;
        match list.told() {
            Ok((text, code)) => {
                // Nobody may be reading any more.
                let _ = say(text.trim_end());
                code
            }
            Err(message) => {
                complain(&message);
                2
            }
        }
    }
}

impl List {
    fn told(&self) -> Result<(String, i32), String> {
        let here =
            std::env::current_dir().map_err(|error| format!("the folder of this shell is gone: {error}"))?;
        let settings = Settings::of(&here).map_err(|trouble| trouble.told())?;
        let interfaces = contracts(&settings, &here)?.interfaces;
        let uncovered = interfaces.iter().flat_map(Interface::uncovered).count();
        let text = match self.format {
            Format::Text => text(&interfaces, uncovered),
            Format::Json => {
                let told = json!({"version": VERSION, "uncovered": uncovered, "interfaces": interfaces});
                format!("{told:#}")
            }
        };
        Ok((text, i32::from(self.check && uncovered > 0)))
    }
}

fn contracts(settings: &Settings, here: &Path) -> Result<Contracts, String> {
    let wanted = Wanted {
        select: vec!["uncovered-contract".to_owned()],
        exclude: settings.lint().exclude,
        ..Wanted::default()
    };
    let plan = Plan::of(&wanted, Options::default()).map_err(|wrong| wrong.message)?;
    let root = settings.root();
    let run = Run {
        force_exclude: false,
        root,
        is_project: is_root(root),
        here,
        named: &[PathBuf::from(root)],
        plan: &plan,
        kept: None,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        progress: &|_, _| {},
    };
    run.contracts()
}

fn text(interfaces: &[Interface], uncovered: usize) -> String {
    if interfaces.is_empty() {
        return "this project has no class with abstract methods".to_owned();
    }
    let width = |name: &str| name.chars().count();
    let implementations = || interfaces.iter().flat_map(|interface| &interface.implementations);
    let widest = implementations().map(|it| width(&it.name) + 2);
    let widest = widest.chain(interfaces.iter().map(|it| width(&it.name))).max().unwrap_or(0);
    let mut text = String::new();
    for interface in interfaces {
        let contracts = match interface.contracts.as_slice() {
            [] => String::new(),
            some => format!("  {}", plain(&some.join(", "))),
        };
        text.push_str(&row(&interface.name, widest, &format!("{}{contracts}", plain(&interface.path))));
        if interface.implementations.is_empty() {
            text.push_str("  nothing here implements it\n");
        }
        for implementation in &interface.implementations {
            let name = format!("  {}", implementation.name);
            text.push_str(&row(&name, widest, &covered(implementation)));
        }
    }
    let uncovered = match uncovered {
        0 => "all covered".to_owned(),
        some => format!("{some} not covered"),
    };
    let counts = [
        counted(interfaces.len() as u64, "interface"),
        counted(implementations().count() as u64, "implementation"),
    ];
    format!("{text}{}, {uncovered}", counts.join(", "))
}

fn covered(implementation: &Implementation) -> String {
    let one = |cover: &Cover| match cover.class.as_str() {
        "" => plain(&cover.path),
        class => plain(&format!("{}::{class}", cover.path)),
    };
    match implementation.covers.as_slice() {
        [] => match implementation.not_collected.first() {
            Some(passed_over) => format!("not covered: pytest does not collect {}", one(passed_over)),
            None => "not covered".to_owned(),
        },
        [first] => one(first),
        [first, rest @ ..] => format!("{} and {} more", one(first), rest.len()),
    }
}

fn row(name: &str, widest: usize, rest: &str) -> String {
    let gap = " ".repeat(widest.saturating_sub(name.chars().count()) + 2);
    format!("{name}{gap}{}\n", rest.trim_end())
}
