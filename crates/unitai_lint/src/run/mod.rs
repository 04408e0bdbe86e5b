//! A run over many files: which ones, side by side, with what is remembered of the last time.

mod cache;
mod files;
mod fixing;
mod located;
mod look;
pub(crate) mod naming;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use fixing::{FixedFile, fix};
pub use located::{Located, Position};

use crate::linter::finished_project;
use crate::{Contracts, Finding, Lines, Plan, Project, Severity, Source, Summary, project_stage};
use files::{Kind, Places, Target, find};
use look::{Looker, Seen};
use naming::Naming;

/// What a thread needs for the deepest tree that is walked over.
const STACK: usize = 128 << 20;

/// What a run is asked for.
pub struct Run<'a> {
    /// The root of the project.
    pub root: &'a Path,
    /// Whether it is one, and not just the folder of the shell: then rules about the project read all of it.
    pub is_project: bool,
    /// The folder of the shell, which named paths are relative to.
    pub here: &'a Path,
    /// Files and folders.
    pub named: &'a [PathBuf],
    /// Whether files that are named are left out like those that are found: where they are excluded, or no tests.
    pub force_exclude: bool,
    /// Which rules look at which files.
    pub plan: &'a Plan,
    /// What [`Outcome::keep`] was last time.
    pub kept: Option<&'a [u8]>,
    /// How many threads.
    pub jobs: usize,
    /// Is told how many files of how many are done, from any thread.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// What a run found.
#[derive(Debug)]
pub struct Outcome {
    /// Every file that was looked at, in the order of paths.
    pub files: Vec<FileOutcome>,
    /// What to give to the next run; none if it is as it was.
    pub keep: Option<Vec<u8>>,
}

/// What was found in one file.
#[derive(Debug)]
pub struct FileOutcome {
    /// Its path for people.
    pub path: String,
    /// Its path from the root of the project.
    pub from_root: String,
    /// Where it is.
    pub file: PathBuf,
    /// What was found, in the order of its text.
    pub findings: Vec<Located>,
    pub(crate) kind: Kind,
}

impl Outcome {
    /// How many findings weigh so much.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().filter(|(_, finding)| finding.severity == severity).count()
    }

    /// Every finding, with its file.
    pub fn findings(&self) -> impl Iterator<Item = (&FileOutcome, &Located)> {
        self.files.iter().flat_map(|file| file.findings.iter().map(move |finding| (file, finding)))
    }
}

impl Run<'_> {
    /// Looks at every file. A path that is not there is the error.
    pub fn run(&self) -> Result<Outcome, String> {
        let has_folder = self.named.iter().any(|path| self.here.join(path).is_dir());
        // Of single files, one does not know what the others hold.
        let single = (!has_folder).then(|| self.plan.clone().of_single_files());
        let plan = single.as_ref().unwrap_or(self.plan);
        let Looks { targets, mut seen, keep } = self.looks(plan)?;
        if plan.usual().is_about_projects() {
            of_project(plan, &Naming::of(self.root), &targets, &mut seen);
        }
        let files = targets.into_iter().zip(seen).filter(|(target, seen)| {
            let is_test = seen.is_test && target.kind != Kind::Source;
            !target.is_beside && (is_test || !seen.findings.is_empty())
        });
        let files = files
            .map(|(target, seen)| FileOutcome {
                path: target.shown,
                from_root: target.path,
                file: target.file,
                findings: seen.findings,
                kind: target.kind,
            })
            .collect();
        Ok(Outcome { files, keep })
    }

    /// What the project says about its contracts. The plan must have a rule about the whole project.
    pub fn contracts(&self) -> Result<Contracts, String> {
        let seen = self.looks(self.plan)?.seen;
        let files: Vec<Summary> = seen.into_iter().filter_map(|seen| seen.summary).collect();
        let naming = Naming::of(self.root);
        Ok(Contracts::of(&Project { files: &files, classes: &naming.classes }))
    }

    fn looks(&self, plan: &Plan) -> Result<Looks, String> {
        let places = Places {
            root: self.root,
            here: self.here,
            is_project: self.is_project,
            force_exclude: self.force_exclude,
        };
        let targets = find(&places, self.named, plan, plan.usual().is_about_projects())?;
        let mut looker = Looker::new(plan, self.kept);
        let done = AtomicUsize::new(0);
        let look = |target: &Target| {
            let seen = looker.look(target);
            (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, targets.len());
            seen
        };
        let mut seen: Vec<Seen> = pool(self.jobs)?.install(|| targets.par_iter().map(look).collect());
        let keep = looker.keep(&targets, &mut seen);
        Ok(Looks { targets, seen, keep })
    }
}

/// What was seen of every file.
struct Looks {
    targets: Vec<Target>,
    seen: Vec<Seen>,
    keep: Option<Vec<u8>>,
}

/// Does something that may go deep, on a thread that has the room.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("no thread could be started: {error}"),
        }
    })
}

fn pool(jobs: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.max(1))
        .stack_size(STACK)
        .build()
        .map_err(|error| format!("no threads could be started: {error}"))
}

/// Lets the rules about the whole project look, and adds what they found.
fn of_project(plan: &Plan, naming: &Naming, targets: &[Target], seen: &mut [Seen]) {
    let mut at = Vec::new();
    let mut summaries = Vec::new();
    for (index, seen) in seen.iter_mut().enumerate() {
        if let Some(summary) = seen.summary.take() {
            at.push(index);
            summaries.push(summary);
        }
    }
    let mut found: Vec<Vec<Finding>> = (0..seen.len()).map(|_| Vec::new()).collect();
    let project = Project { files: &summaries, classes: &naming.classes };
    for (file, finding) in project_stage(&project, plan.usual()) {
        found[at[file]].push(finding);
    }
    for ((target, seen), found) in targets.iter().zip(seen).zip(found) {
        if found.is_empty() && seen.ignores.is_empty() {
            continue;
        }
        let settings = plan.settings(&target.path);
        let found = found.into_iter().filter(|finding| settings.severity(finding.rule).is_some()).collect();
        let findings = finished_project(&mut seen.ignores, found, &settings);
        if findings.is_empty() {
            continue;
        }
        let text = std::fs::read(&target.file).ok().and_then(|bytes| Source::of_python(bytes).ok());
        let text = text.map(|source| source.text).unwrap_or_default();
        let lines = Lines::of(&text);
        seen.findings.extend(findings.into_iter().map(|finding| Located::of(finding, &text, &lines)));
        seen.findings.sort_by(|a, b| (a.start, a.end, a.rule.name).cmp(&(b.start, b.end, b.rule.name)));
    }
}
