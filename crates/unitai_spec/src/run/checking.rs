//! Whether what must hold does.

use super::scope::Sight;
use crate::document::{Check, Step};
use crate::expression::{EvalTrouble, Expression, Pattern};

/// What came of a check.
pub(super) enum Checked {
    /// It holds.
    Holds,
    /// It does not, for people.
    Fails(String),
    /// Nobody can say, because of how it is written.
    Wrong(String),
    /// It is about what another step did not save.
    DependsOn { name: String, by: String },
}

/// Whether an expression holds.
pub(super) fn holds(text: &str, sight: &Sight<'_>) -> Checked {
    let expression = match Expression::parse(text) {
        Ok(expression) => expression,
        Err(trouble) => return Checked::Wrong(format!("{text}: {}", trouble.message)),
    };
    match expression.holds(sight) {
        Ok(it) if it.holds() => Checked::Holds,
        Ok(it) => Checked::Fails(it.why().to_owned()),
        Err(trouble) => troubled(text, trouble),
    }
}

/// Whether all of these hold. Everything that does not is told.
pub(super) fn all(checks: &[Check], sight: &Sight<'_>) -> Checked {
    let mut fails = Vec::new();
    for check in checks {
        let (checked, place) = match check {
            Check::Holds { text, place } => (holds(text, sight), place),
            Check::Match { pattern, place } => (matches(pattern, sight), place),
        };
        match checked {
            Checked::Holds => {}
            Checked::Fails(why) | Checked::Wrong(why) if place.line > 0 => {
                fails.push(format!("{why} (line {})", place.line));
            }
            Checked::Fails(why) | Checked::Wrong(why) => fails.push(why),
            depends @ Checked::DependsOn { .. } => return depends,
        }
    }
    if fails.is_empty() { Checked::Holds } else { Checked::Fails(fails.join("; ")) }
}

fn matches(pattern: &unitai_model::value::Value, sight: &Sight<'_>) -> Checked {
    let parsed = match Pattern::parse(pattern) {
        Ok(parsed) => parsed,
        Err(trouble) => return Checked::Wrong(format!("match: {}", trouble.message)),
    };
    let Some(result) = sight.call.and_then(|call| call.result) else {
        return Checked::Fails("match: there is no result to look at".to_owned());
    };
    match parsed.mismatches(result, sight) {
        Ok(mismatches) if mismatches.is_empty() => Checked::Holds,
        Ok(mismatches) => {
            Checked::Fails(mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
        Err(trouble) => troubled("match", trouble),
    }
}

fn troubled(text: &str, trouble: EvalTrouble) -> Checked {
    match trouble {
        EvalTrouble::DependsOn { name, by } => Checked::DependsOn { name, by },
        EvalTrouble::Wrong { message, remedy } if remedy.is_empty() => {
            Checked::Wrong(format!("{text}: {message}"))
        }
        EvalTrouble::Wrong { message, remedy } => Checked::Wrong(format!("{text}: {message}; {remedy}")),
    }
}

/// Whether a step says by itself what it expects of a tool that fails.
pub(super) fn speaks_of_errors(step: &Step) -> bool {
    let speaks = |text: &str| {
        Expression::parse(text).is_ok_and(|expression| {
            expression.names().iter().any(|name| name == "error" || name == "is_error")
        })
    };
    step.check.iter().any(|check| matches!(check, Check::Holds { text, .. } if speaks(text)))
}
