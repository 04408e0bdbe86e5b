//! When a server is asked to end. Once this listens, signals do nothing by themselves any more: a second one, which
//! some clients send a moment after the first, cannot cut the cleanup short.

use std::io;

/// Signals that ask a server to end, listened to from the moment that this is made.
#[cfg(unix)]
pub(super) struct Ending([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Ending {
    pub(super) fn listen() -> io::Result<Ending> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Ending([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    pub(super) async fn asked(mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// The console's way to ask.
#[cfg(windows)]
pub(super) struct Ending(tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlBreak);

#[cfg(windows)]
impl Ending {
    pub(super) fn listen() -> io::Result<Ending> {
        Ok(Ending(tokio::signal::windows::ctrl_c()?, tokio::signal::windows::ctrl_break()?))
    }

    pub(super) async fn asked(mut self) {
        tokio::select! {
            _ = self.0.recv() => {}
            _ = self.1.recv() => {}
        }
    }
}
