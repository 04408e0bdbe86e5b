//! Models that judge and drive, as Python sees them.

mod asking;
mod keeping;
mod session;

pub(crate) use asking::ask_about;
pub(crate) use session::{Wanted, engage, settings};
