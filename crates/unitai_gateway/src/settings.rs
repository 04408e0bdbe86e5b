//! How a gateway is to work.

use std::sync::Arc;
use std::time::Duration;

use unitai_wire::cassette::Cassette;
use unitai_wire::meter::{Budgets, PriceTable};
use unitai_wire::redact::Secrets;

use crate::Upstreams;

/// How a gateway is to work.
pub struct Settings {
    /// The port to listen on; 0 for any that is free.
    pub port: u16,
    /// Where requests may go.
    pub upstreams: Upstreams,
    /// Recordings to answer from, or to add to; `None` asks the providers and records nothing.
    pub cassette: Option<Arc<Cassette>>,
    /// Whose recordings these are.
    pub scope: String,

    /// How fast recorded streams are played.
    pub pace: Pace,
    /// What may be spent.
    pub budgets: Budgets,
    /// What calls cost.
    pub prices: Arc<PriceTable>,
    /// Whether streams are asked for their usage in the client's place.
    pub asks_for_usage: bool,
    /// What must never be written.
    pub secrets: Arc<Secrets>,
    /// How long requests under way may take when the gateway is stopped.
    pub grace: Duration,
    /// Where it says what happens.
    pub log: Log,
}

/// Where a gateway says what happens, a line at a time. Secrets are taken out before.
pub type Log = Box<dyn Fn(&str) + Send>;

/// How fast recorded streams are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// At once.
    #[default]
    None,
    /// As they came when they were recorded.
    Recorded,
}

impl Settings {
    /// Asks the providers, records nothing, spends without a limit, and says nothing.
    pub fn live() -> Settings {
        Settings {
            port: 0,
            upstreams: Upstreams::default(),
            cassette: None,
            scope: String::new(),
            pace: Pace::None,
            budgets: Budgets::default(),
            prices: Arc::new(PriceTable::release().clone()),
            asks_for_usage: true,
            secrets: Arc::new(Secrets::none()),
            grace: Duration::from_secs(5),
            log: Box::new(|_| {}),
        }
    }
}
