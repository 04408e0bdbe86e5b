//! A run while it happens, and the trajectory that it leaves.

mod ending;
mod framework_call;
mod kept;
mod model_calls;
mod record;
mod reported;
mod session;
mod step;
mod trajectory;
mod unreached_calls;
mod unseen_calls;
mod watching;

pub(crate) use ending::cancelled;
pub(crate) use framework_call::FrameworkCall;
pub(crate) use kept::{Kept, Slot, recorded_error};
pub(crate) use session::Run;
pub(crate) use step::TrajectoryStep;
pub(crate) use trajectory::{Trajectory, restore_trajectory, unpriced_with_budget, unseen_error};
pub(crate) use watching::{RunWatch, seen};
