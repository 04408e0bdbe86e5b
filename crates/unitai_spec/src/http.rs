//! The client of every request that the engine makes itself: those of tests, and those to judges.

use std::sync::OnceLock;

use reqwest::Client;
use unitai_model::with_causes;

/// One client for the process. It follows no redirect, and each request has a connection of its own. How long one may take is
/// said by whoever sends it.
///
/// # Errors
/// When none can be made, which the library says why.
pub fn client() -> Result<&'static Client, String> {
    static CLIENT: OnceLock<Result<Client, String>> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        // The process has one; another part of it may have chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // Connections belong to the runtime that opened them, which a test ends.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("unitai/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| with_causes(&error))
    });
    client.as_ref().map_err(Clone::clone)
}
