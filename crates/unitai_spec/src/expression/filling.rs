//! Fills the references of arguments, headers, addresses and commands.

use std::borrow::Cow;

use unitai_model::value::Value;

use super::path;
use super::reference::{Piece, Reference, pieces};
use super::scope::Scope;
use super::showing::shown;
use super::tree::PathStep;
use super::trouble::{EvalTrouble, SyntaxTrouble};
use crate::data::{key_text, to_json};

/// How long one filled text may be, in bytes.
const MAX_TEXT: usize = 10_000_000;

/// `${...}` in values: which there are, and what they become. What a reference brings in is data: a `${` in it means
/// nothing.
///
/// ```
/// use unitai_spec::data::from_json;
/// use unitai_spec::expression::{Fields, References};
/// let saved = from_json(&serde_json::json!({"user": {"id": 7}}));
/// let args = from_json(&serde_json::json!({"id": "${user.id}", "url": "/users/${user.id}", "page": "${page:-1}"}));
/// let filled = References::fill(&args, &Fields(&saved)).unwrap();
/// assert_eq!(filled, from_json(&serde_json::json!({"id": 7, "url": "/users/7", "page": 1})));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct References;

impl References {
    /// The value with every reference filled in, in lists and in the values of mappings. A key is a name and stays as it is
    /// written. A text that is one reference and nothing else becomes its value, whatever its type.
    pub fn fill(value: &Value, scope: &dyn Scope) -> Result<Value, EvalTrouble> {
        Ok(match value {
            Value::Str(text) if text.contains('$') => fill_whole(text, scope)?,
            Value::List(items) => Value::List(fill_all(items, scope)?),
            Value::Tuple(items) => Value::Tuple(fill_all(items, scope)?),
            Value::Dict(entries) => {
                let entry = |(key, value): &(Value, Value)| Ok((key.clone(), Self::fill(value, scope)?));
                Value::Dict(entries.iter().map(entry).collect::<Result<_, EvalTrouble>>()?)
            }
            other => other.clone(),
        })
    }

    /// The value with those references filled in that `is_known` says are settled: it is asked with the name of each and
    /// the first key after it. The others stay as they are written, for whoever will know what they mean.
    pub(crate) fn fill_known(
        value: &Value,
        scope: &dyn Scope,
        is_known: &dyn Fn(&str, Option<&str>) -> bool,
    ) -> Value {
        let again = |value: &Value| Self::fill_known(value, scope, is_known);
        match value {
            Value::Str(text) if text.contains('$') => fill_settled(text, scope, is_known),
            Value::List(items) => Value::List(items.iter().map(again).collect()),
            Value::Tuple(items) => Value::Tuple(items.iter().map(again).collect()),
            Value::Dict(entries) => {
                Value::Dict(entries.iter().map(|(name, it)| (name.clone(), again(it))).collect())
            }
            other => other.clone(),
        }
    }

    /// The text with every reference filled in: texts as they are, everything else as JSON.
    ///
    /// ```
    /// # use unitai_spec::data::from_json;
    /// # use unitai_spec::expression::{Fields, References};
    /// let saved = from_json(&serde_json::json!({"ids": [1, 2], "name": "Ann"}));
    /// assert_eq!(References::fill_text("${name} has ${ids}, not $${ids}", &Fields(&saved)).unwrap(), "Ann has [1,2], not ${ids}");
    /// ```
    pub fn fill_text(text: &str, scope: &dyn Scope) -> Result<String, EvalTrouble> {
        let mut filled = String::with_capacity(text.len());
        for piece in pieces(text).map_err(told)? {
            match piece {
                Piece::Plain(plain) => filled.push_str(&plain),
                Piece::Reference(reference) => filled.push_str(&embedded(&*path::refer(scope, &reference)?)),
            }
            if filled.len() > MAX_TEXT {
                let message = format!("a text would become longer than {MAX_TEXT} bytes");
                return Err(EvalTrouble::wrong(message, "refer to a smaller part of the value"));
            }
        }
        Ok(filled)
    }

    /// The first names of all references of a value, each once, in the order in which they stand.
    pub fn names(value: &Value) -> Vec<String> {
        let mut names = Vec::new();
        each_text(value, "", &mut |text, _| {
            for piece in pieces(text).unwrap_or_default() {
                if let Piece::Reference(reference) = piece
                    && !names.contains(&reference.name)
                {
                    names.push(reference.name);
                }
            }
            Ok(())
        })
        .unwrap_or_default();
        names
    }

