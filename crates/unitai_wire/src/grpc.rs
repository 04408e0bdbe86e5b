//! Where a gRPC call goes: its channel's target, in the spellings of gRPC, and the service that it asks.

/// The servers that a channel's target leads to, each with its port where the target names one; none where it leads to a
/// socket of this machine.
///
/// ```
/// use unitai_wire::grpc::servers;
/// assert_eq!(servers("api.x.ai:443"), [("api.x.ai", Some(443))]);
/// assert_eq!(servers("dns:///api.x.ai"), [("api.x.ai", None)]);
/// assert_eq!(servers("ipv6:[::1]:50051,[::2]:50051"), [("::1", Some(50051)), ("::2", Some(50051))]);
/// assert_eq!(servers("unix:/run/collector.sock"), []);
/// ```
pub fn servers(target: &str) -> Vec<(&str, Option<u16>)> {
    let (scheme, rest) = target.split_once(':').unwrap_or_default();
    match scheme.to_ascii_lowercase().as_str() {
        "unix" | "unix-abstract" | "vsock" => Vec::new(),
        "ipv4" | "ipv6" => rest.split(',').map(server).collect(),
        // dns://authority/host, xds:///host, and whatever else is registered.
        _ if rest.starts_with("//") => vec![server(rest[2..].split_once('/').map_or("", |(_, host)| host))],
        "dns" => vec![server(rest)],
        _ => vec![server(target)],
    }
}

fn server(address: &str) -> (&str, Option<u16>) {
    if let Some(rest) = address.strip_prefix('[') {
        let (host, port) = rest.split_once(']').unwrap_or((rest, ""));
        return (host, port.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match address.split_once(':') {
        // An address of version 6 without brackets has no port.
        Some((host, port)) if !port.contains(':') => (host, port.parse().ok()),
        _ => (address, None),
    }
}

/// The packages of services that make models speak, as the first parts of a method's full name.
const MODEL_PACKAGES: &[&str] = &["xai_api.", "google.cloud.aiplatform.", "google.ai.generativelanguage."];

/// Whether a method, as gRPC spells it (`/package.Service/Method`), is one of a service that serves models. It tells where
/// a channel's target does not: behind a gateway, or where the target is not known.
///
/// ```
/// use unitai_wire::grpc::is_model_method;
/// assert!(is_model_method("/xai_api.Chat/GetCompletion"));
/// assert!(!is_model_method("/opentelemetry.proto.collector.trace.v1.TraceService/Export"));
/// ```
pub fn is_model_method(method: &str) -> bool {
    let name = method.strip_prefix('/').unwrap_or(method);
    MODEL_PACKAGES.iter().any(|package| name.starts_with(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_target_leads_somewhere() {
        let told = [
            ("localhost:4317", vec![("localhost", Some(4317))]),
            (
                "dns://8.8.8.8/us-central1-aiplatform.googleapis.com:443",
                vec![("us-central1-aiplatform.googleapis.com", Some(443))],
            ),
            ("dns:api.x.ai", vec![("api.x.ai", None)]),
            ("xds:///aiplatform.googleapis.com", vec![("aiplatform.googleapis.com", None)]),
            ("ipv4:127.0.0.1:50051,10.0.0.1", vec![("127.0.0.1", Some(50051)), ("10.0.0.1", None)]),
            ("[::1]:50051", vec![("::1", Some(50051))]),
            ("::1", vec![("::1", None)]),
            ("unix:///tmp/collector.sock", vec![]),
            ("unix-abstract:collector", vec![]),
            ("vsock:2:50051", vec![]),
        ];
        for (target, expected) in told {
            assert_eq!(servers(target), expected, "{target}");
        }
    }
}
