//! The `unitai` command: arguments and exit codes. It decides nothing.

mod cache;
mod child;
mod completions;
mod config;
mod contract;
mod demo;
mod doctor;
mod explain;
mod git;
mod given;
mod init;
mod judge;
mod lint;
mod mcp;
mod report;
pub mod reports;
mod results;
mod say;
mod serve;
mod test;
mod yaml;

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{CommandFactory, Parser, Subcommand};

/// What a report of a problem needs: the command, the engine that decides, and the day of its prices.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let (engine, prices) = (unitai_model::VERSION, unitai_wire::meter::prices_as_of());
    format!("{} (engine {engine}, prices of {prices})", env!("CARGO_PKG_VERSION"))
});

/// Write tests for your agents like you write tests for your code.
#[derive(Parser)]
#[command(
    name = "unitai",
    version = VERSION.as_str(),
    after_help = "Examples:\n  unitai init             begin: settings, and a first test that passes\n  unitai demo             see a passing and a failing agent test, offline\n  unitai test --record    run the tests, and record what the models answer\n  unitai test --replay    run them again, for nothing and without network\n  unitai serve --record -- node agent.mjs    record an agent in any language"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Begin: settings with comments, a first test that passes, lines in .gitignore
    #[command(after_help = init::EXAMPLES)]
    Init(init::Init),
    /// Show a passing and a failing agent test, offline, in a few seconds
    #[command(
        after_help = "Examples:\n  unitai demo               run the demo in a temporary folder\n  unitai demo --keep here   leave the demo's files in ./here to play with"
    )]
    Demo(demo::Demo),
    /// Run the tests with pytest; record or replay what the models answer
    #[command(
        after_help = "Examples:\n  unitai test                        run the tests; stop at the first failure\n  unitai test --record               ask the models afresh, and record every answer\n  unitai test --replay tests/agents  answer from recordings alone\n  unitai test --layer unit,contract  only tests of these layers\n  unitai test --snapshot-update      keep what snapshots are given, after a change that is meant\n  unitai test --llm                  run YAML tests, too\n  unitai test --keep-going -k refund -n 4\n  unitai test --n 20 --threshold 0.8 how often tests are repeated that do not say it\n  unitai test --save-baseline main   save how repeated tests did\n  unitai test --baseline main        run them again, and fail if one of them got worse"
    )]
    Test(test::Test),
    /// Make an HTML report of the last run, or of the run whose events are in a file
    #[command(after_help = report::EXAMPLES)]
    Report(report::Report),
    /// Show the results of the last run, or of any JUnit file
    #[command(after_help = results::EXAMPLES)]
    Results(results::Results),
    /// Show recordings of model traffic, import those of other tools, or delete them
    #[command(
        after_help = "Examples:\n  unitai cache stats                             size, hit rate, dollars saved\n  unitai cache show 3f2a91                       one recording, and where secrets were taken out\n  unitai cache clear                             delete every recording\n  unitai cache prune --ttl-hours 24              delete those that are older than a day\n  unitai cache prune --unused                    delete what tests do not use since they were recorded again\n  unitai cache import tests/cassettes            import those of vcrpy, LangChain and cassetter\n  unitai cache import tests/cassettes --dry-run  show what would be imported"
    )]
    Cache(cache::Cache),
    /// Show every setting: its value, and who has said it
    #[command(after_help = config::EXAMPLES)]
    Config(config::Config),
    /// Stand between an agent in any language and its models: record, replay, meter
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::Serve),
    /// Run, check and harden YAML tests without pytest
    #[command(after_help = yaml::EXAMPLES)]
    Yaml(yaml::Yaml),
    /// Look for tests that cannot fail, fake what they claim to test, or spend without a limit
    #[command(after_help = lint::EXAMPLES)]
    Lint(lint::Lint),
    /// Show which implementations of an interface contract tests cover
    #[command(after_help = contract::EXAMPLES)]
    Contract(contract::Contract),
    /// Measure the judge of YAML tests against people, and look at what it said
    #[command(after_help = judge::EXAMPLES)]
    Judge(judge::Judge),
    /// Offer the project's tools, and tools to write tests, to any MCP client
    #[command(after_help = mcp::EXAMPLES)]
    Mcp(mcp::Mcp),
    /// Show what is installed and set, and what is wrong
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::Doctor),
    /// Show what an error means and what to do about it, offline
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Explain),
    /// Write the script that lets a shell complete commands and options
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Completions),
}

/// The command with everything that it takes, for whoever writes about it.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The arguments in an order that clap takes.
fn sorted(args: Vec<OsString>) -> Vec<OsString> {
    let command = Arguments::command();
    match (args.first(), command.find_subcommand("test")) {
        (Some(first), Some(test)) if first == "test" => {
            let rest = test::own_first(test, args[1..].to_vec());
            std::iter::once(args[0].clone()).chain(rest).collect()
        }
        _ => args,
    }
}

/// Runs the command with these arguments (without the program's name) and gives its exit code.
/// `python` is the interpreter to start tests with.
pub fn run(args: Vec<OsString>, python: &str) -> i32 {
    let args = sorted(args);
    let args = std::iter::once(OsString::from("unitai")).chain(args);
    let code = match Arguments::try_parse_from(args) {
        Ok(Arguments { command }) => match command {
            Command::Init(init) => init.run(),
            Command::Demo(demo) => demo.run(python),
            Command::Test(test) => test.run(python),
            Command::Report(report) => report.run(),
            Command::Results(results) => results.run(),
            Command::Cache(cache) => cache.run(),
            Command::Config(config) => config.run(),
            Command::Serve(serve) => serve.run(),
            Command::Yaml(yaml) => yaml.run(python),
            Command::Lint(lint) => lint.run(),
            Command::Contract(contract) => contract.run(),
            Command::Judge(judge) => judge.run(),
            Command::Mcp(mcp) => mcp.run(python),
            Command::Doctor(doctor) => doctor.run(python),
            Command::Explain(explain) => explain.run(),
            Command::Completions(completions) => completions.run(Arguments::command()),
        },
        Err(error) => {
            // Help and version come this way too; clap knows their exit codes and streams.
            let _ = error.print();
            error.exit_code()
        }
    };
    // A file that was to hold the output, on a full disk, is no success.
    if code == 0 && say::is_lost() { 2 } else { code }
}
