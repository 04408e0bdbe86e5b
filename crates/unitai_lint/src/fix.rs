//! Repairs: the edits of findings, put into a text.

use crate::{Edit, Finding};

/// A text with repairs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// How many findings are repaired.
    pub count: usize,
}

/// Puts the repairs of these findings into the text, from the top; one that touches what another has changed waits for
/// the next round. None if there is nothing to repair.
pub fn fixed(source: &str, findings: &[Finding]) -> Option<Fixed> {
    let ending = if source.contains("\r\n") { "\r\n" } else { "\n" };
    let mut taken: Vec<&Edit> = Vec::new();
    let mut count = 0;
    for fix in findings.iter().filter_map(|finding| finding.fix.as_ref()) {
        // Two insertions at one place touch as well: nobody knows which of them comes first.
        let touches =
            |edit: &Edit| taken.iter().any(|other| edit.start <= other.end && other.start <= edit.end);
        let fits = |edit: &Edit| {
            let (start, end) = (edit.start as usize, edit.end as usize);
            start <= end && source.is_char_boundary(start) && source.is_char_boundary(end)
        };
        if !fix.edits.is_empty() && fix.edits.iter().all(|edit| fits(edit) && !touches(edit)) {
            taken.extend(&fix.edits);
            count += 1;
        }
    }
    if taken.is_empty() {
        return None;
    }
    taken.sort_by_key(|edit| edit.start);
    let (mut text, mut at) = (String::with_capacity(source.len() + 64), 0);
    for edit in taken {
        text.push_str(&source[at..edit.start as usize]);
        text.push_str(&edit.text.replace('\n', ending));
        at = edit.end as usize;
    }
    text.push_str(&source[at..]);
    Some(Fixed { text, count })
}
