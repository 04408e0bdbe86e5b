//! The pages about rules, which follow from the table.

use std::fmt::Write;

use crate::{Check, Example, RULES, Rule};

/// The page about every rule.
pub fn index() -> String {
    let mut page = String::from(
        "<!-- Made by `cargo dev generate`. -->\n\n# Rules\n\nWhat `unitai lint` looks for. How it is used and set: \
         [Linting](../../guides/lint.md).\n\n| rule | weighs | looks at | `--fix` | what it finds |\n|---|---|---|---|---|\n",
    );
    for rule in RULES {
        let fix = if rule.is_fixable { "yes" } else { "" };
        let _ = writeln!(
            page,
            "| [`{0}`]({0}.md) | {1} | {2} | {fix} | {3} |",
            rule.name,
            rule.severity.word(),
            subject(rule),
            rule.what.replace('|', "\\|"),
        );
    }
    page
}

/// The page about one rule.
pub fn page(rule: &Rule) -> String {
    let mut page = format!(
        "<!-- Made by `cargo dev generate`. -->\n\n# `{}`\n\n{}\n\n{}\n",
        rule.name, rule.what, rule.why
    );
    let fix = if rule.is_fixable { " Some of what it finds is repaired by `--fix`." } else { "" };
    let _ = writeln!(page, "\nLooks at {}. A finding is {}.{fix}", subject(rule), weight(rule));
    let _ = write!(page, "\n## Instead of\n\n{}\n## write\n\n{}", block(&rule.bad), block(&rule.good));
    let _ = write!(
        page,
        "\n## Settings\n\n```toml\n[tool.unitai.lint.rules]\n{0} = \"off\"    # or \"error\", \"warning\"\n```\n\nOne line: \
         `# unitai: ignore[{0}] reason`.\n",
        rule.name
    );
    page
}

/// The same for a terminal.
pub fn told(rule: &Rule) -> String {
    let fix = if rule.is_fixable { "\n\nSome of what it finds is repaired by --fix." } else { "" };
    format!(
        "{}: {}\n\n{}\n\n{}\n\nLooks at {}.{fix}\n\nInstead of\n\n{}\nwrite\n\n{}",
        rule.name,
        rule.severity.word(),
        rule.what,
        rule.why,
        subject(rule),
        indented(&rule.bad),
        indented(&rule.good),
    )
}

fn weight(rule: &Rule) -> String {
    let article = if rule.severity.word().starts_with('e') { "an" } else { "a" };
    format!("{article} {}", rule.severity.word())
}

/// What it looks at.
fn subject(rule: &Rule) -> String {
    if !rule.layers.is_empty() {
        let words: Vec<&str> = rule.layers.iter().map(|layer| layer.word()).collect();
        let words = match words.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => String::new(),
        };
        return format!("{words} tests");
    }
    let subject = match rule.check {
        Check::Test(_) => "all tests",
        Check::Python(_) => "files of Python",
        Check::Yaml(_) => "YAML tests",
        Check::Project(_) => "the whole project",
        Check::Engine => "every file",
    };
    subject.to_owned()
}

fn block(example: &Example) -> String {
    let language = if example.path.ends_with(".py") { "python" } else { "yaml" };
    format!("```{language} title=\"{}\"\n{}```\n", example.path, example.code)
}

fn indented(example: &Example) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    example.code.lines().map(line).collect()
}
