//! `create_test`: a YAML file of what was given, if it is a test.

use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};
use unitai_spec::document::Reading;
use unitai_wire::gate;
use unitai_wire::redact::Secrets;

use super::arguments::Given;
use super::place::Root;
use super::port::Tests;
use super::{Outcome, shown, yaml};

/// What belongs under `test`.
const META: [&str; 4] = ["name", "description", "tags", "timeout"];

/// What stands beside it, in the order of the file.
const PARTS: [&str; 8] = ["include", "servers", "vars", "cases", "setup", "steps", "teardown", "verdict"];

/// Makes a test. Nothing is written unless it can be used.
pub(super) fn create(root: &Root, tests: &dyn Tests, secrets: &Secrets, args: Map<String, Value>) -> Outcome {
    let known: Vec<&str> =
        META.iter().chain(&PARTS).chain(&["path", "filename", "overwrite"]).copied().collect();
    let mut given = Given::of(args, &known)?;
    let name = given.needed("name")?;
    let path = path_given(&mut given)?.unwrap_or_else(|| file_name(&name));
    let path = root.new_test(&path)?;
    let may_replace = given.flag("overwrite")?;

    let mut test = Map::from_iter([("name".to_owned(), Value::String(name))]);
    for key in &META[1..] {
        test.extend(given.any(key).map(|value| ((*key).to_owned(), value)));
    }
    let mut document = vec![("test".to_owned(), Value::Object(test))];
    for key in PARTS {
        document.extend(given.any(key).map(|value| (key.to_owned(), value)));
    }
    let text = yaml::document(&document);

    let reading = tests.read_to_use(&path, &text);
    if reading.has_errors() {
        let told: Vec<String> = reading.troubles.iter().map(shown::line).collect();
        return Err(format!("nothing was written, because this is no test yet:\n{}", told.join("\n")));
    }
    write(root, &path, &text, may_replace, secrets)?;
    Ok(made(root, &path, &text, None, &reading))
}

/// Where the test is to be written, by either name of the argument.
pub(super) fn path_given(given: &mut Given) -> Result<Option<String>, String> {
    given.either("path", "filename")
}

/// Writes a file. One that is there is replaced only where that is wanted.
pub(super) fn write(
    root: &Root,
    path: &Path,
    text: &str,
    may_replace: bool,
    secrets: &Secrets,
) -> Result<(), String> {
    let shown = root.shown(path);
    let inner = path.strip_prefix(root.folder()).unwrap_or(path);
    let written = gate::write_below(root.folder(), inner, text.as_bytes(), secrets, may_replace);
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{shown} is there already; give another path, or `overwrite: true` to replace it")
        }
        _ => format!("{shown} could not be written: {error}"),
    })
}

/// What is told of a test that was written, and of the plugin that was written with it.
pub(super) fn made(
    root: &Root,
    path: &Path,
    text: &str,
    plugin: Option<(String, &str)>,
    reading: &Reading,
) -> Value {
    let (plugin_path, plugin_content) = plugin.unzip();
    json!({
        "success": true,
        "test_path": root.shown(path),
        "test_content": text,
        "plugin_path": plugin_path,
        "plugin_content": plugin_content,
        "file": root.shown(path),
        "tests": shown::names(&reading.specs),
        "troubles": shown::troubles(root, &reading.troubles),
    })
}

/// A name for the file of a test of this name.
pub(super) fn file_name(name: &str) -> String {
    let mut words = String::new();
    for it in name.chars().take(60) {
        match it {
            it if it.is_ascii_alphanumeric() => words.push(it.to_ascii_lowercase()),
            _ if words.is_empty() || words.ends_with('_') => {}
            _ => words.push('_'),
        }
    }
    let words = words.trim_end_matches('_');
    let words = if words.is_empty() { "test" } else { words };
    format!("{words}.yaml")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_file_is_named_after_its_test() {
        assert_eq!(file_name("Login works: GET /users!"), "login_works_get_users.yaml");
        assert_eq!(file_name("../../etc/passwd"), "etc_passwd.yaml");
        assert_eq!(file_name("日本"), "test.yaml");
    }
}
