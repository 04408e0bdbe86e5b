//! Repairs: shown as a difference, or written.

use std::path::PathBuf;

use similar::TextDiff;
use unitai_lint::Plan;
use unitai_lint::run::{FixedFile, Outcome, fix};
use unitai_wire::gate;

/// Every file that something is repaired in.
#[derive(Default)]
pub(super) struct Repairs(Vec<(String, PathBuf, FixedFile)>);

impl Repairs {
    pub(super) fn of(outcome: &Outcome, plan: &Plan) -> Repairs {
        let fixed = outcome
            .files
            .iter()
            .filter_map(|file| Some((file.path.clone(), file.file.clone(), fix(file, plan)?)));
        Repairs(fixed.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many findings are repaired.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|(_, _, fixed)| fixed.count).sum()
    }

    pub(super) fn diff(&self) -> String {
        let one = |(path, _, fixed): &(String, PathBuf, FixedFile)| {
            let diff = TextDiff::from_lines(fixed.before.as_str(), fixed.after.as_str());
            diff.unified_diff().header(path, path).to_string()
        };
        self.0.iter().map(one).collect()
    }

    pub(super) fn write(&self) -> Result<(), String> {
        for (path, file, fixed) in &self.0 {
            let mark = if fixed.has_mark { "\u{feff}" } else { "" };
            gate::rewrite(file, format!("{mark}{}", fixed.after).as_bytes())
                .map_err(|error| format!("{path} could not be written: {error}"))?;
        }
        Ok(())
    }
}
