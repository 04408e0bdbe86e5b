//! Which version of the protocol is spoken with a server, and how that is settled.
//!
//! Until 2025-11-25 a connection begins with a handshake (`initialize`); since 2026-07-28 it has none, and a client may ask
//! what there is (`server/discover`). Old servers answer that question with an error, some are silent, and some die of it.

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// How a connection is begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Begin {
    /// With the newest version, and with a handshake where the server says that it is older.
    Newest,
    /// With a handshake; whatever version the server names is good.
    Handshake,
    /// With this version and no other.
    Exactly(ProtocolVersion),
}

impl Begin {
    /// What a file asks for; the error is for people.
    pub(super) fn asked(protocol: &str) -> Result<Begin, String> {
        if protocol.is_empty() {
            return Ok(Begin::Newest);
        }
        let known = ProtocolVersion::KNOWN_VERSIONS;
        known.iter().find(|it| it.as_str() == protocol).cloned().map(Begin::Exactly).ok_or_else(|| {
            let known = known.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>().join(", ");
            format!("protocol `{protocol}` is not known; there are {known}")
        })
    }

    /// The version that a handshake offers.
    pub(super) fn offered(&self) -> ProtocolVersion {
        match self {
            Begin::Exactly(version) => version.clone(),
            Begin::Newest | Begin::Handshake => ProtocolVersion::LATEST_WITH_INITIALIZE,
        }
    }

    /// The same in the words of the library.
    pub(super) fn mode(&self) -> ClientLifecycleMode {
        match self {
            Begin::Newest => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::LATEST],
                legacy_version: Some(self.offered()),
            },
            Begin::Exactly(version) if !version.has_initialize() => {
                ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
            }
            Begin::Handshake | Begin::Exactly(_) => ClientLifecycleMode::Initialize,
        }
    }

    /// Whether the version that the server named will do; the error is for people.
    pub(super) fn check(&self, named: &ProtocolVersion) -> Result<(), String> {
        match self {
            Begin::Exactly(version) if version != named => {
                Err(format!("it was asked for protocol {version}, and speaks {named}"))
            }
            _ => Ok(()),
        }
    }
}

/// Why a connection did not begin.
#[derive(Debug)]
pub(super) struct NotBegun {
    /// For people.
    pub(super) message: String,
    /// Whether the question for the newest version may be to blame, so that a handshake is worth a try.
    pub(super) may_be_old: bool,
}

impl NotBegun {
    /// From what the library says.
    pub(super) fn new(error: &ClientInitializeError) -> NotBegun {
        use ClientInitializeError as E;
        let (message, may_be_old) = match error {
            E::JsonRpcError(error) => {
                (format!("it refused: {} (code {})", error.message, error.code.0), false)
            }
            E::ConnectionClosed(_) => ("it closed the connection before it answered".to_owned(), true),
            E::NoCompatibleProtocolVersion { client_supported, server_supported } => (
                format!(
                    "it speaks protocol {}, and not {}",
                    listed(server_supported),
                    listed(client_supported)
                ),
                true,
            ),
            E::TransportError { error, .. } => (told(error.error.as_ref()), true),
            E::LegacyFallbackFailed { fallback, .. } => return NotBegun::new(fallback),
            other => (told(other), true),
        };
        NotBegun { message, may_be_old }
    }
}

fn listed(versions: &[ProtocolVersion]) -> String {
    if versions.is_empty() {
        return "of no version that it tells".to_owned();
    }
    versions.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>().join(", ")
}

/// An error with its causes, each said once.
pub(super) fn told(error: &(dyn std::error::Error + 'static)) -> String {
    // The library's own words for what HTTP said leave out the cause, and what to do.
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => return told(error),
        Some(StreamableHttpError::AuthRequired(_)) => {
            return "it asks who we are (HTTP 401); `headers` can say that".to_owned();
        }
        Some(StreamableHttpError::InsufficientScope(_)) => {
            return "it does not let us in (HTTP 403)".to_owned();
        }
        _ => {}
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_asked_for_by_its_date() {
        assert_eq!(Begin::asked(""), Ok(Begin::Newest));
        assert_eq!(Begin::asked("2025-03-26"), Ok(Begin::Exactly(ProtocolVersion::V_2025_03_26)));
        let error = Begin::asked("2025-03-27").expect_err("no such version");
        assert!(error.starts_with("protocol `2025-03-27` is not known; there are 2024-11-05, "), "{error}");
    }

    #[test]
    fn the_version_that_was_asked_for_must_be_spoken() {
        let begin = Begin::Exactly(ProtocolVersion::V_2025_03_26);
        assert_eq!(begin.check(&ProtocolVersion::V_2025_03_26), Ok(()));
        let error = begin.check(&ProtocolVersion::V_2024_11_05).expect_err("another version");
        assert_eq!(error, "it was asked for protocol 2025-03-26, and speaks 2024-11-05");
        assert_eq!(Begin::Newest.check(&ProtocolVersion::V_2024_11_05), Ok(()));
    }
}
