//! The form that vcrpy's files have, in YAML and JSON, and cassetter's in YAML. They differ in how a body and
//! a status are written, so one reader does for both. LangChain's serializer for vcrpy has two lists, `requests` and
//! `responses`, instead of one of both.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Tagged;

use super::node::Node;
use super::plan::{LeftOut, Why, shown};
use super::{Contents, Interaction, MOST_BYTES, Unreadable};

const NOT_THE_FORM: &str = "not what a cassette has here";

pub(super) fn read_yaml(bytes: &[u8]) -> Result<Contents, Unreadable> {
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let options = serde_saphyr::options! {
        // A file may be large, because answers are. What must not grow are aliases: a few of them can stand
        // for gigabytes.
        budget: serde_saphyr::budget! {
            max_events: most,
            max_nodes: most,
            max_total_scalar_bytes: most,
            max_depth: 128,
            max_documents: 1,
            max_aliases: 10_000,
            max_anchors: 10_000,
            max_recorded_anchor_events: 100_000,
            max_recorded_anchor_bytes: 16 << 20,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 1_000_000,
            max_replay_stack_depth: 16,
        },
        merge_keys: serde_saphyr::options::MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        ignore_binary_tag_for_string: true,
        with_snippet: false,
    };
    match serde_saphyr::from_slice_with_options::<File>(bytes, options) {
        Ok(file) => file.contents(),
        Err(error) => {
            let line = error.location().map_or(1, |location| location.line());
            Err(Unreadable::Broken {
                line,
                why: "no YAML, not what a cassette has here, or too deep or large",
            })
        }
    }
}

pub(super) fn read_json(bytes: &[u8]) -> Result<Contents, Unreadable> {
    match serde_json::from_slice::<File>(bytes) {
        Ok(file) => file.contents(),
        Err(error) => {
            let why = if error.is_data() { NOT_THE_FORM } else { "no JSON" };
            Err(Unreadable::Broken { line: error.line() as u64, why })
        }
    }
}

/// A file.
enum File {
    Cassette(Recorded),
    /// What a provider answered, as some test suites keep it: without the request nothing finds it.
    AnswerAlone,
    /// Of no tool that is known.
    Other,
}

/// Members that answers have at their top, and files of settings have not: those of a recorded response, and those of the
/// answers of models.
const OF_ANSWERS: [[&str; 2]; 5] = [
    ["status", "body"],
    ["choices", "usage"],
    ["content", "stop_reason"],
    ["candidates", "usageMetadata"],
    ["output", "usage"],
];

