//! The form that cassetter's files have in TOML, where the content of a body is a text.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::node::{Node, body_of_kind};
use super::plan::{LeftOut, Why, shown};
use super::{Contents, Interaction, Unreadable};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, Unreadable> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Unreadable::Broken { line: line_at(bytes, error.valid_up_to()), why: "no UTF-8" })?;
    let file: File = toml::from_str(text).map_err(|error| Unreadable::Broken {
        line: error.span().map_or(1, |span| line_at(bytes, span.start)),
        why: "no TOML, or not what a cassette has here",
    })?;
    let mut contents = Contents::default();
    for exchanged in file.interactions.ok_or(Unreadable::Other)? {
        let what = shown(&exchanged.request.method, &exchanged.request.uri);
        match exchanged.interaction() {
            Some(interaction) => contents.interactions.push(interaction),
            None => contents.left_out.push(LeftOut { what, why: Why::Spelling }),
        }
    }
    Ok(contents)
}

fn line_at(bytes: &[u8], at: usize) -> u64 {
    1 + memchr::memchr_iter(b'\n', &bytes[..at.min(bytes.len())]).count() as u64
}

#[derive(Deserialize)]
struct File {
    interactions: Option<Vec<Exchanged>>,
}

#[derive(Deserialize)]
struct Exchanged {
    request: Asked,
    response: Answered,
}

#[derive(Deserialize)]
struct Asked {
    method: String,
    uri: String,
    #[serde(default)]
    headers: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    body_type: String,
    body_content: Option<String>,
}

#[derive(Deserialize)]
struct Answered {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    body_type: String,
    body_content: Option<String>,
}

impl Exchanged {
    fn interaction(self) -> Option<Interaction> {
        let Exchanged { request, response } = self;
        Some(Interaction {
            method: request.method,
            url: request.uri,
            request_headers: pairs(request.headers),
            request_body: body_of(&request.body_type, request.body_content)?,
            status: response.status,
            headers: pairs(response.headers),
            body: body_of(&response.body_type, response.body_content)?,
        })
    }
}

fn pairs(headers: BTreeMap<String, Vec<String>>) -> Vec<(String, String)> {
    let named = |(name, values): (String, Vec<String>)| {
        values.into_iter().map(move |value| (name.clone(), value)).collect::<Vec<_>>()
    };
    headers.into_iter().flat_map(named).collect()
}

fn body_of(kind: &str, content: Option<String>) -> Option<Vec<u8>> {
    let content = content.unwrap_or_default();
    match kind {
        // The text is the JSON itself.
        "json" | "text" => Some(content.into_bytes()),
        "" | "none" => Some(Vec::new()),
        other => body_of_kind(other, Node::Text(content))?.ok(),
    }
}
