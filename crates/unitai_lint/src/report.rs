//! Where a rule puts what it found.

use std::borrow::Cow;

use ruff_text_size::{Ranged, TextRange};

use crate::{Finding, Rule, Severity};

/// Takes the findings of one rule about one file.
pub struct Report<'r> {
    rule: &'static Rule,
    severity: Severity,
    findings: &'r mut Vec<Finding>,
}

impl<'r> Report<'r> {
    pub(crate) fn new(rule: &'static Rule, severity: Severity, findings: &'r mut Vec<Finding>) -> Report<'r> {
        Report { rule, severity, findings }
    }

    /// A finding at a node or a range. The message names what it is about, in backticks; it is followed by
    /// [`Finding::help`] and, where it is safe, [`Finding::fix`].
    pub fn at(&mut self, place: impl Ranged, message: impl Into<String>) -> &mut Finding {
        self.within(place.range(), message.into())
    }

    fn within(&mut self, range: TextRange, message: String) -> &mut Finding {
        let finding = Finding {
            rule: self.rule,
            severity: self.severity,
            range,
            message,
            help: Cow::Borrowed(""),
            fix: None,
        };
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }
}