#[derive(Default)]
struct Recorded {
    interactions: Vec<Exchanged>,
    /// What was recorded of another protocol.
    others: Vec<(&'static str, usize)>,
    /// Requests without an answer, or answers without a request.
    unanswered: usize,
}

impl File {
    fn contents(self) -> Result<Contents, Unreadable> {
        let recorded = match self {
            File::Cassette(recorded) => recorded,
            File::AnswerAlone => return Err(Unreadable::AnswerAlone),
            File::Other => return Err(Unreadable::Other),
        };
        let mut contents = Contents::default();
        for (protocol, count) in recorded.others {
            let what = format!("{count} of {protocol}");
            contents.left_out.extend((count > 0).then_some(LeftOut { what, why: Why::Protocol }));
        }
        if recorded.unanswered > 0 {
            let what = format!("{} requests or responses", recorded.unanswered);
            contents.left_out.push(LeftOut { what, why: Why::Unpaired });
        }
        for exchanged in recorded.interactions {
            let what = shown(&exchanged.request.method, &exchanged.request.uri);
            match exchanged.interaction() {
                Ok(interaction) => contents.interactions.push(interaction),
                Err(why) => contents.left_out.push(LeftOut { what, why }),
            }
        }
        Ok(contents)
    }
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<File, D::Error> {
        struct Top;

        impl<'de> Visitor<'de> for Top {
            type Value = File;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a cassette")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<File, A::Error> {
                let mut recorded: Option<Recorded> = None;
                let mut others = Vec::new();
                let (mut requests, mut responses): (Option<Vec<Asked>>, Option<Vec<Answered>>) = (None, None);
                while let Some(name) = members.next_key::<String>()? {
                    match name.as_str() {
                        "requests" => requests = members.next_value()?,
                        "responses" => responses = members.next_value()?,
                        "interactions" => {
                            let found: Option<Vec<Exchanged>> = members.next_value()?;
                            recorded.get_or_insert_default().interactions = found.unwrap_or_default();
                        }
                        "grpc_interactions" | "ws_interactions" => {
                            let found: Option<Vec<IgnoredAny>> = members.next_value()?;
                            let protocol = if name.starts_with("grpc") { "gRPC" } else { "WebSocket" };
                            let count = found.map_or(0, |found| found.len());
                            recorded.get_or_insert_default().others.push((protocol, count));
                        }
                        _ => {
                            members.next_value::<IgnoredAny>()?;
                            others.push(name);
                        }
                    }
                }
                if let (Some(requests), Some(responses)) = (requests, responses) {
                    let recorded = recorded.get_or_insert_default();
                    recorded.unanswered = requests.len().abs_diff(responses.len());
                    let pairs = requests.into_iter().zip(responses);
                    let exchanged = pairs.map(|(request, response)| Exchanged { request, response });
                    recorded.interactions.extend(exchanged);
                }
                let has = |name: &&str| others.iter().any(|other: &String| other == name);
                Ok(match recorded {
                    Some(recorded) => File::Cassette(recorded),
                    None if OF_ANSWERS.iter().any(|names| names.iter().all(has)) => File::AnswerAlone,
                    None => File::Other,
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<File, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(File::Other)
            }

            fn visit_unit<E>(self) -> Result<File, E> {
                Ok(File::Other)
            }

            fn visit_str<E>(self, _: &str) -> Result<File, E> {
                Ok(File::Other)
            }

            fn visit_bool<E>(self, _: bool) -> Result<File, E> {
                Ok(File::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<File, E> {
                Ok(File::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<File, E> {
                Ok(File::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<File, E> {
                Ok(File::Other)
            }
        }

        deserializer.deserialize_any(Top)
    }
}

#[derive(serde::Deserialize)]
struct Exchanged {
    request: Asked,
    response: Answered,
}

#[derive(serde::Deserialize)]
struct Asked {
    method: String,
    uri: String,
    #[serde(default)]
    headers: Headers,
    #[serde(default)]
    body: Node,
    /// What many a suite's serializer writes in the place of a JSON body.
    parsed_body: Option<Node>,
}

#[derive(serde::Deserialize)]
struct Answered {
    status: Option<Status>,
    /// What older releases of vcrpy wrote for httpx.
    status_code: Option<u16>,
    #[serde(default)]
    headers: Headers,
    #[serde(default)]
    body: Node,
    #[serde(default)]
    content: Node,
    parsed_body: Option<Node>,
}

impl Exchanged {
    fn interaction(self) -> Result<Interaction, Why> {
        let Exchanged { request, response } = self;
        let status = response.status.map(|status| status.0).or(response.status_code).ok_or(Why::NoStatus)?;
        let answer = if response.body == Node::Null { response.content } else { response.body };
        Ok(Interaction {
            method: request.method,
            url: request.uri,
            request_headers: request.headers.0,
            request_body: body_of(request.body, request.parsed_body)?,
            status,
            headers: response.headers.0,
            body: body_of(answer, response.parsed_body)?,
        })
    }
}

fn body_of(body: Node, parsed: Option<Node>) -> Result<Vec<u8>, Why> {
    match parsed {
        Some(parsed) => Ok(parsed.json().into_bytes()),
        None => body.into_body().map_err(|_| Why::Spelling),
    }
}

/// A number, or `{code: 200, message: OK}`.
struct Status(u16);

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
        let code = match Node::deserialize(deserializer)? {
            Node::Map(members) => members.into_iter().find(|(name, _)| name == "code").map(|(_, code)| code),
            other => Some(other),
        };
        match code {
            Some(Node::Number(code)) => code.as_u64().and_then(|code| u16::try_from(code).ok()).map(Status),
            _ => None,
        }
        .ok_or_else(|| serde::de::Error::custom("no status"))
    }
}

/// Names and values; a name may have several.
#[derive(Default)]
struct Headers(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("headers")
            }

            fn visit_unit<E>(self) -> Result<Headers, E> {
                Ok(Headers::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Headers, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, Values(values))) = members.next_entry::<String, Values>()? {
                    pairs.extend(values.into_iter().map(|value| (name.clone(), value)));
                }
                Ok(Headers(pairs))
            }
        }

        deserializer.deserialize_any(Pairs)
    }
}

/// One value, or a list of them.
struct Values(Vec<String>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        struct Listed;

        impl<'de> Visitor<'de> for Listed {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the values of a header")
            }

            fn visit_unit<E>(self) -> Result<Values, E> {
                Ok(Values(Vec::new()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Values, E> {
                Ok(Values(vec![text.to_owned()]))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Values, E> {
                Ok(Values(vec![value.to_string()]))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Values, E> {
                Ok(Values(vec![value.to_string()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Values, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = items.next_element::<Option<Value>>()? {
                    values.extend(value.map(|Value(text)| text));
                }
                Ok(Values(values))
            }
        }

        deserializer.deserialize_any(Listed)
    }
}

/// One value of a header, spelled as it is even if it looks like a number. Some clients give bytes.
struct Value(String);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let Tagged(text, tag) = Tagged::<String>::deserialize(deserializer)?;
        Ok(Value(super::node::untagged_text(text, tag.as_deref())))
    }
}
