//! Any value in a file of another tool: what JSON can say, and bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;
use serde_saphyr::Tagged;

/// A value. Objects keep the order of their members: what a model answered is to be seen as it was.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Node {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Something that cannot be a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoBody;

impl Node {
    /// The value as JSON.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The bytes of a body, in any of the forms that the tools know.
    pub(super) fn into_body(self) -> Result<Vec<u8>, NoBody> {
        match self {
            Node::Null => Ok(Vec::new()),
            Node::Text(text) => Ok(text.into_bytes()),
            Node::Bytes(bytes) => Ok(bytes),
            // A text that was written without quotes, and looks like a number now: how it was spelled is lost.
            Node::Bool(_) | Node::Number(_) => Err(NoBody),
            // A body that was given in pieces.
            Node::List(items) if items.iter().all(Node::is_text) => {
                let pieces: Result<Vec<Vec<u8>>, NoBody> = items.into_iter().map(Node::into_body).collect();
                pieces.map(|pieces| pieces.concat())
            }
            Node::List(_) => Ok(self.json().into_bytes()),
            Node::Map(members) => body_of_map(members),
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Node::Text(_) | Node::Bytes(_))
    }

    fn first(self) -> Node {
        match self {
            Node::List(items) => items.into_iter().next().unwrap_or_default(),
            other => other,
        }
    }
}

fn body_of_map(members: Vec<(String, Node)>) -> Result<Vec<u8>, NoBody> {
    let has_only = |names: &[&str]| members.iter().all(|(name, _)| names.contains(&name.as_str()));
    let has = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
    let take = |members: Vec<(String, Node)>, wanted: &str| {
        members.into_iter().find(|(name, _)| name == wanted).map(|(_, node)| node).unwrap_or_default()
    };
    // vcrpy's answers.
    if has("string") && has_only(&["string", "encoding"]) {
        return take(members, "string").into_body();
    }
    if has("base64_string") && has_only(&["base64_string", "encoding"]) {
        return match take(members, "base64_string") {
            Node::Text(text) => decoded_base64(&text).ok_or(NoBody),
            _ => Err(NoBody),
        };
    }
    // vcrpy's files and iterators, which were objects of Python: what they held stands in their first part.
    for wanted in ["args", "state"] {
        if has(wanted) && has_only(&["args", "state"]) {
            return take(members, wanted).first().into_body();
        }
    }
    // cassetter's bodies.
    if has("type") && has_only(&["type", "content"]) {
        let kind = members.iter().find(|(name, _)| name == "type").map(|(_, kind)| kind.clone());
        if let Some(Node::Text(kind)) = kind
            && let Some(body) = body_of_kind(&kind, take(members.clone(), "content"))
        {
            return body;
        }
    }
    // A JSON body that was kept as what it is.
    Ok(Node::Map(members).json().into_bytes())
}

/// A body of cassetter; `None` when it has no such kind.
pub(super) fn body_of_kind(kind: &str, content: Node) -> Option<Result<Vec<u8>, NoBody>> {
    match kind {
        "none" => Some(Ok(Vec::new())),
        "json" => Some(Ok(content.json().into_bytes())),
        "text" => Some(content.into_body()),
        "binary" => Some(match content {
            Node::Text(text) => decoded_hex(&text).ok_or(NoBody),
            Node::Null => Ok(Vec::new()),
            Node::Bytes(bytes) => Ok(bytes),
            _ => Err(NoBody),
        }),
        _ => None,
    }
}

fn decoded_base64(text: &str) -> Option<Vec<u8>> {
    let packed: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    STANDARD.decode(packed).ok()
}

fn decoded_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |letter: u8| char::from(letter).to_digit(16);
    let byte = |pair: &[u8; 2]| u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

/// A text that may have been written as bytes. They are Latin-1, as headers are.
pub(super) fn untagged_text(text: String, tag: Option<&str>) -> String {
    match decoded_base64(&text) {
        Some(bytes) if tag == Some(BINARY) => bytes.into_iter().map(char::from).collect(),
        _ => text,
    }
}

const BINARY: &str = "tag:yaml.org,2002:binary";

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        let Tagged(Untagged(node), tag) = Tagged::deserialize(deserializer)?;
        // The only tag that means something. No other is looked at, so none builds an object.
        match node {
            Node::Text(text) if tag.as_deref() == Some(BINARY) => match decoded_base64(&text) {
                Some(bytes) => Ok(Node::Bytes(bytes)),
                None => Err(serde::de::Error::custom("binary data that is no base64")),
            },
            node => Ok(node),
        }
    }
}

struct Untagged(Node);

impl<'de> Deserialize<'de> for Untagged {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Untagged, D::Error> {
        deserializer.deserialize_any(Shape).map(Untagged)
    }
}

struct Shape;

impl<'de> Visitor<'de> for Shape {
    type Value = Node;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Node, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Node, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Node, E> {
        Ok(Node::Bytes(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut map = Vec::new();
        while let Some(member) = members.next_entry()? {
            map.push(member);
        }
        Ok(Node::Map(map))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Number(number) => number.serialize(serializer),
            Node::Text(text) => serializer.serialize_str(text),
            Node::Bytes(bytes) => serializer.serialize_str(&String::from_utf8_lossy(bytes)),
            Node::List(items) => serializer.collect_seq(items),
            Node::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, member) in members {
                    map.serialize_entry(name, member)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(json: &str) -> Result<Vec<u8>, NoBody> {
        serde_json::from_str::<Node>(json).unwrap().into_body()
    }

    #[test]
    fn a_body_is_read_in_every_form() {
        for (form, expected) in [
            ("null", ""),
            ("\"plain\"", "plain"),
            (r#"{"string": "of vcrpy"}"#, "of vcrpy"),
            (r#"{"string": "", "encoding": "utf-8"}"#, ""),
            (r#"{"base64_string": "aGVs\nbG8="}"#, "hello"),
            (r#"{"state": ["a file", 0, null]}"#, "a file"),
            (r#"{"args": [["in ", "pieces"]], "state": 0}"#, "in pieces"),
            (r#"{"type": "none"}"#, ""),
            (r#"{"type": "text", "content": "of cassetter"}"#, "of cassetter"),
            (r#"{"type": "binary", "content": "6869"}"#, "hi"),
            (r#"{"type": "json", "content": {"z": 1, "a": [null, 1.0]}}"#, r#"{"z":1,"a":[null,1.0]}"#),
            (r#"{"type": "json"}"#, "null"),
            (r#"{"type": "message", "content": "hi"}"#, r#"{"type":"message","content":"hi"}"#),
            (r#"{"z": {"string": "x"}, "a": 2}"#, r#"{"z":{"string":"x"},"a":2}"#),
            (r#"[{"a": 1}]"#, r#"[{"a":1}]"#),
        ] {
            assert_eq!(body(form).as_deref(), Ok(expected.as_bytes()), "{form}");
        }
    }

    #[test]
    fn what_lost_its_spelling_is_no_body() {
        for form in ["1", "true", r#"{"string": 1e3}"#, r#"{"type": "binary", "content": "6"}"#] {
            assert_eq!(body(form), Err(NoBody), "{form}");
        }
    }
}
