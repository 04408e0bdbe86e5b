//! Reads a pattern.

use unitai_model::nearest::nearest;
use unitai_model::value::Value;

use super::super::filling::beneath;
use super::super::reference::{Piece, pieces};
use super::super::showing::shown;
use super::super::tree::{MAX_DEPTH, Searched};
use super::super::trouble::SyntaxTrouble;
use super::kind::{KINDS, Kind};
use super::{Expression, Key, Pattern, Shape};

const PLAIN: &str = "a text that begins with `#` is written `\\#`";

/// Reads the part of a pattern that stands at a path.
pub(super) fn parse(pattern: &Value, path: &str, depth: usize) -> Result<Pattern, SyntaxTrouble> {
    if depth > MAX_DEPTH {
        return Err(SyntaxTrouble::new(
            0,
            format!("the pattern is nested deeper than {MAX_DEPTH} levels"),
            "",
        )
        .inside(path));
    }
    let shape = match pattern {
        Value::Str(text) => return text_pattern(text, depth).map_err(|trouble| trouble.inside(path)),
        Value::List(items) | Value::Tuple(items) => {
            let items =
                items.iter().enumerate().map(|(n, item)| parse(item, &format!("{path}[{n}]"), depth + 1));
            Shape::List(items.collect::<Result<_, _>>()?)
        }
        Value::Dict(entries) => object(entries, path, depth)?,
        other => Shape::Equal(other.clone()),
    };
    Ok(Pattern { shape })
}

fn object(entries: &[(Value, Value)], path: &str, depth: usize) -> Result<Shape, SyntaxTrouble> {
    if let [(Value::Str(key), each)] = entries
        && key == "#each"
    {
        return Ok(Shape::Each(Box::new(parse(each, &format!("{path}[*]"), depth + 1)?)));
    }
    let mut fields = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let inner = beneath(path, key);
        let key = match key {
            Value::Str(key) if key == "#each" => {
                let message = "`#each` stands with other keys; it stands alone";
                return Err(
                    SyntaxTrouble::new(0, message, "a value is a list or an object, not both").inside(path)
                );
            }
            Value::Str(key) if key.starts_with('#') => {
                let message = format!(
                    "there is no key {} of patterns; there is `#each`",
                    shown(&Value::Str(key.clone()))
                );
                return Err(SyntaxTrouble::new(0, message, "a field that begins with `#` is written `\\#`")
                    .inside(path));
            }
            Value::Str(key) => match template(unescaped(key)).map_err(|trouble| trouble.inside(&inner))? {
                Ok(plain) => Key::Plain(Value::Str(plain)),
                Err(pieces) => Key::Filled(pieces),
            },
            other => Key::Plain(other.clone()),
        };
        fields.push((key, parse(value, &inner, depth + 1)?));
    }
    Ok(Shape::Object(fields))
}

/// A text without the backslash that makes its `#` plain.
fn unescaped(text: &str) -> &str {
    match text.strip_prefix('\\') {
        Some(rest) if rest.trim_start_matches('\\').starts_with('#') => rest,
        _ => text,
    }
}

/// A text without references as it is, and one with them in pieces.
fn template(text: &str) -> Result<Result<String, Vec<Piece>>, SyntaxTrouble> {
    let mut pieces = pieces(text)?;
    Ok(match pieces.as_mut_slice() {
        [] => Ok(String::new()),
        [Piece::Plain(plain)] => Ok(std::mem::take(plain)),
        _ => Err(pieces),
    })
}

fn text_pattern(text: &str, depth: usize) -> Result<Pattern, SyntaxTrouble> {
    let Some(word) = text.strip_prefix('#') else {
        let shape = match template(unescaped(text))? {
            Ok(plain) => Shape::Equal(Value::Str(plain)),
            Err(pieces) => Shape::Filled(pieces),
        };
        return Ok(Pattern { shape });
    };
    match word.strip_prefix('#') {
        Some(inner) if !inner.starts_with('#') => {
            let inner = Pattern { shape: marker(inner, 2, depth)? };
            if inner.shape == Shape::Absent {
                return Err(SyntaxTrouble::new(0, "`##absent` says nothing new", "write `#absent`"));
            }
            Ok(Pattern { shape: Shape::Optional(Box::new(inner)) })
        }
        Some(_) => {
            Err(SyntaxTrouble::new(0, "a pattern begins with one `#`, or two where it may be missing", PLAIN))
        }
        None => Ok(Pattern { shape: marker(word, 1, depth)? }),
    }
}

