//! Python objects that the text of a record cannot bring back, kept beside it.

use std::collections::HashMap;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use unitai_model::Failure;

use crate::errors::class;

/// Which value of a step an object stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    Args,
    Result,
    Error,
    OldValue,
    NewValue,
    Input,
    Output,
}

impl Slot {
    const ALL: [Slot; 7] =
        [Slot::Args, Slot::Result, Slot::Error, Slot::OldValue, Slot::NewValue, Slot::Input, Slot::Output];

    pub(super) fn number(self) -> u8 {
        self as u8
    }

    pub(super) fn of_number(number: u8) -> Option<Slot> {
        Slot::ALL.into_iter().find(|slot| slot.number() == number)
    }
}

/// The objects of one record, by step and slot. Most records keep none.
#[derive(Default)]
pub(crate) struct Kept(HashMap<(usize, Slot), Py<PyAny>>);

impl Kept {
    pub(crate) fn insert(&mut self, step: usize, slot: Slot, object: Py<PyAny>) {
        self.0.insert((step, slot), object);
    }

    pub(crate) fn get(&self, py: Python<'_>, step: usize, slot: Slot) -> Option<Py<PyAny>> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&(step, slot)).map(|object| object.clone_ref(py))
    }

    pub(crate) fn has(&self, step: usize, slot: Slot) -> bool {
        !self.0.is_empty() && self.0.contains_key(&(step, slot))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, Slot, &Py<PyAny>)> {
        self.0.iter().map(|((step, slot), object)| (*step, *slot, object))
    }

    pub(super) fn copy(&self, py: Python<'_>) -> Kept {
        Kept(self.0.iter().map(|(place, object)| (*place, object.clone_ref(py))).collect())
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.values().try_for_each(|object| visit.call(object))
    }
}

/// An exception for one of which only the record is left.
pub(crate) fn recorded_error<'py>(py: Python<'py>, failure: &Failure) -> PyResult<Bound<'py, PyAny>> {
    class(py, "RecordedError")?.call1((failure.type_name(), failure.message.as_str()))
}
