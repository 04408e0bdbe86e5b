//! One mocked tool.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use unitai_model::{Outcome, ToolName};

use super::{Ticket, Toolbox, gather};
use crate::attribute::Attribute;
use crate::errors::is_misuse;
use crate::gate;
use crate::run::{Run, Slot};
use crate::values::{Encoded, Reduced, encode, snapshot};

/// A mocked tool: it answers by its strategy and writes every call down.
///
/// >>> from unitai import MockTool
/// >>> from unitai.mock.strategies import StaticStrategy
/// >>> tool = MockTool("lookup", StaticStrategy({"status": "delivered"}))
/// >>> tool.invoke({"order_id": "123"})
/// {'status': 'delivered'}
/// >>> tool.calls[0].args
/// {'order_id': '123'}
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct MockTool {
    name: ToolName,
    strategy: Py<PyAny>,
    parameters: Option<Vec<String>>,
    toolbox: Py<Toolbox>,
    /// How many of its calls a reset of this tool alone has put out of sight.
    forgotten: AtomicUsize,
    /// Worked out at the first call, so that a value set up after `mock()` still counts.
    fixed: OnceLock<Option<Fixed>>,
    /// Who has taken its place. An agent that was wired before still holds this one.
    successor: OnceLock<Py<MockTool>>,
}

/// An answer that is always the same and plain data: copied for the agent, shared in the record.
struct Fixed {
    answer: Py<PyAny>,
    encoded: Encoded,
    copying: Copying,
}

enum Copying {
    /// Nothing in it can change.
    Needless,
    /// A dictionary whose values cannot change.
    FlatDict,
    /// Anything else.
    Deep,
}

#[pymethods]
impl MockTool {
    #[new]
    #[pyo3(signature = (name, strategy, parameters=None, toolbox=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        strategy: Py<PyAny>,
        parameters: Option<Vec<String>>,
        toolbox: Option<Py<Toolbox>>,
    ) -> PyResult<MockTool> {
        let toolbox = match toolbox {
            Some(toolbox) => toolbox,
            None => Py::new(py, Toolbox::standalone(py)?)?,
        };
        Ok(MockTool {
            name: ToolName::new(name),
            strategy,
            parameters,
            toolbox,
            forgotten: AtomicUsize::new(0),
            fixed: OnceLock::new(),
            successor: OnceLock::new(),
        })
    }

    /// The tool's name.
    #[getter]
    fn name(&self) -> &str {
        self.name.as_str()
    }

    #[getter]
    fn __name__(&self) -> &str {
        self.name.as_str()
    }

    /// How it answers.
    #[getter]
    fn strategy(&self, py: Python<'_>) -> Py<PyAny> {
        self.strategy.clone_ref(py)
    }

    /// Every call since the last reset, in order.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let calls = self.toolbox.get().calls_of(py, &self.name)?;
        Ok(calls.get_slice(self.forgotten.load(Ordering::Relaxed), calls.len()))
    }

    /// Forgets the calls of this tool, and lets its sequence begin again.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.forgotten.store(self.toolbox.get().calls_of(py, &self.name)?.len(), Ordering::Relaxed);
        self.begin_again(py)
    }

    /// Answers a call with these arguments and writes it down.
    fn invoke<'py>(&self, args: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(successor) = self.successor.get() {
            return successor.get().invoke(args);
        }
        let py = args.py();
        let run = self.toolbox.get().current_run(py)?;
        self.answer(run.bind(py), args, None)
    }

    /// Answers a call as the real tool would be called.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(successor) = self.successor.get() {
            return successor.get().__call__(args, kwargs);
        }
        let py = args.py();
        let arguments = gather(self.name.as_str(), self.parameters.as_deref(), args, kwargs)?;
        let run = self.toolbox.get().current_run(py)?;
        self.answer(run.bind(py), &arguments, None)
    }

    /// An agent that copies its tools still calls the same mocks.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// In another process it is a tool of its own, with nothing recorded.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (String, Py<PyAny>, Option<Vec<String>>)> {
        let this = slf.get();
        let parts = (this.name.to_string(), this.strategy.clone_ref(slf.py()), this.parameters.clone());
        Ok((slf.get_type().into_any(), parts))
    }

    fn __repr__(&self) -> String {
        format!("<MockTool {}>", unitai_model::value::plain(self.name.as_str()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.strategy)?;
        visit.call(&self.toolbox)?;
        if let Some(Some(fixed)) = self.fixed.get() {
            visit.call(&fixed.answer)?;
            visit.call(&fixed.encoded.kept)?;
        }
        self.successor.get().map_or(Ok(()), |successor| visit.call(successor))
    }
}

