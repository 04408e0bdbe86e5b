//! The kept answers of a test that somebody names.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use unitai_config::root_above;
use unitai_judge::answers::Kept;
use unitai_model::nearest::nearest;
use unitai_spec::document::{Spec, read_file};
use unitai_spec::run::{beside, beside_file};

use crate::yaml::files;

/// The folder of kept answers, beside a test.
const ANSWERS: &str = "answers";

/// Kept answers, and where they are.
pub(super) struct Found {
    /// The file of the answers.
    pub(super) path: PathBuf,
    pub(super) kept: Kept,
    /// The file of the test, from the project's folder; empty where only the answers are known.
    pub(super) source: String,
}

/// The folder of the project.
pub(super) fn project() -> Result<PathBuf, String> {
    let here = env::current_dir().map_err(|error| format!("the folder of this shell is gone: {error}"))?;
    Ok(root_above(&here).to_owned())
}

/// A path as somebody in this folder would write it.
pub(super) fn shown(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

/// The answers about a test: by its name, its file, pytest's name for it, or the file of the answers themselves.
pub(super) fn find(test: &str) -> Result<Vec<Found>, String> {
    let named = Path::new(test);
    if named.extension().is_some_and(|it| it == "json") && named.is_file() {
        return Ok(vec![Found { path: named.to_owned(), kept: read(named)?, source: String::new() }]);
    }
    let root = project()?;
    let (file, name) = match test.split_once("::") {
        Some((file, name)) => (Some(PathBuf::from(file)), name),
        None => (named.is_file().then(|| named.to_owned()), test),
    };
    let is_python = file.as_ref().is_some_and(|it| it.extension().is_some_and(|it| it == "py"));
    let places: Vec<(PathBuf, PathBuf)> = match file {
        Some(file) if is_python => vec![(beside_file(&file, name, 1, ANSWERS), file)],
        file => tests(file, name, &root)?
            .iter()
            .map(|it| (beside(it, ANSWERS), it.place.file.as_ref().clone()))
            .collect(),
    };
    let mut found = Vec::new();
    for (path, file) in places.iter().filter(|(path, _)| path.exists()) {
        let source = file.strip_prefix(&root).unwrap_or(file).display().to_string();
        found.push(Found { kept: read(path)?, path: path.clone(), source });
    }
    match (found.is_empty(), places.first()) {
        (true, Some((path, _))) => Err(format!(
            "no answers are kept about \"{test}\" ({} is not there); run the test with a judge first",
            shown(path)
        )),
        _ => Ok(found),
    }
}

/// The YAML tests of this name, or all of a file that is named alone.
fn tests(file: Option<PathBuf>, name: &str, root: &Path) -> Result<Vec<Spec>, String> {
    let is_alone = file.as_ref().is_some_and(|file| file.as_path() == Path::new(name));
    let places = [file.unwrap_or_else(|| root.join(files::USUAL))];
    let all: Vec<Spec> = files::tests(&places)?.iter().flat_map(|file| read_file(file).specs).collect();
    let is_it = |it: &Spec| is_alone || it.test.name == name || names(it).iter().any(|known| known == name);
    let near = nearest(name, all.iter().map(|it| it.test.name.as_str()));
    let hint = near.map_or_else(String::new, |near| format!("; perhaps \"{near}\""));
    let found: Vec<Spec> = all.iter().filter(|it| is_it(it)).cloned().collect();
    if found.is_empty() {
        return Err(format!("there is no test \"{name}\" in {}{hint}", shown(&places[0])));
    }
    Ok(found)
}

/// The only one, where one is needed.
pub(super) fn find_one(test: &str) -> Result<Found, String> {
    let mut found = find(test)?;
    match (found.pop(), found.as_slice()) {
        (Some(one), []) => Ok(one),
        (last, others) => {
            let all: Vec<String> =
                others.iter().chain(&last).map(|it| format!("\n  {}", shown(&it.path))).collect();
            Err(format!(
                "several tests are meant by \"{test}\"; name the file of their answers:{}",
                all.concat()
            ))
        }
    }
}

/// What a row of cases is called: in reports, and by pytest.
fn names(spec: &Spec) -> Vec<String> {
    let name = &spec.test.name;
    spec.case.iter().flat_map(|case| [format!("{name} [{case}]"), format!("{name}[{case}]")]).collect()
}

fn read(path: &Path) -> Result<Kept, String> {
    let told = |why: String| format!("{}: {why}", shown(path));
    let text = fs::read_to_string(path).map_err(|error| told(error.to_string()))?;
    Kept::from_text(&text).map_err(told)
}
