//! A model call under way: its place in the record, and the money that is set aside for it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_model::{ExchangeEnd, Fault, ModelCall};
use unitai_wire::cassette::Tape;
use unitai_wire::exchange::{Exchange, How};
use unitai_wire::meter::{PriceTable, Reservation};

use super::belonging::Owner;
use super::budget::{patiently, unsettled};
use super::{Voice, tally};
use crate::gate::without_interpreter;
use crate::run::cancelled;

/// A model call under way. It is settled once, by the first thread that asks for it.
pub(crate) struct Watched {
    owner: Owner,
    /// Its step in the record of its run.
    step: Option<usize>,
    prices: Arc<PriceTable>,
    progress: Mutex<Progress>,
    /// Notified when the call becomes `Settled`.
    settled: Condvar,
}

/// How far a call has come. Settling writes to the disk and may wait for a ledger, with the interpreter released:
/// meanwhile the run can end on another thread, which must wait for the result.
enum Progress {
    UnderWay(Box<UnderWay>),
    Settling,
    Settled,
}

struct UnderWay {
    exchange: Exchange,
    reservation: Option<Reservation>,
    tape: Option<Tape>,
}

/// While a thread settles a call. Its end wakes those that wait, after a panic, too.
struct Settling<'a>(&'a Watched);

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        *self.0.progress() = Progress::Settled;
        self.0.settled.notify_all();
    }
}

impl Watched {
    /// The call begins: it takes its place among the steps of its run.
    pub(super) fn begin(
        py: Python<'_>,
        owner: Owner,
        exchange: Exchange,
        reservation: Option<Reservation>,
        tape: Option<Tape>,
        prices: Arc<PriceTable>,
    ) -> PyResult<Arc<Watched>> {
        let step = match owner.run() {
            Some(run) => Some(run.begin_model_call(py, exchange.begun())?),
            None => None,
        };
        let progress = Mutex::new(Progress::UnderWay(Box::new(UnderWay { exchange, reservation, tape })));
        let watched = Arc::new(Watched { owner, step, prices, progress, settled: Condvar::new() });
        if let Some(run) = watched.owner.run() {
            run.watch(&watched);
        }
        Ok(watched)
    }

    /// Its step in the record of its run.
    pub(crate) fn step(&self) -> Option<usize> {
        self.step
    }

    /// Settles the call if its answer has begun, because the run ends and the rest will not be read. Waits for a
    /// thread that is settling it already.
    pub(crate) fn settle_if_begun(&self, py: Python<'_>) {
        if self.with(|exchange| exchange.has_head()) == Some(true) {
            self.settle(py, &How::Closed);
        }
        if matches!(*self.progress(), Progress::Settling) {
            without_interpreter(py, || {
                let settling = |progress: &mut Progress| matches!(progress, Progress::Settling);
                drop(self.settled.wait_while(self.progress(), settling));
            });
        }
    }

    /// Refuses to go on when the run has been ended meanwhile.
    pub(super) fn check(&self, py: Python<'_>) -> PyResult<()> {
        match self.owner.run() {
            Some(run) if run.is_over() || run.is_cut_off() => {
                self.settle(py, &How::Closed);
                Err(cancelled(py))
            }
            _ => Ok(()),
        }
    }

    /// Writes down that the call met a fault.
    pub(super) fn note_fault(&self, fault: Fault) {
        if let (Some(run), Some(step)) = (self.owner.run(), self.step) {
            run.note_fault(step, fault);
        }
    }

    /// Looks at, or feeds, the exchange; nothing when the call is settled.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Exchange) -> T) -> Option<T> {
        match &mut *self.progress() {
            Progress::UnderWay(call) => Some(work(&mut call.exchange)),
            Progress::Settling | Progress::Settled => None,
        }
    }

    /// Feeds the tape, where the call is recorded.
    pub(super) fn with_tape(&self, work: impl FnOnce(&mut Tape)) {
        if let Progress::UnderWay(call) = &mut *self.progress() {
            call.tape.as_mut().map(work);
        }
    }

    /// The call is over: its record, its recording and its budget are settled.
    pub(super) fn settle(&self, py: Python<'_>, how: &How) {
        let Some(under_way) = self.take() else { return };
        let _settling = Settling(self);
        self.settle_taken(py, under_way, how);
    }

    /// Takes what is under way, to settle it; nothing when another thread did.
    fn take(&self) -> Option<UnderWay> {
        let mut progress = self.progress();
        match std::mem::replace(&mut *progress, Progress::Settling) {
            Progress::UnderWay(call) => Some(*call),
            other => {
                *progress = other;
                None
            }
        }
    }

    fn settle_taken(&self, py: Python<'_>, under_way: UnderWay, how: &How) {
        let UnderWay { exchange, reservation, tape } = under_way;
        let call = exchange.ended(how, &self.prices);
        tally::count(&call);
        self.keep(py, tape, &exchange, &call);
        let has_limit = exchange.asked().request.max_output.is_some();
        let model = call.model.clone();
        let paid = reservation.map_or(Ok(()), |reservation| {
            patiently(py, reservation.may_wait(), || reservation.settle_call(&call))
        });
        if let (Some(run), Some(step)) = (self.owner.run(), self.step) {
            run.note_answer(step, exchange.calls(), exchange.text());
            run.settle_model_call(step, call);
        }
        let Err(trouble) = paid else { return };
        let remedy = if has_limit {
            "it took more than its request allows: look at the counts of the provider, or of the script"
        } else {
            "give each call a limit of its output, so that what it can cost is known before it is sent"
        };
        let error = unsettled(py, &trouble, &model, remedy);
        self.owner.rules().note(py, trouble.place(), &error, self.owner.run().is_some());
        if let Some(run) = self.owner.run() {
            run.doom(py, error);
        }
    }

    /// Keeps the recording of a call that was answered to its end; notes what a replay saved.
    fn keep(&self, py: Python<'_>, tape: Option<Tape>, exchange: &Exchange, call: &ModelCall) {
        let Some(Voice::Cassette(cassette)) = self.owner.voice() else { return };
        let Some(wire) = &call.exchange else { return };
        let is_answered = matches!(wire.end, ExchangeEnd::Answered { .. });
        if is_answered && let Some(cost) = call.cost.filter(|_| wire.recorded_latency.is_some()) {
            cassette.get().tapes.tally().saved(cost);
        }
        let Some(mut tape) = tape else { return };
        // Otherwise nobody would know why a replay misses it.
        if let Some(why) = tape.unstored(&wire.end) {
            cassette.get().note_lost(format!("{}: {}", plain(&call.model), plain(&why)));
        }
        if !is_answered || !tape.is_worth_keeping() {
            return;
        }
        let usage = wire.raw_usage.as_ref().and_then(|usage| serde_json::from_str(usage.text()).ok());
        let (is_streamed, hides_usage) = (exchange.asked().request.streamed, exchange.hides_usage());
        if let Err(error) = without_interpreter(py, || tape.keep(is_streamed, hides_usage, usage)) {
            cassette.get().note_unstored(py, error);
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
