//! Repairs: shown as a difference, or written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use similar::TextDiff;
use unitai_lint::Plan;
use unitai_lint::run::{FixedFile, Outcome, fix};
use unitai_model::value::plain;
use unitai_wire::gate;

/// Every file that something can be repaired in.
#[derive(Default)]
pub(super) struct Repairs(Vec<(String, PathBuf, FixedFile)>);

/// What is more than this is counted.
const MOST_TOLD: usize = 10;

impl Repairs {
    pub(super) fn of(outcome: &Outcome, plan: &Plan) -> Repairs {
        let fixed = outcome
            .files
            .iter()
            .filter_map(|file| Some((file.path.clone(), file.file.clone(), fix(file, plan)?)));
        Repairs(fixed.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many findings are repaired.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|(_, _, fixed)| fixed.repaired.len()).sum()
    }

    pub(super) fn diff(&self) -> String {
        let one = |(path, _, fixed): &(String, PathBuf, FixedFile)| {
            let diff = TextDiff::from_lines(fixed.before.as_str(), fixed.after.as_str());
            diff.unified_diff().header(path, path).to_string()
        };
        self.changed().map(one).collect()
    }

    /// What is done, by file: the rules that were repaired there, and how often.
    pub(super) fn done(&self) -> Vec<String> {
        let mut told: Vec<String> = self.changed().map(|(path, _, fixed)| repaired(path, fixed)).collect();
        if told.len() > MOST_TOLD {
            let more = told.split_off(MOST_TOLD).len();
            told.push(format!("{more} more files are repaired"));
        }
        told
    }

    /// What is to be said of repairs that are not done.
    pub(super) fn left_out(&self) -> Vec<String> {
        let all = self.0.iter().flat_map(|(path, _, fixed)| fixed.left_out.iter().map(move |it| (path, it)));
        let mut told: Vec<String> = all
            .map(|(path, finding)| {
                let (line, column, rule) = (finding.start.line, finding.start.column, finding.rule.name);
                format!(
                    "{}:{line}:{column}: the repair of `{rule}` is left out: the file would not be the same test with it; \
                     write it by hand",
                    plain(path)
                )
            })
            .collect();
        if told.len() > MOST_TOLD {
            let more = told.split_off(MOST_TOLD).len();
            told.push(format!("{more} more repairs are left out"));
        }
        told
    }

    fn changed(&self) -> impl Iterator<Item = &(String, PathBuf, FixedFile)> {
        self.0.iter().filter(|(_, _, fixed)| !fixed.repaired.is_empty())
    }

    pub(super) fn write(&self) -> Result<(), String> {
        for (path, file, fixed) in self.changed() {
            let mark = if fixed.has_mark { "\u{feff}" } else { "" };
            gate::rewrite(file, format!("{mark}{}", fixed.after).as_bytes())
                .map_err(|error| format!("{path} could not be written: {error}"))?;
        }
        Ok(())
    }
}

/// `tests/test_refund.py: repaired check-without-assert (2), assert-true`.
fn repaired(path: &str, fixed: &FixedFile) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in &fixed.repaired {
        *counts.entry(rule.name).or_default() += 1;
    }
    let rules = counts.into_iter().map(|(rule, count)| match count {
        1 => rule.to_owned(),
        _ => format!("{rule} ({count})"),
    });
    format!("{}: repaired {}", plain(path), rules.collect::<Vec<_>>().join(", "))
}
