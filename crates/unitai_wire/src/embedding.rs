//! Requests for embeddings, which a script answers where it says so: vectors that are made of the texts alone, so that a
//! retriever finds what shares words with the question, the same each time.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::Target;
use crate::chance::{draw, key_of};
use crate::common::Stamp;

/// How many numbers the vectors of a model have, where neither the request nor the script says so.
const DIMENSIONS: &[(&str, usize)] = &[
    ("text-embedding-3-large", 3072),
    ("gemini-embedding", 3072),
    ("mistral-embed", 1024),
    ("embed-english", 1024),
    ("embed-multilingual", 1024),
    ("text-embedding-00", 768),
    ("nomic-embed-text", 768),
];
const USUAL_DIMENSIONS: usize = 1536;
const MOST_DIMENSIONS: usize = 1 << 16;

/// How an embedding is asked for, and told.
#[derive(Clone, Copy)]
enum Api {
    OpenAi,
    Ollama,
    OllamaSingle,
    CohereV1,
    CohereV2,
    Gemini,
    GeminiBatch,
    Vertex,
}

impl Api {
    fn of(path: &str) -> Option<Api> {
        let by_ending = [
            // The shorter ending is part of the longer.
            ("/api/embeddings", Api::OllamaSingle),
            ("/embeddings", Api::OpenAi),
            ("/api/embed", Api::Ollama),
            ("/v1/embed", Api::CohereV1),
            ("/v2/embed", Api::CohereV2),
            (":embedContent", Api::Gemini),
            (":batchEmbedContents", Api::GeminiBatch),
        ];
        let by_ending = by_ending.into_iter().find(|(ending, _)| path.ends_with(ending)).map(|(_, api)| api);
        // Other models of this host are asked there, too.
        by_ending
            .or_else(|| (path.ends_with(":predict") && path.contains("embedding")).then_some(Api::Vertex))
    }

    /// What is to be embedded; `None` when the body is none of this API.
    fn texts(self, body: &Map<String, Value>) -> Option<Vec<Words>> {
        let list = |key: &str| body.get(key)?.as_array();
        match self {
            Api::OpenAi | Api::Ollama => inputs(body.get("input").filter(|_| body.contains_key("model"))?),
            Api::OllamaSingle => inputs(body.get("prompt").filter(|_| body.contains_key("model"))?),
            Api::CohereV1 | Api::CohereV2 => inputs(body.get("texts")?),
            Api::Gemini => Some(vec![content(body)?]),
            Api::GeminiBatch => list("requests")?.iter().map(|each| content(each.as_object()?)).collect(),
            Api::Vertex => {
                list("instances")?.iter().map(|each| Some(words(each.get("content")?.as_str()?))).collect()
            }
        }
    }

    fn answer(self, body: &Map<String, Value>, vectors: &[Vec<f64>], tokens: u64) -> Value {
        let texts = || body.get("texts").cloned().unwrap_or_default();
        let model = body.get("model").cloned().unwrap_or_default();
        let billed = json!({"api_version": {"version": "2"}, "billed_units": {"input_tokens": tokens}});
        match self {
            Api::OpenAi => {
                let is_packed = body.get("encoding_format").and_then(Value::as_str) == Some("base64");
                let told = |vector: &Vec<f64>| if is_packed { packed(vector).into() } else { json!(vector) };
                let data = vectors.iter().enumerate();
                let data: Vec<Value> = data
                    .map(
                        |(at, vector)| json!({"object": "embedding", "index": at, "embedding": told(vector)}),
                    )
                    .collect();
                let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
                json!({"object": "list", "data": data, "model": model, "usage": usage})
            }
            Api::Ollama => json!({"model": model, "embeddings": vectors, "prompt_eval_count": tokens}),
            Api::OllamaSingle => json!({"embedding": vectors.first()}),
            Api::CohereV1 if !body.contains_key("embedding_types") => json!({
                "id": Stamp { turn: 1 }.answer_id("emb_"), "response_type": "embeddings_floats",
                "embeddings": vectors, "texts": texts(), "meta": billed,
            }),
            Api::CohereV1 | Api::CohereV2 => json!({
                "id": Stamp { turn: 1 }.answer_id("emb_"), "response_type": "embeddings_by_type",
                "embeddings": {"float": vectors}, "texts": texts(), "meta": billed,
            }),
            Api::Gemini => json!({"embedding": {"values": vectors.first()}}),
            Api::GeminiBatch => {
                json!({"embeddings": vectors.iter().map(|values| json!({"values": values})).collect::<Vec<_>>()})
            }
            Api::Vertex => {
                let statistics =
                    json!({"truncated": false, "token_count": tokens / vectors.len().max(1) as u64});
                let told = |values| json!({"embeddings": {"values": values, "statistics": statistics}});
                json!({"predictions": vectors.iter().map(told).collect::<Vec<_>>()})
            }
        }
    }
}