/// What stands after the `#`, which is `at` bytes into its text.
fn marker(text: &str, at: usize, depth: usize) -> Result<Shape, SyntaxTrouble> {
    if let Some(expression) = text.strip_prefix('?') {
        let read = Expression::parse_about_element(expression).map_err(|trouble| trouble.shifted(at + 1))?;
        return Ok(Shape::Asked(read));
    }
    if let Some(sized) = text.strip_prefix('[') {
        return list(sized, at + 1, depth);
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest_at = at + text.len() - rest.len();
    match word {
        "regex" if rest.is_empty() => {
            Err(SyntaxTrouble::new(at, "`#regex` has no regex", "as in `#regex ^\\d+$`"))
        }
        "regex" => match Searched::new(rest) {
            Ok(searched) => Ok(Shape::Regex(searched)),
            Err(why) => Err(SyntaxTrouble::new(
                rest_at,
                format!("this is no regex: {why}"),
                "a `\\` makes a sign plain, as in `\\(`",
            )),
        },
        "contains" if rest.is_empty() => {
            Err(SyntaxTrouble::new(at, "`#contains` has no text", "as in `#contains error`"))
        }
        "contains" => Ok(Shape::Contains(pieces(rest).map_err(|trouble| trouble.shifted(rest_at))?)),
        _ if !rest.trim().is_empty() && (Kind::named(word).is_some() || word == "absent") => {
            Err(SyntaxTrouble::new(
                rest_at,
                format!("`#{word}` takes nothing after it, found {}", shown(&Value::Str(rest.to_owned()))),
                "two conditions are written `#? _ > 3 and _ < 5`",
            ))
        }
        "absent" => Ok(Shape::Absent),
        _ => match Kind::named(word) {
            Some(kind) => Ok(Shape::Kind(kind)),
            None => Err(unknown(word, at)),
        },
    }
}

fn unknown(word: &str, at: usize) -> SyntaxTrouble {
    let known = || KINDS.iter().map(|row| row.1).chain(["absent", "regex", "contains", "each"]);
    let meant = match word {
        "str" | "text" => Some("string"),
        "integer" => Some("int"),
        "boolean" => Some("bool"),
        "float" => Some("number"),
        "array" => Some("list"),
        "dict" | "map" => Some("object"),
        "present" => Some("any"),
        "notpresent" => Some("absent"),
        _ => nearest(word, known()),
    };
    let remedy = match meant {
        Some(meant) => format!("did you mean `#{meant}`? {PLAIN}"),
        None => {
            let all: Vec<String> = known().map(|name| format!("#{name}")).collect();
            format!("there are {}, #[n] and #?; {PLAIN}", all.join(", "))
        }
    };
    SyntaxTrouble::new(at, format!("there is no type {}", shown(&Value::Str(format!("#{word}")))), remedy)
}

/// `10] #string`, after the opening bracket.
fn list(text: &str, at: usize, depth: usize) -> Result<Shape, SyntaxTrouble> {
    const FORM: &str = "a list is written `#[]`, `#[10]` or `#[10] #string`";
    let Some((count, rest)) = text.split_once(']') else {
        return Err(SyntaxTrouble::new(at, "`#[` is not closed", FORM));
    };
    let length = match count.trim() {
        "" => None,
        digits => match digits.parse() {
            Ok(length) => Some(length),
            Err(_) => {
                let message =
                    format!("expected how many elements, found {}", shown(&Value::Str(digits.to_owned())));
                return Err(SyntaxTrouble::new(at, message, FORM));
            }
        },
    };
    let element = rest.trim_start();
    if element.is_empty() {
        return Ok(Shape::Sized { length, each: None });
    }
    let element_at = at + text.len() - element.len();
    if !element.starts_with('#') {
        let message =
            format!("expected a type of elements, found {}", shown(&Value::Str(element.to_owned())));
        return Err(SyntaxTrouble::new(element_at, message, FORM));
    }
    if depth > MAX_DEPTH {
        return Err(SyntaxTrouble::new(
            at,
            format!("the pattern is nested deeper than {MAX_DEPTH} levels"),
            "",
        ));
    }
    let each = text_pattern(element, depth + 1).map_err(|trouble| trouble.shifted(element_at))?;
    Ok(Shape::Sized { length, each: Some(Box::new(each)) })
}
