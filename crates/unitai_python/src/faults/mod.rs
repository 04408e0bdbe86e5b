//! Faults as Python sees them: the plan, where it holds, and what a record says of each.

mod here;
mod injected;
mod plan;
mod reading;
mod spoiling;

pub(crate) use here::{close_faults, open_faults, plans_for, plans_of_run};
pub(crate) use injected::{InjectedFault, kind_of};
pub(crate) use plan::FaultPlan;
pub(crate) use spoiling::Spoil;
