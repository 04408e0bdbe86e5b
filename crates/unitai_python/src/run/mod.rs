//! A run while it happens, and the trajectory that it leaves.

mod kept;
mod session;
mod step;
mod trajectory;

pub(crate) use kept::{Kept, Slot, recorded_error};
pub(crate) use session::Run;
pub(crate) use step::TrajectoryStep;
pub(crate) use trajectory::{Trajectory, restore_trajectory};
