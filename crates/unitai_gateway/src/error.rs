//! Why a gateway cannot start.

/// Why a gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// An upstream cannot be used.
    #[error("the upstream {name:?} cannot be used: {reason}")]
    Upstream {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The port cannot be had.
    #[error("the gateway cannot listen on 127.0.0.1:{port}: {error}")]
    Port {
        /// The port that was asked for; 0 for any.
        port: u16,
        /// What the system says.
        error: std::io::Error,
    },
    /// The system gives no thread, no runtime or no randomness.
    #[error("the gateway cannot start: {0}")]
    System(String),
}
