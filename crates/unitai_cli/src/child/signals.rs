//! Signals that are for a command that we started, and not the end of our own process.

/// Caught signals, in their order.
#[cfg(unix)]
pub(crate) struct Signals(std::sync::Mutex<signal_hook::iterator::Signals>, signal_hook::iterator::Handle);

#[cfg(unix)]
impl Signals {
    pub(crate) fn catch() -> std::io::Result<Signals> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let handle = signals.handle();
        Ok(Signals(std::sync::Mutex::new(signals), handle))
    }

    /// Waits for the next one; nothing when nobody waits any more.
    pub(crate) fn wait(&self) -> Option<i32> {
        let mut signals = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        signals.forever().next()
    }

    /// Lets those go who wait.
    pub(crate) fn close(&self) {
        self.1.close();
    }
}

/// Elsewhere the console tells every process of the command itself.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn catch() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    pub(crate) fn wait(&self) -> Option<i32> {
        loop {
            std::thread::park();
        }
    }
}
