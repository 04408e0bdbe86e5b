//! Who answers a call by name: the mock, the real tool if it is allowed, or an error.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use unitai_model::nearest::nearest;
use unitai_model::value::plain;
use unitai_model::{Outcome, ToolName};

use super::tool::settle;
use super::{Asked, Ticket, Toolbox};
use crate::attribute::Attribute;
use crate::errors::Trouble;
use crate::gate;
use crate::run::Run;
use crate::secrets;
use crate::values::encode;

impl Toolbox {
    /// Decides a call by name: answered by the mock, let through to the real tool, or refused.
    pub(crate) fn answer<'py>(
        &self,
        run: &Bound<'py, Run>,
        asked: &Asked<'py>,
        real: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = run.py();
        let (name, agent_id) = (asked.name.as_str(), asked.agent_id.as_deref());
        let tool = ToolName::new(name);
        if let Some(mock) = self.tool(py, name) {
            if let Some(error) = asked.misfit()? {
                asked.write_rejected(run, &error)?;
                return Err(error);
            }
            return mock.get().answer(run, &asked.args, agent_id);
        }
        let encoded = encode(asked.args.as_any())?;
        let is_allowed = asked.is_agent || self.is_allowed(name);
        if let (true, Some(real)) = (is_allowed, real) {
            let real = &asked.real_call(run.get(), real)?;
            if let Some(met) = self.fault_for(py, run.get(), name, &encoded.packed)? {
                let step = run.get().write_call(py, &tool, encoded, Outcome::Unfinished, agent_id)?;
                return met.carry_out(run, step, real);
            }
            let step = run.get().write_call(py, &tool, encoded, Outcome::Unfinished, agent_id)?;
            return settle(py, Ticket::new(run.clone().unbind(), step), gate::call(real, (), None));
        }
        if self.strict || is_allowed {
            let shown = format!("{}({})", plain(name), unitai_model::value::arguments(&encoded.packed, 80));
            let step = run.get().write_call(py, &tool, encoded, Outcome::Unfinished, agent_id)?;
            let error = self.unmocked(py, name, shown, is_allowed);
            return settle(py, Ticket::new(run.clone().unbind(), step), Err(error));
        }
        let step = run.get().write_call(py, &tool, encoded, Outcome::Unfinished, agent_id)?;
        let warning =
            format!("the agent called {}, which has no mock; it was answered with None", plain(name));
        let category = crate::errors::class(py, "UnmockedToolWarning")?;
        // The warning may itself be an error, and is then how the call ended.
        let warning = secrets::shown(py, warning);
        let warned = gate::call(&py.import("warnings")?.attribute("warn")?, (warning, category), None);
        settle(py, Ticket::new(run.clone().unbind(), step), warned)
    }

    fn unmocked(&self, py: Python<'_>, name: &str, shown: String, is_allowed: bool) -> PyErr {
        let names = self.names();
        let mocked = if names.is_empty() { "none".to_owned() } else { plain(&names.join(", ")) };
        let (message, remedy) = if is_allowed {
            (
                format!("{} may run, but the real tool is not known here", plain(name)),
                format!("pass it: toolkit.allow(\"{0}\", {0})", plain(name)),
            )
        } else {
            let advice =
                format!("toolkit.mock(\"{0}\", return_value=...) or toolkit.allow(\"{0}\")", plain(name));
            let meant = nearest(name, names.iter().map(String::as_str));
            (
                format!("the agent called {}, which is not mocked", plain(name)),
                match meant {
                    Some(meant) => format!("{advice}; or is the mock of {} meant for it?", plain(meant)),
                    None => advice,
                },
            )
        };
        Trouble::new("UnmockedToolError", message)
            .expected(format!("a call of a mocked tool (mocked: {mocked})"))
            .found(shown)
            .remedy(remedy)
            .into_err(py)
    }

    /// The real tool of an allowed name with its arguments, ready to be called.
    pub(super) fn real_call<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(real) = self.real_tool(py, name) else { return Ok(None) };
        let all: Vec<Bound<'py, PyAny>> = std::iter::once(real.into_bound(py)).chain(args.iter()).collect();
        let partial = py.import("functools")?.attribute("partial")?;
        partial.call(PyTuple::new(py, all)?, kwargs).map(Some)
    }
}
