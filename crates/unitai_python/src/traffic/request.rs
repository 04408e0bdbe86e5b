//! A request that a script has seen.

use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::{Value, json};
use unitai_model::Packed;
use unitai_wire::common::{Message, Part, Request, Role};

use crate::values::to_python;

/// A request to the model, in the same words for every provider.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct ModelRequest {
    pub(super) dialect: &'static str,
    pub(super) request: Arc<Request>,
}

#[pymethods]
impl ModelRequest {
    /// The dialect it came in: `openai_chat`, `anthropic`, ...
    #[getter]
    fn dialect(&self) -> &'static str {
        self.dialect
    }

    /// The model that was asked for.
    #[getter]
    fn model(&self) -> &str {
        &self.request.model
    }

    /// The system prompt.
    #[getter]
    fn system(&self) -> String {
        self.request.system()
    }

    /// What the user said last.
    #[getter]
    fn last_message(&self) -> String {
        self.request.last_message()
    }

    /// The results of tools since the model last spoke, as pairs of tool and text.
    #[getter]
    fn tool_results(&self) -> Vec<(Option<String>, String)> {
        let owned = |(tool, text): (Option<&str>, &str)| (tool.map(str::to_owned), text.to_owned());
        self.request.tool_results().into_iter().map(owned).collect()
    }

    /// The names of the tools that were offered.
    #[getter]
    fn tools(&self) -> Vec<&str> {
        self.request.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// The most tokens that the answer may have, where the request says so.
    #[getter]
    fn max_output(&self) -> Option<u64> {
        self.request.max_output
    }

    /// Whether the answer is to be streamed.
    #[getter]
    fn streamed(&self) -> bool {
        self.request.streamed
    }

    /// The whole conversation: dictionaries with a `role` and `parts`.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data(py, &self.request.messages.iter().map(message).collect())
    }

    /// Everything else that was asked for, as it came.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data(py, &Value::Object(self.request.settings.clone()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let request = &self.request;
        crate::secrets::shown(py, format!("<ModelRequest {} {:?}>", request.model, request.last_message()))
    }
}

fn data<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let packed = Packed::from_json(&value.to_string()).unwrap_or_else(|_| Packed::null());
    to_python(py, &packed)
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    json!({"role": role, "parts": message.parts.iter().map(part).collect::<Vec<_>>()})
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Reasoning(text) => json!({"type": "reasoning", "text": text}),
        Part::ToolCall { id, name, args } => {
            json!({"type": "tool_call", "id": id, "name": name, "args": args})
        }
        Part::ToolResult { id, name, content } => {
            json!({"type": "tool_result", "id": id, "name": name, "content": content})
        }
        Part::Media(value) => json!({"type": "media", "value": value}),
        Part::Other(value) => json!({"type": "other", "value": value}),
    }
}
