//! Where answers about a run are kept: beside the file of the test that asks.

use std::path::PathBuf;

use pyo3::prelude::*;
use unitai_spec::run::beside_file;

use crate::settings::project_folder;

/// The test that runs now, as pytest names it.
const RUNNING: &str = "PYTEST_CURRENT_TEST";

/// The name of the test that runs now, and the file for its answers; `None` where pytest runs none.
pub(super) fn of_this_test(py: Python<'_>) -> PyResult<Option<(String, PathBuf)>> {
    let Ok(told) = std::env::var(RUNNING) else { return Ok(None) };
    let Some((file, name)) = parts(&told) else { return Ok(None) };
    let path = beside_file(&project_folder(py)?.join(file), name, 1, "answers");
    Ok(Some((name.to_owned(), path)))
}

/// `tests/test_shop.py::TestRefund::test_polite[de] (call)` in its parts.
fn parts(told: &str) -> Option<(&str, &str)> {
    let whole = told.rsplit_once(" (").map_or(told, |(whole, _)| whole);
    whole.split_once("::")
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn a_test_is_its_file_and_its_name() {
        assert_eq!(
            parts("tests/test_a.py::TestB::test_c[x (y)] (call)"),
            Some(("tests/test_a.py", "TestB::test_c[x (y)]"))
        );
        assert_eq!(parts("test_a.py::test_c (setup)"), Some(("test_a.py", "test_c")));
        assert_eq!(parts("something else"), None);
    }
}
