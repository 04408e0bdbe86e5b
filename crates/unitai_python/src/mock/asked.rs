//! A tool call as an adapter tells it.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_model::value::{arguments, plain};
use unitai_model::{Outcome, ToolName};

use super::Toolbox;
use crate::agents::agent_here;
use crate::attribute::Attribute;
use crate::errors::{Trouble, failure};
use crate::run::{Run, Slot};
use crate::schemas::violations;
use crate::values::encode;

/// A tool call, under the name that the test knows it by.
pub(crate) struct Asked<'py> {
    pub(super) name: String,
    /// What else the tool is called.
    aliases: Vec<String>,
    pub(super) args: Bound<'py, PyDict>,
    pub(super) agent_id: Option<String>,
    /// What the tool takes, where a framework does not see to it itself.
    schema: Option<Bound<'py, PyAny>>,
    /// Whether it leads to another agent, which runs unless it is mocked.
    pub(super) is_agent: bool,
}

impl<'py> Asked<'py> {
    /// Reads a `ToolCall` of `unitai.adapters.ports`.
    pub(crate) fn read(run: &Run, toolbox: &Toolbox, call: &Bound<'py, PyAny>) -> PyResult<Asked<'py>> {
        let py = call.py();
        let name: String = call.attribute("name")?.extract()?;
        let aliases: Vec<String> = call.attribute("aliases")?.extract()?;
        let agent_id: Option<String> = call.attribute("agent_id")?.extract()?;
        let schema = call.attribute("schema")?;
        let known = toolbox.known_name(py, &name, &aliases);
        let aliases: Vec<String> =
            std::iter::once(name).chain(aliases).filter(|told| *told != known).collect();
        aliases.iter().for_each(|told| run.note_alias(told, &known));
        Ok(Asked {
            name: known,
            aliases,
            args: call.attribute("args")?.cast_into::<PyDict>()?,
            agent_id: match agent_id {
                None => agent_here(py)?,
                given => given,
            },
            schema: (!schema.is_none()).then_some(schema),
            is_agent: call.attribute("is_agent")?.is_truthy()?,
        })
    }

    /// A call of a tool that is known by one name, from whoever speaks here.
    pub(super) fn plain(name: &str, args: Bound<'py, PyDict>) -> Asked<'py> {
        Asked {
            name: name.to_owned(),
            aliases: Vec::new(),
            args,
            agent_id: None,
            schema: None,
            is_agent: false,
        }
    }

    /// The real tool, so that what it calls under one of its own names is known to belong to this call.
    pub(super) fn real_call(&self, run: &Run, real: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = real.py();
        let names: Vec<&str> = std::iter::once(&self.name).chain(&self.aliases).map(String::as_str).collect();
        let call_real = py.import("unitai.adapters.real_call")?.attribute("call_real")?;
        py.import("functools")?.attribute("partial")?.call1((call_real, run.id(), names, real))
    }

    /// Why the tool does not take these arguments, if it does not.
    pub(super) fn misfit(&self) -> PyResult<Option<PyErr>> {
        let Some(schema) = &self.schema else { return Ok(None) };
        let encoded = encode(self.args.as_any())?;
        let violations = violations(schema, &encoded.packed)?;
        if violations.is_empty() {
            return Ok(None);
        }
        let name = plain(&self.name);
        let trouble = Trouble::new(
            "WrongArgumentsError",
            format!(
                "{name} was called with arguments that it does not take: {}",
                plain(&violations.join("; "))
            ),
        )
        .expected("arguments that fit the schema of the tool")
        .found(format!("{name}({})", arguments(&encoded.packed, 200)));
        Ok(Some(trouble.into_err(schema.py())))
    }

    /// Writes down that the call was rejected before it reached its tool.
    pub(crate) fn write_rejected(&self, run: &Bound<'py, Run>, error: &PyErr) -> PyResult<()> {
        let py = run.py();
        let (tool, encoded) = (ToolName::new(self.name.as_str()), encode(self.args.as_any())?);
        let agent_id = self.agent_id.as_deref();
        let value = error.value(py);
        let rejected = Outcome::Rejected(Box::new(failure(value)));
        let step = run.get().write_call(py, &tool, encoded, rejected, agent_id)?;
        run.get().keep(step, Slot::Error, value.clone().into_any().unbind());
        Ok(())
    }
}
