//! What in an address authorises a request: `?api_key=...`, as some providers take it in place of a header.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::MARK;

/// Names that carry a key and never anything else. `key` and `token` are none of these: with them one asks for
/// an entry or a page, and who asks for another one must not find this one.
const AUTHORISING: [&str; 14] = [
    "api_key",
    "apikey",
    "appid",
    "x_api_key",
    "subscription_key",
    "access_token",
    "auth_token",
    "client_secret",
    "password",
    "sig",
    "signature",
    "x_amz_credential",
    "x_amz_signature",
    "x_amz_security_token",
];

/// The address with a mark for each value that authorises, whatever that is: which key it was is no part of
/// what is asked.
pub(super) fn hidden(url: &str) -> Cow<'_, str> {
    let Some((address, query)) = url.split_once('?') else { return Cow::Borrowed(url) };
    let is_key =
        |pair: &str| pair.split_once('=').is_some_and(|(name, value)| authorises(name) && value != MARK);
    if !query.split('&').any(is_key) {
        return Cow::Borrowed(url);
    }
    let pair = |pair| match is_key(pair) {
        true => format!("{}={MARK}", pair.split('=').next().unwrap_or_default()),
        false => pair.to_owned(),
    };
    let pairs: Vec<String> = query.split('&').map(pair).collect();
    Cow::Owned(format!("{address}?{}", pairs.join("&")))
}

/// The same for the members of a body.
pub(super) fn hide_members(body: &mut serde_json::Value) -> bool {
    let serde_json::Value::Object(members) = body else { return false };
    let mut is_hidden = false;
    for (name, member) in members.iter_mut() {
        if member.is_string() && authorises(name) {
            *member = serde_json::Value::from(MARK);
            is_hidden = true;
        }
    }
    is_hidden
}

fn authorises(name: &str) -> bool {
    let spelled = percent_decode_str(name).decode_utf8_lossy().to_ascii_lowercase().replace('-', "_");
    AUTHORISING.contains(&spelled.as_str())
}
