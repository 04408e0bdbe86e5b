//! Model traffic. So far: the meter, which knows what a model call costs.

pub mod meter;
