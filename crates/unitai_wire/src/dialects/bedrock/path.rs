//! The model's id in the path, percent-encoded: ids have colons in them, and slashes.

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

fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        match after {
            [high, low, after @ ..]
                if byte == b'%' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                out.push((digit(*high) << 4) | digit(*low));
                rest = after;
            }
            _ => {
                out.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn digit(byte: u8) -> u8 {
    char::from(byte).to_digit(16).map_or(0, |digit| digit as u8)
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
