//! What a path leads to, and what is told when it leads nowhere.

use std::borrow::Cow;
use std::fmt::Display;

use unitai_model::nearest::nearest;
use unitai_model::value::{Value, equal, plain};

use super::reference::{Reference, is_word};
use super::scope::{Found, Scope};
use super::showing::{a_kind, shown};
use super::tree::{Part, PathStep};
use super::trouble::EvalTrouble;

/// How many names an error lists.
const LISTED: usize = 12;

/// What a name and the path after it stand for.
pub(crate) fn resolve<'a>(
    scope: &'a dyn Scope,
    name: &str,
    optional: bool,
    parts: &[Part],
) -> Result<Cow<'a, Value>, EvalTrouble> {
    let of_history = matches!(parts.first(), Some(Part { step: PathStep::All, .. }));
    let found = if of_history { scope.history(name) } else { scope.look_up(name) };
    let optional = optional || (of_history && parts[0].optional);
    let root = match found {
        Found::Value(value) => value,
        _ if optional => return Ok(Cow::Owned(Value::Null)),
        Found::Failed { by } => return Err(EvalTrouble::DependsOn { name: name.to_owned(), by }),
        Found::Missing => return Err(unknown(scope, name)),
    };
    // What is known as null is as good as not there to somebody who asks with `?`.
    if optional && *root == Value::Null {
        return Ok(root);
    }
    if of_history { walk(root, &format!("{name}.$all"), &parts[1..]) } else { walk(root, &name, parts) }
}

/// What a reference stands for. Its default takes the place of whatever is not there.
pub(crate) fn refer<'a>(scope: &'a dyn Scope, reference: &Reference) -> Result<Cow<'a, Value>, EvalTrouble> {
    let Reference { name, optional, parts, default } = reference;
    let Some(default) = default else { return resolve(scope, name, *optional, parts) };
    let lenient: Vec<Part> =
        parts.iter().map(|part| Part { step: part.step.clone(), optional: true }).collect();
    let value = resolve(scope, name, true, &lenient)?;
    Ok(if *value == Value::Null { Cow::Owned(default.clone()) } else { value })
}

/// Follows a path from a value that is called `from`.
pub(crate) fn walk<'a>(
    mut value: Cow<'a, Value>,
    from: &dyn Display,
    parts: &[Part],
) -> Result<Cow<'a, Value>, EvalTrouble> {
    for (n, part) in parts.iter().enumerate() {
        value = match follow(value, &part.step) {
            Ok(next) if part.optional && *next == Value::Null => return Ok(next),
            Ok(next) => next,
            Err(_) if part.optional => return Ok(Cow::Owned(Value::Null)),
            Err(value) => {
                let before: String = parts[..n].iter().map(ToString::to_string).collect();
                return Err(nowhere(&value, &format!("{from}{before}"), &part.step));
            }
        };
    }
    Ok(value)
}

/// One step; gives the value back where there is none.
fn follow<'a>(value: Cow<'a, Value>, step: &PathStep) -> Result<Cow<'a, Value>, Cow<'a, Value>> {
    match value {
        Cow::Borrowed(whole) => child(whole, step).map(Cow::Borrowed).ok_or(Cow::Borrowed(whole)),
        Cow::Owned(whole) => match child(&whole, step) {
            Some(part) => Ok(Cow::Owned(part.clone())),
            None => Err(Cow::Owned(whole)),
        },
    }
}

fn child<'a>(value: &'a Value, step: &PathStep) -> Option<&'a Value> {
    match (value, step) {
        (Value::Dict(_), PathStep::Key(key)) => value.get(key),
        (Value::Dict(entries), PathStep::Index(index)) => {
            let key = Value::Int(*index);
            entries.iter().find(|(it, _)| equal(it, &key)).map(|(_, value)| value)
        }
        (Value::List(items) | Value::Tuple(items), PathStep::Index(index)) => {
            let from_end = || items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?);
            items.get(if *index < 0 { from_end()? } else { usize::try_from(*index).ok()? })
        }
        _ => None,
    }
}

fn unknown(scope: &dyn Scope, name: &str) -> EvalTrouble {
    let known = scope.known();
    let meant = nearest(name, known.iter().map(String::as_str));
    let message = format!("nothing is called `{name}` here");
    EvalTrouble::wrong(
        message,
        match meant {
            Some(meant) => format!("did you mean `{}`?", plain(meant)),
            None if known.is_empty() => "no names are known here".to_owned(),
            None => {
                format!("known are {}; a text stands in quotes", listed(known.iter().map(String::as_str)))
            }
        },
    )
}

fn nowhere(value: &Value, path: &str, step: &PathStep) -> EvalTrouble {
    let path = plain(path);
    match (value, step) {
        // What else is in the environment is nobody's business who reads a report.
        (Value::Dict(_), PathStep::Key(key)) if path == "env" => EvalTrouble::wrong(
            format!("there is no variable `{}` in the environment", plain(key)),
            format!("set it, or give a default: `${{env.{}:-...}}`", plain(key)),
        ),
        (Value::Dict(entries), PathStep::Key(key)) => {
            let keys: Vec<String> = entries.iter().map(|(key, _)| crate::data::key_text(key)).collect();
            let meant = nearest(key, keys.iter().map(String::as_str));
            let has =
                if keys.is_empty() { "nothing".to_owned() } else { listed(keys.iter().map(String::as_str)) };
            EvalTrouble::wrong(
                format!("`{path}` has no `{}`; it has {has}", plain(key)),
                match meant {
                    Some(meant) if is_word(meant) => format!("did you mean `{meant}`?"),
                    Some(meant) => {
                        format!("did you mean `{path}[{}]`?", super::quoting::write_with(&plain(meant), '"'))
                    }
                    None => format!("where it may be missing, write `{}?`", plain(key)),
                },
            )
        }
        (Value::List(items) | Value::Tuple(items), PathStep::Index(index)) => EvalTrouble::wrong(
            format!("`{path}` has {} elements; there is no [{index}]", items.len()),
            format!("where it may be missing, write `[{index}]?`"),
        ),
        (Value::List(_) | Value::Tuple(_) | Value::Str(_), PathStep::Key(key)) if key == "length" => {
            EvalTrouble::wrong(
                format!("`{path}` is {} and has no fields", a_kind(value)),
                format!("write `{path} | length`"),
            )
        }
        (Value::List(_) | Value::Tuple(_), PathStep::Key(_)) => EvalTrouble::wrong(
            format!("`{path}` is a list and has no fields"),
            format!("write `{path}[0]` for one element, `{path} | map(.name)` for a field of each"),
        ),
        (Value::Str(text), _) => EvalTrouble::wrong(
            format!("`{path}` is a string and has no parts, found {}", shown(value)),
            if text.trim_start().starts_with(['{', '[']) {
                format!("write `json({path})` to read it")
            } else {
                String::new()
            },
        ),
        (value, _) => {
            let remedy = if *value == Value::Null { "where it may be null, write `?` after it" } else { "" };
            EvalTrouble::wrong(format!("`{path}` is {} and has no parts", a_kind(value)), remedy)
        }
    }
}

fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let shown: Vec<String> = names.take(LISTED).map(|name| format!("`{}`", plain(name))).collect();
    let more = if count > LISTED { format!(" and {} more", count - LISTED) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
