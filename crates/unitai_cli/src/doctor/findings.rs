//! What a check-up found: the facts, and the problems with their remedies.

use serde::Serialize;

use super::folder::Folder;
use super::judges::Judge;
use super::packages::Package;
use super::prices::Prices;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Weight {
    /// Tests cannot run, or do not run as they are meant to.
    Error,
    /// Worth knowing.
    Warning,
}

/// Something that is not as it should be.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    pub(crate) weight: Weight,
    pub(crate) what: String,
    pub(crate) remedy: String,
}

/// The interpreter.
#[derive(Debug, Serialize)]
pub(crate) struct Interpreter {
    pub(crate) name: String,
    pub(crate) implementation: Option<String>,
    pub(crate) version: Option<String>,
}

/// pytest, and our plugin in it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Pytest {
    pub(crate) version: Option<String>,
    /// The version of the package that brings the plugin.
    pub(crate) plugin: Option<String>,
    pub(crate) disabled_by: Option<String>,
}

/// The settings.
#[derive(Debug, Serialize)]
pub(crate) struct Configuration {
    /// The file in use; `None` when there is none.
    pub(crate) file: Option<String>,
    pub(crate) valid: bool,
}

/// All of it, as `--json` writes it.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    pub(crate) format: &'static str,
    pub(crate) version: u32,
    pub(crate) ok: bool,
    /// The version of this command.
    pub(crate) unitai: &'static str,
    pub(crate) python: Interpreter,
    pub(crate) pytest: Pytest,
    pub(crate) packages: Vec<Package>,
    /// The names of provider keys that are set.
    pub(crate) keys: Vec<&'static str>,
    /// Who could judge YAML tests, the one that is preferred first.
    pub(crate) judges: Vec<Judge>,
    /// The judge in words.
    #[serde(skip)]
    pub(crate) judge: String,
    pub(crate) prices: Prices,
    pub(crate) configuration: Configuration,
    pub(crate) folder: Folder,
    pub(crate) problems: Vec<Problem>,
}
