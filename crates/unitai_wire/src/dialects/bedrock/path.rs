//! The model's id in the path, percent-encoded: ids have colons in them, and slashes.

use super::super::percent::{decode, encode};

/// The model in the path of a conversation; `None` when the path is of something else.
pub(super) fn model(path: &str) -> Option<String> {
    split(path).map(|(_, model, _)| decode(model))
}

/// Whether the answer is to be streamed.
pub(super) fn is_streamed(path: &str) -> bool {
    path.ends_with("/converse-stream")
}

/// The path with another model in it.
pub(super) fn set_model(path: &str, model: &str) -> Option<String> {
    let (before, _, verb) = split(path)?;
    Some(format!("{before}/model/{}/{verb}", encode(model)))
}

fn split(path: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = path.split_once("/model/")?;
    let (model, verb) = rest.rsplit_once('/')?;
    let speaks = matches!(verb, "converse" | "converse-stream") && !model.is_empty();
    speaks.then_some((before, model, verb))
}
