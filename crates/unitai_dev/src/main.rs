//! `cargo dev generate`: makes the documents that follow from code, or checks that they are fresh.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::{Parser, Subcommand};
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

/// Every generated file and what it should hold.
fn generated() -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let schemas = [
        ("schemas/baseline.schema.json", pretty(&schemars::schema_for!(Baseline))),
        ("schemas/config.schema.json", pretty(&reference::schema())),
        ("schemas/events.schema.json", pretty(&schemars::schema_for!(RunEvent))),
        ("schemas/results.schema.json", pretty(&schemars::schema_for!(Summary))),
        ("schemas/trajectory.schema.json", pretty(&schemars::schema_for!(v1::Document<'_>))),
        ("schemas/yaml-test.schema.json", pretty(&unitai_spec::document::schema())),
    ];
    for (path, schema) in schemas {
        files.insert(PathBuf::from(path), schema);
    }
    files.insert(PathBuf::from("docs/reference/configuration.md"), reference::page());
    let errors = Path::new("docs/reference/errors");
    files.insert(errors.join("README.md"), catalogue::index());
    for entry in catalogue::CATALOGUE {
        files.insert(errors.join(format!("{}.md", entry.code)), entry.page());
    }
    files
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn write(root: &Path) -> io::Result<Vec<String>> {
    for (path, text) in generated() {
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
    let files = generated();
    let mut stale: Vec<String> = files
        .iter()
        .filter(|(path, text)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(*text))
        .map(|(path, _)| path.display().to_string())
        .collect();
    for folder in ["docs/reference/errors", "schemas"] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = Path::new(folder).join(entry?.file_name());
            if !files.contains_key(&path) {
                stale.push(path.display().to_string());
            }
        }
    }
    Ok(stale)
}
