//! What a rule means.

use unitai_lint::{RULES, reference, rule as named};
use unitai_model::nearest::nearest;
use unitai_model::value::plain;

/// Everything about one rule.
pub(super) fn rule(name: &str) -> Result<String, String> {
    named(name).map(reference::told).ok_or_else(|| {
        let hint = match nearest(name, RULES.iter().map(|rule| rule.name)) {
            Some(near) => format!("perhaps `{near}`"),
            None => "`unitai lint --list` shows every rule".to_owned(),
        };
        format!("there is no rule `{}`; {hint}", plain(name))
    })
}

/// Every rule in a line.
pub(super) fn list() -> String {
    let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let line = |rule: &&unitai_lint::Rule| {
        let fix = if rule.is_fixable { "fix" } else { "" };
        format!("{:width$}  {:7}  {fix:3}  {}\n", rule.name, rule.severity.word(), brief(rule.what))
    };
    RULES.iter().map(line).collect()
}

/// The beginning of a sentence that says enough: before a colon or a second sentence, outside of code.
fn brief(what: &str) -> &str {
    let is_end = |at: &usize| what[..*at].matches('`').count().is_multiple_of(2);
    let ends = what.match_indices(": ").chain(what.match_indices(". ")).map(|(at, _)| at);
    let end = ends.filter(is_end).min().unwrap_or(what.len());
    what[..end].trim_end_matches('.')
}