/// Whether a request to this target asks for embeddings. Its body has the last word.
pub fn is_embedding(target: &Target<'_>) -> bool {
    Api::of(target.path).is_some()
}

/// The answer to such a request; `None` for any other. Each vector has the length 1, and texts that have words in common
/// are near each other. `dimensions` is how many numbers it has where the request does not say so.
///
/// ```
/// use unitai_wire::Target;
/// use unitai_wire::embedding::embed;
/// let target = Target::of("https://api.openai.com/v1/embeddings").unwrap();
/// let answer = embed(&target, br#"{"model": "text-embedding-3-small", "input": "Hello"}"#, Some(2)).unwrap();
/// assert!(answer.contains(r#""object":"embedding""#));
/// ```
pub fn embed(target: &Target<'_>, body: &[u8], dimensions: Option<usize>) -> Option<String> {
    let api = Api::of(target.path)?;
    let body: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let texts = api.texts(&body)?;
    let dimensions =
        asked_dimensions(&body).or(dimensions).unwrap_or_else(|| usual_dimensions(target, &body));
    let vectors: Vec<Vec<f64>> =
        texts.iter().map(|words| vector(words, dimensions.clamp(1, MOST_DIMENSIONS))).collect();
    let tokens = texts.iter().map(|words| words.len().max(1) as u64).sum();
    Some(api.answer(&body, &vectors, tokens).to_string())
}

fn asked_dimensions(body: &Map<String, Value>) -> Option<usize> {
    let inside = |object: &Value| {
        let keys = ["dimensions", "output_dimension", "output_dimensionality", "outputDimensionality"];
        keys.iter().find_map(|key| object.get(*key)?.as_u64())
    };
    let first = body.get("requests").and_then(|requests| requests.get(0));
    let nested = [body.get("parameters"), body.get("embedContentConfig"), first];
    let asked =
        inside(&Value::Object(body.clone())).or_else(|| nested.into_iter().flatten().find_map(inside));
    asked.and_then(|asked| usize::try_from(asked).ok())
}

fn usual_dimensions(target: &Target<'_>, body: &Map<String, Value>) -> usize {
    // Some APIs have the model in the path.
    let model = body.get("model").and_then(Value::as_str).unwrap_or(target.path);
    DIMENSIONS.iter().find(|(name, _)| model.contains(name)).map_or(USUAL_DIMENSIONS, |(_, number)| *number)
}

/// The words of a text, each once and as a number.
type Words = BTreeSet<u64>;

fn words(text: &str) -> Words {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| key_of([word.to_lowercase().as_str()])).collect()
}

/// One text, several, or either as the numbers of a tokenizer.
fn inputs(input: &Value) -> Option<Vec<Words>> {
    match input {
        Value::String(text) => Some(vec![words(text)]),
        Value::Array(several) if !several.is_empty() && several.iter().all(Value::is_u64) => {
            Some(vec![tokens(several)])
        }
        Value::Array(several) => several
            .iter()
            .map(|each| each.as_str().map(words).or_else(|| each.as_array().map(|each| tokens(each))))
            .collect(),
        _ => None,
    }
}

fn tokens(tokens: &[Value]) -> Words {
    tokens.iter().filter_map(Value::as_u64).collect()
}

fn content(body: &Map<String, Value>) -> Option<Words> {
    let parts = body.get("content")?.get("parts")?.as_array()?;
    Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).flat_map(words).collect())
}

