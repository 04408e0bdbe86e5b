//! A run while it happens, and the trajectory that it leaves.

mod kept;
mod model_calls;
mod session;
mod step;
mod trajectory;

pub(crate) use kept::{Kept, Slot, recorded_error};
pub(crate) use session::{Run, cancelled};
pub(crate) use step::TrajectoryStep;
pub(crate) use trajectory::{Trajectory, restore_trajectory, unpriced};
