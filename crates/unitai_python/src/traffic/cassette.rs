//! Recordings of model traffic, opened for a test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_wire::cassette::{self, CassetteError, Inquiry, Look, Mode, Options, Volatile};

use crate::errors::{Trouble, invalid};
use crate::gate::without_interpreter;
use crate::secrets;

/// A folder of recordings, opened by somebody: a test, or nobody in particular.
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct Cassette {
    pub(super) tapes: Arc<cassette::Cassette>,
    scope: String,
    session: Arc<Session>,
    /// Replay as slowly as it was.
    pub(super) is_paced: bool,
    pub(super) blocks_network: bool,
    /// Beginnings of addresses that are recorded though they are no model's.
    apis: Vec<String>,
    is_closed: AtomicBool,
    /// Whether the folder knows what was counted.
    is_counted: AtomicBool,
    trouble: Mutex<Option<Py<PyBaseException>>>,
    /// Answers that were to be recorded and could not be, in words.
    lost: Mutex<Vec<String>>,
}

#[pymethods]
impl Cassette {
    #[new]
    #[pyo3(signature = (directory, mode, *, ttl_hours=0.0, scope="", volatile=Vec::new(), apis=Vec::new(), paced=false, block_network=false, of_test=false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        directory: PathBuf,
        mode: &str,
        ttl_hours: f64,
        scope: &str,
        volatile: Vec<String>,
        apis: Vec<String>,
        paced: bool,
        block_network: bool,
        of_test: bool,
    ) -> PyResult<Cassette> {
        let mode = Mode::of_word(mode).ok_or_else(|| {
            invalid(py, format!("a cassette's mode is record, replay or auto, not {mode:?}"))
        })?;
        let volatile: PyResult<Vec<Volatile>> = volatile
            .iter()
            .map(|word| {
                Volatile::of_word(word).ok_or_else(|| {
                    invalid(py, format!("volatile takes \"uuid\", \"time\", \"temp_path\" or the path of a field, not {word:?}"))
                })
            })
            .collect();
        let options =
            Options { mode, ttl: ttl(py, ttl_hours)?, volatile: volatile?, secrets: secrets::here(py) };
        let tapes = cassette::Cassette::open(&directory, options);
        // The blocks of one test are one session; elsewhere each is its own.
        let session = if of_test { session(&directory, scope) } else { Arc::new(Session::begin()) };
        let tapes = tapes.begun_at(session.opened);
        Ok(Cassette {
            tapes: Arc::new(tapes),
            scope: scope.to_owned(),
            session,
            is_paced: paced,
            blocks_network: block_network,
            apis,
            is_closed: AtomicBool::new(false),
            is_counted: AtomicBool::new(false),
            trouble: Mutex::default(),
            lost: Mutex::default(),
        })
    }

    /// Where answers come from: `record`, `replay` or `auto`.
    #[getter]
    fn mode(&self) -> &'static str {
        self.tapes.mode().word()
    }

    /// The folder.
    #[getter]
    fn directory(&self) -> PathBuf {
        self.tapes.shelf().directory().to_owned()
    }

    /// Requests that recordings answered, requests that none did, answers that were recorded, and those of them that secrets
    /// were taken out of, so far.
    #[getter]
    fn counts(&self) -> (u64, u64, u64, u64) {
        let counts = self.tapes.tally().counts();
        (counts.hits, counts.misses, counts.kept, counts.redacted)
    }

    /// The test of this id came to its end. If the recordings are its own, it asked nothing that was not recorded now, and
    /// nothing is wrong with them, it uses no more what it recorded in earlier sessions. Says whether it used nothing at all.
    fn complete(&self, py: Python<'_>, test: &str) -> bool {
        let is_whole = !self.session.is_partial.load(Ordering::Relaxed);
        let has_trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if self.scope != test || !is_whole || has_trouble {
            return false;
        }
        if self.tapes.tally().counts().kept > 0 {
            self.session.has_recorded.store(true, Ordering::Relaxed);
        }
        // What could not be remembered is pruned later.
        let _ = without_interpreter(py, || self.tapes.complete(&self.scope));
        !self.session.has_recorded.load(Ordering::Relaxed)
    }

    /// What somebody should know though nothing failed, in sentences: answers that could not be recorded,
    /// recordings that were set aside. Each is told once. A provider's error may quote the key that it refused.
    fn notes(&self, py: Python<'_>) -> Vec<String> {
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        let lost = lost
            .iter()
            .map(|answer| format!("an answer was not recorded, and a replay will miss it: {answer}"));
        let aside = self.tapes.set_aside();
        let aside =
            aside.iter().map(|damage| format!("{damage}; it was set aside, and the model was asked again"));
        lost.chain(aside).map(|note| secrets::shown(py, note)).collect()
    }

    /// What is wrong, now that it is over: a request that no recording answered, or an answer that could not be
    /// kept. The folder remembers the counts.
    fn verdict(&self, py: Python<'_>) -> Option<Py<PyBaseException>> {
        if !self.is_counted.swap(true, Ordering::Relaxed) {
            // Counts that could not be kept are no reason to fail a test.
            let _ = without_interpreter(py, || self.tapes.remember(&self.scope));
        }
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.trouble.try_lock() {
            Ok(trouble) => visit.call(&*trouble),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let cleared = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(cleared);
    }
}

