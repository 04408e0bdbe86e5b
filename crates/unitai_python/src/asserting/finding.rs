//! A finding as Python sees it.

use std::cell::Cell;
use std::sync::OnceLock;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use unitai_check::{Check, Judgement};
use unitai_model::value::plain;
use unitai_model::{Finding as Model, Verdict};
use unitai_report::{Style, failure_report};

use crate::attribute::Attribute;
use crate::run::Trajectory;
use crate::secrets::shown;
use crate::values::Reduced;

/// What a check found: true or false, with what was expected, what was found, and the steps that
/// decided it. `str(finding)` is the whole report.
///
/// >>> from unitai import MockToolkit
/// >>> result = MockToolkit().run(lambda input, tools: "done", "hello")
/// >>> finding = result.tool_was_called("search")
/// >>> bool(finding), finding.expected, finding.actual
/// (False, 'search to be called', 'no tool was called')
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Finding {
    trajectory: Py<Trajectory>,
    subject: Subject,
    held: bool,
}

/// The words are made when somebody reads them: most findings hold and are never read.
enum Subject {
    Judged { check: Box<dyn Check>, judgement: Judgement, words: OnceLock<Model> },
    Told(Model),
}

/// The parts of a finding that travel: trajectory, check, assertion, expected, actual, cites.
type Told = (Py<Trajectory>, String, String, String, Option<String>, Vec<usize>);

#[pymethods]
impl Finding {
    /// The name of the check.
    #[getter]
    fn check(&self) -> &str {
        &self.words().check
    }

    /// The assertion as the test wrote it.
    #[getter]
    fn assertion(&self, py: Python<'_>) -> String {
        shown(py, self.words().assertion.clone())
    }

    /// What had to be true.
    #[getter]
    fn expected(&self, py: Python<'_>) -> String {
        shown(py, self.words().expected.clone())
    }

    /// What was true instead; `None` when the finding holds.
    #[getter]
    fn actual(&self, py: Python<'_>) -> Option<String> {
        match &self.words().verdict {
            Verdict::Held => None,
            Verdict::Broken { actual } => Some(shown(py, actual.clone())),
        }
    }

    /// Indices of the steps that decided it, from 0.
    #[getter]
    fn cites(&self) -> Vec<usize> {
        self.words().cites.clone()
    }

    /// The trajectory that was judged.
    #[getter]
    fn trajectory(&self, py: Python<'_>) -> Py<Trajectory> {
        self.trajectory.clone_ref(py)
    }

    /// The whole report, with colour if asked for.
    #[pyo3(signature = (*, colour=false))]
    fn report(&self, py: Python<'_>, colour: bool) -> String {
        self.trajectory.get().see_ending();
        let style = if colour { Style::colour() } else { Style::plain() };
        shown(py, failure_report(self.trajectory.get().model(), Some(self.words()), style))
    }

    fn __bool__(slf: &Bound<'_, Self>) -> bool {
        let held = slf.get().held;
        if !held && IS_WATCHED.get() {
            LAST_BROKEN.set(Some(slf.clone().unbind()));
        }
        held
    }

    /// Equal to a truth value as that truth value; to another finding if both say the same.
    fn __eq__(&self, other: Comparable<'_>) -> bool {
        match other {
            Comparable::Finding(other) => self.words() == other.get().words(),
            Comparable::Truth(other) => self.held == other,
        }
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.held)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        shown(py, format!("<{}>", plain(&self.words().line())))
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.report(py, false)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.trajectory)
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Told> {
        let (py, this) = (slf.py(), slf.get());
        let words = this.words();
        let actual = match &words.verdict {
            Verdict::Held => None,
            Verdict::Broken { actual } => Some(actual.clone()),
        };
        let told = (
            this.trajectory.clone_ref(py),
            words.check.clone().into_owned(),
            words.assertion.clone(),
            words.expected.clone(),
            actual,
            words.cites.clone(),
        );
        Ok((slf.get_type().attribute("_restore")?, told))
    }

    #[staticmethod]
    fn _restore(
        trajectory: Py<Trajectory>,
        check: String,
        assertion: String,
        expected: String,
        actual: Option<String>,
        cites: Vec<usize>,
    ) -> Finding {
        let verdict = actual.map_or(Verdict::Held, |actual| Verdict::Broken { actual });
        let held = verdict == Verdict::Held;
        Finding {
            trajectory,
            subject: Subject::Told(Model { check: check.into(), assertion, expected, verdict, cites }),
            held,
        }
    }
}

thread_local! {
    /// Whether somebody will ask. What nobody asks for would keep a trajectory alive.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// The last finding of this thread whose truth was asked for and was false. An assertion that pytest did not
    /// rewrite leaves no other trace of what it was about.
    static LAST_BROKEN: Cell<Option<Py<Finding>>> = const { Cell::new(None) };
}

/// From here on this thread notes findings that are asked for their truth; or no longer.
#[pyfunction]
pub(crate) fn watch_findings(watched: bool) {
    IS_WATCHED.set(watched);
    LAST_BROKEN.take();
}

/// Hands out, and forgets, the last finding of this thread that was asked for its truth and was false.
#[pyfunction]
pub(crate) fn last_broken() -> Option<Py<Finding>> {
    LAST_BROKEN.take()
}

/// What a finding can be compared with.
#[derive(FromPyObject)]
enum Comparable<'py> {
    Finding(Bound<'py, Finding>),
    Truth(bool),
}

impl Finding {
    /// What somebody else found, in its words.
    pub(crate) fn told(trajectory: Py<Trajectory>, words: Model) -> Finding {
        let held = words.held();
        Finding { trajectory, subject: Subject::Told(words), held }
    }

    /// Judges by a check that knows nothing of Python; its words can wait.
    pub(super) fn judge(trajectory: &Py<Trajectory>, py: Python<'_>, check: impl Check + 'static) -> Finding {
        let judgement = check.judge(trajectory.get().model());
        Finding::judged(trajectory, py, check, judgement)
    }

    /// A judgement whose words can wait.
    pub(super) fn judged(
        trajectory: &Py<Trajectory>,
        py: Python<'_>,
        check: impl Check + 'static,
        judgement: Judgement,
    ) -> Finding {
        let held = judgement.held();
        let subject = Subject::Judged { check: Box::new(check), judgement, words: OnceLock::new() };
        Finding { trajectory: trajectory.clone_ref(py), subject, held }
    }

    /// Judges by a check that asks Python, and puts the answer into words at once: a finding holds
    /// no Python object but its trajectory, so that it can neither leak nor run code when it is read.
    pub(super) fn tell(trajectory: &Py<Trajectory>, py: Python<'_>, check: &dyn Check) -> Finding {
        let words = unitai_check::find(check, trajectory.get().model());
        Finding { trajectory: trajectory.clone_ref(py), held: words.held(), subject: Subject::Told(words) }
    }

    fn words(&self) -> &Model {
        match &self.subject {
            Subject::Told(words) => words,
            Subject::Judged { check, judgement, words } => {
                if let Some(words) = words.get() {
                    return words;
                }
                // Made before the lock is taken: nothing that runs under it may wait for anything.
                let made = unitai_check::finding(&**check, judgement.clone());
                words.get_or_init(|| made)
            }
        }
    }
}
