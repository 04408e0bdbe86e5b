//! Tags: those that say what a scalar is anyway. Any other would make objects out of a file, and is refused.

use granit_parser::Tag;
use unitai_model::value::Value;

use super::scalar::resolve;
use crate::document::telling::clipped;

const CORE: &str = "tag:yaml.org,2002:";

/// The name of a tag such as `!!str`, as it is written in a file.
pub(super) fn name(tag: &Tag) -> String {
    let whole = format!("{}{}", tag.handle(), tag.suffix());
    match whole.strip_prefix(CORE) {
        Some(kind) => clipped(&format!("!!{kind}")),
        None => clipped(&whole),
    }
}

/// The value of a scalar with a tag.
pub(super) fn scalar(tag: &Tag, text: &str) -> Result<Value, String> {
    let name = name(tag);
    let value = resolve(text, false);
    let fits = match name.as_str() {
        "!!str" | "!" => return Ok(Value::Str(text.to_owned())),
        "!!int" => matches!(value, Value::Int(_) | Value::BigInt(_)),
        "!!float" => match value {
            Value::Int(value) => return Ok(Value::Float(value as f64)),
            value => {
                return if matches!(value, Value::Float(_)) { Ok(value) } else { Err(misfit(&name, text)) };
            }
        },
        "!!bool" => matches!(value, Value::Bool(_)),
        "!!null" => matches!(value, Value::Null),
        "!!timestamp" => matches!(value, Value::Str(_)),
        _ => return Err(refused(&name)),
    };
    if fits { Ok(value) } else { Err(misfit(&name, text)) }
}

/// Whether a collection may have this tag.
pub(super) fn collection(tag: &Tag, own: &str) -> Result<(), String> {
    let name = name(tag);
    if name == own || name == "!" { Ok(()) } else { Err(refused(&name)) }
}

fn refused(name: &str) -> String {
    format!("the tag `{name}` is refused: a test is plain data")
}

fn misfit(name: &str, text: &str) -> String {
    format!("`{}` is not what its tag `{name}` says", clipped(text))
}
