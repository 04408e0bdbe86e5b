//! The check-up in words, for a person.

use unitai_model::value::plain;

use super::findings::{Findings, Weight};
use super::packages::Reach;

/// Text for a terminal, or for a file.
pub(crate) fn told(findings: &Findings, is_coloured: bool) -> String {
    let mut lines = facts(findings);
    let packages: Vec<_> =
        findings.packages.iter().filter(|package| package.reach != Reach::Plugin).collect();
    if !packages.is_empty() {
        lines.push(String::new());
        lines.push("Found beside it:".to_owned());
    }
    for package in packages {
        let name = format!("{} {}", package.name, plain(&package.version));
        lines.push(format!("  {name:<28}{}", package.reach.words()));
    }
    lines.push(String::new());
    for problem in &findings.problems {
        let (word, colour) = match problem.weight {
            Weight::Error => ("error", "31"),
            Weight::Warning => ("warning", "33"),
        };
        lines.push(format!("{}: {}", painted(word, colour, is_coloured), plain(&problem.what)));
        lines.push(format!("  to do: {}", plain(&problem.remedy)));
    }
    let errors = findings.problems.iter().filter(|problem| problem.weight == Weight::Error).count();
    lines.push(match errors {
        0 => painted("Everything that is needed is here.", "32", is_coloured),
        1 => painted("1 thing that is needed is missing or broken.", "31", is_coloured),
        n => painted(&format!("{n} things that are needed are missing or broken."), "31", is_coloured),
    });
    lines.join("\n")
}

fn facts(findings: &Findings) -> Vec<String> {
    let python = &findings.python;
    let interpreter = match (&python.implementation, &python.version) {
        (Some(kind), Some(version)) => {
            format!("{} {} ({})", plain(kind), plain(version), plain(&python.name))
        }
        _ => format!("{}, which did not answer", plain(&python.name)),
    };
    let pytest = match (&findings.pytest.version, &findings.pytest.plugin, &findings.pytest.disabled_by) {
        (None, _, _) => "not found".to_owned(),
        (Some(version), None, _) => format!("{}, without UnitAI's plugin", plain(version)),
        (Some(version), Some(_), Some(_)) => format!("{}, with UnitAI's plugin switched off", plain(version)),
        (Some(version), Some(plugin), None) => {
            format!("{}, with UnitAI's plugin {}", plain(version), plain(plugin))
        }
    };
    let file = findings.configuration.file.as_deref();
    let settings = match (file, findings.configuration.valid) {
        (file, false) => format!("{}: not valid", plain(file.unwrap_or("of the environment"))),
        (Some(file), true) => plain(file).to_string(),
        (None, true) => "defaults; `unitai init` writes a file".to_owned(),
    };
    let folder = &findings.folder;
    let writable = if folder.writable { "can be written" } else { "cannot be written" };
    let git = match folder.ignored_by_git {
        Some(true) => ", ignored by git",
        Some(false) => ", not ignored by git",
        None => "",
    };
    let keys = match findings.keys.as_slice() {
        [] => "none set; scripted and recorded models need none".to_owned(),
        names => format!("{} (set; what they hold is not looked at)", names.join(", ")),
    };
    let age = match findings.prices.age_days {
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    };
    [
        ("unitai", findings.unitai.to_owned()),
        ("python", interpreter),
        ("pytest", pytest),
        ("settings", settings),
        (".unitai", format!("{writable}{git}")),
        ("prices", format!("of {}, {age} old", findings.prices.as_of)),
        ("keys", keys),
        ("judge", plain(&findings.judge).to_string()),
    ]
    .into_iter()
    .map(|(name, text)| format!("{name:<10}{text}"))
    .collect()
}

fn painted(text: &str, colour: &str, is_coloured: bool) -> String {
    if is_coloured { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
}
