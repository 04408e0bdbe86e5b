//! A trouble for people: where, what, what to do, and the line with a mark under it.
//!
//! By hand, not by a library of snippets: the first line must be `file:line:column: message`, which editors and
//! terminals make a link of, and what comes from a file must not reach a terminal as it is.

use unitai_model::value::plain;

use super::Trouble;

impl Trouble {
    /// The trouble, and below it the line of the file, if `source` is the text of the file that the place is in.
    ///
    /// ```
    /// use std::path::Path;
    /// let text = "test: {name: a}\nsteps:\n  - tol: ping\nverdict: checks\n";
    /// let reading = unitai_spec::document::read(text, Path::new("a.yaml"));
    /// assert_eq!(
    ///     reading.troubles[0].render(Some(text)),
    ///     "a.yaml:3:5: a step has no key `tol` (did you mean `tool`?)\n  3 |   - tol: ping\n    |     ^"
    /// );
    /// ```
    pub fn render(&self, source: Option<&str>) -> String {
        let kind = if self.is_error() { "" } else { "warning: " };
        let mut out = format!("{}: {kind}{}", plain(&self.place.to_string()), self.message);
        if !self.remedy.is_empty() {
            out.push_str(&format!(" ({})", self.remedy));
        }
        let line = source.and_then(|source| source.lines().nth(self.place.line.checked_sub(1)?));
        if let Some(line) = line {
            out.push('\n');
            out.push_str(&marked(line, self.place.line, self.place.column));
        }
        out
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(None))
    }
}

/// The line with its number, and a mark under the column.
fn marked(line: &str, number: usize, column: usize) -> String {
    const WIDEST: usize = 100;
    const BEFORE: usize = 60;
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let at = column.saturating_sub(1);
    // Of a long line, what is around the place.
    let skipped = if line.chars().count() <= WIDEST { 0 } else { at.saturating_sub(BEFORE) };
    // Whoever cuts a text says so: redaction then takes the ends for what may be left of a secret.
    let (mut shown, mut indent) = (String::from(if skipped > 0 { "…" } else { "" }), 0);
    for (index, c) in line.chars().enumerate().skip(skipped).take(WIDEST) {
        if index == at {
            indent = shown.chars().map(width).sum();
        }
        shown.push_str(&if c == '\t' { " ".to_owned() } else { plain(c.encode_utf8(&mut [0; 4])) });
    }
    if at >= skipped + WIDEST || at >= line.chars().count() {
        indent = shown.chars().map(width).sum();
    }
    if line.chars().count() > skipped + WIDEST {
        shown.push('…');
    }
    let gutter = number.to_string();
    format!("  {gutter} | {shown}\n  {} | {}^", " ".repeat(gutter.len()), " ".repeat(indent))
}

/// How many columns a character takes in a terminal, near enough to put a mark under the next one.
fn width(c: char) -> usize {
    match c as u32 {
        0x0300..=0x036f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn the_mark_stands_under_the_column() {
        assert_eq!(marked("a: b", 12, 4), "  12 | a: b\n     |    ^");
        assert_eq!(marked("\ta: b", 1, 2), "  1 |  a: b\n    |  ^");
        assert_eq!(marked("名前: b", 1, 5), "  1 | 名前: b\n    |       ^");
        assert_eq!(marked("a:", 1, 3), "  1 | a:\n    |   ^");
        assert_eq!(marked("a\u{1b}[31m: b", 1, 8), "  1 | a\\x1b[31m: b\n    |           ^");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let line = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let shown = marked(&line, 1, 5001);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0].chars().count(), "  1 | ".len() + 102);
        assert_eq!(lines[0].chars().position(|it| it == 'X'), lines[1].find('^'));
        assert!(lines[0].starts_with("  1 | …a") && lines[0].ends_with("b…"), "{}", lines[0]);
        let shown = marked(&line[..100], 1, 100);
        assert!(!shown.contains('…'), "{shown}");
    }
}