    /// Whether every reference of a value can be read, to be asked before a test runs.
    pub fn validate(value: &Value) -> Result<(), SyntaxTrouble> {
        each_text(value, "", &mut |text, path| match pieces(text) {
            Ok(_) => Ok(()),
            Err(trouble) => Err(trouble.inside(path)),
        })
    }
}

fn fill_all(items: &[Value], scope: &dyn Scope) -> Result<Vec<Value>, EvalTrouble> {
    items.iter().map(|item| References::fill(item, scope)).collect()
}

fn fill_whole(text: &str, scope: &dyn Scope) -> Result<Value, EvalTrouble> {
    match pieces(text).map_err(told)?.as_slice() {
        [Piece::Reference(reference)] => Ok(path::refer(scope, reference)?.into_owned()),
        _ => References::fill_text(text, scope).map(Value::Str),
    }
}

fn fill_settled(text: &str, scope: &dyn Scope, is_known: &dyn Fn(&str, Option<&str>) -> bool) -> Value {
    let Ok(pieces) = pieces(text) else { return Value::Str(text.to_owned()) };
    let settled = |reference: &Reference| {
        let key = reference.parts.first().and_then(|part| match &part.step {
            PathStep::Key(key) => Some(key.as_str()),
            _ => None,
        });
        if is_known(&reference.name, key) { path::refer(scope, reference).ok() } else { None }
    };
    if let [Piece::Reference(reference)] = pieces.as_slice() {
        return settled(reference).map_or_else(|| Value::Str(text.to_owned()), Cow::into_owned);
    }
    let is_whole = pieces.iter().all(|it| match it {
        Piece::Plain(_) => true,
        Piece::Reference(reference) => settled(reference).is_some(),
    });
    // Where a reference is left, what is no reference must not look like one.
    let plain = |text: &str| if is_whole { text.to_owned() } else { text.replace("${", "$${") };
    let pieces = pieces.iter().map(|it| match it {
        Piece::Plain(text) => plain(text),
        Piece::Reference(reference) => {
            settled(reference).map_or_else(|| reference.to_string(), |value| plain(&embedded(&value)))
        }
    });
    Value::Str(pieces.collect())
}

fn told(trouble: SyntaxTrouble) -> EvalTrouble {
    EvalTrouble::wrong(trouble.message, trouble.remedy)
}

/// A value as part of a text.
pub(crate) fn embedded(value: &Value) -> String {
    match value {
        Value::Str(text) => text.clone(),
        Value::BigInt(_) => super::number::decimal(value),
        other => to_json(other).to_string(),
    }
}

/// Calls `visit` with every text of a value and its path. Keys are names, and none of them.
pub(crate) fn each_text(
    value: &Value,
    path: &str,
    visit: &mut dyn FnMut(&str, &str) -> Result<(), SyntaxTrouble>,
) -> Result<(), SyntaxTrouble> {
    match value {
        Value::Str(text) => visit(text, path),
        Value::List(items) | Value::Tuple(items) => {
            items.iter().enumerate().try_for_each(|(n, item)| each_text(item, &format!("{path}[{n}]"), visit))
        }
        Value::Dict(entries) => {
            entries.iter().try_for_each(|(key, value)| each_text(value, &beneath(path, key), visit))
        }
        _ => Ok(()),
    }
}

