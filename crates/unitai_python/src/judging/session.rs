//! Who judges and drives in this process. One session for each way to choose, so that canaries are sent once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use unitai_config::{JudgeProvider, JudgeSettings, is_ci};
use unitai_judge::providers::choosing::{Surroundings, on_path};
use unitai_judge::{Engaged, Session};

use crate::errors::invalid;
use crate::secrets;
use crate::settings::{project_folder, standing};
use crate::traffic::purse_here;

/// Who is wanted here, above what settings say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) provider: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) repeats: Option<u32>,
}

/// What choosing looks at in the environment: where one of these is another, another may be chosen.
const LOOKED_AT: [&str; 7] =
    ["PATH", "CI", "HOME", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"];

/// A session, and what it was chosen by.
struct Open {
    settings: JudgeSettings,
    folder: PathBuf,
    environment: Vec<Option<String>>,
    session: Arc<Session>,
}

static SESSIONS: Mutex<Vec<Open>> = Mutex::new(Vec::new());

/// The settings that stand, with what is wanted above them.
pub(crate) fn settings(py: Python<'_>, wanted: Wanted<'_>) -> PyResult<JudgeSettings> {
    let read = |word: &str| {
        JudgeProvider::of_word(word).ok_or_else(|| {
            let words = JudgeProvider::ALL.map(JudgeProvider::word).join(", ");
            invalid(py, format!("provider must be one of {words}, not {word:?}"))
        })
    };
    let provider = wanted.provider.map(read).transpose()?;
    let mut settings = standing(py)?.settings.judge().wanting(provider, wanted.model);
    match wanted.repeats {
        Some(0) => return Err(invalid(py, "repeats must be at least 1, not 0")),
        Some(repeats) => settings.repeats = repeats,
        None => {}
    }
    Ok(settings)
}

/// The models of one test, paid from the budgets that stand here.
pub(crate) fn engage(py: Python<'_>, settings: &JudgeSettings) -> PyResult<Engaged> {
    let budgets = match purse_here(py)? {
        Some(purse) => purse.get().budgets().clone(),
        None => Default::default(),
    };
    Ok(session(py, settings)?.engage(&budgets))
}

fn session(py: Python<'_>, settings: &JudgeSettings) -> PyResult<Arc<Session>> {
    let folder = project_folder(py)?;
    let variable = |name: &str| std::env::var(name).ok();
    let environment: Vec<Option<String>> = LOOKED_AT.iter().map(|name| variable(name)).collect();
    let mut open = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same =
        |it: &&Open| it.settings == *settings && it.folder == folder && it.environment == environment;
    if let Some(known) = open.iter().find(is_same) {
        return Ok(known.session.clone());
    }
    let path = std::env::var_os("PATH");
    let find = |name: &str| on_path(path.as_deref(), name);
    let standing = standing(py)?;
    let around = Surroundings { env: &variable, find: &find, prices: &standing.prices, folder: &folder };
    let is_ci = is_ci(variable("CI").as_deref());
    let session = Session::open(settings, around, secrets::here(py), is_ci);
    let session = Arc::new(session.map_err(|message| invalid(py, message))?);
    open.push(Open { settings: settings.clone(), folder, environment, session: session.clone() });
    Ok(session)
}
