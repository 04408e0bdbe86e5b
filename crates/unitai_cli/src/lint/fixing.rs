//! Repairs: shown as a difference, or written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use unitai_lint::Plan;
use unitai_lint::run::{FixedFile, Outcome, fix};
use unitai_model::value::plain;
use unitai_spec::document::ProjectRoot;
use unitai_wire::gate;

/// The repairs of every file, and why some files are not repaired.
#[derive(Default)]
pub(super) struct Repairs {
    files: Vec<FileRepair>,
    not_written: Vec<String>,
}

struct FileRepair {
    path: String,
    file: PathBuf,
    fixed: FixedFile,
}

/// What is more than this is counted.
const MOST_TOLD: usize = 10;

impl Repairs {
    /// What can be repaired in the files of a run. A link out of the project is left alone: the file that it leads to
    /// belongs to others.
    pub(super) fn find(outcome: &Outcome, plan: &Plan, root: &Path) -> Repairs {
        let mut repairs = Repairs::default();
        for file in &outcome.files {
            let Some(fixed) = fix(file, plan) else { continue };
            let (path, file) = (plain(&file.path), file.file.clone());
            if !fixed.repaired.is_empty() && is_link_out(&file, root) {
                let why = "not repaired: it is a link out of the project; repair the file that it leads to";
                repairs.not_written.push(format!("{path}: {why}"));
            } else {
                repairs.files.push(FileRepair { path, file, fixed });
            }
        }
        repairs
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many findings are repaired.
    pub(super) fn count(&self) -> usize {
        self.files.iter().map(|it| it.fixed.repaired.len()).sum()
    }

    pub(super) fn diff(&self) -> String {
        let one = |FileRepair { path, fixed, .. }: &FileRepair| {
            let diff = TextDiff::from_lines(fixed.before.as_str(), fixed.after.as_str());
            diff.unified_diff().header(path, path).to_string()
        };
        self.changed().map(one).collect()
    }

    /// Writes every file that can be written. The others are no longer among the repairs.
    pub(super) fn write(&mut self) {
        for repair in std::mem::take(&mut self.files) {
            match repair.write() {
                Ok(()) => self.files.push(repair),
                Err(error) => self.not_written.push(format!("{}: not repaired: {error}", repair.path)),
            }
        }
    }

    /// The files that should have been repaired and were not, each with the reason.
    pub(super) fn not_written(&self) -> &[String] {
        &self.not_written
    }

    /// What is done, by file: the rules that were repaired there, and how often.
    pub(super) fn done(&self) -> Vec<String> {
        let mut told: Vec<String> = self.changed().map(repaired).collect();
        if told.len() > MOST_TOLD {
            let more = told.split_off(MOST_TOLD).len();
            told.push(format!("{more} more files are repaired"));
        }
        told
    }

    /// What is to be said of repairs that are not done.
    pub(super) fn left_out(&self) -> Vec<String> {
        let all = self.files.iter().flat_map(|it| it.fixed.left_out.iter().map(move |left| (&it.path, left)));
        let mut told: Vec<String> = all
            .map(|(path, finding)| {
                let (line, column, rule) = (finding.start.line, finding.start.column, finding.rule.name);
                format!(
                    "{path}:{line}:{column}: the repair of `{rule}` is left out: the file would not be the same test with it; \
                     write it by hand"
                )
            })
            .collect();
        if told.len() > MOST_TOLD {
            let more = told.split_off(MOST_TOLD).len();
            told.push(format!("{more} more repairs are left out"));
        }
        told
    }

    fn changed(&self) -> impl Iterator<Item = &FileRepair> {
        self.files.iter().filter(|it| !it.fixed.repaired.is_empty())
    }
}

impl FileRepair {
    fn write(&self) -> std::io::Result<()> {
        let FixedFile { has_mark, after, repaired, .. } = &self.fixed;
        if repaired.is_empty() {
            return Ok(());
        }
        let mark = if *has_mark { "\u{feff}" } else { "" };
        gate::rewrite(&self.file, format!("{mark}{after}").as_bytes())
    }
}

/// Whether a file of the project is really elsewhere. One that was named outside of the project is meant, unless it is a
/// link to yet another folder.
fn is_link_out(file: &Path, root: &Path) -> bool {
    let folder = if file.starts_with(root) { Some(root) } else { file.parent() };
    let folder = folder.and_then(|folder| ProjectRoot::new(folder).ok());
    folder.is_none_or(|folder| folder.resolve(file).is_err())
}

/// `tests/test_refund.py: repaired check-without-assert (2), assert-true`.
fn repaired(FileRepair { path, fixed, .. }: &FileRepair) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in &fixed.repaired {
        *counts.entry(rule.name).or_default() += 1;
    }
    let rules = counts.into_iter().map(|(rule, count)| match count {
        1 => rule.to_owned(),
        _ => format!("{rule} ({count})"),
    });
    format!("{path}: repaired {}", rules.collect::<Vec<_>>().join(", "))
}
