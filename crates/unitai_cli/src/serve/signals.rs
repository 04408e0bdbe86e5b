//! Signals that are for the command, or for the gateway, and not the end of the process.

/// Caught signals, in their order.
#[cfg(unix)]
pub(super) struct Signals(std::sync::Mutex<signal_hook::iterator::Signals>, signal_hook::iterator::Handle);

#[cfg(unix)]
impl Signals {
    pub(super) fn catch() -> std::io::Result<Signals> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let handle = signals.handle();
        Ok(Signals(std::sync::Mutex::new(signals), handle))
    }

    /// Waits for the next one; nothing when nobody waits any more.
    pub(super) fn wait(&self) -> Option<i32> {
        let mut signals = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        signals.forever().next()
    }

    /// Lets those go who wait.
    pub(super) fn close(&self) {
        self.1.close();
    }
}

/// Elsewhere the console tells every process of the command itself.
#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(super) fn catch() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    pub(super) fn wait(&self) -> Option<i32> {
        loop {
            std::thread::park();
        }
    }
}
