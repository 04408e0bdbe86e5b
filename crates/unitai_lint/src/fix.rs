//! Repairs: the edits of findings, put into a text.

use std::collections::BTreeMap;

use crate::{Edit, Finding, Rule};

/// A text with repairs in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// Of each finding that is repaired, the rule.
    pub repaired: Vec<&'static Rule>,
}

/// Puts the repairs of these findings into the text, from the top; one that touches what another has changed waits for
/// the next round. None if there is nothing to repair.
pub fn fixed(source: &str, findings: &[Finding]) -> Option<Fixed> {
    let ending = if source.contains("\r\n") { "\r\n" } else { "\n" };
    let mut taken: BTreeMap<(u32, u32), &Edit> = BTreeMap::new();
    let mut repaired = Vec::new();
    for (rule, fix) in findings.iter().filter_map(|finding| Some((finding.rule, finding.fix.as_ref()?))) {
        // Two insertions at one place touch as well: nobody knows which of them comes first. What is taken does not touch
        // itself, and so the last that begins before the end is the one that reaches furthest.
        let touches = |edit: &Edit| {
            let before = taken.range(..=(edit.end, u32::MAX)).next_back();
            before.is_some_and(|((_, end), _)| *end >= edit.start)
        };
        let fits = |edit: &Edit| {
            let (start, end) = (edit.start as usize, edit.end as usize);
            start <= end && source.is_char_boundary(start) && source.is_char_boundary(end)
        };
        if !fix.edits.is_empty() && fix.edits.iter().all(|edit| fits(edit) && !touches(edit)) {
            taken.extend(fix.edits.iter().map(|edit| ((edit.start, edit.end), edit)));
            repaired.push(rule);
        }
    }
    if taken.is_empty() {
        return None;
    }
    let (mut text, mut at) = (String::with_capacity(source.len() + 64), 0);
    for edit in taken.into_values() {
        text.push_str(&source[at..edit.start as usize]);
        text.push_str(&edit.text.replace('\n', ending));
        at = edit.end as usize;
    }
    text.push_str(&source[at..]);
    Some(Fixed { text, repaired })
}
