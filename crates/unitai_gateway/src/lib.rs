//! The gateway: a server on this machine that stands between an agent and its models.
//!
//! It is for agents in any language and in processes of their own: they are given its address instead of
//! the provider's, by the variables that their clients know. Requests are answered from recordings, or
//! handed on to the provider and recorded, and written into a trajectory either way.
//!
//! [`start`] opens it on a thread of its own. [`Upstreams`] says where requests may go.

mod answer;
mod connection;
mod deciding;
mod error;
mod forward;
mod guard;
mod head;
mod journal;
mod memo;
mod provider;
mod replay;
mod server;
mod settings;
mod shared;
mod trouble;
mod upstreams;

pub use error::GatewayError;
pub use server::{Ended, Gateway, start};
pub use settings::{Log, Pace, Settings};
pub use trouble::{Trouble, TroubleKind};
pub use upstreams::{Upstream, Upstreams};
