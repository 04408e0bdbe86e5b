//! The folder of recordings as a handle: `ReplayCache`; and the settings that say where it is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use unitai_config::{Choice, Settings};
use unitai_model::value::plain;
use unitai_wire::cassette::{Chunk, Recording, Shelf};

use super::cassette::{raised, ttl};
use crate::errors::{Trouble, invalid, unusable};
use crate::gate::without_interpreter;
use crate::secrets;

/// A folder of recordings.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct ReplayCache {
    shelf: Arc<Shelf>,
    ttl: Option<Duration>,
}

#[pymethods]
impl ReplayCache {
    #[new]
    #[pyo3(signature = (directory, ttl_hours=168.0))]
    fn new(py: Python<'_>, directory: PathBuf, ttl_hours: f64) -> PyResult<ReplayCache> {
        let shelf = Arc::new(Shelf::at(&directory, secrets::here(py)));
        Ok(ReplayCache { shelf, ttl: ttl(py, ttl_hours)? })
    }

    /// Where it is.
    #[getter]
    fn directory(&self) -> PathBuf {
        self.shelf.directory().to_owned()
    }

    /// The first recording under a key, as a dictionary; `None` when there is none, or it is too old.
    fn read<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        check_key(py, key)?;
        let entry = without_interpreter(py, || self.shelf.read(key)).map_err(|error| raised(py, error))?;
        let Some(entry) = entry else { return Ok(None) };
        let Some(slot) = entry.slots.iter().find(|slot| self.ttl.is_none_or(|ttl| slot.age() <= ttl)) else {
            return Ok(None);
        };
        let found = PyDict::new(py);
        let recording = &slot.recording;
        let body = recording.body();
        found.set_item("body", String::from_utf8_lossy(&body))?;
        found.set_item("status", recording.status)?;
        found.set_item("usage", recording.usage.as_ref().map(ToString::to_string))?;
        let asked = serde_json::to_string(&entry.asked).unwrap_or_default();
        found.set_item("inputs", asked)?;
        let since = slot.recorded_at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        found.set_item("recorded_at", since.as_secs_f64())?;
        found.set_item("answers", entry.slots.len())?;
        Ok(Some(found))
    }

    /// Puts a value, as JSON, under a key.
    fn write(&self, py: Python<'_>, key: &str, body: &str, usage: &str, inputs: &str) -> PyResult<()> {
        check_key(py, key)?;
        let parsed = |text: &str| serde_json::from_str(text).unwrap_or_default();
        let usage: serde_json::Value = parsed(usage);
        let recording = Recording {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            chunks: vec![Chunk { after: 0.0, bytes: body.as_bytes().to_vec() }],
            latency: 0.0,
            hides_usage: false,
            usage: (!usage.is_null()).then_some(usage),
        };
        let inputs = parsed(inputs);
        without_interpreter(py, || self.shelf.put(key, inputs, recording)).map_err(|error| raised(py, error))
    }

    /// Deletes every recording; gives how many files went.
    fn clear(&self, py: Python<'_>) -> PyResult<u64> {
        without_interpreter(py, || self.shelf.clear()).map_err(|error| raised(py, error))
    }

    /// Deletes what is too old, and what a killed process left behind; gives how many recordings went.
    fn prune(&self, py: Python<'_>) -> PyResult<u64> {
        without_interpreter(py, || self.shelf.prune(self.ttl)).map_err(|error| raised(py, error))
    }

    /// Entries, their bytes, files set aside, hits, misses, answers kept, and dollars saved.
    fn counts(&self, py: Python<'_>) -> PyResult<(u64, u64, u64, u64, u64, u64, f64)> {
        let stats = without_interpreter(py, || self.shelf.stats()).map_err(|error| raised(py, error))?;
        let counts = stats.counts;
        let saved = counts.saved_micros as f64 / 1e6;
        Ok((stats.entries, stats.bytes, stats.quarantined, counts.hits, counts.misses, counts.kept, saved))
    }
}

/// A key is a file's name, and must never lead anywhere else.
fn check_key(py: Python<'_>, key: &str) -> PyResult<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    const SHOWN: usize = 150;
    if key.is_empty() || key.len() > 128 || !key.chars().all(is_plain) {
        return Err(invalid(
            py,
            format!(
                "a cache key has 1 to 128 letters, digits, `-` and `_`, not {:?}{}",
                key.chars().take(SHOWN).collect::<String>(),
                if key.chars().nth(SHOWN).is_some() { "…" } else { "" }
            ),
        ));
    }
    Ok(())
}

/// The settings of recordings for a folder: mode, directory, hours, volatile, APIs. A mode that is given
/// outright comes before all that was written; it is `None` when nobody said one.
#[pyfunction]
#[pyo3(signature = (folder, mode=None))]
pub(crate) fn cache_settings<'py>(
    py: Python<'py>,
    folder: PathBuf,
    mode: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = match mode.map(|word| Choice::of_word(word).ok_or(word)) {
        None => None,
        Some(Ok(choice)) => Some(choice),
        Some(Err(word)) => {
            let error = Trouble::new("InvalidArgumentError", format!("there is no mode {}", plain(word)));
            return Err(error.expected(Choice::WORDS).into_err(py));
        }
    };
    let settings = Settings::of(&folder).map_err(|trouble| unusable(py, trouble))?.cache();
    let found = PyDict::new(py);
    found.set_item("mode", given.or(settings.mode).map(Choice::word))?;
    found.set_item("directory", settings.directory)?;
    found.set_item("ttl_hours", settings.ttl_hours)?;
    found.set_item("volatile", PyList::new(py, settings.volatile)?)?;
    found.set_item("apis", PyList::new(py, settings.apis)?)?;
    Ok(found)
}
