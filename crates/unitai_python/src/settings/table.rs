//! Every setting with its value and its source, for Python.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use unitai_config::{Item, Name, Project, Settings, Source, Spoken, Value, What, Written, named};

use super::standing::{Session, standing};
use crate::attribute::Attribute;
use crate::errors::unusable;

/// The project's file, and each setting: its name, its value, and its source in two words.
type Table<'py> = (Option<PathBuf>, Vec<(&'static str, Bound<'py, PyAny>, &'static str, Option<String>)>);

/// The settings for a folder, as its file and the environment are now, with arguments that come before both.
#[pyfunction]
pub(crate) fn load_settings<'py>(
    py: Python<'py>,
    folder: PathBuf,
    arguments: &Bound<'py, PyDict>,
) -> PyResult<Table<'py>> {
    let given = given(arguments)?;
    // The environment as it is now, and the command line that pytest was started with.
    let command_line = Session::here(py)?.spoken.command_line;
    let spoken = Spoken { arguments: given, command_line, ..Spoken::of_process() };
    let settings = Project::of(&folder).and_then(|project| Settings::resolve(&project, &folder, &spoken));
    table(py, &settings.map_err(|trouble| unusable(py, trouble))?)
}

/// The defaults for a folder, but for the arguments: whatever its file and the environment say.
#[pyfunction]
pub(crate) fn default_settings<'py>(
    py: Python<'py>,
    folder: PathBuf,
    arguments: &Bound<'py, PyDict>,
) -> PyResult<Table<'py>> {
    let spoken = Spoken { arguments: given(arguments)?, ..Spoken::default() };
    let settings = Settings::without_project(&folder, &spoken);
    table(py, &settings.map_err(|trouble| unusable(py, trouble))?)
}

fn given(arguments: &Bound<'_, PyDict>) -> PyResult<Vec<(Name, Written)>> {
    let py = arguments.py();
    let mut given = Vec::new();
    for (name, value) in arguments.iter() {
        let name = named(&name.extract::<String>()?).map_err(|trouble| unusable(py, trouble))?;
        given.push((name, written(&value)?));
    }
    Ok(given)
}

/// The settings that stand for this process.
#[pyfunction]
pub(crate) fn standing_settings(py: Python<'_>) -> PyResult<Table<'_>> {
    table(py, &standing(py)?.settings)
}

fn table<'py>(py: Python<'py>, settings: &Settings) -> PyResult<Table<'py>> {
    let mut rows = Vec::new();
    for (key, setting) in settings.iter() {
        let detail = match &setting.source {
            Source::Argument | Source::Default => None,
            source => source.detail(),
        };
        rows.push((key.flat, python(py, &setting.value)?, setting.source.kind(), detail));
    }
    Ok((settings.file().map(|file| file.to_owned()), rows))
}

/// A value for Python.
fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Nothing => py.None().into_bound(py),
        Value::Whole(number) => number.into_pyobject(py)?.into_any(),
        Value::Number(number) => number.into_pyobject(py)?.into_any(),
        Value::Dollars(amount) => amount.dollars().into_pyobject(py)?.into_any(),
        Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Text(text) => text.into_pyobject(py)?.into_any(),
        Value::Path(path) => path.into_pyobject(py)?.into_any(),
        Value::Texts(texts) => PyTuple::new(py, texts)?.into_any(),
        Value::Words(words) => words.into_pyobject(py)?.into_any(),
        Value::Lists(lists) => {
            let all = PyDict::new(py);
            for (name, texts) in lists {
                all.set_item(name, PyTuple::new(py, texts)?)?;
            }
            all.into_any()
        }
        Value::Prices(prices) => {
            let all = PyDict::new(py);
            for (model, price) in prices {
                let classes = PyDict::new(py);
                for (class, amount) in price.classes() {
                    classes.set_item(class, amount.dollars())?;
                }
                all.set_item(model, classes)?;
            }
            all.into_any()
        }
    })
}

/// A value from Python.
fn written(value: &Bound<'_, PyAny>) -> PyResult<Written> {
    let what = if value.is_none() {
        What::Nothing
    } else if let Ok(flag) = value.cast::<PyBool>() {
        What::Flag(flag.is_true())
    } else if value.is_instance_of::<PyInt>() {
        value.extract().map(What::Whole).unwrap_or(What::Number(f64::INFINITY))
    } else if value.is_instance_of::<PyFloat>() {
        What::Number(value.extract()?)
    } else if value.is_instance_of::<PyString>() {
        value.extract().map(What::Text)?
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        What::List(value.try_iter()?.map(|item| written(&item?)).collect::<PyResult<_>>()?)
    } else if let Ok(items) = value.cast::<PyDict>() {
        let item = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok(Item { key: key.extract()?, span: 0..0, value: written(&value)? })
        };
        What::Table(items.iter().map(item).collect::<PyResult<_>>()?)
    } else if let Ok(path) = value.extract::<PathBuf>() {
        What::Text(path.to_string_lossy().into_owned())
    } else {
        let class: String = value.get_type().attribute("__name__")?.extract()?;
        What::Other(format!("an object of class {class}"))
    };
    Ok(Written::nowhere(what))
}
