//! What a test expects of a call's arguments.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use unitai_check::ports::Arguments;

use super::arguments::{PythonArguments, WholeMatcher};
use crate::attribute::Attribute;
use crate::mock::gather;
use crate::run::Trajectory;

/// Arguments by name, or a matcher for all of them.
pub(super) enum Expected {
    Named(PythonArguments),
    Whole(WholeMatcher),
}

impl Expected {
    /// The arguments that a check was given, named as a call of the tool would name them. A positional
    /// `ignoring("field")` leaves fields out of the comparison.
    pub(super) fn of(
        trajectory: &Py<Trajectory>,
        tool: &str,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Expected> {
        let py = args.py();
        if args.len() == 1
            && let ignoring = args.get_item(0)?
            && ignoring.is_instance(&py.import("unitai.match")?.attribute("ignoring")?)?
        {
            let fields = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
            let matcher = ignoring.call1((fields,))?;
            return Ok(Expected::Whole(WholeMatcher::new(matcher.unbind(), trajectory.clone_ref(py))));
        }
        let expected = gather(tool, trajectory.get().parameters(tool), args, kwargs)?;
        Ok(Expected::Named(PythonArguments::new(&expected, trajectory.clone_ref(py))))
    }

    pub(super) fn port(&self) -> &dyn Arguments {
        match self {
            Expected::Named(port) => port,
            Expected::Whole(port) => port,
        }
    }

    pub(super) fn boxed(self) -> Box<dyn Arguments> {
        match self {
            Expected::Named(port) => Box::new(port),
            Expected::Whole(port) => Box::new(port),
        }
    }
}