impl Cassette {
    /// The recordings, for another door than this process's.
    pub(crate) fn tapes(&self) -> Arc<cassette::Cassette> {
        self.tapes.clone()
    }

    /// Whose recordings they are.
    pub(crate) fn scope(&self) -> &str {
        &self.scope
    }

    /// Whether they are replayed as slowly as they came.
    pub(crate) fn is_paced(&self) -> bool {
        self.is_paced
    }

    /// What the recordings have for a request.
    pub(super) fn look(&self, py: Python<'_>, inquiry: Inquiry) -> PyResult<Look> {
        if self.is_closed() {
            let error = Trouble::new(
                "UnexpectedModelCallError",
                "a request came to the model after its cassette was closed",
            )
            .remedy("let the agent end before the cassette does");
            return Err(error.into_err(py));
        }
        // A hit takes microseconds, too few to let others have the interpreter.
        let (scope, asked) = (self.tapes.ready_scope(&self.scope), self.tapes.ready(inquiry));
        let look = |asked: &Inquiry| self.tapes.look_from(&self.tapes.seat(&scope, asked), asked);
        let mut found = look(&asked);
        if matches!(found, Err(CassetteError::Miss(_))) {
            // The test may have changed the environment, and what is a secret now was one when it was recorded.
            // Only here, because to look at the environment takes longer than a hit.
            let _ = secrets::here(py);
            let key = asked.key().clone();
            let asked = self.tapes.ready(asked);
            if *asked.key() != key {
                found = look(&asked);
            }
        }
        if matches!(found, Ok(Look::Hit { .. })) {
            self.session.is_partial.store(true, Ordering::Relaxed);
        }
        found.map_err(|error| raised(py, error))
    }

    pub(super) fn is_replay(&self) -> bool {
        self.tapes.mode() == Mode::Replay
    }

    /// Whether requests to this address are recorded though it is no model's.
    pub(super) fn records_api(&self, url: &str) -> bool {
        self.apis.iter().any(|api| url.starts_with(api.as_str()))
    }

    pub(super) fn declares_apis(&self) -> bool {
        !self.apis.is_empty()
    }

    /// An answer was not stored. A disk that refuses fails the test; an answer that a replay could not give back is a note.
    pub(super) fn note_unstored(&self, py: Python<'_>, error: CassetteError) {
        if let CassetteError::NotReplayable(why) = &error {
            self.note_lost(plain(&why.to_string()));
        } else {
            self.note_trouble(py, &raised(py, error));
        }
    }

