//! The trajectory as Python sees it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use unitai_model::nearest::slip_of;
use unitai_model::value::plain;
use unitai_model::{Ending, GivenTotals, Packed, Trajectory as Model, Unknown};

use super::record::Record;
use super::{Kept, Run, Slot, TrajectoryStep, recorded_error};
use crate::attribute::Attribute;
use crate::errors::{Trouble, amount, failure, format_error, invalid};
use crate::gate::without_interpreter;
use crate::mock::MockToolCall;
use crate::secrets;
use crate::values::{Reduced, Text, encode, snapshot, to_python, with_scratch};

/// Everything an agent did in one run. The trajectory of a run never changes, and its totals follow from its steps. One
/// that is made by hand may have totals of its own, and grows by `add_step`.
///
/// >>> from unitai import Trajectory, TrajectoryStep
/// >>> trajectory = Trajectory(input="hello", steps=[TrajectoryStep(tool_name="search")], final_output="done")
/// >>> trajectory.steps[0].tool_name
/// 'search'
/// >>> Trajectory.from_dict(trajectory.to_dict()) == trajectory
/// True
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct Trajectory {
    record: Record,
    /// Whether it is the record of a run, which nobody changes.
    is_of_run: bool,
    /// Whether its steps are those of a YAML test.
    is_of_yaml: bool,
    /// The parameters of the tools whose signature is known, by tool.
    parameters: HashMap<String, Vec<String>>,
    /// The tools that the test mocks or allows, and those that models were offered.
    known_tools: Box<[String]>,
    /// The steps as Python objects, once somebody asked.
    steps: Mutex<Option<Py<PyTuple>>>,
    /// Whether somebody asked how it ended.
    is_ending_seen: AtomicBool,
}

