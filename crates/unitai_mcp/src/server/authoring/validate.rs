//! `validate_test`: what is wrong with a test, and where.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use unitai_spec::document::{Reading, Severity, Spec, Step};

use super::arguments::Given;
use super::place::Root;
use super::port::Tests;
use super::{Outcome, shown};

/// Reads a test that is there, or the text of one. Who names it by `test_path` is told in the answer what is wrong with
/// that, too.
pub(super) fn validate(root: &Root, tests: &dyn Tests, args: Map<String, Value>) -> Outcome {
    let mut given = Given::of(args, &["path", "test_path", "text"])?;
    let test_path = given.text("test_path")?;
    let read = match (given.text("path")?, given.text("text")?, &test_path) {
        (Some(path), None, None) => there(root, &path)?,
        // What it includes is looked for where a new test would stand.
        (None, Some(text), None) => (root.folder().join("tests/llm/text.yaml"), text),
        (None, None, Some(path)) => match there(root, path) {
            Ok(read) => read,
            Err(why) => return Ok(told(root, &Reading::default(), &[why])),
        },
        _ => {
            return Err(
                "give either `path`, the file of a test, or `text`, what would stand in one".to_owned()
            );
        }
    };
    let reading = tests.read_to_use(&read.0, &read.1);
    let errors = reading.troubles.iter().filter(|trouble| trouble.severity == Severity::Error);
    let errors: Vec<String> = errors.map(shown::line).collect();
    Ok(told(root, &reading, &errors))
}

/// A file that is there, and its text.
fn there(root: &Root, path: &str) -> Result<(PathBuf, String), String> {
    let file = root.file(path)?;
    let text = root.test(&file)?;
    Ok((file, text))
}

fn told(root: &Root, reading: &Reading, errors: &[String]) -> Value {
    let (mut count, mut tools) = (0, BTreeSet::new());
    for spec in written_once(&reading.specs) {
        count += steps_in(&spec.steps);
        for step in spec.setup.iter().chain(&spec.steps).chain(&spec.teardown) {
            gather(step, &mut tools);
        }
    }
    json!({
        "valid": errors.is_empty(),
        "test_name": reading.specs.first().map(|spec| &spec.test.name),
        "step_count": count,
        "tools_used": tools,
        "errors": errors,
        "tests": shown::names(&reading.specs),
        "troubles": shown::troubles(root, &reading.troubles),
    })
}

/// The tests of a file; of the rows of its cases, which have the same steps, the first.
fn written_once(specs: &[Spec]) -> impl Iterator<Item = &Spec> {
    let is_first =
        |(at, spec): &(usize, &Spec)| spec.case.is_none() || *at == 0 || specs[at - 1].steps != spec.steps;
    specs.iter().enumerate().filter(is_first).map(|(_, spec)| spec)
}

/// How many steps there are, nested ones too.
fn steps_in(steps: &[Step]) -> usize {
    steps.iter().map(|step| 1 + steps_in(&step.steps)).sum()
}

fn gather<'a>(step: &'a Step, tools: &mut BTreeSet<&'a str>) {
    tools.extend((!step.tool.is_empty()).then_some(step.tool.as_str()));
    step.steps.iter().for_each(|inner| gather(inner, tools));
}
