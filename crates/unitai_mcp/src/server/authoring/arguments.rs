//! The arguments of our own tools, read strictly: a model that misspells one is told so.

use serde_json::{Map, Value};
use unitai_model::nearest::nearest;
use unitai_model::value::quoted;

/// The arguments of one call, taken one by one.
pub(super) struct Given(Map<String, Value>);

impl Given {
    /// Arguments that have no other names than these.
    pub(super) fn of(args: Map<String, Value>, known: &[&str]) -> Result<Given, String> {
        if let Some(unknown) = args.keys().find(|name| !known.contains(&name.as_str())) {
            let shown = quoted(unknown);
            let meant = nearest(unknown, known.iter().copied());
            return Err(match meant {
                Some(meant) => format!("there is no argument {shown}; did you mean `{meant}`?"),
                None if known.is_empty() => format!("there is no argument {shown}; the tool takes none"),
                None => format!("there is no argument {shown}; there are: {}", known.join(", ")),
            });
        }
        Ok(Given(args))
    }

    /// Something of any kind, if it is there and not null.
    pub(super) fn any(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    /// A text, if it is there.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a text", &other)),
        }
    }

    /// A text that goes by two names, if it is there.
    pub(super) fn either(&mut self, name: &str, also: &str) -> Result<Option<String>, String> {
        match (self.text(name)?, self.text(also)?) {
            (Some(_), Some(_)) => Err(format!("`{name}` and `{also}` are the same: give one of them")),
            (one, other) => Ok(one.or(other)),
        }
    }

    /// A text that must be there.
    pub(super) fn needed(&mut self, name: &str) -> Result<String, String> {
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(format!("`{name}` is missing: give a text")),
        }
    }

    /// Yes or no; no if it is not there.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, String> {
        match self.any(name) {
            None => Ok(false),
            Some(Value::Bool(it)) => Ok(it),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    /// A number of whole seconds, if it is there; 0 stands for none.
    pub(super) fn seconds(&mut self, name: &str) -> Result<Option<u32>, String> {
        let Some(given) = self.any(name) else { return Ok(None) };
        // Numbers come as `30`, and from some clients as `30.0`.
        let seconds =
            given.as_f64().filter(|it| it.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(it));
        match seconds {
            Some(seconds) => Ok(Some(seconds as u32).filter(|it| *it > 0)),
            None => Err(wrong(name, "a number of whole seconds", &given)),
        }
    }
}

fn wrong(name: &str, expected: &str, found: &Value) -> String {
    let written = found.to_string();
    let found = match written.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &written[..end]),
        None => written,
    };
    format!("`{name}` must be {expected}, and is {}", quoted(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(json: Value) -> Given {
        Given(json.as_object().unwrap().clone())
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let args = json!({"pth": "x"}).as_object().unwrap().clone();
        assert!(Given::of(args.clone(), &["path"]).err().unwrap().contains("did you mean `path`?"));
        assert!(Given::of(args, &[]).err().unwrap().contains("takes none"));
        assert!(given(json!({"path": 3})).text("path").unwrap_err().contains("must be a text"));
        assert!(given(json!({})).needed("path").unwrap_err().contains("`path` is missing"));
        assert!(given(json!({"x": "yes"})).flag("x").unwrap_err().contains("true or false"));
        for wrong in [json!(-1), json!(1.5), json!("30"), json!(1e30)] {
            assert!(given(json!({"timeout": wrong})).seconds("timeout").is_err());
        }
        assert_eq!(given(json!({"timeout": 30.0})).seconds("timeout"), Ok(Some(30)));
        assert_eq!(given(json!({"timeout": 0})).seconds("timeout"), Ok(None));
        assert_eq!(given(json!({"timeout": null})).seconds("timeout"), Ok(None));
    }
}
