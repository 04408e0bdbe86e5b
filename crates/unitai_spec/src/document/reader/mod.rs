//! Nodes become a test. Everything that is wrong is collected, not only the first.

mod case;
mod check;
mod expressions;
mod fields;
mod file;
mod include;
mod judge_case;
mod lint;
mod meta;
mod scalar;
mod server;
mod step;
mod test;
mod verdict;

pub use file::load;
pub use judge_case::{CaseReading, read_judge_case_file, read_judge_cases};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::yaml::{At, Budget, Measure, parse};
use super::{Place, ProjectRoot, Server, Severity, Spec, Trouble};
use unitai_model::value::Value;

/// What a text turned out to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Its tests: one for each document and each row of its cases. Empty if one of the troubles is an error.
    pub specs: Vec<Spec>,
    /// What is wrong with it.
    pub troubles: Vec<Trouble>,
}

impl Reading {
    /// Whether something is so wrong that there is no test.
    pub fn has_errors(&self) -> bool {
        self.troubles.iter().any(|trouble| trouble.severity == Severity::Error)
    }
}

/// Reads a text as the file at this path, which includes are relative to and which troubles name.
///
/// ```
/// use std::path::Path;
/// use unitai_spec::document::read;
/// let text = "test: {name: alive}\nsteps: [{tool: ping}]\nverdict: checks\n";
/// let reading = read(text, Path::new("tests/alive.yaml"));
/// assert_eq!(reading.specs[0].steps[0].tool, "ping");
///
/// let reading = read(&text.replace("tool", "tol"), Path::new("tests/alive.yaml"));
/// assert_eq!(reading.troubles[0].remedy, "did you mean `tool`?");
/// assert!(reading.specs.is_empty());
/// ```
pub fn read(text: &str, path: &Path) -> Reading {
    read_with(Reader::new(path), text)
}

/// Reads a text for a caller who may see this project only: what it includes must be a YAML file of tests below the
/// root, and nothing of any other file is in a message.
pub fn read_below(root: &ProjectRoot, text: &str, path: &Path) -> Reading {
    read_with(Reader { root: Some(root.clone()), ..Reader::new(path) }, text)
}

fn read_with(mut reader: Reader, text: &str) -> Reading {
    if let Err(message) = reader.budget.take_file(text.len(), 0) {
        reader.tell_whole(message, "make several files of it");
        return reader.ended(vec![]);
    }
    let parsed = parse(text, &reader.file, &mut reader.budget);
    let is_whole = parsed.troubles.is_empty();
    reader.troubles.extend(parsed.troubles);
    if parsed.documents.is_empty() && is_whole {
        reader.tell_whole("the file holds no test", "a test has `test`, `steps` and `verdict`");
    }
    let specs = parsed.documents.iter().flat_map(|root| reader.document(root)).collect();
    reader.ended(specs)
}

/// Reads a file. That it cannot be opened is a trouble like any other.
pub fn read_file(path: &Path) -> Reading {
    match file::load(path) {
        Ok(text) => read(&text, path),
        Err(trouble) => Reading { specs: vec![], troubles: vec![*trouble] },
    }
}

/// So many things that are wrong with a file are told; who mends these will see the others.
const MOST_TOLD: usize = 100;

/// The first of the troubles, and how many there are besides.
fn first_of(mut troubles: Vec<Trouble>) -> Vec<Trouble> {
    let besides = troubles.split_off(troubles.len().min(MOST_TOLD));
    if let Some(next) = besides.first() {
        let is_error = besides.iter().any(Trouble::is_error);
        let severity = if is_error { Severity::Error } else { Severity::Warning };
        let message = format!("{} more things are wrong from here on", besides.len());
        let more = Trouble::error(next.place.clone(), "", message, "mend those before it first");
        troubles.push(Trouble { severity, ..more });
    }
    troubles
}

/// What is known while a file is read.
struct Reader {
    /// The file that is being read: the test's own, or one that it includes.
    file: Arc<PathBuf>,
    troubles: Vec<Trouble>,
    budget: Budget,
    /// Whether unknown keys are only warnings.
    is_lenient: bool,
    /// What included files must be below; none: they may be anywhere.
    root: Option<ProjectRoot>,
    /// The files that are being read, each included by the one before.
    open: Vec<PathBuf>,
    /// What files gave that steps include, beside steps.
    beside: Beside,
    /// Tests of cases so far, and what their rows hold.
    rows: usize,
    row_measure: Measure,
}

/// Servers and values of a file.
#[derive(Default)]
struct Beside {
    servers: Vec<Server>,
    vars: Vec<(String, Value)>,
}

impl Beside {
    /// Adds what has a name that is not there yet.
    fn add(&mut self, other: Beside) {
        for server in other.servers {
            if self.servers.iter().all(|known| known.name != server.name) {
                self.servers.push(server);
            }
        }
        for (name, value) in other.vars {
            if self.vars.iter().all(|(known, _)| *known != name) {
                self.vars.push((name, value));
            }
        }
    }
}

impl Reader {
    fn new(path: &Path) -> Reader {
        Reader {
            file: Arc::new(path.to_owned()),
            troubles: vec![],
            budget: Budget::new(),
            is_lenient: false,
            root: None,
            open: vec![std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())],
            beside: Beside::default(),
            rows: 0,
            row_measure: Measure::default(),
        }
    }

    fn ended(self, mut specs: Vec<Spec>) -> Reading {
        for at in 1..specs.len() {
            let (before, rest) = specs.split_at_mut(at);
            let is_twin = |it: &&Spec| it.test.name == rest[0].test.name && it.case == rest[0].case;
            rest[0].twin = 1 + before.iter().filter(is_twin).count() as u32;
        }
        let mut troubles = self.troubles;
        // By place, as somebody goes through a file; included files come after.
        let own = &self.file;
        let order = |place: &Place| (place.file != *own, place.file.clone(), place.line, place.column);
        troubles.sort_by_cached_key(|trouble| order(&trouble.place));
        let specs = if troubles.iter().any(Trouble::is_error) { vec![] } else { specs };
        Reading { specs, troubles: first_of(troubles) }
    }

    fn place(&self, at: At) -> Place {
        Place { file: self.file.clone(), line: at.line, column: at.column }
    }

    fn tell(&mut self, at: At, path: &str, message: impl Into<String>, remedy: impl Into<String>) {
        self.troubles.push(Trouble::error(self.place(at), path, message, remedy));
    }

    fn warn(&mut self, at: At, path: &str, message: impl Into<String>, remedy: impl Into<String>) {
        self.troubles.push(Trouble::warning(self.place(at), path, message, remedy));
    }

    /// A trouble of the file as a whole.
    fn tell_whole(&mut self, message: impl Into<String>, remedy: impl Into<String>) {
        self.tell(At { line: 1, column: 1 }, "", message, remedy);
    }
}