    pub(super) fn note_trouble(&self, py: Python<'_>, error: &PyErr) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.is_none() {
            *trouble = Some(error.value(py).clone().unbind());
        }
    }

    /// An answer could not be recorded.
    pub(super) fn note_lost(&self, answer: String) {
        self.session.is_partial.store(true, Ordering::Relaxed);
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }
}

/// Remembers, at the end of a session that recorded, which tests use none of their recordings any more: those that asked nothing,
/// those that were not collected though their file was as a whole, and those whose file is gone.
#[pyfunction]
pub(crate) fn forget_tests(
    py: Python<'_>,
    directory: PathBuf,
    opened: f64,
    silent: Vec<String>,
    collected: Vec<String>,
    files: Vec<String>,
    root: PathBuf,
) -> PyResult<()> {
    let secrets = secrets::here(py);
    let written = |tests: Vec<String>| -> BTreeSet<String> {
        tests.iter().map(|test| secrets.clean(test).into_owned()).collect()
    };
    let (silent, collected, files) = (written(silent), written(collected), written(files));
    let is_unrecorded = |scope: &str| {
        if silent.contains(scope) {
            return true;
        }
        let Some((file, _)) = scope.split_once("::") else { return false };
        if files.contains(file) {
            return !collected.contains(scope);
        }
        // A scope that somebody chose names no file.
        Path::new(file).extension().is_some() && !root.join(file).exists()
    };
    let opened = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(opened.max(0.0));
    let shelf = cassette::Shelf::at(&directory, secrets.clone());
    without_interpreter(py, || shelf.remember_unrecorded(opened, is_unrecorded))
        .map_err(|error| raised(py, error))
}

/// What is said once, at the end of a run, about recordings whose answers were redacted.
#[pyfunction]
pub(crate) fn redacted_note(count: u64) -> Option<String> {
    cassette::redacted_note(count)
}

/// All that one test records into one folder, in however many blocks.
struct Session {
    opened: SystemTime,
    /// An answer came from a recording, or could not be stored: what was recorded is not all that the test uses.
    is_partial: AtomicBool,
    /// An answer was recorded.
    has_recorded: AtomicBool,
}

impl Session {
    fn begin() -> Session {
        Session {
            opened: SystemTime::now(),
            is_partial: AtomicBool::new(false),
            has_recorded: AtomicBool::new(false),
        }
    }
}

/// The session of a test, which began when it first opened this folder in this process.
fn session(directory: &Path, scope: &str) -> Arc<Session> {
    type Sessions = BTreeMap<(PathBuf, String), Arc<Session>>;
    static SESSIONS: Mutex<Sessions> = Mutex::new(BTreeMap::new());
    let mut sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let session = sessions.entry((directory.to_owned(), scope.to_owned()));
    session.or_insert_with(|| Arc::new(Session::begin())).clone()
}

/// The age that recordings may reach; none for 0.
pub(super) fn ttl(py: Python<'_>, hours: f64) -> PyResult<Option<Duration>> {
    cassette::ttl_of_hours(hours).ok_or_else(|| {
        invalid(py, format!("ttl_hours must be a number of hours, or 0 for ever, not {hours}"))
    })
}

/// The error in Python.
pub(super) fn raised(py: Python<'_>, error: CassetteError) -> PyErr {
    match error {
        CassetteError::Miss(miss) => Trouble::new("CacheMissError", miss.message())
            .expected(miss.expected())
            .found(miss.found())
            .remedy(miss.remedy())
            .into_err(py),
        CassetteError::Damaged(damage) => {
            Trouble::new("DamagedRecordingError", damage.to_string()).remedy(damage.remedy()).into_err(py)
        }
        error @ CassetteError::Disk { .. } => Trouble::new("CacheDiskError", error.to_string()).into_err(py),
        CassetteError::NotReplayable(why) => invalid(py, why.to_string()),
    }
}
