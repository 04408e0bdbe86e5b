//! The gateway as Python sees it: a server on a thread of its own, which never waits for the interpreter.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_gateway::{Gateway, GatewayError, Pace, Settings, TroubleKind, Upstreams, start};
use unitai_model::{Ending, Packed};
use unitai_wire::meter::Whose;

use crate::errors::{Trouble, failure, invalid};
use crate::gate::without_interpreter;
use crate::run::{Kept, Trajectory};
use crate::secrets;
use crate::traffic::{Budget, Cassette, Policy, purse_here};

/// A gateway that is open until it is closed.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct GatewayServer {
    open: Mutex<Option<Gateway>>,
    #[pyo3(get)]
    port: u16,
    environment: Vec<(String, String)>,
    bases: Vec<(String, String)>,
}

#[pymethods]
impl GatewayServer {
    /// Opens a gateway before the providers that `environment` and `upstreams` name.
    #[new]
    #[pyo3(signature = (cassette, upstreams, environment, *, budget=None, prices=None, port=0))]
    fn new(
        py: Python<'_>,
        cassette: Option<&Bound<'_, Cassette>>,
        upstreams: Vec<(String, String)>,
        environment: HashMap<String, String>,
        budget: Option<&Bound<'_, Budget>>,
        prices: Option<&Bound<'_, PyDict>>,
        port: u16,
    ) -> PyResult<GatewayServer> {
        let mut known = Upstreams::default();
        known.adopt(|name| environment.get(name).cloned());
        for (name, url) in &upstreams {
            known.set(name, url).map_err(|error| refused(py, error))?;
        }
        let cassette = cassette.map(Bound::get);
        let own = budget.map(|budget| budget.get().ledger().or_of(Whose::Gateway));
        let budgets = match purse_here(py)? {
            Some(purse) => own.into_iter().chain(purse.get().budgets().iter().cloned()).collect(),
            None => own.into_iter().collect(),
        };
        let settings = Settings {
            port,
            upstreams: known,
            cassette: cassette.map(Cassette::tapes),
            scope: cassette.map_or(String::new(), |cassette| cassette.scope().to_owned()),
            pace: if cassette.is_some_and(Cassette::is_paced) { Pace::Recorded } else { Pace::None },
            budgets,
            prices: Policy::prices(py, prices)?,
            secrets: secrets::here(py),
            ..Settings::live()
        };
        let run_id = uuid::Uuid::new_v4().to_string();
        let opened = without_interpreter(py, || start(settings, &run_id, Packed::null()));
        let gateway = opened.map_err(|error| refused(py, error))?;
        Ok(GatewayServer {
            port: gateway.port(),
            environment: gateway.environment(|name| environment.get(name).cloned()),
            bases: gateway.bases().to_vec(),
            open: Mutex::new(Some(gateway)),
        })
    }

    /// The variables that lead clients here.
    #[getter]
    fn environment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, &self.environment)
    }

    /// The address that stands for each upstream here.
    #[getter]
    fn base_urls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, &self.bases)
    }

    /// Closes the gateway. Gives what went through it, and what went wrong with it; nothing the second time.
    #[pyo3(signature = (error=None))]
    fn close(&self, py: Python<'_>, error: Option<&Bound<'_, PyBaseException>>) -> PyResult<Option<Closed>> {
        let Some(gateway) = self.open.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(None);
        };
        let ending =
            error.map_or_else(|| Ending::returned(Packed::null()), |error| Ending::Raised(failure(error)));
        let (troubles, trajectory) = without_interpreter(py, || {
            let ended = gateway.stop();
            (ended.troubles.clone(), ended.trajectory(ending))
        });
        let verdict = troubles.into_iter().next().map(|trouble| {
            let class = match trouble.kind {
                TroubleKind::NoRecording => "CacheMissError",
                TroubleKind::Damaged => "DamagedRecordingError",
                TroubleKind::Disk => "CacheDiskError",
                TroubleKind::Budget => "CostLimitExceeded",
                TroubleKind::Unpriced => "UnpricedModelError",
                TroubleKind::Ledger => "BrokenLedgerError",
            };
            let error = match trouble.miss {
                Some(miss) => Trouble::new(class, miss.message())
                    .expected(miss.expected())
                    .found(miss.found())
                    .remedy(miss.remedy()),
                None => Trouble::new(class, trouble.text),
            };
            error.into_err(py).into_value(py)
        });
        Ok(Some((Py::new(py, Trajectory::new(trajectory, Kept::default()).of_run())?, verdict)))
    }
}

/// What went through a gateway, and what went wrong with it.
type Closed = (Py<Trajectory>, Option<Py<PyBaseException>>);

fn refused(py: Python<'_>, error: GatewayError) -> PyErr {
    invalid(py, error.to_string())
}

fn dict<'py>(py: Python<'py>, pairs: &[(String, String)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in pairs {
        dict.set_item(key, value)?;
    }
    Ok(dict)
}
