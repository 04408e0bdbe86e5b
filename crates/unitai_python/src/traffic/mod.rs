//! Model traffic as Python sees it: the two questions that a hook asks about a request, and what it
//! gets for an answer.

mod answering;
mod belonging;
mod budget;
mod cassette;
mod deciding;
mod elsewhere;
mod faulting;
mod headers;
mod lease;
mod letting_out;
mod lines;
mod live_models;
mod matcher;
mod passage;
mod policy;
mod prices;
mod purse;
mod refusing;
mod replaying;
mod reply;
mod request;
mod script;
mod sent;
mod shelf;
mod tally;
mod voice;
mod watched;

pub(crate) use belonging::{
    block_network, close_run, close_traffic, keeps_models_in, open_run, open_traffic, run_here,
    unblock_network, voice_here,
};
pub(crate) use budget::{Budget, budget_settings, patiently, unsettled};
pub(crate) use cassette::{Cassette, forget_tests, redacted_note};
pub(crate) use deciding::{claims, decide};
pub(crate) use elsewhere::{forget_parent, fork_count, note_fork, remember_process, surroundings};
pub(crate) use faulting::Remembered;
pub(crate) use lease::Lease;
pub(crate) use lines::{seconds, test};
pub(crate) use live_models::{limits_live_models, permit_live_models, refused_live_call, revoke_live_models};
pub(crate) use passage::Passage;
pub(crate) use policy::{Policy, Rules};
pub(crate) use purse::{Purse, purse_here, rules_here, standing_budgets};
pub(crate) use refusing::{refuse_connection, refuse_grpc_call};
pub(crate) use reply::Reply;
pub(crate) use request::ModelRequest;
pub(crate) use script::Script;
pub(crate) use shelf::{ReplayCache, cache_settings};
pub(crate) use tally::{
    Tally, count as count_call, count_calls_outside_runs, count_elsewhere, count_models,
    leave_calls_outside_runs,
};
pub(crate) use voice::Voice;
pub(crate) use watched::Watched;
