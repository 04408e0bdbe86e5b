//! The server over HTTP: connections, and their end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, ORIGIN, VARY, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::ending::Ending;
use super::guard::{Admission, Refusal};
use super::handler::Handler;
use super::offer::Offer;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

/// More connections than this wait.
const MOST_CONNECTIONS: usize = 256;

/// How long answers that are under way may still take when the server is asked to end.
const GRACE: Duration = Duration::from_secs(2);

/// How long the head of a request may take to come.
const HEAD: Duration = Duration::from_secs(30);

/// A session without a request for this long is forgotten. A test may run for most of it.
const IDLE: Duration = Duration::from_secs(3600);

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// How to serve over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where to listen; port 0 is any that is free.
    pub address: SocketAddr,
    /// Whom to let in.
    pub admission: Admission,
    /// The most bytes of a request's body.
    pub most_bytes: usize,
}

impl HttpOptions {
    /// On any free port of this machine.
    pub fn new(admission: Admission) -> HttpOptions {
        HttpOptions { address: SocketAddr::from(([127, 0, 0, 1], 0)), admission, most_bytes: 4 << 20 }
    }
}

/// A server that listens, and serves once it is run.
pub struct HttpServer {
    listener: TcpListener,
    offer: Arc<Offer>,
    admission: Arc<Admission>,
    service: Service,
    end: CancellationToken,
}

/// Serves over HTTP until a signal asks to end. `ready` is told the address once there is one. When this returns,
/// everything is cleaned up; what went wrong with that is told.
pub async fn serve_http(
    offer: Arc<Offer>,
    options: HttpOptions,
    ready: impl FnOnce(&str),
) -> io::Result<Vec<String>> {
    let ending = Ending::listen()?;
    let server = HttpServer::listen(offer, options).await?;
    ready(&server.url()?);
    Ok(server.run(ending.asked()).await)
}

impl HttpServer {
    /// Listens. An address that others can reach must be guarded by a token.
    pub async fn listen(offer: Arc<Offer>, options: HttpOptions) -> io::Result<HttpServer> {
        let HttpOptions { address, admission, most_bytes } = options;
        if !address.ip().is_loopback() && !admission.has_token() {
            let why = format!(
                "{address} can be reached by others, and everybody could run tests here; ask for a token"
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let listener = TcpListener::bind(address).await?;
        let end = CancellationToken::new();
        // The guard has looked at names and pages already, and more strictly. Streams begin with their first message:
        // clients that are in use (Gemini CLI) read an event without data as broken JSON, and disconnect.
        let config = StreamableHttpServerConfig::default()
            .with_sse_retry(None)
            .with_cancellation_token(end.clone())
            .with_max_request_body_bytes(most_bytes)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        sessions.session_config.sse_retry = None;
        let handler = Handler(offer.clone());
        let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(sessions), config);
        Ok(HttpServer { listener, offer, admission: Arc::new(admission), service, end })
    }

    /// Where clients find it.
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}{PATH}", self.listener.local_addr()?))
    }

    /// Serves until `asked` is ready, then answers what is under way within a short time, and cleans up.
    pub async fn run(self, asked: impl Future<Output = ()>) -> Vec<String> {
        let HttpServer { listener, offer, admission, service, end } = self;
        let warming = tokio::spawn({
            let offer = offer.clone();
            async move { drop(offer.tools().await) }
        });
        let graceful = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut asked = std::pin::pin!(asked);
        loop {
            let accepted = async {
                let place = places.clone().acquire_owned().await;
                (listener.accept().await, place)
            };
            let (accepted, place) = tokio::select! {
                () = &mut asked => break,
                accepted = accepted => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, service.clone(), admission.clone());
                    let connection = graceful.watch(connection);
                    tokio::spawn(async move {
                        // A client that goes away in the middle is its own affair.
                        let _ = connection.await;
                        drop(place);
                    });
                }
                // Usually there are too many open files: others may close some.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        drop(listener);
        end.cancel();
        let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
        warming.abort();
        let _ = warming.await;
        offer.close().await
    }
}

fn connection(
    stream: TcpStream,
    service: Service,
    admission: Arc<Admission>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send {
    let _ = stream.set_nodelay(true);
    let answer = move |request: Request<Incoming>| {
        let (service, admission) = (service.clone(), admission.clone());
        async move { Ok::<_, Infallible>(answer(request, &service, &admission).await) }
    };
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service_fn(answer))
}

async fn answer(request: Request<Incoming>, service: &Service, admission: &Admission) -> Answer {
    let admitted = admission.admit_target(request.uri()).and_then(|()| admission.admit(request.headers()));
    if let Err(refusal) = admitted {
        return refused(refusal);
    }
    let origin = request.headers().get(ORIGIN).cloned();
    let mut answer = match (request.method(), request.uri().path()) {
        (&Method::OPTIONS, PATH) if origin.is_some() => leave(),
        (_, PATH) => match admission.identify(request.headers()) {
            Ok(()) => service.handle(request).await,
            Err(refusal) => refused(refusal),
        },
        _ => said(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp"),
    };
    if let Some(origin) = origin {
        let headers = answer.headers_mut();
        headers.insert("access-control-allow-origin", origin);
        headers.insert("access-control-expose-headers", HeaderValue::from_static("mcp-session-id"));
        headers.insert(VARY, HeaderValue::from_static("origin"));
    }
    answer
}

/// What a browser is told that asks whether a page may send more than a form could.
fn leave() -> Answer {
    let mut answer = said(StatusCode::NO_CONTENT, "");
    let headers = answer.headers_mut();
    headers.insert("access-control-allow-methods", HeaderValue::from_static("GET, POST, DELETE"));
    let names = "authorization, content-type, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
    headers.insert("access-control-allow-headers", HeaderValue::from_static(names));
    answer
}

fn refused(refusal: Refusal) -> Answer {
    match refusal {
        Refusal::Forbidden(why) => said(StatusCode::FORBIDDEN, why),
        Refusal::Unauthorized => {
            let mut answer = said(StatusCode::UNAUTHORIZED, "the token is missing, or not this server's");
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            answer
        }
    }
}

fn said(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}
