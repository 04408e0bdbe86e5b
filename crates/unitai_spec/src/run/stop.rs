//! A way to end a test from outside. Its teardown still runs.

use std::sync::Arc;

use tokio::sync::watch;

/// A handle that ends a test. Clones end the same one.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Stop {
        Stop(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Asks the test to end now.
    pub fn ask(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was asked.
    pub fn is_asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is asked.
    pub async fn asked(&self) {
        let mut seen = self.0.subscribe();
        // The sender lives as long as this handle, so waiting cannot fail.
        let _ = seen.wait_for(|asked| *asked).await;
    }
}