/// The path of a field: `users[0]` and `email` make `users[0].email`.
pub(crate) fn beneath(path: &str, key: &Value) -> String {
    match key {
        Value::Str(key) if super::reference::is_word(key) && path.is_empty() => key.clone(),
        Value::Str(key) if super::reference::is_word(key) => format!("{path}.{key}"),
        Value::Str(_) => format!("{path}[{}]", shown(key)),
        other => format!("{path}[{}]", key_text(other)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::from_json;
    use crate::expression::{Fields, Found};

    fn fill(args: serde_json::Value) -> Result<serde_json::Value, EvalTrouble> {
        let saved = from_json(&json!({
            "user": {"id": 7, "name": "Ann", "none": null, "tags": ["a", "b"]}, "ok": true, "sneaky": "${ok}"
        }));
        References::fill(&from_json(&args), &Fields(&saved)).map(|value| to_json(&value))
    }

    #[test]
    fn whole_references_keep_their_type_and_embedded_ones_become_text() {
        for (args, filled) in [
            (json!("${user.id}"), json!(7)),
            (json!("${ ok }"), json!(true)),
            (json!("${user.tags}"), json!(["a", "b"])),
            (json!("${user.none}"), json!(null)),
            (json!(" ${user.id}"), json!(" 7")),
            (json!("${user.id}${ok}"), json!("7true")),
            (json!("${user.tags} ${user.none}"), json!("[\"a\",\"b\"] null")),
            (json!("${user.tags[-1]}"), json!("b")),
            (json!("${user.$all[0].id}"), json!(7)),
            (json!("$${user.id}"), json!("${user.id}")),
            (json!("${sneaky}"), json!("${ok}")),
            (json!("a${sneaky}"), json!("a${ok}")),
            (json!({"${user.name}": ["${user.id}"]}), json!({"${user.name}": [7]})),
            (json!({"${": {"$${ok}": "$${ok}"}}), json!({"${": {"$${ok}": "${ok}"}})),
            (json!("costs $5"), json!("costs $5")),
        ] {
            assert_eq!(fill(args.clone()), Ok(filled), "{args}");
        }
    }

    #[test]
    fn defaults_take_the_place_of_what_is_not_there() {
        for (text, filled) in [
            ("${nobody:-5}", json!(5)),
            ("${user.age:-no}", json!(false)),
            ("${user.age:-'5'}", json!("5")),
            ("${user.none:-x}", json!("x")),
            ("${user.id:-5}", json!(7)),
            ("${user.name.first:-x}", json!("x")),
            ("a${nobody:-}", json!("a")),
            ("${user.age?}", json!(null)),
        ] {
            assert_eq!(fill(json!(text)), Ok(filled), "{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_told_with_the_nearest_name() {
        let wrong = |text: &str| match fill(json!(text)) {
            Err(EvalTrouble::Wrong { message, remedy }) => format!("{message}; {remedy}"),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(wrong("${usr.id}"), "nothing is called `usr` here; did you mean `user`?");
        assert_eq!(
            wrong("${user.nam}"),
            "`user` has no `nam`; it has `id`, `name`, `none`, `tags`; did you mean `name`?"
        );
        assert!(wrong("${user.tags[5]}").starts_with("`user.tags` has 2 elements"));
        assert!(wrong("a ${b").starts_with("`${` is not closed"));
    }

    struct Failing;

    impl Scope for Failing {
        fn look_up(&self, _: &str) -> Found<'_> {
            Found::Failed { by: "steps[0]".to_owned() }
        }
        fn history(&self, _: &str) -> Found<'_> {
            Found::Missing
        }
        fn known(&self) -> Vec<String> {
            Vec::new()
        }
        fn calls(&self, _: &str) -> usize {
            0
        }
    }

    #[test]
    fn a_name_whose_step_failed_is_a_dependency_unless_there_is_a_default() {
        let fill = |text: &str| References::fill(&Value::Str(text.to_owned()), &Failing);
        let depends = EvalTrouble::DependsOn { name: "id".to_owned(), by: "steps[0]".to_owned() };
        assert_eq!(fill("${id.x}"), Err(depends.clone()));
        assert_eq!(fill("at ${id}"), Err(depends));
        assert_eq!(fill("${id:-0}"), Ok(Value::Int(0)));
        assert_eq!(fill("${id?}"), Ok(Value::Null));
    }

    #[test]
    fn what_is_not_settled_stays_as_it_is_written() {
        let saved = from_json(&json!({"vars": {"id": 7, "odd": "${x}"}, "user": {"id": 1}}));
        let is_known = |name: &str, key: Option<&str>| name == "vars" || key == Some("id");
        for (args, filled) in [
            (json!("${vars.id}"), json!(7)),
            (json!(["${user.name}", {"a": "${user.id}"}]), json!(["${user.name}", {"a": 1}])),
            (json!("${vars.id}/${other.x[0]:-5}"), json!("7/${other.x[0]:-5}")),
            (json!("${vars.odd} $${y}"), json!("${x} ${y}")),
            (json!("${vars.odd} $${y} ${z}"), json!("$${x} $${y} ${z}")),
            (json!({"${vars.id}": "$5"}), json!({"${vars.id}": "$5"})),
            (json!("${vars.nothing}"), json!("${vars.nothing}")),
        ] {
            let found = References::fill_known(&from_json(&args), &Fields(&saved), &is_known);
            assert_eq!(to_json(&found), filled, "{args}");
        }
    }

    #[test]
    fn names_and_troubles_are_found_before_anything_runs() {
        let args = from_json(&json!({"a": ["${user.id} ${ok}", "${user.name}"], "b${vars.x}": 1, "${": 2}));
        assert_eq!(References::names(&args), ["user", "ok"]);
        assert_eq!(References::validate(&args), Ok(()));
        let trouble =
            References::validate(&from_json(&json!({"a": [1, {"b c": "x ${"}]}))).expect_err("not closed");
        assert_eq!((trouble.path.as_str(), trouble.at), ("a[1][\"b c\"]", 2));
    }
}
