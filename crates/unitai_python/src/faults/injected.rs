//! A fault that a call met, as its step shows it.

use std::sync::Arc;

use pyo3::prelude::*;
use unitai_model::value::{plain, quoted};
use unitai_model::{Fault, FaultKind};

use crate::errors::invalid;
use crate::secrets;
use crate::values::{Reduced, Text, encode, to_python};

/// A fault that was put into a call on purpose.
///
/// >>> from unitai import InjectedFault
/// >>> InjectedFault("rate_limit", "429, retry after 1 s", seed=7)
/// <InjectedFault rate_limit: 429, retry after 1 s>
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct InjectedFault {
    pub(crate) fault: Fault,
}

/// The parts that travel: kind, text, seed, instead_of.
type Parts<'py> = (&'static str, String, u64, Option<Bound<'py, PyAny>>);

#[pymethods]
impl InjectedFault {
    #[new]
    #[pyo3(signature = (kind, text=None, seed=0, instead_of=None))]
    fn new(
        py: Python<'_>,
        kind: &str,
        text: Option<Text>,
        seed: u64,
        instead_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<InjectedFault> {
        let kind = kind_of(py, kind)?;
        let text = text.map_or_else(|| Arc::from(kind.word()), |text| Arc::from(&*text));
        let instead_of = instead_of.map(encode).transpose()?.map(|encoded| encoded.packed);
        Ok(InjectedFault { fault: Fault { kind, text, seed, instead_of } })
    }

    /// What kind of fault, as the function is called that makes it: `rate_limit`, `cut`, `empty`, ...
    #[getter]
    fn kind(&self) -> &'static str {
        self.fault.kind.word()
    }

    /// The fault in a few words.
    #[getter]
    fn text(&self) -> &str {
        &self.fault.text
    }

    /// The seed of the plan that it is from: the same plan with the same seed does it again.
    #[getter]
    fn seed(&self) -> u64 {
        self.fault.seed
    }

    /// What the tool returned, where the agent was given something else.
    #[getter]
    fn instead_of<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fault.instead_of.as_ref().map(|value| to_python(py, value)).transpose()
    }

    fn __eq__(&self, other: &Bound<'_, InjectedFault>) -> bool {
        self.fault == other.get().fault
    }

    fn __str__(&self) -> &str {
        &self.fault.text
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let text = format!("<InjectedFault {}: {}>", self.fault.kind.word(), plain(&self.fault.text));
        secrets::shown(py, text)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Parts<'py>> {
        let this = slf.get();
        let parts = (this.kind(), this.text().to_owned(), this.seed(), this.instead_of(slf.py())?);
        Ok((slf.get_type().into_any(), parts))
    }
}

/// The kind of this word.
pub(crate) fn kind_of(py: Python<'_>, word: &str) -> PyResult<FaultKind> {
    FaultKind::of_word(word).ok_or_else(|| {
        let known = FaultKind::ALL.map(FaultKind::word).join(", ");
        invalid(py, format!("{} is no kind of fault: they are {known}", quoted(word)))
    })
}
