//! `cargo dev generate`: makes the documents that follow from code, or checks that they are fresh.

mod checks;
mod commands;
mod formats;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::{Parser, Subcommand};
use serde_json::Value;
use unitai_config::reference;
use unitai_model::baseline::Baseline;
use unitai_model::catalogue;
use unitai_model::event::RunEvent;
use unitai_model::format::v1;
use unitai_report::Summary;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make the generated files
    Generate {
        /// Change nothing; fail if a file is not what it should be
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let Arguments { command: Command::Generate { check } } = Arguments::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match if check { stale(&root) } else { write(&root) } {
        Ok(stale) if stale.is_empty() => ExitCode::SUCCESS,
        Ok(stale) => {
            let _ =
                writeln!(io::stderr(), "error: not what `cargo dev generate` makes: {}", stale.join(", "));
            ExitCode::FAILURE
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A format that others read or write: its schema, and the page that says the same to people.
struct Format {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    schema: Schema,
}

/// A schema as it is written, and to look at.
struct Schema {
    text: String,
    value: Value,
}

impl Schema {
    fn of(schema: &impl serde::Serialize) -> Self {
        Schema { text: pretty(schema), value: serde_json::to_value(schema).unwrap_or_default() }
    }
}

fn formats() -> Vec<Format> {
    vec![
        Format {
            name: "baseline",
            title: "Baselines",
            about: "What `unitai test --save-baseline NAME` writes, and `--baseline NAME` compares with: \
                    [Baselines](../../guides/baselines.md).",
            schema: Schema::of(&schemars::schema_for!(Baseline)),
        },
        Format {
            name: "events",
            title: "Run events",
            about: "What a run leaves, one JSON object a line, as it happens: `pytest --unitai-events=FILE`, and \
                    `.unitai/runs` of `unitai test`. Every report is made of them: [Reports](../../guides/reports.md).",
            schema: Schema::of(&schemars::schema_for!(RunEvent)),
        },
        Format {
            name: "lint",
            title: "Findings of the linter",
            about: "What `unitai lint --format json` says: [Linting](../../guides/lint.md).",
            schema: Schema::of(&schemars::schema_for!(unitai_lint::output::Document<'_>)),
        },
        Format {
            name: "results",
            title: "Results",
            about: "What `unitai results --json` says of a run: [Reports](../../guides/reports.md).",
            schema: Schema::of(&schemars::schema_for!(Summary)),
        },
        Format {
            name: "trajectory",
            title: "Trajectories",
            about: "What `trajectory.to_json()` writes: [Trajectories](../../concepts/trajectories.md).",
            schema: Schema::of(&schemars::schema_for!(v1::Document<'_>)),
        },
        Format {
            name: "yaml-test",
            title: "YAML tests",
            about: "Every key of a YAML test. How tests are written: [YAML tests](../../guides/yaml-tests.md). What checks \
                    can say: [Expressions](../yaml-expressions.md).",
            schema: Schema::of(&unitai_spec::document::schema()),
        },
    ]
}

/// Every generated file and what it should hold.
fn generated(root: &Path) -> io::Result<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    files.insert(PathBuf::from("schemas/config.schema.json"), pretty(&reference::schema()));
    let pages = Path::new("docs/reference/formats");
    files.insert(
        pages.join("README.md"),
        formats::index(formats().iter().map(|it| (it.title, it.name, it.about))),
    );
    for Format { name, title, about, schema } in formats() {
        let file = format!("{name}.schema.json");
        let page = formats::page(title, about, &file, &schema.value);
        files.insert(Path::new("schemas").join(file), schema.text);
        files.insert(pages.join(format!("{name}.md")), page);
    }
    files.insert(PathBuf::from("docs/reference/configuration.md"), reference::page());
    files.insert(PathBuf::from("docs/reference/command-line.md"), commands::page(unitai_cli::command()));
    let errors = Path::new("docs/reference/errors");
    files.insert(errors.join("README.md"), catalogue::index());
    for entry in catalogue::CATALOGUE {
        files.insert(errors.join(format!("{}.md", entry.code)), entry.page());
    }
    let rules = Path::new("docs/reference/lint");
    files.insert(rules.join("README.md"), unitai_lint::reference::index());
    for rule in unitai_lint::RULES {
        files.insert(rules.join(format!("{}.md", rule.name)), unitai_lint::reference::page(rule));
    }
    for (name, page) in checks::pages(root)? {
        files.insert(Path::new("docs/reference/checks").join(name), page);
    }
    Ok(files)
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn write(root: &Path) -> io::Result<Vec<String>> {
    for (path, text) in generated(root)? {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(vec![])
}

/// Generated files that differ from what they should be, and pages that nothing generates any more.
fn stale(root: &Path) -> io::Result<Vec<String>> {
    let files = generated(root)?;
    let mut stale: Vec<String> = files
        .iter()
        .filter(|(path, text)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(*text))
        .map(|(path, _)| path.display().to_string())
        .collect();
    for folder in [
        "docs/reference/checks",
        "docs/reference/errors",
        "docs/reference/formats",
        "docs/reference/lint",
        "schemas",
    ] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = Path::new(folder).join(entry?.file_name());
            if !files.contains_key(&path) {
                stale.push(path.display().to_string());
            }
        }
    }
    Ok(stale)
}
