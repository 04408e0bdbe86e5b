//! What a parser of YAML says, in words that tell somebody what to do.

use std::path::PathBuf;
use std::sync::Arc;

use saphyr_parser::Marker;

use crate::document::telling::clipped;
use crate::document::{Place, Trouble};

/// The trouble of an error of syntax.
pub(super) fn trouble(text: &str, file: &Arc<PathBuf>, marker: &Marker, info: &str) -> Trouble {
    let line = text.lines().nth(marker.line().saturating_sub(1)).unwrap_or_default();
    let place = |column: usize| Place { file: file.clone(), line: marker.line().max(1), column: column + 1 };
    if let Some((column, reference)) = bare_reference(line, marker.col()) {
        let message = format!(
            "`{}` stands unquoted between brackets, where its brace begins a mapping",
            clipped(&reference)
        );
        return Trouble::error(place(column), "", message, format!("quote it: \"{}\"", clipped(&reference)));
    }
    let (message, remedy) = words(info, line);
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

/// The parser's words, and ours for the slips that are made most.
fn words(info: &str, line: &str) -> (String, String) {
    let says = |part: &str| info.contains(part);
    let (message, remedy) = if says("tabs disallowed")
        || (says("valid YAML whitespace") && line.contains('\t'))
    {
        ("a tab stands where YAML takes only spaces", "use spaces")
    } else if says("illegal placement of ':'") {
        (
            "`: ` stands where no key can end",
            "close the bracket before it, or quote a text that has `: ` in it",
        )
    } else if says("invalid indentation in quoted scalar") {
        ("a quote is opened here and not closed before the next key", "close it, or indent all of its lines")
    } else if says("did not find expected node content") {
        ("a value is missing before this", "write one, or quote a text that begins with this character")
    } else if says("mapping values are not allowed") {
        ("`: ` stands where no key can end", "quote a text that has `: ` in it, or look at the indentation")
    } else if says("unknown anchor") {
        (
            "this alias stands for nothing",
            "name something with `&` first, or quote a text that begins with `*`",
        )
    } else if says("unexpected character: `@'")
        || says("unexpected character: ``'")
        || says("unexpected character: `%'")
    {
        ("no text can begin with this character", "quote it")
    } else if says("quoted scalar, found unexpected end of stream") {
        ("a quote is opened here and never closed", "close it")
    } else if says("invalid trailing content") {
        ("something follows a closing quote", "quote the whole of it; in double quotes, `\\\"` is a quote")
    } else if says("unknown escape character") {
        ("`\\` begins an escape that YAML does not have", "use single quotes, or write `\\\\`")
    } else if says("invalid Unicode character escape") {
        ("this escape is no character of its own", "write the character itself")
    } else if says("flow sequence, expected ','") || says("flow mapping, did not find expected ','") {
        ("a bracket is opened and not closed before this", "close it, or put a comma between two parts")
    } else if says("misplaced bracket") {
        ("a bracket closes what was never opened", "leave it out, or quote the text that it is in")
    } else if says("did not find expected key") || says("did not find expected '-' indicator") {
        (
            "this is not indented as what it follows",
            "begin keys of one mapping and items of one list in one column",
        )
    } else if says("block sequence entries are not allowed") {
        (
            "a list cannot begin on the line of its key",
            "begin it on the next line, or quote a text that begins with `- `",
        )
    } else if says("unprintable character") {
        ("a character stands here that no text may have", "leave it out")
    } else {
        return (format!("this is no YAML: {}", clipped(info)), String::new());
    };
    (message.to_owned(), remedy.to_owned())
}
