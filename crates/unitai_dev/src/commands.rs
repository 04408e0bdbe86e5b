//! The page about the command line: every command, option and example, as clap knows them.

use clap::{Arg, Command};

const HEAD: &str = "<!-- Made by `cargo dev generate`. -->\n\n# The command line\n\nEvery command of `unitai`, with its options. \
                    `unitai COMMAND --help` says the same.\n";

/// The page.
pub(crate) fn page(mut command: Command) -> String {
    command.build();
    let mut page = HEAD.to_owned();
    page.push_str("\n| command | what it does |\n|---|---|\n");
    for inner in shown(&command) {
        page.push_str(&format!(
            "| [`unitai {name}`](#{anchor}) | {about} |\n",
            name = inner.get_name(),
            anchor = anchor(&format!("unitai {}", inner.get_name())),
            about = about(inner)
        ));
    }
    page.push_str(&examples(&command));
    for inner in shown(&command) {
        section(inner, "unitai", 2, &mut page);
    }
    page
}

/// A command, and those that it has.
fn section(command: &Command, above: &str, depth: usize, page: &mut String) {
    let name = format!("{above} {}", command.get_name());
    page.push_str(&format!("\n{} `{name}`\n\n{}.\n", "#".repeat(depth), about(command)));
    page.push_str(&format!("\n```text\n{}\n```\n", usage(command)));
    for (title, arguments) in [
        ("argument", command.get_positionals().collect::<Vec<_>>()),
        ("option", command.get_opts().chain(command.get_arguments().filter(is_flag)).collect()),
    ] {
        let known: Vec<&Arg> = arguments.into_iter().filter(|known| !known.is_hide_set()).collect();
        if !known.is_empty() {
            page.push_str(&format!("\n| {title} | what it does |\n|---|---|\n"));
        }
        for known in known {
            page.push_str(&format!("| {} | {} |\n", written(known), meaning(known)));
        }
    }
    page.push_str(&examples(command));
    for inner in shown(command) {
        section(inner, &name, depth + 1, page);
    }
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
}

fn is_flag(argument: &&Arg) -> bool {
    !argument.is_positional() && !argument.get_action().takes_values() && argument.get_id() != "help"
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn usage(command: &Command) -> String {
    let text = command.clone().render_usage().to_string();
    text.trim_start_matches("Usage:").trim().to_owned()
}

/// How an argument is written.
fn written(argument: &Arg) -> String {
    let values: Vec<String> = argument
        .get_value_names()
        .filter(|_| argument.get_action().takes_values())
        .map(|names| names.iter().map(ToString::to_string).collect())
        .unwrap_or_default();
    let names = [
        argument.get_short().map(|short| format!("-{short}")),
        argument.get_long().map(|long| format!("--{long}")),
    ];
    let mut words: Vec<String> = names.into_iter().flatten().collect();
    let value = values.join(" ");
    match words.last_mut() {
        Some(last) if !value.is_empty() => last.push_str(&format!(" {value}")),
        Some(_) => {}
        None => words.push(value),
    }
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// What an argument does, what it takes, and what stands for it when it is left out.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let mut meaning = cell(&help);
    let choices: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && argument.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !choices.is_empty() {
        meaning.push_str(&format!(". One of {}", choices.join(", ")));
    }
    let usual: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !usual.is_empty() && argument.get_action().takes_values() {
        meaning.push_str(&format!(". If left out: {}", usual.join(" ")));
    }
    meaning
}

/// What stands behind the options in the help: examples as they are typed, and text.
fn examples(command: &Command) -> String {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut page = String::new();
    for part in help.split("\n\n").filter(|part| !part.trim().is_empty()) {
        let lines = part.strip_prefix("Examples:\n").map(|rest| ("Examples:", rest)).unwrap_or(("", part));
        let (title, text) = lines;
        let text: Vec<&str> = text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        let title = if title.is_empty() { String::new() } else { format!("{title}\n\n") };
        page.push_str(&format!("\n{title}```text\n{}\n```\n", text.join("\n")));
    }
    page
}

/// A text that stays in its cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}
