//! `unitai doctor`: what is installed, what is set, and what is wrong, each problem with its remedy.

mod findings;
mod folder;
mod judges;
mod packages;
pub(crate) mod plugin;
mod prices;
mod python;
mod surroundings;
mod telling;

use std::env;
use std::path::Path;

use clap::Args;
use unitai_config::{Examination, JudgeSettings, Settings, Spoken, Variables};

use findings::{Configuration, Findings, Interpreter, Problem, Pytest, Weight};
use folder::Folder;
use prices::Prices;
use python::Python;

use crate::say::{complain, is_coloured, say};

/// The examples of the help.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai doctor         what is installed and set, and what is wrong\n  unitai doctor --json  the same for a program, or for a report of a problem\n\nKeys are shown by name; what they hold is never looked at. Exits with 1 if something that is needed is missing or broken.";

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Releases of pytest before this one use folders in /tmp that another user can prepare.
const SAFE_PYTEST: [u32; 3] = [9, 0, 3];

/// The arguments of `unitai doctor`.
#[derive(Args)]
pub(crate) struct Doctor {
    /// Write what was found as JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Looks at everything, and gives the exit code: 1 if something that is needed is broken.
    pub(crate) fn run(&self, program: &str) -> i32 {
        let here = match env::current_dir() {
            Ok(here) => here,
            Err(error) => {
                complain(&format!("the current folder cannot be read: {error}"));
                return 2;
            }
        };
        let findings = examined(&here, program);
        let text = if self.json {
            serde_json::to_string_pretty(&findings).unwrap_or_default()
        } else {
            telling::told(&findings, is_coloured())
        };
        // The reader may have closed the pipe.
        let _ = say(&text);
        i32::from(!findings.ok)
    }
}

fn examined(here: &Path, program: &str) -> Findings {
    let mut problems = Vec::new();
    let (configuration, root, judging) = configured(here, &mut problems);
    let judges = judges::judges(&judging, &root);
    if let Some((what, remedy)) = judges::problem(&judges) {
        problems.push(warning(what, remedy));
    }
    let asked = Python::ask(program);
    let pytest = match &asked {
        Ok(python) => pytest_of(python, &root, &mut problems),
        Err(what) => {
            let remedy = "run `unitai` with the Python that your tests run with, as in `python -m unitai.cli.main doctor`";
            problems.push(error(what.clone(), remedy));
            Pytest::default()
        }
    };
    let folder = Folder::of(&root);
    if !folder.writable {
        let remedy = "let yourself write to the project's folder, or name another one in `cache_directory`";
        problems.push(warning("the folder .unitai cannot be written: nothing can be recorded", remedy));
    }
    if folder.ignored_by_git == Some(false) {
        let remedy = "`unitai init` adds it to .gitignore";
        problems.push(warning("the folder .unitai is not ignored by git: it would be committed", remedy));
    }
    let prices = Prices::today();
    if prices.are_old() {
        let what = format!("the prices are of {}, and may have changed", prices.as_of);
        problems.push(warning(
            what,
            "pip install --upgrade unitai, or state your own: MockToolkit(prices={...})",
        ));
    }
    for unknown in Variables::of_process().unknown() {
        let remedy = match unknown.nearest {
            Some(nearest) => format!("perhaps {nearest} is meant"),
            None => "take it away; `unitai config` shows what can be set".to_owned(),
        };
        problems.push(warning(format!("the variable {} is read by nobody", unknown.name), remedy));
    }
    problems.sort_by_key(|problem| problem.weight != Weight::Error);
    let packages = asked.as_ref().map_or_else(|_| Vec::new(), packages::installed);
    let python = Interpreter {
        name: python::name(program),
        implementation: asked.as_ref().ok().map(|python| python.implementation.clone()),
        version: asked.as_ref().ok().map(|python| python.version.clone()),
    };
    Findings {
        format: "unitai.doctor",
        version: 1,
        ok: problems.iter().all(|problem| problem.weight != Weight::Error),
        unitai: VERSION,
        python,
        pytest,
        packages,
        keys: surroundings::keys(),
        judge: judges::told(&judges, judging.provider),
        judges,
        prices,
        configuration,
        folder,
        problems,
    }
}

/// The settings in use, the project's folder, and how YAML tests are judged.
fn configured(
    here: &Path,
    problems: &mut Vec<Problem>,
) -> (Configuration, std::path::PathBuf, JudgeSettings) {
    let Examination { file, root, settings } = Examination::of(here, &Spoken::of_process());
    let shown = file.map(|file| file.strip_prefix(here).unwrap_or(&file).display().to_string());
    let judging = settings.as_ref().map_or_else(|_| Settings::usual(&root).judge(), Settings::judge);
    let troubles = settings.err().unwrap_or_default();
    let valid = troubles.is_empty();
    problems.extend(
        troubles.into_iter().map(|trouble| error(trouble.to_string(), format!("write {}", trouble.expected))),
    );
    (Configuration { file: shown, valid }, root, judging)
}

fn pytest_of(python: &Python, root: &Path, problems: &mut Vec<Problem>) -> Pytest {
    let version = python.version_of("pytest").map(str::to_owned);
    let plugin = python.plugin.as_ref().and(python.version_of("unitai")).map(str::to_owned);
    match &version {
        None => problems.push(error("pytest is not installed", "pip install pytest")),
        Some(version) if is_before(version, SAFE_PYTEST) => {
            let what = format!(
                "pytest {version} has a known hole: others on this machine can prepare its folders in /tmp"
            );
            problems.push(warning(what, "pip install --upgrade pytest"));
        }
        Some(_) => {}
    }
    match &plugin {
        None => problems.push(error(
            "UnitAI's plugin is not installed beside this Python's pytest",
            "pip install unitai, in the environment that your tests run in",
        )),
        Some(plugin) if plugin != VERSION => problems.push(warning(
            format!("this command is UnitAI {VERSION}, and the plugin is {plugin}"),
            format!("pip install unitai=={VERSION}, or run the command of that environment"),
        )),
        Some(_) => {}
    }
    let disabled_by = plugin.as_ref().and_then(|_| plugin::disabled_by(root));
    if let Some(by) = &disabled_by {
        let what = format!("UnitAI's plugin is switched off by {by}");
        problems.push(error(what, "take it away, or name the plugin: -p unitai.pytest_plugin"));
    }
    Pytest { version, plugin, disabled_by }
}

/// Whether a version is before another, as far as its numbers say.
fn is_before(version: &str, other: [u32; 3]) -> bool {
    let mut parts = version.split('.').map(|part| {
        let digits = part.find(|c: char| !c.is_ascii_digit()).map_or(part, |end| &part[..end]);
        digits.parse::<u32>().unwrap_or(0)
    });
    std::array::from_fn::<u32, 3, _>(|_| parts.next().unwrap_or(0)) < other
}

fn error(what: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem { weight: Weight::Error, what: what.into(), remedy: remedy.into() }
}

fn warning(what: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem { weight: Weight::Warning, what: what.into(), remedy: remedy.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(
            is_before("8.4.2", SAFE_PYTEST)
                && is_before("9.0.2", SAFE_PYTEST)
                && is_before("9.0", SAFE_PYTEST)
        );
        assert!(
            !is_before("9.0.3", SAFE_PYTEST)
                && !is_before("9.1", SAFE_PYTEST)
                && !is_before("10.0.0rc1", SAFE_PYTEST)
        );
    }
}
