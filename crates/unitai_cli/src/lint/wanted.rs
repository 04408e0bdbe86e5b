//! What the settings and the options ask the linter for.

use std::path::Path;

use unitai_config::{Name, Project, Settings, Source, Spoken};
use unitai_lint::{Options, Plan, Wanted, WrongSetting};
use unitai_model::value::plain;

/// The settings of the project, with the options of the command over them.
pub(super) fn settings(here: &Path, select: &[String], ignore: &[String]) -> Result<Settings, String> {
    let mut spoken = Spoken::of_process();
    for (option, name, texts) in
        [("--select", Name::LintSelect, select), ("--ignore", Name::LintIgnore, ignore)]
    {
        if !texts.is_empty() {
            spoken.command_line.push((option.to_owned(), name, texts.join(",")));
        }
    }
    let project = Project::of(here).map_err(|trouble| trouble.told())?;
    Settings::resolve(&project, here, &spoken).map_err(|trouble| trouble.told())
}

/// Which rules look at which files.
pub(super) fn plan(settings: &Settings) -> Result<Plan, String> {
    let lint = settings.lint();
    let wanted = Wanted {
        select: lint.select,
        ignore: lint.ignore,
        rules: lint.rules,
        per_folder: lint.per_folder,
        exclude: lint.exclude,
    };
    Plan::of(&wanted, options(settings)).map_err(|wrong| told(&wrong, settings))
}

/// What single rules want to know of the project.
fn options(settings: &Settings) -> Options {
    let (repeated, budget) = (settings.statistics(), settings.budget());
    Options {
        default_n: Some(repeated.n),
        default_threshold: Some(repeated.threshold),
        default_mode: Some(repeated.mode),
        has_budget: budget.per_test.is_some() || budget.per_suite.is_some(),
    }
}

/// What is wrong, and who said it.
fn told(wrong: &WrongSetting, settings: &Settings) -> String {
    let name = match wrong.key {
        "select" => Name::LintSelect,
        "ignore" => Name::LintIgnore,
        "rules" => Name::LintRules,
        "per_folder" => Name::LintPerFolder,
        _ => Name::LintExclude,
    };
    let place = match &settings.get(name).source {
        Source::CommandLine(option) => format!("the option {option}"),
        Source::Variable(variable) => format!("the environment variable {variable}"),
        source => plain(&source.to_string()),
    };
    format!("{place}: {}; expected {}", wrong.message, wrong.expected)
}
