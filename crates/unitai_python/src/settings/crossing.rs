//! Settings that cross to another process, which may be on another machine and has its own environment.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::{Map, Value as Json};
use unitai_config::{Project, Settings, Source, Spoken, Trouble, Written, named};

use super::standing::{Standing, stand, standing_quietly};
use crate::errors::{invalid, unusable};

/// The settings that stand and are not the defaults, as JSON.
pub(crate) fn portable_settings() -> String {
    let standing = standing_quietly();
    let said = standing.settings.iter().filter(|(_, setting)| setting.source != Source::Default);
    let said: Map<String, Json> =
        said.map(|(key, setting)| (key.flat.to_owned(), setting.value.json())).collect();
    Json::Object(said).to_string()
}

/// Lets the settings of another process stand in this one.
#[pyfunction]
pub(crate) fn adopt_settings(py: Python<'_>, text: &str) -> PyResult<()> {
    let said: Map<String, Json> =
        serde_json::from_str(text).map_err(|error| invalid(py, format!("these are no settings: {error}")))?;
    let settings = adopted(&said).map_err(|trouble| unusable(py, trouble))?;
    stand(Some(Arc::new(Standing::of(settings))));
    Ok(())
}

fn adopted(said: &Map<String, Json>) -> Result<Settings, Trouble> {
    let argument = |(name, value): (&String, &Json)| Ok((named(name)?, Written::of_json(value)));
    let arguments = said.iter().map(argument).collect::<Result<_, Trouble>>()?;
    let here = std::env::current_dir().unwrap_or_default();
    Settings::resolve(&Project::none(&here), Path::new(&here), &Spoken { arguments, ..Spoken::default() })
}
