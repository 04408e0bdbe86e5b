//! Whether what a test says in expressions, patterns and references can be read: a slip of the pen in a check is an error
//! of its file, not of the run that gets there.

use unitai_model::value::{Value, plain};

use crate::document::{Check, Place, ServerKind, Spec, Step, Trouble};
use crate::expression::{SyntaxTrouble, validate_expression, validate_pattern, validate_references};

/// What is wrong with the expressions of a test, all of it.
pub(super) fn troubles(spec: &Spec) -> Vec<Trouble> {
    let mut found = Vec::new();
    for (steps, path) in [(&spec.setup, "setup"), (&spec.steps, "steps"), (&spec.teardown, "teardown")] {
        of_steps(steps, path, &mut found);
    }
    of_checks(&spec.verdict.check, "verdict", &mut found);
    for server in &spec.servers {
        let texts: Vec<&String> = match &server.kind {
            ServerKind::Command { command, env, cwd } => {
                command.iter().chain(env.iter().map(|(_, it)| it)).chain([cwd]).collect()
            }
            ServerKind::Url { url, headers } => headers.iter().map(|(_, it)| it).chain([url]).collect(),
        };
        for text in texts {
            let read = validate_references(&Value::Str(text.clone()));
            tell(read, &server.place, &format!("servers.{}", server.name), text, &mut found);
        }
    }
    found
}

fn of_steps(steps: &[Step], path: &str, found: &mut Vec<Trouble>) {
    for (n, step) in steps.iter().enumerate() {
        let path = format!("{path}[{n}]");
        let until = step.retry.as_ref().map_or("", |retry| retry.until.as_str());
        for (text, name) in [(step.when.as_str(), "when"), (until, "retry.until")] {
            if !text.is_empty() {
                tell(validate_expression(text), &step.place, &format!("{path}.{name}"), text, found);
            }
        }
        for (name, value) in &step.args {
            tell(validate_references(value), &step.place, &format!("{path}.args.{name}"), "", found);
        }
        of_checks(&step.check, &path, found);
        of_steps(&step.steps, &format!("{path}.steps"), found);
    }
}

fn of_checks(checks: &[Check], path: &str, found: &mut Vec<Trouble>) {
    for check in checks {
        let path = format!("{path}.check");
        match check {
            Check::Holds { text, place } => tell(validate_expression(text), place, &path, text, found),
            Check::Match { pattern, place } => tell(validate_pattern(pattern), place, &path, "", found),
        }
    }
}

fn tell(read: Result<(), SyntaxTrouble>, place: &Place, path: &str, text: &str, found: &mut Vec<Trouble>) {
    let Err(trouble) = read else { return };
    let path = if trouble.path.is_empty() { path.to_owned() } else { format!("{path}.{}", trouble.path) };
    // Where in the line it stands depends on quotes and folding; what comes before it in the text does not.
    let before = text.get(..trouble.at).map(str::trim_end).filter(|it| !it.is_empty());
    let after = before.map_or_else(String::new, |it| format!(" after `{}`", plain(it)));
    let message = format!("{}{after}", trouble.message);
    found.push(Trouble::error(place.clone(), &path, message, &trouble.remedy));
}