#[pymethods]
impl Trajectory {
    #[new]
    #[pyo3(signature = (
        *, run_id=None, input=None, steps=None, final_output=None, error=None, duration_seconds=0.0, started_at=0.0,
        total_tokens=None, total_cost=None, llm_calls=None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only parts of a record")]
    fn from_parts(
        py: Python<'_>,
        run_id: Option<Text>,
        input: Option<&Bound<'_, PyAny>>,
        steps: Option<Vec<Bound<'_, TrajectoryStep>>>,
        final_output: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyBaseException>>,
        duration_seconds: f64,
        started_at: f64,
        total_tokens: Option<u64>,
        total_cost: Option<f64>,
        llm_calls: Option<usize>,
    ) -> PyResult<Trajectory> {
        let mut kept = Kept::default();
        let run_id = run_id.map_or_else(|| uuid::Uuid::new_v4().to_string(), Text::into_string);
        if !duration_seconds.is_finite() || !started_at.is_finite() {
            return Err(invalid(py, "duration_seconds and started_at must be finite numbers"));
        }
        let ending = match (final_output, error) {
            (Some(_), Some(_)) => {
                return Err(invalid(py, "a run ends with a final_output or an error, not both"));
            }
            (None, Some(error)) => {
                kept.insert(Run::WHOLE, Slot::Error, error.clone().into_any().unbind());
                Ending::Raised(failure(error))
            }
            (output, None) => Ending::Returned(pack(output, &mut kept, Slot::Output)?),
        };
        let input = match input {
            Some(input) => pack(Some(input), &mut kept, Slot::Input)?,
            None => Packed::from_trusted("\"\""),
        };
        let steps = steps.unwrap_or_default();
        let mut models = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            models.push(step.get().transfer(py, at, &mut kept));
        }
        let totals = GivenTotals {
            tokens: total_tokens,
            cost: total_cost.map(|dollars| amount(py, dollars)).transpose()?,
            llm_calls,
        };
        let model =
            Model::new(run_id, input, started_at, duration_seconds, models, ending).with_totals(totals);
        Ok(Trajectory::new(model, kept))
    }

    /// The run's id.
    #[getter]
    fn run_id(&self) -> &str {
        self.model().run_id()
    }

    /// What the agent was asked.
    #[getter]
    fn input<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.whole(py, Slot::Input, self.model().input())
    }

    /// What the agent did, in order.
    #[getter]
    fn steps<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let known = slf.get().cached_steps().as_ref().map(|steps| steps.clone_ref(py));
        let steps = match known {
            Some(steps) => steps.into_bound(py),
            None => {
                let steps = (0..slf.get().model().steps().len())
                    .map(|at| Py::new(py, TrajectoryStep::of(slf.clone().unbind(), at)))
                    .collect::<PyResult<Vec<_>>>()?;
                let steps = PyTuple::new(py, steps)?;
                let replaced = slf.get().cached_steps().replace(steps.clone().unbind());
                drop(replaced);
                steps
            }
        };
        PyList::new(py, steps.iter())
    }

    /// The agent's final answer; `None` when it gave none.
    #[getter]
    fn final_output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.model().output() {
            Some(output) => self.whole(py, Slot::Output, output),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// What the agent raised; `None` when it ended well.
    #[getter]
    pub(crate) fn error<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.see_ending();
        match (self.kept().get(py, Run::WHOLE, Slot::Error), self.model().error()) {
            (Some(error), _) => Ok(error.into_bound(py)),
            (None, Some(failure)) => recorded_error(py, failure),
            (None, None) => Ok(py.None().into_bound(py)),
        }
    }

    /// All tokens of all model calls. Raises `UnknownUsageError` when an answer did not say.
    #[getter]
    pub(crate) fn total_tokens(&self, py: Python<'_>) -> PyResult<u64> {
        self.model().total_tokens().map_err(|unknown| unknown_usage(py, "tokens are", unknown))
    }

    /// What all model calls cost, in US dollars. Raises `UnpricedModelError` when a price is unknown.
    #[getter]
    pub(crate) fn total_cost(&self, py: Python<'_>) -> PyResult<f64> {
        self.model().total_cost().map(unitai_model::Money::dollars).map_err(|unknown| match unknown {
            Unknown::Usage { .. } => unknown_usage(py, "cost is", unknown),
            Unknown::Price { model } => unpriced(py, model),
        })
    }

    /// How long the run took.
    #[getter]
    pub(crate) fn duration_seconds(&self) -> f64 {
        self.model().duration_seconds()
    }

    /// When the run began, in seconds since the epoch.
    #[getter]
    fn started_at(&self) -> f64 {
        self.model().started_at()
    }

    /// How often a model was called.
    #[getter]
    pub(crate) fn llm_calls(&self) -> usize {
        self.model().llm_calls()
    }

    /// Adds a step to the end of a trajectory that is made by hand. The record of a run cannot be changed.
    fn add_step(&self, py: Python<'_>, step: &Bound<'_, TrajectoryStep>) -> PyResult<()> {
        if self.is_of_run {
            return Err(Trouble::new("InvalidArgumentError", "the trajectory of a run cannot be changed")
                .remedy("add the step to a copy: Trajectory.from_dict(trajectory.to_dict())")
                .into_err(py));
        }
        self.record.add_step(py, |at, kept| step.get().transfer(py, at, kept));
        let outdated = self.cached_steps().take();
        drop(outdated);
        Ok(())
    }

    /// Whether its steps are those of a YAML test, and no agent's.
    #[getter]
    fn _is_of_yaml(&self) -> bool {
        self.is_of_yaml
    }

    /// The trajectory as one line of JSON, by `schemas/trajectory.schema.json`. It is exact: secrets that the
    /// agent met are in it.
    fn to_json<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.see_ending();
        with_scratch(|out| {
            without_interpreter(py, || self.model().write_json(out));
            PyString::new(py, out)
        })
    }

    /// Reads a trajectory of this or an earlier format version.
    #[staticmethod]
    fn from_json(text: &Bound<'_, PyString>) -> PyResult<Trajectory> {
        let py = text.py();
        let text = text.to_str().map_err(|_| {
            Trouble::new("TrajectoryFormatError", "not a trajectory: the text has lone surrogates")
                .into_err(py)
        })?;
        let model =
            without_interpreter(py, || Model::from_json(text)).map_err(|error| format_error(py, error))?;
        Ok(Trajectory::new(model, Kept::default()))
    }

    /// The trajectory as plain dictionaries, lists, strings and numbers.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.attribute("loads")?.call1((self.to_json(py),))
    }

    /// Reads what `to_dict` made. The dictionary is left as it is.
    #[staticmethod]
    fn from_dict(data: &Bound<'_, PyDict>) -> PyResult<Trajectory> {
        let py = data.py();
        let compact = PyDict::new(py);
        compact.set_item("separators", (",", ":"))?;
        compact.set_item("ensure_ascii", false)?;
        let text = py.import("json")?.attribute("dumps")?.call((data,), Some(&compact)).map_err(|error| {
            Trouble::new("TrajectoryFormatError", format!("not a trajectory: {error}")).into_err(py)
        })?;
        Trajectory::from_json(text.cast::<PyString>()?)
    }

    fn __eq__(&self, other: &Bound<'_, Trajectory>) -> bool {
        self.model() == other.get().model()
    }

    fn __len__(&self) -> usize {
        self.model().steps().len()
    }

    fn __repr__(&self) -> String {
        let ending = match self.model().error() {
            Some(error) => format!("raised {}", plain(error.short_name())),
            None => "ended".to_owned(),
        };
        format!(
            "<Trajectory {}: {} steps, {ending}>",
            plain(self.model().run_id()),
            self.model().steps().len()
        )
    }

    /// The numbered steps as text.
    fn __str__(&self, py: Python<'_>) -> String {
        secrets::shown(py, unitai_report::failure_report(self.model(), None, unitai_report::Style::plain()))
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Pickled<'py>> {
        let kept = PyDict::new(py);
        for (at, slot, object) in self.kept().entries() {
            kept.set_item((at, slot.number()), object)?;
        }
        let restore = py.import("unitai._engine")?.attribute("restore_trajectory")?;
        Ok((restore, (self.to_json(py), kept, self.parameters.clone())))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.record.traverse(&visit)?;
        match self.steps.try_lock() {
            Ok(steps) => visit.call(&*steps),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let steps = self.cached_steps().take();
        drop(steps);
    }
}

