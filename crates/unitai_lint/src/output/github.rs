//! Findings as GitHub shows them beside the code of a pull request.

use std::fmt::Write;

use crate::run::Outcome;

/// Every finding of a run as a command of GitHub's workflows.
pub fn github(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (file, finding) in outcome.findings() {
        let (start, end) = (finding.start, finding.end);
        let help = if finding.help.is_empty() { String::new() } else { format!("\n{}", finding.help) };
        // Columns are only taken where both ends are in one line.
        let columns = match start.line == end.line {
            true => format!(",col={},endColumn={}", start.column, end.column),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "::{} file={},line={},endLine={}{columns},title={}::{}",
            finding.severity.word(),
            property(&file.path),
            start.line,
            end.line,
            property(&format!("unitai lint: {}", finding.rule.name)),
            data(&format!("{}{help}", finding.message)),
        );
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn nothing_in_a_finding_is_a_command() {
        assert_eq!(data("100%\n::error::x"), "100%25%0A::error::x");
        assert_eq!(property("a:b,c%\r"), "a%3Ab%2Cc%25%0D");
    }
}
