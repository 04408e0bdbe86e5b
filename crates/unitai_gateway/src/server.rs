//! Opening a gateway, and closing it.

use std::cell::Cell;
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::{JoinSet, LocalSet};
use unitai_model::{Ending, Packed, Recorder, Trajectory};

use crate::GatewayError;
use crate::connection::Connection;
use crate::guard::Guard;
use crate::journal::{Journal, now};
use crate::settings::Settings;
use crate::shared::Shared;
use crate::trouble::Trouble;

/// A gateway that is open. It closes when it is dropped.
pub struct Gateway {
    port: u16,
    address: String,
    variables: Vec<(&'static str, String)>,
    bases: Vec<(String, String)>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Vec<Trouble>>>,
    recorder: Option<Recorder>,
    began: Instant,
    /// The process whose thread it is.
    process: u32,
}

/// What a gateway leaves.
pub struct Ended {
    recorder: Recorder,
    duration: Duration,
    /// What must not go unnoticed: requests that no recording answered, a budget that was used up.
    pub troubles: Vec<Trouble>,
}

/// Opens a gateway on a thread of its own.
///
/// ```
/// use unitai_gateway::{Settings, start};
/// let gateway = start(Settings::live(), "run-1", unitai_model::Packed::null()).unwrap();
/// assert!(gateway.address().starts_with("http://127.0.0.1:"));
/// assert!(gateway.variables().iter().any(|(name, _)| *name == "OPENAI_BASE_URL"));
/// let ended = gateway.stop();
/// assert!(ended.troubles.is_empty());
/// ```
pub fn start(settings: Settings, run_id: &str, input: Packed) -> Result<Gateway, GatewayError> {
    let asked = settings.port;
    let wrong = |error| GatewayError::Port { port: asked, error };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, asked)).map_err(wrong)?;
    listener.set_nonblocking(true).map_err(wrong)?;
    let port = listener.local_addr().map_err(wrong)?.port();
    settings.upstreams.refuse_own_port(port)?;
    let token = unitai_wire::token::make().map_err(|error| GatewayError::System(error.to_string()))?;
    let guard = Guard::new(token, port);
    settings.secrets.learn(guard.token());
    let address = guard.address();
    let variables = settings.upstreams.iter().flat_map(|upstream| upstream.variables(&address)).collect();
    let bases = settings
        .upstreams
        .iter()
        .map(|upstream| (upstream.name().to_owned(), format!("{address}/{}", upstream.name())));
    let bases = bases.collect();
    let recorder = Recorder::open(run_id, input, now(), u32::MAX);
    let port_of_record = recorder.port();
    let (stop, stopped) = oneshot::channel();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let run = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                let _ = ready.send(Err(error.to_string()));
                return Vec::new();
            }
        };
        let shared = Rc::new(Shared::new(settings, guard, Journal::new(port_of_record)));
        LocalSet::new().block_on(&runtime, serve(shared, listener, stopped, ready))
    };
    let thread = std::thread::Builder::new().name("unitai-gateway".to_owned()).spawn(run);
    let thread = thread.map_err(|error| GatewayError::System(error.to_string()))?;
    match is_ready.recv() {
        Ok(Ok(())) => {}
        Ok(Err(reason)) => return Err(GatewayError::System(reason)),
        Err(_) => return Err(GatewayError::System("its thread ended at once".to_owned())),
    }
    Ok(Gateway {
        port,
        address,
        variables,
        bases,
        stop: Some(stop),
        thread: Some(thread),
        recorder: Some(recorder),
        began: Instant::now(),
        process: std::process::id(),
    })
}

impl Gateway {
    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address, with the token that every request must hold.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The variables that lead clients here.
    pub fn variables(&self) -> &[(&'static str, String)] {
        &self.variables
    }

    /// All variables of a process whose clients are to come here, where `given` is what it would have. No proxy
    /// may stand between: both names of this machine are taken out, because clients compare names.
    pub fn environment(&self, given: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
        let bases = self.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let direct = ["NO_PROXY", "no_proxy"].map(|name| {
            let own = given(name).filter(|own| !own.trim().is_empty());
            let own = own.map_or(String::new(), |own| format!("{own},"));
            (name.to_owned(), format!("{own}localhost,127.0.0.1"))
        });
        bases.chain(direct).collect()
    }

    /// Each upstream with the address that stands for it here.
    pub fn bases(&self) -> &[(String, String)] {
        &self.bases
    }

    /// Closes the gateway: what is under way is answered within the grace period, and everything is written.
    pub fn stop(mut self) -> Ended {
        let troubles = self.close();
        let duration = self.began.elapsed();
        let recorder = self.recorder.take().unwrap_or_else(|| Recorder::open("", Packed::null(), 0.0, 0));
        Ended { recorder, duration, troubles }
    }

    fn close(&mut self) -> Vec<Trouble> {
        if std::process::id() != self.process {
            // A forked child has no such thread: to wait for it would be to wait for ever.
            std::mem::forget((self.stop.take(), self.thread.take()));
            return Vec::new();
        }
        if let Some(stop) = self.stop.take() {
            // It is gone already when the thread has ended by itself.
            let _ = stop.send(());
        }
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.close();
    }
}

impl Ended {
    /// What the agent did, and how it ended.
    pub fn trajectory(self, ending: Ending) -> Trajectory {
        self.recorder.finish(ending, self.duration.as_secs_f64())
    }
}

type Ready = std::sync::mpsc::Sender<Result<(), String>>;

async fn serve(
    shared: Rc<Shared>,
    listener: TcpListener,
    stopped: oneshot::Receiver<()>,
    ready: Ready,
) -> Vec<Trouble> {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            let _ = ready.send(Err(error.to_string()));
            return Vec::new();
        }
    };
    let _ = ready.send(Ok(()));
    let mut connections = JoinSet::new();
    let mut open: Vec<(tokio::task::AbortHandle, Rc<Cell<bool>>)> = Vec::new();
    tokio::pin!(stopped);
    loop {
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let is_busy = Rc::new(Cell::new(false));
                    let connection = Connection::new(shared.clone(), stream, is_busy.clone());
                    open.push((connections.spawn_local(connection.serve()), is_busy));
                }
                // Most often the process has too many files open: wait for some to close.
                Err(error) => {
                    shared.say(&format!("a connection could not be taken: {error}"));
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
        if open.len() > 64 + 2 * connections.len() {
            open.retain(|(task, _)| !task.is_finished());
        }
    }
    drop(listener);
    shared.is_stopping.set(true);
    open.iter().filter(|(_, is_busy)| !is_busy.get()).for_each(|(task, _)| task.abort());
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(shared.settings.grace, all).await.is_err() {
        shared.say("requests under way were cut off when the gateway closed");
        connections.shutdown().await;
    }
    if let Some(cassette) = &shared.settings.cassette {
        // Counts that could not be kept are no trouble of the run's.
        let _ = cassette.shelf().remember("", cassette.tally().counts());
    }
    shared.take_troubles()
}
