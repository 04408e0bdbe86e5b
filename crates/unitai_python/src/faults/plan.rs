//! A plan of faults, and where its runs stand in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;
use unitai_model::Packed;
use unitai_wire::common::Request;
use unitai_wire::faults::{Hit, ModelFault, Plan, Standing, ToolFault};

use super::reading;
use crate::errors::Trouble;
use crate::traffic::Remembered;

/// What goes wrong on purpose, and how far each run has come. Every run meets the plan from its beginning.
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct FaultPlan {
    plan: Plan,
    /// For each rule, the object that its fault uses: the exception to raise, the value to give.
    objects: Vec<Option<Py<PyAny>>>,
    /// By the id of a run; outside any run the id is empty.
    standings: Mutex<HashMap<String, Arc<Standing>>>,
    /// Answers that a fault spoiled, for who asks again: by run and by digest of the request.
    kept: Mutex<HashMap<(String, String), Remembered>>,
}

#[pymethods]
impl FaultPlan {
    #[new]
    fn new(rules: &Bound<'_, PyList>, seed: u64) -> PyResult<FaultPlan> {
        let (rules, objects) = reading::read(rules)?.into_iter().unzip();
        Ok(FaultPlan {
            plan: Plan { seed, rules },
            objects,
            standings: Mutex::default(),
            kept: Mutex::default(),
        })
    }

    /// The seed of everything that is left to chance.
    #[getter]
    pub(crate) fn seed(&self) -> u64 {
        self.plan.seed
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.objects.iter().try_for_each(|object| visit.call(object))
    }
}

impl FaultPlan {
    /// The fault that a model request of a run meets, if any.
    pub(crate) fn for_model(
        &self,
        py: Python<'_>,
        run_id: &str,
        request: &Request,
    ) -> PyResult<Option<Hit<'_, ModelFault>>> {
        self.plan.for_model(&self.standing(run_id), request).map_err(|reason| undecided(py, reason))
    }

    /// The fault that a tool call of a run meets, if any.
    pub(crate) fn for_tool(
        &self,
        py: Python<'_>,
        run_id: &str,
        tool: &str,
        arguments: &Packed,
    ) -> PyResult<Option<Hit<'_, ToolFault>>> {
        self.plan.for_tool(&self.standing(run_id), tool, arguments).map_err(|reason| undecided(py, reason))
    }

    /// The object that the fault of a rule uses.
    pub(crate) fn object<'py>(&self, py: Python<'py>, rule: usize) -> Option<Bound<'py, PyAny>> {
        self.objects.get(rule)?.as_ref().map(|object| object.bind(py).clone())
    }

    /// Answers that a fault spoiled.
    pub(crate) fn kept_answers(&self) -> MutexGuard<'_, HashMap<(String, String), Remembered>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn standing(&self, run_id: &str) -> Arc<Standing> {
        let mut standings = self.standings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(standing) = standings.get(run_id) {
            return standing.clone();
        }
        standings.entry(run_id.to_owned()).or_default().clone()
    }
}

fn undecided(py: Python<'_>, reason: String) -> PyErr {
    Trouble::new("InvalidArgumentError", "a condition of a fault could not be decided")
        .found(reason)
        .remedy("mend the condition, or let it say no where it does not know")
        .into_err(py)
}
