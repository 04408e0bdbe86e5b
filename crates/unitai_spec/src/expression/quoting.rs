//! Texts in quotes, both ways, for expressions and for the defaults of references.
//!
//! A backslash stands before a quote, a backslash, `n`, `r` and `t`. Before anything else it is itself, so that a
//! regex can be written as it is: `'\d+'`. `$${` is `${`.

use super::trouble::SyntaxTrouble;

/// Reads a text whose opening quote stands at `at`. Gives it and the place after its closing quote.
pub(crate) fn read(source: &str, at: usize) -> Result<(String, usize), SyntaxTrouble> {
    let mut chars = source[at..].char_indices().map(|(n, c)| (at + n, c)).peekable();
    let quote = chars.next().map_or('"', |(_, c)| c);
    let mut text = String::new();
    while let Some((place, c)) = chars.next() {
        match c {
            c if c == quote => return Ok((text, place + 1)),
            '\\' => {
                let escaped = chars.next_if(|(_, next)| matches!(next, '\\' | '\'' | '"' | 'n' | 'r' | 't'));
                text.push(match escaped {
                    Some((_, 'n')) => '\n',
                    Some((_, 'r')) => '\r',
                    Some((_, 't')) => '\t',
                    Some((_, itself)) => itself,
                    None => '\\',
                });
            }
            '$' if source[place..].starts_with("$${") => {
                chars.next();
                chars.next();
                text.push_str("${");
            }
            '$' if source[place..].starts_with("${") => {
                return Err(SyntaxTrouble::new(
                    place,
                    "a text in quotes holds no reference",
                    "write it without quotes, as in `${name}` or `'a' + str(${name})`; `$${` is a plain `${`",
                ));
            }
            c => text.push(c),
        }
    }
    Err(SyntaxTrouble::new(
        at,
        format!("the text that begins with {quote} does not end"),
        format!("close it with {quote}"),
    ))
}

/// A text as [`read`] reads it, in single quotes where that is easy on the eye.
pub(crate) fn write(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    write_with(text, quote)
}

/// A text as [`read`] reads it, in these quotes.
pub(crate) fn write_with(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Alone it is itself; doubled only where it would change what follows.
            '\\' => match chars.peek() {
                Some('\\' | '\'' | '"' | 'n' | 'r' | 't' | '\n' | '\r' | '\t') | None => out.push_str("\\\\"),
                Some(_) => out.push('\\'),
            },
            '$' if chars.peek() == Some(&'{') => out.push_str("$$"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        for text in [
            "", "a", "it's", "\"", "'\"", "\\d+", "\\", "\\\\", "\\n", "a\nb\t\r", "${x}", "$${", "$", "$$",
            "ü\\'",
        ] {
            for written in [write(text), write_with(text, '"'), write_with(text, '\'')] {
                assert_eq!(read(&written, 0), Ok((text.to_owned(), written.len())), "{written}");
            }
        }
    }

    #[test]
    fn a_regex_is_written_as_it_is() {
        assert_eq!(read(r"'\d+\.\w'", 0).map(|it| it.0), Ok(r"\d+\.\w".to_owned()));
        assert_eq!(write(r"\d+\.\w"), r"'\d+\.\w'");
    }

    #[test]
    fn what_does_not_end_and_what_holds_a_reference_is_told() {
        assert!(read("'abc", 0).is_err_and(|trouble| trouble.message.contains("does not end")));
        let trouble = read("x == 'a ${b}'", 5).expect_err("a reference in quotes");
        assert_eq!(trouble.at, 8);
        assert!(trouble.remedy.contains("without quotes"));
    }
}
