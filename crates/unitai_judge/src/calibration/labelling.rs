//! What people say about an answer becomes a case. Nothing that stands in the file is lost, and nothing stands there twice.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unitai_model::value::Value;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::document::{CaseOutcome, CaseQuestion, JudgeCase, Place, read_judge_cases};
use unitai_spec::run::{LONGEST_NAME, plain_name};
use unitai_wire::digest;

use super::writing;

/// What came of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Labelled {
    /// The text of the file with the label in it.
    Written(String),
    /// People say so already, there.
    Known(Place),
}

/// The file for the cases of a test, in the folder of cases. No name of it is taken for a test.
///
/// ```
/// use std::path::Path;
/// use unitai_judge::calibration::file_name;
/// assert_eq!(file_name("Refunds: are they polite?"), "refunds-are-they-polite.yaml");
/// assert_ne!(file_name("退款"), file_name("返金"));
/// ```
pub fn file_name(test: &str) -> String {
    let plain = plain_name(test);
    let is_whole = test.chars().count() <= LONGEST_NAME && test.is_ascii() && !plain.is_empty();
    if is_whole {
        return format!("{}.yaml", plain.trim_end_matches('-'));
    }
    // Letters that were left out may be all that two names differ in.
    let digest = digest(&[test]);
    format!("{}.yaml", format!("{plain}-{}", &digest[..8]).trim_start_matches('-'))
}

/// Adds the only question of a case to the text of a file, which is empty where there is none yet. A case with the same
/// evidence gets the question; else the file gets the case.
///
/// # Errors
/// Says what to do where the file cannot be read, or people have said the opposite before.
pub fn add_label(text: &str, file: &Path, case: &JudgeCase) -> Result<Labelled, String> {
    let Some(question) = case.questions.first() else { return Err("there is no question".to_owned()) };
    let known = if text.trim().is_empty() { vec![] } else { read(text, file)? };
    let wanted = plain(case.clone()).evidence;
    let Some(at) = known.iter().position(|it| plain(it.clone()).evidence == wanted) else {
        let whole = appended(text, &writing::document(case));
        return checked(whole, file, &with(known, None, case));
    };
    let is_it = |it: &&CaseQuestion| it.ask == question.ask && it.kind == question.kind;
    if let Some(before) = known[at].questions.iter().find(is_it) {
        if before.is_yes == question.is_yes {
            return Ok(Labelled::Known(before.place.clone()));
        }
        let said = if before.is_yes { "yes" } else { "no" };
        return Err(format!("{} says {said} to this already; change it there", before.place));
    }
    let expected = with(known.clone(), Some(at), case);
    let edited = inserted(text, &known, at, question);
    // However people have laid out the file: what cannot be put in stands behind it as a case of its own.
    checked(edited, file, &expected).or_else(|_| {
        let whole = appended(text, &writing::document(case));
        checked(whole, file, &with(known, None, case))
    })
}

fn read(text: &str, file: &Path) -> Result<Vec<JudgeCase>, String> {
    let reading = read_judge_cases(text, file);
    match reading.troubles.iter().find(|it| it.is_error()) {
        Some(trouble) => Err(format!("the file of cases cannot be read: {trouble}; mend it first")),
        None => Ok(reading.cases),
    }
}

/// The cases as they must be afterwards.
fn with(mut known: Vec<JudgeCase>, at: Option<usize>, case: &JudgeCase) -> Vec<JudgeCase> {
    match at.and_then(|at| known.get_mut(at)) {
        Some(there) => there.questions.extend(case.questions.iter().cloned()),
        None => known.push(case.clone()),
    }
    known
}

/// The text, if it says what it must.
fn checked(text: String, file: &Path, expected: &[JudgeCase]) -> Result<Labelled, String> {
    let found = read(&text, file)?;
    let plain = |cases: &[JudgeCase]| cases.iter().cloned().map(plain).collect::<Vec<_>>();
    if plain(&found) == plain(expected) {
        Ok(Labelled::Written(text))
    } else {
        Err("the evidence cannot be written as YAML; write the case by hand".to_owned())
    }
}

/// A case without what says nothing: places, and the order of what has names.
fn plain(mut case: JudgeCase) -> JudgeCase {
    let nowhere = Place { file: Arc::new(PathBuf::new()), line: 0, column: 0 };
    case.place = nowhere.clone();
    case.questions.iter_mut().for_each(|it| it.place = nowhere.clone());
    for call in &mut case.evidence {
        call.args.sort_by(|one, two| one.0.cmp(&two.0));
        call.args.iter_mut().for_each(|(_, it)| *it = sorted(it));
        if let CaseOutcome::Returned { result: Some(it), .. } = &mut call.outcome {
            *it = sorted(it);
        }
    }
    case
}

/// JSON has its names in one order.
fn sorted(value: &Value) -> Value {
    from_json(&to_json(value))
}

/// A document behind those that are there.
fn appended(text: &str, document: &str) -> String {
    if text.trim().is_empty() {
        return document.to_owned();
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}---\n{document}")
}

/// A question behind the last one of a case, if its questions are the last thing in it and stand in a block.
fn inserted(text: &str, known: &[JudgeCase], at: usize, question: &CaseQuestion) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begins = known[at].questions.last().map_or(0, |it| it.place.line);
    let ends = (begins..lines.len()).find(|line| lines[*line].starts_with("---")).unwrap_or(lines.len());
    // Where the dash of the last question stands.
    let dash = lines.get(begins.saturating_sub(1)).and_then(|line| line.find("- ")).unwrap_or(0);
    let block = writing::question(question, dash / 2);
    let mut out: String = lines[..ends].concat();
    if !out.ends_with('\n') {
        out.push('\n');
    }
    format!("{out}{block}{}", lines[ends..].concat())
}
