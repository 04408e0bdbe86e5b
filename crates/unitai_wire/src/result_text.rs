//! Whether the text that a model was given as a result says what a tool returned.

use unitai_model::Packed;

/// A text this short stands in many others by chance.
const LEAST_PART: usize = 6;

/// Whether `content` is the text of `result`, however an agent wrote it: as JSON, as Python shows it, or inside of other words.
///
/// ```
/// use unitai_model::Packed;
/// use unitai_wire::says_result;
///
/// let result = Packed::from_text(r#"{"status":"found","paid":true}"#).unwrap();
/// assert!(says_result("{'status': 'found', 'paid': True}", &result));
/// assert!(says_result("The tool said: {\"status\": \"found\", \"paid\": true}.", &result));
/// assert!(!says_result("refunded", &result));
/// ```
pub fn says_result(content: &str, result: &Packed) -> bool {
    let (content, result) = (bare(content), bare(result.text()));
    content == result || (result.len() >= LEAST_PART && content.contains(&result))
}

/// What JSON and Python write alike: no blanks, quotation marks and escapes, and their words for the same values.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => bare.extend(escaped(&mut rest)),
            '"' | '\'' => {}
            letter if letter.is_whitespace() => {}
            letter => bare.extend(letter.to_lowercase()),
        }
    }
    bare.replace("none", "null")
}

/// The letter that an escape stands for, behind its backslash. Blanks and quotation marks are none.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let mut ahead = rest.clone();
    if ahead.next() == Some('u') {
        let digits = ahead.as_str().get(..4)?;
        let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
        *rest = ahead.as_str()[4..].chars();
        return letter.to_lowercase().next();
    }
    if rest.as_str().starts_with(['n', 't', 'r']) {
        *rest = ahead;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(content: &str, result: &str) -> bool {
        says_result(content, &Packed::from_text(result).unwrap())
    }

    #[test]
    fn a_result_is_known_in_the_forms_in_which_agents_write_it() {
        for (content, result) in [
            ("mocked", r#""mocked""#),
            ("\"mocked\"", r#""mocked""#),
            ("5", "5"),
            ("None", "null"),
            ("null", "null"),
            ("", r#""""#),
            ("{\"status\": \"found\", \"n\": 1}", r#"{"status":"found","n":1}"#),
            ("{'status': 'found', 'n': None}", r#"{"status":"found","n":null}"#),
            ("[{\"type\":\"text\",\"text\":\"really found\"}]", r#""really found""#),
            ("{\"name\": \"Ren\\u00e9e\"}", r#"{"name":"Renée"}"#),
            ("Observation: paid\nby \"card\" and more", r#""paid\nby \"card\"""#),
        ] {
            assert!(says(content, result), "{content} {result}");
        }
    }

    #[test]
    fn other_texts_are_other_results() {
        for (content, result) in [
            ("refunded", r#""mocked""#),
            ("15", "5"),
            ("refunded", "null"),
            ("refunded", r#""""#),
            ("it is ok", r#""ok""#),
            ("{\"status\": \"found\"}", r#"{"status":"lost"}"#),
        ] {
            assert!(!says(content, result), "{content} {result}");
        }
    }
}
