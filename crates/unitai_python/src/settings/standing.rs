//! The settings that stand for this process. What is hot, a toolkit and a run, asks them alone: they are resolved once,
//! when pytest begins or when the first one asks, from the project's file and the environment as it was then.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use unitai_config::{Project, RunSettings, Settings, Spoken, Variables, named};
use unitai_wire::meter::{Price, PriceTable};

use crate::attribute::Attribute;
use crate::errors::unusable;

/// The settings that stand, ready for use.
pub(crate) struct Standing {
    pub(crate) settings: Settings,
    pub(crate) runs: RunSettings,
    /// The model that every run uses instead of its own.
    pub(crate) model: Option<Arc<str>>,
    /// The release's prices, with the project's on top.
    pub(crate) prices: Arc<PriceTable>,
}

impl Standing {
    pub(super) fn of(settings: Settings) -> Standing {
        let runs = settings.runs();
        let prices = if runs.prices.is_empty() {
            release_prices()
        } else {
            let own = runs.prices.iter().map(|(model, price)| (model.clone(), Price::from(price)));
            Arc::new(PriceTable::release().with(own))
        };
        Standing { model: runs.model.as_deref().map(Arc::from), prices, runs, settings }
    }
}

fn release_prices() -> Arc<PriceTable> {
    static RELEASE: LazyLock<Arc<PriceTable>> = LazyLock::new(|| Arc::new(PriceTable::release().clone()));
    RELEASE.clone()
}

static STANDING: RwLock<Option<Arc<Standing>>> = RwLock::new(None);

fn known() -> Option<Arc<Standing>> {
    STANDING.read().unwrap_or_else(PoisonError::into_inner).clone()
}

pub(super) fn stand(standing: Option<Arc<Standing>>) {
    let replaced =
        std::mem::replace(&mut *STANDING.write().unwrap_or_else(PoisonError::into_inner), standing);
    drop(replaced);
}

/// The settings that stand. The first one who asks has them resolved.
pub(crate) fn standing(py: Python<'_>) -> PyResult<Arc<Standing>> {
    match known() {
        Some(standing) => Ok(standing),
        None => resolved(py),
    }
}

/// The same for who cannot tell what is wrong with them: then the defaults stand in. A toolkit has told it before.
pub(crate) fn standing_quietly() -> Arc<Standing> {
    static USUAL: LazyLock<Arc<Standing>> =
        LazyLock::new(|| Arc::new(Standing::of(Settings::usual(Path::new("")))));
    known().unwrap_or_else(|| Python::attach(resolved).unwrap_or_else(|_| USUAL.clone()))
}

fn resolved(py: Python<'_>) -> PyResult<Arc<Standing>> {
    let session = Session::here(py)?;
    let project = Project::of(&session.folder).map_err(|trouble| unusable(py, trouble))?;
    let settings = Settings::resolve(&project, &session.folder, &session.spoken);
    let standing = Arc::new(Standing::of(settings.map_err(|trouble| unusable(py, trouble))?));
    stand(Some(standing.clone()));
    Ok(standing)
}

/// Resolves the settings that stand anew, now.
#[pyfunction]
pub(crate) fn renew_settings(py: Python<'_>) -> PyResult<()> {
    stand(None);
    resolved(py).map(|_| ())
}

/// Forgets the settings that stand: the next one who asks has them resolved.
#[pyfunction]
pub(crate) fn forget_settings() {
    stand(None);
}

/// Seconds that a run may take, unless somebody says otherwise.
#[pyfunction]
pub(crate) fn usual_timeout(py: Python<'_>) -> PyResult<f64> {
    Ok(standing(py)?.runs.timeout)
}

/// The name of the adapter that runs agents, unless somebody says otherwise; `None` for the one that knows them.
#[pyfunction]
pub(crate) fn usual_adapter(py: Python<'_>) -> PyResult<Option<Bound<'_, PyString>>> {
    Ok(standing(py)?.runs.adapter.as_deref().map(|adapter| PyString::new(py, adapter)))
}

static BEGAN: OnceLock<PathBuf> = OnceLock::new();

/// Remembers where the process began. A test may go elsewhere meanwhile; its settings and recordings do not.
pub(crate) fn remember_folder() {
    BEGAN.get_or_init(|| std::env::current_dir().unwrap_or_default());
}

/// The folder whose project's file counts: the one that pytest works in, or the process began in.
#[pyfunction]
pub(crate) fn project_folder(py: Python<'_>) -> PyResult<PathBuf> {
    Ok(Session::root(py)?.unwrap_or_else(|| BEGAN.get().cloned().unwrap_or_default()))
}

/// Where settings are looked for, and what is said outside of the file.
pub(super) struct Session {
    folder: PathBuf,
    pub(super) spoken: Spoken,
}

impl Session {
    /// The session of pytest, if this is one: what its environment and command line said when it began. Else what the
    /// environment says now.
    pub(super) fn here(py: Python<'_>) -> PyResult<Session> {
        let folder = project_folder(py)?;
        if Session::root(py)?.is_none() {
            return Ok(Session { folder, spoken: Spoken::of_process() });
        }
        let Some(plugin) = plugin(py)? else { return Ok(Session { folder, spoken: Spoken::of_process() }) };
        let variables: Vec<(String, OsString)> = plugin
            .attribute("variables")?
            .cast_into::<PyDict>()?
            .iter()
            .map(pair)
            .collect::<PyResult<_>>()?;
        let options: Vec<(String, String, String)> = plugin.attribute("options")?.extract()?;
        let command_line = options
            .into_iter()
            .map(|(option, name, text)| {
                Ok((option, named(&name).map_err(|trouble| unusable(py, trouble))?, text))
            })
            .collect::<PyResult<_>>()?;
        let spoken = Spoken { variables: Variables::of(variables), command_line, ..Spoken::default() };
        Ok(Session { folder, spoken })
    }

    fn root(py: Python<'_>) -> PyResult<Option<PathBuf>> {
        match plugin(py)? {
            Some(plugin) => plugin.attribute("root")?.extract(),
            None => Ok(None),
        }
    }
}

/// The plugin of pytest, where it is loaded.
fn plugin(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let modules = py.import("sys")?.attribute("modules")?.cast_into::<PyDict>()?;
    // One that is still being loaded has nothing to say yet.
    Ok(modules.get_item("unitai.pytest_plugin")?.filter(|plugin| plugin.hasattr("root").unwrap_or(false)))
}

fn pair((name, text): (Bound<'_, PyAny>, Bound<'_, PyAny>)) -> PyResult<(String, OsString)> {
    Ok((name.extract()?, text.extract()?))
}
