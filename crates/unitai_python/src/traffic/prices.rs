//! A user's own prices.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_model::Money;
use unitai_wire::meter::{Price, PriceTable};

use crate::errors::{amount, invalid};

/// The release's prices with those of `overrides` on top: by model, US dollars for a million tokens
/// of `input` and `output`, and of `cached_input`, `cache_write`, `cache_write_long` if they differ.
pub(super) fn read(overrides: &Bound<'_, PyDict>) -> PyResult<PriceTable> {
    let mut own = Vec::new();
    for (model, price) in overrides.iter() {
        let model: String = model
            .extract()
            .map_err(|_| invalid(overrides.py(), "prices are given by the name of a model"))?;
        own.push((model.clone(), price_of(&model, &price)?));
    }
    Ok(PriceTable::release().with(own))
}

fn price_of(model: &str, price: &Bound<'_, PyAny>) -> PyResult<Price> {
    let py = price.py();
    let wrong = || {
        let shape = "{\"input\": 2.50, \"output\": 10.0}";
        invalid(py, format!("the price of {model} must look like {shape}, in dollars for a million tokens"))
    };
    let price = price.cast::<PyDict>().map_err(|_| wrong())?;
    let (mut input, mut output, mut rest) = (None, None, Vec::new());
    for (key, dollars) in price.iter() {
        let key: String = key.extract().map_err(|_| wrong())?;
        let dollars: f64 = dollars.extract().map_err(|_| wrong())?;
        let dollars: Money = amount(py, dollars)?;
        match key.as_str() {
            "input" => input = Some(dollars),
            "output" => output = Some(dollars),
            "cached_input" | "cache_write" | "cache_write_long" => rest.push((key, dollars)),
            other => {
                let known = "input, output, cached_input, cache_write, cache_write_long";
                return Err(invalid(
                    py,
                    format!("the price of {model} has {other:?}, which is none of {known}"),
                ));
            }
        }
    }
    let base = Price::per_million(input.ok_or_else(wrong)?, output.ok_or_else(wrong)?);
    Ok(rest.into_iter().fold(base, |price, (key, dollars)| match key.as_str() {
        "cached_input" => price.cached_input(dollars),
        "cache_write" => price.cache_write(dollars),
        _ => price.cache_write_long(dollars),
    }))
}
