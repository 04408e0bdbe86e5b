//! `unitai config`: every setting, and who has said it.

use std::path::Path;

use clap::Args;
use serde_json::json;
use unitai_config::{Examination, Key, Setting, Settings, Source, Spoken, Trouble, UnknownVariable, Value};
use unitai_model::value::plain;
use unitai_report::Style;

use crate::say::{complain, note, say, style};

pub(crate) const EXAMPLES: &str = "Examples:
  unitai config                       every setting, its value, and who has said it
  unitai config --json                the same for programs
  unitai config --path                the project's file that is in use
  UNITAI_DEFAULT_N=50 unitai config   see what a variable changes

An argument comes first, then the command line, the environment (UNITAI_...), the project's
file ([tool.unitai] in pyproject.toml, or else unitai.toml), and the default.
Exit code 2 if something is wrong with one of them.";

/// The arguments of `unitai config`.
#[derive(Args)]
pub(crate) struct Config {
    /// For programs: one JSON object
    #[arg(long)]
    json: bool,
    /// Only the path of the project's file that is in use
    #[arg(long, conflicts_with = "json")]
    path: bool,
}

impl Config {
    /// Shows the settings, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        match self.told() {
            Ok(text) => {
                // Nobody may be reading any more.
                let _ = say(&text);
                0
            }
            Err(messages) => {
                messages.iter().for_each(|message| complain(message));
                2
            }
        }
    }

    fn told(&self) -> Result<String, Vec<String>> {
        let here = std::env::current_dir().map_err(|error| vec![error.to_string()])?;
        let spoken = Spoken::of_process();
        let Examination { file, settings, .. } = Examination::of(&here, &spoken);
        if self.path {
            return Ok(match file {
                Some(file) => file.display().to_string(),
                None => format!("none: {NO_FILE}"),
            });
        }
        let settings = settings.map_err(|troubles| troubles.iter().map(Trouble::told).collect::<Vec<_>>())?;
        let unknown = spoken.variables.unknown();
        for variable in &unknown {
            note(&strange(variable));
        }
        Ok(if self.json { json(&settings, &unknown) } else { table(&settings, &here, style()) })
    }
}

const NO_FILE: &str = "no pyproject.toml with [tool.unitai] and no unitai.toml, here or above";

/// What is said about a variable that looks like a setting and is none.
fn strange(variable: &UnknownVariable) -> String {
    let hint = variable.nearest.as_ref().map_or_else(String::new, |near| format!("; perhaps {near}"));
    format!("the environment variable {} is no setting{hint}", variable.name)
}

fn json(settings: &Settings, unknown: &[UnknownVariable]) -> String {
    let all: serde_json::Map<String, serde_json::Value> = settings
        .iter()
        .map(|(key, Setting { value, source })| {
            let mut told =
                json!({"value": value.json(), "source": source.kind(), "variable": key.variable()});
            match source {
                Source::File(place) => {
                    told["file"] = json!({
                        "path": place.path.to_string_lossy(),
                        "line": place.line,
                        "column": place.column,
                    });
                }
                Source::Variable(name) => told["variable"] = json!(name),
                Source::Argument | Source::CommandLine(_) | Source::Default => {}
            }
            (key.flat.to_owned(), told)
        })
        .collect();
    let unknown: Vec<_> =
        unknown.iter().map(|variable| json!({"name": variable.name, "nearest": variable.nearest})).collect();
    let told = json!({
        "file": settings.file().map(Path::to_string_lossy),
        "root": settings.root().to_string_lossy(),
        "settings": all,
        "unknown_variables": unknown,
    });
    serde_json::to_string_pretty(&told).unwrap_or_default()
}

/// Values that are longer do not push the others apart.
const WIDEST: usize = 40;

fn table(settings: &Settings, here: &Path, style: Style) -> String {
    let near = |path: &Path| plain(&path.strip_prefix(here).unwrap_or(path).to_string_lossy());
    let rows: Vec<(&Key, String, &Source)> = settings
        .iter()
        .map(|(key, Setting { value, source })| {
            let shown = match value {
                Value::Nothing => format!("none ({})", key.nothing),
                Value::Path(path) => near(path),
                other => other.to_string(),
            };
            (key, shown, source)
        })
        .collect();
    let width = |text: &str| text.chars().count();
    let names = rows.iter().map(|(key, ..)| width(key.flat)).max().unwrap_or(0);
    let values =
        rows.iter().map(|(_, shown, _)| width(shown)).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let file = settings.file().map_or_else(|| format!("none ({NO_FILE})"), near);
    let mut lines = vec![format!("{} {file}", style.heading("file:")), String::new()];
    for (key, shown, source) in rows {
        let whose = match source {
            Source::File(place) => format!("{}:{}:{}", near(&place.path), place.line, place.column),
            other => other.to_string(),
        };
        let line = format!("{:names$}  {:values$}  ", key.flat, shown);
        lines.push(match source {
            Source::Default => style.faint(&format!("{line}{whose}")),
            _ => format!("{line}{}", style.heading(&whose)),
        });
    }
    lines.join("\n")
}