/// The parts of a trajectory that travel: its text, the objects kept for it, the parameters of tools.
type Pickled<'py> = (Bound<'py, PyString>, Bound<'py, PyDict>, HashMap<String, Vec<String>>);

/// Brings a pickled trajectory back with the objects that were kept for it.
#[pyfunction]
pub(crate) fn restore_trajectory(
    text: &Bound<'_, PyString>,
    kept: &Bound<'_, PyDict>,
    parameters: HashMap<String, Vec<String>>,
) -> PyResult<Trajectory> {
    let mut trajectory = Trajectory::from_json(text)?.with_parameters(parameters);
    for (key, object) in kept {
        let (at, number): (usize, u8) = key.extract()?;
        let slot = Slot::of_number(number).ok_or_else(|| invalid(text.py(), "no such slot"))?;
        if let Some(kept) = trajectory.record.kept_mut() {
            kept.insert(at, slot, object.unbind());
        }
    }
    Ok(trajectory)
}

fn pack(value: Option<&Bound<'_, PyAny>>, kept: &mut Kept, slot: Slot) -> PyResult<Packed> {
    let Some(value) = value else { return Ok(Packed::null()) };
    let encoded = encode(value)?;
    if let Some(object) = encoded.kept {
        kept.insert(Run::WHOLE, slot, object);
    }
    Ok(encoded.packed)
}

impl Trajectory {
    pub(crate) fn new(model: Model, kept: Kept) -> Trajectory {
        Trajectory {
            record: Record::new(model, kept),
            is_of_run: false,
            is_of_yaml: false,
            parameters: HashMap::new(),
            known_tools: Box::default(),
            steps: Mutex::default(),
            is_ending_seen: AtomicBool::new(false),
        }
    }

    /// The same, as the record of a run.
    pub(crate) fn of_run(mut self) -> Trajectory {
        self.is_of_run = true;
        self
    }

    /// The same, as the record of a YAML test.
    pub(crate) fn of_yaml_test(mut self) -> Trajectory {
        self.is_of_yaml = true;
        self.of_run()
    }

    /// Somebody asks how it ended.
    pub(crate) fn see_ending(&self) {
        self.is_ending_seen.store(true, Ordering::Relaxed);
    }

    /// The same, with the parameters of tools whose signature is known.
    pub(crate) fn with_parameters(mut self, parameters: HashMap<String, Vec<String>>) -> Trajectory {
        self.parameters = parameters;
        self
    }

    /// The same, with the names of the tools that the run had.
    pub(super) fn with_known_tools(mut self, names: Vec<String>) -> Trajectory {
        self.known_tools = names.into_boxed_slice();
        self
    }

