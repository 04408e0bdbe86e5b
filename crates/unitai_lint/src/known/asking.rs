//! Who is asked, and how: methods that run agents and ask models, and what those are called.

use crate::Call;
use crate::known::words::words;

/// Methods that run an agent.
const RUNNING: [&str; 10] = [
    "ainvoke",
    "arun",
    "invoke",
    "kickoff",
    "kickoff_async",
    "run",
    "run_async",
    "run_stream",
    "run_streamed",
    "run_sync",
];

/// Methods that ask a model, or an agent as one.
const ASKING: [&str; 22] = [
    "achat",
    "acomplete",
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
    "predict",
    "prompt",
    "query",
    "reply",
    "respond",
    "send_message",
    "stream",
    "text_completion",
];

/// Methods of clients of stores and of the SDKs of models.
const OF_CLIENTS: [&str; 12] = [
    "aembed", "create", "delete", "ingest", "parse", "rerank", "retrieve", "search", "upsert", "insert",
    "acreate", "execute",
];

/// What agents are called.
const AGENTS: [&str; 4] = ["agent", "assistant", "chatbot", "crew"];

/// What holds an agent and much else: only by these methods it is one.
const GRAPHS: [&str; 3] = ["app", "graph", "workflow"];
const OF_GRAPHS: [&str; 2] = ["ainvoke", "invoke"];

/// What models are called, and what stands before the methods of SDKs.
const MODELS: [&str; 9] =
    ["bot", "chain", "chat", "completions", "executor", "llm", "messages", "model", "responses"];

/// Methods of SDKs, behind `completions`, `messages` and `responses`.
const OF_SDKS: [&str; 3] = ["create", "parse", "acreate"];

/// Whether a method asks somebody who may be a model, by its name.
fn asks(method: &str) -> bool {
    RUNNING.contains(&method) || ASKING.contains(&method)
}

/// Whether a call asks somebody who may be a model: by the name of the method.
pub(crate) fn is_asking(call: &Call<'_>) -> bool {
    asks(call.last) && call.node.func.is_attribute_expr()
}

/// Whether a method of a client sends something, by its name.
pub(crate) fn is_sending(method: &str) -> bool {
    asks(method) || OF_CLIENTS.contains(&method)
}

/// Whether a method of this receiver runs an agent: `support_agent.run`, `graph.invoke`, `Runner.run_sync`.
pub(crate) fn runs_agent(receiver: &str, method: &str) -> bool {
    let last = last(receiver);
    // A `runner` in small letters runs commands and tests as well.
    RUNNING.contains(&method) && (is_called(last, &AGENTS) || receiver == "Runner")
        || OF_GRAPHS.contains(&method) && is_called(last, &GRAPHS)
}

/// Whether a method of this receiver asks a model, or an agent: `llm.invoke`, `client.messages.create`.
pub(crate) fn asks_model(receiver: &str, method: &str) -> bool {
    let last = last(receiver);
    if OF_SDKS.contains(&method) {
        return matches!(last, "completions" | "messages" | "responses");
    }
    runs_agent(receiver, method)
        || asks(method) && (is_called(last, &AGENTS) || is_called(last, &MODELS))
        || matches!(method, "run" | "run_async" | "run_sync") && is_called(last, &["runner"])
}

/// Whether a name is that of an agent or a model.
pub(crate) fn is_asked(name: &str) -> bool {
    is_called(name, &AGENTS) || is_called(name, &GRAPHS) || is_called(name, &MODELS)
}

fn last(receiver: &str) -> &str {
    receiver.rsplit('.').next().unwrap_or_default()
}

/// Whether a name has one of these words; `agent2` is an agent, too.
fn is_called(name: &str, wanted: &[&str]) -> bool {
    words(name).any(|word| wanted.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}
