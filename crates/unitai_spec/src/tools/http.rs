//! HTTP requests. Redirects are not followed: a test says what it asks for. A request that gets no answer is a failure of
//! the tool; one that gets any answer is none.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response};
use unitai_model::value::Value;
use unitai_model::with_causes;

use super::arguments::Given;
use super::dict;
use crate::data::to_json;
use crate::http::client;

/// How long one request may take in all.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many characters of a body are kept.
pub(super) const KEPT: usize = 10_000;

pub(super) async fn get(given: &Given) -> Result<Value, String> {
    ask(given, client()?.get(given.text("url")?)).await
}

pub(super) async fn post(given: &Given) -> Result<Value, String> {
    let request = client()?.post(given.text("url")?);
    match given.get("data") {
        None | Some(Value::Null) => ask(given, request).await,
        Some(data) => ask(given, request.json(&to_json(data))).await,
    }
}

async fn ask(given: &Given, request: RequestBuilder) -> Result<Value, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in given.texts("headers")? {
        let name = HeaderName::try_from(&name).map_err(|_| format!("{name:?} is no name of a header"))?;
        let value = HeaderValue::try_from(&value)
            .map_err(|_| format!("the header {name} holds what no header may"))?;
        headers.append(name, value);
    }
    let response =
        request.headers(headers).timeout(PATIENCE).send().await.map_err(|error| with_causes(&error))?;
    let status_code = Value::Int(response.status().as_u16().into());
    let headers = joined(response.headers());
    let body = Value::Str(body(response).await?);
    Ok(dict([("status_code", status_code), ("body", body), ("headers", headers)]))
}

/// Headers by name; those that came several times are one, as HTTP has it.
fn joined(headers: &HeaderMap) -> Value {
    let entry = |name: &HeaderName| {
        let all: Vec<_> =
            headers.get_all(name).iter().map(|it| String::from_utf8_lossy(it.as_bytes())).collect();
        (Value::Str(name.to_string()), Value::Str(all.join(", ")))
    };
    Value::Dict(headers.keys().map(entry).collect())
}

/// The beginning of a body. The rest is not read: it may have no end.
async fn body(mut response: Response) -> Result<String, String> {
    let is_latin1 = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|it| it.to_str().ok())
        .is_some_and(|it| it.to_ascii_lowercase().contains("charset=iso-8859-1"));
    let mut bytes = Vec::new();
    // No character takes more than four bytes.
    while bytes.len() <= KEPT * 4 {
        match response.chunk().await.map_err(|error| with_causes(&error))? {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => break,
        }
    }
    let text = if is_latin1 {
        bytes.iter().map(|byte| char::from(*byte)).collect()
    } else {
        String::from_utf8_lossy(&bytes).into_owned()
    };
    // Without the mark, redaction would not know what is left of a secret that lies across the end.
    Ok(match text.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}
