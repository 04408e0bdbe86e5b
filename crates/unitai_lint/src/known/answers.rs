//! What a model said: which calls ask one, and which names of a test hold its words.

use crate::Call;

/// Methods that ask a model or an agent.
const ASKING: [&str; 30] = [
    "achat",
    "acomplete",
    "ainvoke",
    "arun",
    "ask",
    "astream",
    "chat",
    "complete",
    "completion",
    "converse",
    "embed",
    "embed_documents",
    "embed_query",
    "generate",
    "generate_content",
    "generate_text",
    "invoke",
    "kickoff",
    "kickoff_async",
    "predict",
    "prompt",
    "query",
    "reply",
    "respond",
    "run",
    "run_async",
    "run_sync",
    "send_message",
    "stream",
    "run_stream",
];

/// Whether a call asks somebody who may be a model: by the name of the method.
pub(crate) fn is_asking(call: &Call<'_>) -> bool {
    ASKING.contains(&call.last) && call.node.func.is_attribute_expr()
}

/// Methods of clients of stores and of the SDKs of models.
const SENDING: [&str; 12] = [
    "aembed", "create", "delete", "ingest", "parse", "rerank", "retrieve", "search", "upsert", "insert",
    "acreate", "execute",
];

/// Whether a method of a client sends something, by its name.
pub(crate) fn is_sending(method: &str) -> bool {
    ASKING.contains(&method) || SENDING.contains(&method)
}
