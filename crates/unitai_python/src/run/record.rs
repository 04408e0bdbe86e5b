//! What a trajectory holds. That of a run never changes. One that is made by hand grows, and whoever has read it may
//! still hold a reference into what it was.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use unitai_model::{Step, Trajectory as Model};

use super::Kept;

/// The steps of a trajectory with the objects that were kept for them. Steps are added to the end at no cost until it is
/// read; what was read stays, and the next step begins a copy.
pub(super) struct Record {
    growing: Mutex<Option<Growing>>,
    read: OnceLock<(Model, Kept)>,
    next: OnceLock<Box<Record>>,
}

struct Growing {
    model: Model,
    more: Vec<Step>,
    kept: Kept,
}

impl Record {
    /// A record as it stands.
    pub(super) fn new(model: Model, kept: Kept) -> Record {
        Record { growing: Mutex::default(), read: OnceLock::from((model, kept)), next: OnceLock::new() }
    }

    /// What it holds now.
    pub(super) fn model(&self) -> &Model {
        &self.last().now().0
    }

    /// The objects that were kept for its values.
    pub(super) fn kept(&self) -> &Kept {
        &self.last().now().1
    }

    /// The objects that were kept, before anybody has seen the record.
    pub(super) fn kept_mut(&mut self) -> Option<&mut Kept> {
        self.read.get_mut().map(|(_, kept)| kept)
    }

    /// Adds the step that `make` makes for its place, with the objects that are kept for it.
    pub(super) fn add_step(&self, py: Python<'_>, make: impl FnOnce(usize, &mut Kept) -> Step) {
        let last = self.last();
        let mut growing = last.growing();
        if let Some(growing) = growing.as_mut() {
            let step = make(growing.model.steps().len() + growing.more.len(), &mut growing.kept);
            growing.more.push(step);
            return;
        }
        drop(growing);
        let (model, kept) = last.now();
        let mut kept = kept.copy(py);
        let step = make(model.steps().len(), &mut kept);
        let growing = Mutex::new(Some(Growing { model: model.clone(), more: vec![step], kept }));
        let grown = Record { growing, read: OnceLock::new(), next: OnceLock::new() };
        // The interpreter is held all the while, so that nobody else has begun a copy.
        let _ = last.next.set(Box::new(grown));
    }

    fn last(&self) -> &Record {
        let mut record = self;
        while let Some(next) = record.next.get() {
            record = next;
        }
        record
    }

    fn now(&self) -> &(Model, Kept) {
        self.read.get_or_init(|| {
            let Growing { model, more, kept } =
                self.growing().take().expect("a record that is not read grows");
            (model.with_more_steps(more), kept)
        })
    }

    fn growing(&self) -> MutexGuard<'_, Option<Growing>> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut record = Some(self);
        while let Some(this) = record {
            if let Some((_, kept)) = this.read.get() {
                kept.traverse(visit)?;
            }
            if let Ok(growing) = this.growing.try_lock()
                && let Some(growing) = growing.as_ref()
            {
                growing.kept.traverse(visit)?;
            }
            record = this.next.get().map(|next| &**next);
        }
        Ok(())
    }
}
