//! The path, which has the model in it and says whether the answer is streamed.

use super::super::percent::{decode, encode};

const PLAIN: &str = ":generateContent";
const STREAMED: &str = ":streamGenerateContent";

/// Whether the path is of a method that makes the model speak.
pub(super) fn is_speaking(path: &str) -> bool {
    without_query(path).ends_with(PLAIN) || is_streamed(path)
}

/// Whether the answer is streamed.
pub(super) fn is_streamed(path: &str) -> bool {
    without_query(path).ends_with(STREAMED)
}

/// The model's name.
pub(super) fn model(path: &str) -> Option<String> {
    let name = decode(span(path)?.1);
    // Some clients put the whole name of the resource there, its slashes encoded.
    let short = name.rsplit('/').next().unwrap_or_default();
    (!short.is_empty()).then(|| short.to_owned())
}

/// The path with another model in it.
pub(super) fn set_model(path: &str, model: &str) -> Option<String> {
    let (before, _, after) = span(path)?;
    let short = model.rsplit('/').next().unwrap_or_default();
    Some(format!("{before}{}{after}", encode(short)))
}

/// What is before the model's name, the name, and what is after it.
fn span(path: &str) -> Option<(&str, &str, &str)> {
    let bare = without_query(path);
    let start = bare.rfind('/')? + 1;
    let end = bare.rfind(':').filter(|end| *end >= start)?;
    Some((&path[..start], &path[start..end], &path[end..]))
}

fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}