/// How many numbers of a vector each word has a share in.
const SHARES: u64 = 16;

fn vector(words: &Words, dimensions: usize) -> Vec<f64> {
    let mut vector = vec![0.0_f64; dimensions];
    for word in words {
        for share in 0..SHARES {
            let drawn = draw(*word, &[share]);
            let sign = if drawn & 1 == 0 { 1.0 } else { -1.0 };
            vector[(drawn >> 1) as usize % dimensions] += sign;
        }
    }
    let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length == 0.0 {
        vector[0] = 1.0;
        return vector;
    }
    vector.iter().map(|value| (value / length * 1e7).round() / 1e7).collect()
}

/// As four bytes each, which OpenAI's client asks for.
fn packed(vector: &[f64]) -> String {
    STANDARD.encode(vector.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(url: &str, body: &Value) -> Option<Value> {
        let target = Target::of(url).unwrap();
        embed(&target, body.to_string().as_bytes(), Some(64)).map(|text| serde_json::from_str(&text).unwrap())
    }

    fn nearness(one: &Value, other: &Value) -> f64 {
        let numbers = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
        numbers(one).iter().zip(numbers(other)).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn texts_with_words_in_common_are_near_each_other() {
        let input = json!(["Refunds take five days.", "How long do refunds take?", "Bees sleep at night."]);
        let body = json!({"model": "text-embedding-3-small", "input": input});
        let answer = ask("https://api.openai.com/v1/embeddings", &body).unwrap();
        let of = |at: usize| &answer["data"][at]["embedding"];
        assert!((nearness(of(0), of(0)) - 1.0).abs() < 1e-4);
        assert!(nearness(of(0), of(1)) > nearness(of(0), of(2)) + 0.2);
        assert_eq!(answer, ask("https://api.openai.com/v1/embeddings", &body).unwrap());
    }

    #[test]
    fn every_api_gets_its_own_form() {
        let parts = json!({"parts": [{"text": "hi"}]});
        let google = "https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001";
        let vertex =
            "https://aiplatform.googleapis.com/v1/publishers/google/models/text-embedding-005:predict";
        let asked = [
            (
                "https://api.openai.com/v1/embeddings",
                json!({"model": "m", "input": [1, 2]}),
                "/data/0/embedding",
            ),
            ("http://localhost:11434/api/embed", json!({"model": "m", "input": "hi"}), "/embeddings/0"),
            ("http://localhost:11434/api/embeddings", json!({"model": "m", "prompt": "hi"}), "/embedding"),
            ("https://api.cohere.com/v1/embed", json!({"texts": ["hi"]}), "/embeddings/0"),
            ("https://api.cohere.com/v2/embed", json!({"texts": ["hi"]}), "/embeddings/float/0"),
            (&format!("{google}:embedContent"), json!({"content": parts}), "/embedding/values"),
            (
                &format!("{google}:batchEmbedContents"),
                json!({"requests": [{"content": parts}]}),
                "/embeddings/0/values",
            ),
            (vertex, json!({"instances": [{"content": "hi"}]}), "/predictions/0/embeddings/values"),
        ];
        for (url, body, place) in asked {
            let answer = ask(url, &body).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(answer.pointer(place).and_then(Value::as_array).map(Vec::len), Some(64), "{url}");
        }
    }

    #[test]
    fn the_request_says_how_long_and_how_a_vector_is_told() {
        let body = json!({"model": "m", "input": "hi", "dimensions": 3, "encoding_format": "base64"});
        let answer = ask("https://api.openai.com/v1/embeddings", &body).unwrap();
        assert_eq!(STANDARD.decode(answer["data"][0]["embedding"].as_str().unwrap()).unwrap().len(), 12);
    }

    #[test]
    fn anything_else_is_not_answered() {
        assert_eq!(ask("https://api.openai.com/v1/files", &json!({"model": "m", "input": "hi"})), None);
        assert_eq!(ask("https://shop.example/embeddings", &json!({"text": "hi"})), None);
        let image = "https://aiplatform.googleapis.com/v1/publishers/google/models/imagen-4:predict";
        assert_eq!(ask(image, &json!({"instances": [{"prompt": "a cat"}]})), None);
    }
}