    /// The tool that was probably meant by a name that is none of the run's.
    pub(crate) fn meant_tool(&self, name: &str) -> Option<&str> {
        if self.known_tools.iter().any(|known| known == name) {
            return None;
        }
        self.known_tools.iter().map(String::as_str).find(|known| slip_of(name, known))
    }

    /// The parameters of a tool, where its signature is known.
    pub(crate) fn parameters(&self, tool: &str) -> Option<&[String]> {
        if self.parameters.is_empty() { None } else { self.parameters.get(tool).map(Vec::as_slice) }
    }

    fn cached_steps(&self) -> MutexGuard<'_, Option<Py<PyTuple>>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn model(&self) -> &Model {
        self.record.model()
    }

    pub(crate) fn kept(&self) -> &Kept {
        self.record.kept()
    }

    fn whole<'py>(&self, py: Python<'py>, slot: Slot, packed: &Packed) -> PyResult<Bound<'py, PyAny>> {
        match self.kept().get(py, Run::WHOLE, slot) {
            Some(object) => snapshot(object.bind(py)),
            None => to_python(py, packed),
        }
    }

    /// The calls of one tool, each with its time.
    pub(crate) fn mock_calls(&self, py: Python<'_>, tool: &str) -> Vec<(f64, MockToolCall)> {
        self.model()
            .attempts_of(tool)
            .into_iter()
            .map(|placed| {
                let step = &self.model().steps()[placed.step];
                (step.timestamp, MockToolCall::recorded(py, step, placed, self.kept()))
            })
            .collect()
    }
}

fn unknown_usage(py: Python<'_>, what: &str, unknown: Unknown<'_>) -> PyErr {
    Trouble::new("UnknownUsageError", format!("the {what} unknown: {unknown}"))
        .expected("an answer that ends with its usage")
        .into_err(py)
}

/// There is no price for a model whose cost was asked for.
pub(crate) fn unpriced(py: Python<'_>, model: &str) -> PyErr {
    let as_of = unitai_wire::meter::prices_as_of();
    Trouble::new("UnpricedModelError", format!("the cost is unknown: there is no price for {}", plain(model)))
        .expected(format!("a model of the price table of {as_of}, or a price given with MockToolkit(prices={{...}})"))
        .found(plain(model))
        .remedy(
            "say what the model costs: MockToolkit(prices={\"my-model\": {\"input\": 2.50, \"output\": 10.0}}), in \
             dollars for a million tokens; or for every test, in [tool.unitai.prices.\"my-model\"] of pyproject.toml",
        )
        .into_err(py)
}

/// There is a budget, and no price for a model that is to be called: what it spends could not be told.
pub(crate) fn unpriced_with_budget(py: Python<'_>, model: &str, is_of_run: bool) -> PyErr {
    let as_of = unitai_wire::meter::prices_as_of();
    let prices = if is_of_run {
        "give MockToolkit(prices={\"my-model\": {\"input\": 2.50, \"output\": 10.0}})"
    } else {
        "give prices={\"my-model\": {\"input\": 2.50, \"output\": 10.0}} to spending() or to the marker unitai_budget"
    };
    Trouble::new(
        "UnpricedModelError",
        format!("there is a budget, and the cost is unknown: there is no price for {}", plain(model)),
    )
    .expected(format!("a model of the price table of {as_of}, or a price of your own"))
    .found(plain(model))
    .remedy(format!(
        "say what the model costs: {prices}, in dollars for a million tokens, or for every test write it in \
         [tool.unitai.prices.\"my-model\"] of pyproject.toml; or drop the budget"
    ))
    .into_err(py)
}

/// What the agent raised, in a line, if nobody has asked how the run ended.
#[pyfunction]
pub(crate) fn unseen_error(py: Python<'_>, trajectory: &Bound<'_, Trajectory>) -> Option<String> {
    let trajectory = trajectory.get();
    let error = trajectory.model().error()?;
    if trajectory.is_ending_seen.load(Ordering::Relaxed) {
        return None;
    }
    let place = error.place.as_ref().map(|place| format!(" (at {})", plain(place)));
    Some(secrets::shown(py, plain(&error.to_string()) + &place.unwrap_or_default()))
}
