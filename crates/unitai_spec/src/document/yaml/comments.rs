//! The comments of a text, as YAML has them: a `#` in quotes or in a block of text begins none.

use std::ops::Range;

use granit_parser::{Event, Parser, options};

use super::json;

/// The comments of a text of YAML, from their `#` to the end of the line, in bytes and in order. Of a text that is broken,
/// those before that.
///
/// ```
/// use unitai_spec::document::comments;
/// let text = "a: 'x # y'  # first\nb: |\n  # text\n# second\n";
/// let found: Vec<&str> = comments(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["# first", "# second"]);
/// ```
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    // JSON has none, and YAML does not take all of it as it is.
    if json::is_json(content) {
        return vec![];
    }
    let mark = text.len() - content.len();
    let mut comments = vec![];
    let mut at = 0;
    for text in texts(content) {
        between(content, at..text.start, &mut comments);
        at = text.end.max(at);
    }
    between(content, at..content.len(), &mut comments);
    comments.into_iter().map(|range| range.start + mark..range.end + mark).collect()
}

/// Where the scalars of a text stand, in order, as far as it can be read.
fn texts(content: &str) -> impl Iterator<Item = Range<usize>> {
    let events = Parser::new_from_str_with_options(content, options! { emit_comments: false });
    events
        .map_while(Result::ok)
        .filter_map(|(event, span)| matches!(event, Event::Scalar(..)).then(|| span.byte_range())?)
}

/// The comments in a part of a text that holds no scalars.
fn between(content: &str, range: Range<usize>, comments: &mut Vec<Range<usize>>) {
    let mut at = range.start;
    while let Some(found) = content.get(at..range.end).and_then(|rest| rest.find('#')) {
        let start = at + found;
        let end = content[start..].find(['\n', '\r']).map_or(content.len(), |end| start + end);
        at = start + 1;
        if content[..start].ends_with([' ', '\t', '\n', '\r']) || start == 0 {
            comments.push(start..end);
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::comments;

    #[test]
    fn what_is_text_is_no_comment() {
        for (text, expected) in [
            ("", &[][..]),
            ("# a\n", &["# a"]),
            ("\u{feff}# a\nb: 1 # c", &["# a", "# c"]),
            ("a: b#c # d\r\n", &["# d"]),
            ("a: \"b # c\n  # d\" # e\n", &["# e"]),
            ("a: 'it''s # b' # c\n", &["# c"]),
            ("a: | # why\n  # b\n\n  # c\nd: 1 # e\n", &["# why", "# e"]),
            ("a: |\n  # b\n\n# c\n# d\n", &["# c", "# d"]),
            ("a: |\n\n# c\nb: |-\n", &["# c"]),
            ("a: |\n  # b\n", &[]),
            ("a: !!str | # b\n  # c", &["# b"]),
            ("a: |+2\n    # b\n   # c\n# d\n", &["# d"]),
            ("a:\n  - >-\n    b # c\n  # d\n  - e # f\n", &["# d", "# f"]),
            ("a: {b: 'c # d', # e\n  f: [g] # h\n}\n", &["# e", "# h"]),
            ("a: &x 'b # c' # d\ne: *x # f\n? g # h\n: i # j\n", &["# d", "# f", "# h", "# j"]),
            ("a:\n  b c\n  d # e\n", &["# e"]),
            ("a: # b\n  # c\n  d: # e\n", &["# b", "# c", "# e"]),
            ("ä: 'ö # ü' # ß\n", &["# ß"]),
            ("a: 1 # b\n--- # c\nd: 2 # e\n... # f\n", &["# b", "# c", "# e", "# f"]),
            ("%YAML 1.2 # a\n---\nb: 1\n", &["# a"]),
            ("{\"a\": \"b # c\"}\n", &[]),
        ] {
            let found: Vec<&str> = comments(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
