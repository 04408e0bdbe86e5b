//! Our own server: tools of UnitAI for any client of the protocol, over standard streams or HTTP.
//!
//! What is offered arrives through the port [`Offering`]; an [`Offer`] is a set of them with one list of names. The
//! handler translates between the protocol and the offer; [`serve_stdio`] and [`serve_http`] carry it and see to it
//! that everything is cleaned up before they return. [`authoring`] offers what helps to write tests.

mod answer;
pub mod authoring;
mod caller;
mod calls;
mod ending;
mod guard;
mod handler;
mod http;
mod offer;
mod project;
mod served;
mod stdio;

pub use caller::Caller;
pub use calls::CallLog;
pub use guard::Admission;
pub use handler::{INSTRUCTIONS, NAME};
pub use http::{HttpOptions, HttpServer, serve_http};
pub use offer::{Offer, Offering};
pub use project::project;
pub use served::Served;
pub use stdio::{serve_stdio, serve_streams};