impl MockTool {
    /// Another has been mocked in its place. One that came back itself stays what it is.
    pub(super) fn give_way(&self, successor: Py<MockTool>) {
        if !std::ptr::eq(self, successor.get()) {
            // It is in the toolbox once, and so gives way once.
            let _ = self.successor.set(successor);
        }
    }

    pub(crate) fn tool_name(&self) -> &ToolName {
        &self.name
    }

    /// The record was emptied: nothing is left to be put out of sight.
    pub(super) fn record_was_emptied(&self, py: Python<'_>) -> PyResult<()> {
        self.forgotten.store(0, Ordering::Relaxed);
        self.begin_again(py)
    }

    fn begin_again(&self, py: Python<'_>) -> PyResult<()> {
        match self.strategy.bind(py).getattr_opt("reset")? {
            Some(reset) => reset.call0().map(|_| ()),
            None => Ok(()),
        }
    }

    pub(crate) fn parameters(&self) -> Option<&[String]> {
        self.parameters.as_deref()
    }

    /// Answers a call within a run.
    pub(crate) fn answer<'py>(
        &self,
        run: &Bound<'py, Run>,
        args: &Bound<'py, PyDict>,
        agent_id: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = run.py();
        let encoded = encode(args.as_any())?;
        if let Some(met) = self.toolbox.get().fault_for(py, run.get(), self.name.as_str(), &encoded.packed)? {
            let step = run.get().write_call(py, &self.name, encoded, Outcome::Unfinished, agent_id)?;
            let respond = self.strategy.bind(py).attribute("respond")?;
            let call = py.import("functools")?.attribute("partial")?.call1((respond, args.copy()?))?;
            return met.carry_out(run, step, &call);
        }
        if let Some(fixed) = self.fixed(py)? {
            let outcome = Outcome::Returned(fixed.encoded.packed.clone());
            let step = run.get().write_call(py, &self.name, encoded, outcome, agent_id)?;
            if let Some(kept) = &fixed.encoded.kept {
                run.get().keep(step, Slot::Result, kept.clone_ref(py));
            }
            return fixed.copy(py);
        }
        let step = run.get().write_call(py, &self.name, encoded, Outcome::Unfinished, agent_id)?;
        let ticket = Ticket::new(run.clone().unbind(), step);
        let given = args.copy()?;
        settle(py, ticket, gate::call(&self.strategy.bind(py).attribute("respond")?, (given,), None))
    }

    fn fixed(&self, py: Python<'_>) -> PyResult<Option<&Fixed>> {
        if let Some(fixed) = self.fixed.get() {
            return Ok(fixed.as_ref());
        }
        let class = py.import("unitai.mock.strategies")?.attribute("StaticStrategy")?;
        let strategy = self.strategy.bind(py);
        let fixed = if strategy.get_type().is(&class) {
            Some(Fixed::new(strategy.attribute("value")?)?)
        } else {
            None
        };
        Ok(self.fixed.get_or_init(|| fixed).as_ref())
    }
}

/// Writes down how a call ended, at once or when what it returned has been awaited.
pub(super) fn settle<'py>(
    py: Python<'py>,
    ticket: Ticket,
    answer: PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match answer {
        Ok(value) if is_awaitable(&value) => {
            let settle = py.import("unitai.mock.awaiting")?.attribute("settle")?;
            gate::call(&settle, (value, Py::new(py, ticket)?), None)
        }
        Ok(value) => ticket.write_returned(value),
        Err(error) => {
            ticket.write_raised(py, &error)?;
            if is_misuse(py, &error) {
                ticket.run(py).get().doom(py, error.clone_ref(py));
            }
            Err(error)
        }
    }
}

fn is_awaitable(value: &Bound<'_, PyAny>) -> bool {
    !(value.is_none() || value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyList>())
        && value.get_type().hasattr(pyo3::intern!(value.py(), "__await__")).unwrap_or(false)
}

impl Fixed {
    fn new(answer: Bound<'_, PyAny>) -> PyResult<Fixed> {
        // The strategy's own value is copied too: changing it later must not change past records.
        let answer = snapshot(&answer)?;
        let encoded = encode(&answer)?;
        let copying = match answer.cast_exact::<PyDict>() {
            _ if snapshot(&answer)?.is(&answer) => Copying::Needless,
            Ok(dict) => {
                let values = dict.values();
                let flat = values.iter().all(|value| snapshot(&value).is_ok_and(|copy| copy.is(&value)));
                if flat { Copying::FlatDict } else { Copying::Deep }
            }
            Err(_) => Copying::Deep,
        };
        Ok(Fixed { answer: answer.unbind(), encoded, copying })
    }

    fn copy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.answer.bind(py);
        match self.copying {
            Copying::Needless => Ok(answer.clone()),
            Copying::FlatDict => Ok(answer.cast::<PyDict>()?.copy()?.into_any()),
            Copying::Deep => snapshot(answer),
        }
    }
}
