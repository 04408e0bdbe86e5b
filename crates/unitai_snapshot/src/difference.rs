//! What is different, in words.

use similar::TextDiff;
use unitai_model::value::plain_lines;

/// So many lines of a difference are shown.
const MOST: usize = 200;

/// The difference between what was kept and what came: lines with `-` are of the snapshot, lines with `+` of this run.
pub(crate) fn difference(kept: &[u8], came: &[u8]) -> String {
    let (Ok(kept_text), Ok(came_text)) = (std::str::from_utf8(kept), std::str::from_utf8(came)) else {
        return of_bytes(kept, came);
    };
    let told = TextDiff::from_lines(kept_text, came_text)
        .unified_diff()
        .context_radius(3)
        .header("the snapshot", "this run")
        .to_string();
    let told = plain_lines(&told);
    let lines: Vec<&str> = told.lines().collect();
    match lines.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{}\n... and {more} more lines", lines[..MOST].join("\n")),
        _ => lines.join("\n"),
    }
}

fn of_bytes(kept: &[u8], came: &[u8]) -> String {
    let at = kept.iter().zip(came).take_while(|(kept, came)| kept == came).count();
    let byte =
        |bytes: &[u8]| bytes.get(at).map_or_else(|| "the end".to_owned(), |byte| format!("{byte:#04x}"));
    format!(
        "the snapshot has {} bytes, this run {}; the first difference is at byte {at}: {} and {}",
        kept.len(),
        came.len(),
        byte(kept),
        byte(came)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_compared_and_nothing_in_them_reaches_a_terminal() {
        let told = difference(b"one\ntwo\nthree\n", "one\nzwei\u{1b}[31m\nthree\n".as_bytes());
        assert_eq!(
            told,
            "--- the snapshot\n+++ this run\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\\x1b[31m\n three"
        );
    }

    #[test]
    fn bytes_are_told_by_their_first_difference() {
        let told = difference(&[0xff, 1, 2], &[0xff, 1]);
        assert_eq!(
            told,
            "the snapshot has 3 bytes, this run 2; the first difference is at byte 2: 0x02 and the end"
        );
    }

    #[test]
    fn a_long_difference_is_cut() {
        let lines = |word: &str| (0..500).map(|n| format!("{word} {n}\n")).collect::<String>();
        let told = difference(lines("a").as_bytes(), lines("b").as_bytes());
        assert_eq!((told.lines().count(), told.ends_with("... and 803 more lines")), (201, true));
    }
}
