//! What differs from one API to the other: how it says requests and answers.

use serde_json::Value;
use unitai_wire::dialects::Seen;

/// How one API says requests and answers.
pub trait Form: Send + Sync + 'static {
    /// The provider's name in settings.
    const NAME: &'static str;
    /// The variable that holds the key.
    const KEY: &'static str;
    /// The variable that holds another address.
    const ADDRESS: &'static str;
    /// Where it is, unless that variable says otherwise.
    const USUAL_ADDRESS: &'static str;
    /// What stands behind the address.
    const PATH: &'static str;
    /// The model that is asked unless another is named.
    const USUAL_MODEL: &'static str;
    /// The dialect of `unitai_wire`.
    const DIALECT: &'static str;
    /// The version of the interface.
    const VERSION: &'static str;
    /// Its words for the most tokens of an answer, the best first. Where one is refused, the next is said; `None` says
    /// nothing.
    const LIMITS: &'static [Option<&'static str>];

    /// What is sent with each request.
    fn headers(key: &str) -> Vec<(&'static str, String)>;
    /// The body of a request.
    fn body(talk: &Talk<'_>) -> Value;
    /// The text of an answer.
    fn text(answer: &Value) -> String;
    /// Why an answer is none, though it came whole.
    fn unsaid(answer: &Value, seen: &Seen) -> Option<String>;
    /// The answer as it is repeated in the next request.
    fn repeated(answer: &Value) -> Value;
    /// The results of tools as they are said in the next request.
    fn results(results: Vec<Handed>) -> Vec<Value>;
}

/// What is said so far, and what is wanted.
#[derive(Debug, Clone)]
pub struct Talk<'a> {
    /// The model.
    pub model: &'a str,
    /// Who it is and what it must do.
    pub system: String,
    /// What was said, in the words of the API.
    pub messages: Vec<Value>,
    /// The tools: their names there, what they do, and the schemas of their arguments.
    pub tools: Vec<(String, &'a str, &'a Value)>,
    /// The schema that the API is to hold the answer to, where it can.
    pub schema: Option<&'a Value>,
    /// Whether the same question is to get the same answer, where it can be.
    pub is_steady: bool,
    /// The word for the most tokens of the answer.
    pub limit: Option<&'static str>,
}

/// What a tool said, as it is handed to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// The id of the call.
    pub id: String,
    /// The text.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}
