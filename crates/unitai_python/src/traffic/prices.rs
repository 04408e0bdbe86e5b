//! A user's own prices.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_model::{Money, OwnPrice};
use unitai_wire::meter::{Price, PriceTable};

use crate::errors::{amount, invalid};
use crate::settings::standing;

/// The prices of the release and the project with those of `overrides` on top: by model, US dollars for a million
/// tokens of `input` and `output`, and of `cached_input`, `cache_write`, `cache_write_long` if they differ.
pub(super) fn read(overrides: &Bound<'_, PyDict>) -> PyResult<PriceTable> {
    let py = overrides.py();
    let mut own = Vec::new();
    for (model, price) in overrides.iter() {
        let model: String =
            model.extract().map_err(|_| invalid(py, "prices are given by the name of a model"))?;
        own.push((model.clone(), Price::from(&price_of(&model, &price)?)));
    }
    Ok(standing(py)?.prices.with(own))
}

fn price_of(model: &str, price: &Bound<'_, PyAny>) -> PyResult<OwnPrice> {
    let py = price.py();
    let wrong = || {
        let shape = OwnPrice::SHAPE;
        invalid(py, format!("the price of {model} must look like {shape}, in dollars for a million tokens"))
    };
    let price = price.cast::<PyDict>().map_err(|_| wrong())?;
    let mut amounts: Vec<(String, Money)> = Vec::new();
    for (class, dollars) in price.iter() {
        let class: String = class.extract().map_err(|_| wrong())?;
        let dollars: f64 = dollars.extract().map_err(|_| wrong())?;
        if !OwnPrice::CLASSES.contains(&class.as_str()) {
            let known = OwnPrice::CLASSES.join(", ");
            return Err(invalid(py, format!("the price of {model} has {class:?}, which is none of {known}")));
        }
        amounts.push((class, amount(py, dollars)?));
    }
    let of_class = |class: &str| amounts.iter().find(|(name, _)| name == class).map(|(_, amount)| *amount);
    OwnPrice::of(of_class).ok_or_else(wrong)
}
