//! How often each rule found something.

use std::collections::BTreeMap;

use crate::run::Outcome;

/// How often each rule found something, the most frequent first.
pub fn statistics(outcome: &Outcome) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (_, finding) in outcome.findings() {
        let (all, fixable) = counts.entry(finding.rule.name).or_default();
        *all += 1;
        *fixable += usize::from(finding.fix.is_some());
    }
    let mut rows: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    rows.sort_by_key(|(name, (all, _))| (std::cmp::Reverse(*all), *name));
    let width = rows.first().map_or(0, |(_, (all, _))| all.to_string().len());
    let row = |(name, (all, fixable)): (&str, (usize, usize))| {
        let fixable = if fixable == 0 { String::new() } else { format!("  ({fixable} by `--fix`)") };
        format!("{all:width$}  {name}{fixable}\n")
    };
    rows.into_iter().map(row).collect()
}
