//! Waiting.

use std::time::{Duration, Instant};

use unitai_model::value::Value;

use super::arguments::Given;
use super::dict;

/// Longer than any test; what is longer is a slip of the pen.
const LONGEST: f64 = 86_400.0;

pub(super) async fn sleep(given: &Given) -> Result<Value, String> {
    let seconds = given.number("seconds", 0.0)?;
    if !(0.0..=LONGEST).contains(&seconds) {
        return Err(format!("sleep takes 0 to {LONGEST} seconds, not {seconds}"));
    }
    let began = Instant::now();
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    let slept = (began.elapsed().as_secs_f64() * 1e3).round() / 1e3;
    Ok(dict([("slept", Value::Float(slept.max(seconds)))]))
}
