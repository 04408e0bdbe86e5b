//! `validate_test`: what is wrong with a test, and where.

use serde_json::{Map, Value, json};
use unitai_spec::document::Severity;

use super::arguments::Given;
use super::place::Root;
use super::port::Tests;
use super::{Outcome, shown};

/// Reads a test that is there, or the text of one.
pub(super) fn validate(root: &Root, tests: &dyn Tests, args: Map<String, Value>) -> Outcome {
    let mut given = Given::of(args, &["path", "text"])?;
    let (file, text) = match (given.text("path")?, given.text("text")?) {
        (Some(path), None) => {
            let file = root.file(&path)?;
            let text = root.test(&file)?;
            (file, text)
        }
        // What it includes is looked for where a new test would stand.
        (None, Some(text)) => (root.folder().join("tests/llm/text.yaml"), text),
        _ => {
            return Err(
                "give either `path`, the file of a test, or `text`, what would stand in one".to_owned()
            );
        }
    };
    let reading = tests.read_to_use(&file, &text);
    let is_valid = reading.troubles.iter().all(|trouble| trouble.severity != Severity::Error);
    Ok(json!({
        "valid": is_valid,
        "tests": shown::names(&reading.specs),
        "troubles": shown::troubles(root, &reading.troubles),
    }))
}
