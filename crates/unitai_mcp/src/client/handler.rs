//! What servers may ask of us. A test has nobody to talk to, so a model and a person are refused; the project's root is
//! told.

#![expect(
    deprecated,
    reason = "roots and sampling are on their way out of the protocol, and servers of today use them"
)]

use std::path::{Path, PathBuf};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData,
    Implementation, ListRootsResult, ProtocolVersion, Root,
};
use rmcp::service::{RequestContext, RoleClient};

/// Our side of a connection.
#[derive(Debug)]
pub(super) struct Handler {
    root: PathBuf,
    version: ProtocolVersion,
}

impl Handler {
    /// For a project and the version that is offered in a handshake.
    pub(super) fn new(root: &Path, version: ProtocolVersion) -> Handler {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        Handler { root, version }
    }
}

// Elicitation is declined, and a ping is answered, by default.
impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let ours = Implementation::new("unitai", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::builder().enable_roots().build(), ours)
            .with_protocol_version(self.version.clone())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new(file_uri(&self.root)).with_name("project")]))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let message = "sampling is not supported: a test has no model for its servers";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// The address of a folder.
fn file_uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let begin = if text.starts_with('/') { "file://" } else { "file:///" };
    let mut uri = begin.to_owned();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(byte.into())
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_an_address() {
        assert_eq!(file_uri(Path::new("/a b/ü")), "file:///a%20b/%C3%BC");
    }
}
