//! What a parser of YAML says, in words that tell somebody what to do.

use std::path::PathBuf;
use std::sync::Arc;

use granit_parser::{ErrorKind, Marker};

use crate::document::telling::clipped;
use crate::document::{Place, Trouble};

/// The trouble of an error of syntax.
pub(super) fn trouble(text: &str, file: &Arc<PathBuf>, marker: &Marker, kind: &ErrorKind) -> Trouble {
    let line = text.lines().nth(marker.line().saturating_sub(1)).unwrap_or_default();
    let place = |column: usize| Place { file: file.clone(), line: marker.line().max(1), column: column + 1 };
    if let Some((column, reference)) = bare_reference(line, marker.col()) {
        let message = format!(
            "`{}` stands unquoted between brackets, where its brace begins a mapping",
            clipped(&reference)
        );
        return Trouble::error(place(column), "", message, format!("quote it: \"{}\"", clipped(&reference)));
    }
    let (message, remedy) = words(kind);
    Trouble::error(place(marker.col()), "", message, remedy)
}

/// A `${...}` in a line of flow style whose brace is where the parser stopped, or just before.
fn bare_reference(line: &str, column: usize) -> Option<(usize, String)> {
    let chars: Vec<char> = line.chars().collect();
    let brace = [column, column.checked_sub(1)?].into_iter().find(|at| chars.get(*at) == Some(&'{'))?;
    if chars.get(brace.checked_sub(1)?) != Some(&'$') {
        return None;
    }
    let end = chars[brace..].iter().position(|c| *c == '}').map_or(chars.len(), |end| brace + end + 1);
    // What belongs to the text around the reference is to be quoted with it.
    let begins = |c: &char| matches!(c, ' ' | ',' | '[' | '{');
    let start = chars[..brace - 1].iter().rposition(begins).map_or(0, |before| before + 1);
    let ends = |c: &char| matches!(c, ' ' | ',' | ']' | '}');
    let end = chars[end..].iter().position(ends).map_or(chars.len(), |more| end + more);
    let end = if chars[start..end].last() == Some(&':') { end - 1 } else { end };
    Some((start, chars[start..end].iter().collect()))
}

/// The parser's words, or ours for the slips that are made most.
fn words(kind: &ErrorKind) -> (String, String) {
    use ErrorKind as Kind;
    let (message, remedy) = match kind {
        Kind::TabNotAllowed
        | Kind::TabInBlockIndentation
        | Kind::TabInIndentation
        | Kind::TabAtBlockScalarStart
        | Kind::TabInPlainScalar
        | Kind::InvalidMappingValueWhitespace
        | Kind::InvalidBlockEntryWhitespace => ("a tab stands where YAML takes only spaces", "use spaces"),
        Kind::MappingValueNotAllowed => (
            "`: ` stands where no key can end",
            "quote a text that has `: ` in it, or look at the indentation",
        ),
        Kind::InvalidColonPlacement | Kind::InvalidSimpleKey | Kind::SimpleKeyExpected => (
            "`: ` stands where no key can end",
            "close the bracket or quote before it, or quote a text that has `: ` in it",
        ),
        Kind::UnknownAnchor => (
            "this alias stands for nothing in its document",
            "name something with `&` first, or quote a text that begins with `*`",
        ),
        Kind::UnexpectedCharacter { character } if character.is_control() => {
            ("a character stands here that no text may have", "leave it out")
        }
        Kind::UnexpectedCharacter { .. } => ("no text can begin with this character", "quote it"),
        Kind::UnclosedQuotedScalar => ("a quote is opened here and never closed", "close it"),
        Kind::InvalidQuotedScalarIndent | Kind::DocumentIndicatorInQuotedScalar => {
            ("a quote is opened above and not closed before this", "close it, or indent all of its lines")
        }
        Kind::InvalidTrailingSingleQuotedScalar | Kind::InvalidTrailingDoubleQuotedScalar => (
            "something follows a closing quote",
            "quote the whole of it; in double quotes, `\\\"` is a quote",
        ),
        Kind::UnknownQuotedScalarEscape | Kind::InvalidQuotedScalarHexEscape => {
            ("`\\` begins an escape that YAML does not have", "use single quotes, or write `\\\\`")
        }
        Kind::InvalidUnicodeEscape
        | Kind::InvalidLowSurrogate
        | Kind::InvalidLowSurrogateHexEscape
        | Kind::MissingLowSurrogate
        | Kind::UnpairedLowSurrogate => ("this escape is no character", "write the character itself"),
        Kind::ExpectedFlowMappingSeparator
        | Kind::ExpectedFlowSequenceSeparator
        | Kind::UnexpectedEofFlowMapping
        | Kind::UnexpectedEofFlowSequence
        | Kind::UnexpectedEofImplicitFlowMapping
        | Kind::InvalidFlowScalarIndent
        | Kind::BlockEntryInFlowCollection => {
            ("a bracket is opened and not closed before this", "close it, or put a comma between two parts")
        }
        Kind::UnclosedFlowCollection { .. } => ("a bracket is opened here and never closed", "close it"),
        Kind::MisplacedFlowCollectionEnd => {
            ("a bracket closes what was never opened", "leave it out, or quote the text that it is in")
        }
        Kind::ExpectedBlockMappingKey | Kind::ExpectedBlockSequenceEntry | Kind::InvalidIndentation => (
            "this is not indented as what it follows",
            "begin keys of one mapping and items of one list in one column",
        ),
        Kind::BlockSequenceEntryNotAllowed => (
            "a list cannot begin on the line of its key",
            "begin it on the next line, or quote a text that begins with `- `",
        ),
        Kind::ExpectedNodeContent => {
            ("a value is missing before this", "write one, or quote a text that begins with this character")
        }
        Kind::RecursionLimitExceeded => ("this nests too deep", "nest less"),
        Kind::MismatchedFlowCollectionEnd { open, close } => {
            return (
                format!("`{open}` is opened here and `{close}` closes it"),
                "close it with its like".to_owned(),
            );
        }
        other => return (format!("this is no YAML: {}", clipped(&other.to_string())), String::new()),
    };
    (message.to_owned(), remedy.to_owned())
}
