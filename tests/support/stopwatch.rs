//! A stopwatch for tests whose subject is time: it tells how long something took, without the time for which the
//! machine was busy with other work. A deadline holds on a busy machine if it holds by `fair`; without lag, that is
//! as strict as the clock.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long the measuring thread sleeps at a time.
const TICK: Duration = Duration::from_millis(10);

/// Runs from its start on.
pub(crate) struct Stopwatch {
    began: Instant,
    lateness: Arc<Mutex<Lateness>>,
}

/// How late this process is scheduled, by the overshoot of many short sleeps.
struct Lateness {
    /// Of the sleeps that are over.
    total: Duration,
    /// When the present sleep should end.
    due: Instant,
}

impl Stopwatch {
    /// A stopwatch that runs.
    pub(crate) fn start() -> Stopwatch {
        let began = Instant::now();
        let lateness = Arc::new(Mutex::new(Lateness { total: Duration::ZERO, due: began + TICK }));
        let measured = Arc::downgrade(&lateness);
        // It ends with its stopwatch.
        thread::spawn(move || {
            loop {
                thread::sleep(TICK);
                let Some(lateness) = measured.upgrade() else { return };
                let mut lateness = lateness.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                let overshoot = now.saturating_duration_since(lateness.due);
                lateness.total += overshoot;
                lateness.due = now + TICK;
            }
        });
        Stopwatch { began, lateness }
    }

    /// How long it would have taken so far if the process had been scheduled whenever it was ready.
    pub(crate) fn fair(&self) -> Duration {
        let lateness = self.lateness.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let lag = lateness.total + now.saturating_duration_since(lateness.due);
        (now - self.began).saturating_sub(lag)
    }
}
