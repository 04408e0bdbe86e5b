//! Whom a model request belongs to: a run, a script or cassette outside any run, or those who pay for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use unitai_model::Source;
use unitai_wire::{Target, dialects};

use super::policy::Rules;
use super::purse::{self, Purse, purse_here};
use super::{Voice, tally};
use crate::attribute::Attribute;
use crate::context::ContextStack;
use crate::errors::{Trouble, class};
use crate::gate;
use crate::mock::CONTEXT_RUNS;
use crate::run::{Run, cancelled};

/// Whom a request belongs to.
pub(super) enum Owner {
    /// A run, who speaks for its model, if somebody does, and what stands around the context besides the run's own.
    Run(Py<Run>, Option<Voice>, Option<Py<Purse>>),
    /// Nobody but the voice itself, outside any run, and who pays for it.
    Voice(Voice, Option<Py<Purse>>),
    /// Nobody at all, but somebody pays for it, or counts it.
    Outside(Option<Py<Purse>>),
}

impl Owner {
    pub(super) fn voice(&self) -> Option<&Voice> {
        match self {
            Owner::Run(_, voice, _) => voice.as_ref(),
            Owner::Voice(voice, _) => Some(voice),
            Owner::Outside(_) => None,
        }
    }

    pub(super) fn run(&self) -> Option<&Run> {
        match self {
            Owner::Run(run, ..) => Some(run.get()),
            Owner::Voice(..) | Owner::Outside(_) => None,
        }
    }

    /// What stands around it.
    pub(super) fn purse(&self) -> Option<&Purse> {
        match self {
            Owner::Run(_, _, purse) | Owner::Voice(_, purse) | Owner::Outside(purse) => {
                purse.as_ref().map(|purse| purse.get())
            }
        }
    }

    /// Who answers it.
    pub(super) fn source(&self) -> Source {
        match self.voice() {
            Some(Voice::Script(_)) => Source::Script,
            Some(Voice::Cassette(cassette)) if cassette.get().is_replay() => Source::Replay,
            Some(Voice::Cassette(_)) | None => Source::Live,
        }
    }

    pub(super) fn rules(&self) -> Rules {
        match self {
            Owner::Run(run, ..) => run.get().rules().clone().paid_from(self.purse()),
            Owner::Voice(..) | Owner::Outside(_) => Rules::outside_runs(self.purse()),
        }
    }

    /// The model to use instead of what a request asks for. Whoever only pays changes no request.
    pub(super) fn model(&self) -> Option<Arc<str>> {
        match self {
            Owner::Outside(_) => None,
            owner => owner.rules().model(),
        }
    }

    pub(super) fn blocks_network(&self) -> bool {
        self.rules().blocks_network || self.voice().is_some_and(Voice::blocks_network)
    }
}

/// What is under way in this process.
#[derive(Default)]
struct Live {
    runs: Vec<Py<Run>>,
    /// Each with how many others its opener's context was in already.
    voices: Vec<(Voice, usize)>,
    /// A set of the threads that outlived their run, once there is one.
    left_behind: Option<Py<PyAny>>,
}

/// The process has one wire, so what is live on it is known in one place. No Python code may run
/// while this is held, not even the end of an object's life.
fn live() -> MutexGuard<'static, Live> {
    static LIVE: Mutex<Live> = Mutex::new(Live { runs: Vec::new(), voices: Vec::new(), left_behind: None });
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn open_run(run: Py<Run>) {
    live().runs.push(run);
}

/// Takes a run off the wire. `left_behind` are threads that it did not wait for.
pub(crate) fn close_run(run: &Bound<'_, Run>, left_behind: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = run.py();
    let closed = {
        let mut live = live();
        let at = live.runs.iter().position(|other| other.is(run));
        at.map(|at| live.runs.swap_remove(at))
    };
    drop(closed);
    if left_behind.len()? == 0 {
        return Ok(());
    }
    let known = live().left_behind.as_ref().map(|threads| threads.clone_ref(py));
    let threads = match known {
        Some(threads) => threads.into_bound(py),
        None => py.import("weakref")?.attribute("WeakSet")?.call0()?,
    };
    threads.call_method1("update", (left_behind,))?;
    let replaced = live().left_behind.replace(threads.unbind());
    drop(replaced);
    Ok(())
}

/// How many tests block the network at present. A block holds for the whole process: a connection that
/// a thread without context opens is meant, too.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// From here on, no connection leaves this machine.
#[pyfunction]
pub(crate) fn block_network() {
    BLOCKS.fetch_add(1, Ordering::Relaxed);
}

/// Takes back one `block_network`.
#[pyfunction]
pub(crate) fn unblock_network() {
    BLOCKS.fetch_sub(1, Ordering::Relaxed);
}

pub(super) fn is_network_blocked() -> bool {
    BLOCKS.load(Ordering::Relaxed) > 0
}

/// Forgets what is live without ending it: it belongs to the process that this one was forked from.
pub(super) fn forget_live_traffic() {
    std::mem::forget(std::mem::take(&mut *live()));
    WITH_APIS.store(0, Ordering::Relaxed);
    BLOCKS.store(0, Ordering::Relaxed);
}

/// The scripts and cassettes that the current context is in.
static CONTEXT_VOICES: ContextStack = ContextStack::new("unitai_voices");

/// How many cassettes that are open declare APIs of their own. Nobody asks further while there is none.
static WITH_APIS: AtomicUsize = AtomicUsize::new(0);

/// From here on, model requests of this context are answered by the script or cassette.
#[pyfunction]
pub(crate) fn open_traffic(voice: &Bound<'_, PyAny>) -> PyResult<()> {
    let opened = Voice::of(voice)?;
    let depth = CONTEXT_VOICES.enter(voice)?;
    if matches!(&opened, Voice::Cassette(cassette) if cassette.get().declares_apis()) {
        WITH_APIS.fetch_add(1, Ordering::Relaxed);
    }
    live().voices.push((opened, depth));
    Ok(())
}

/// The script or cassette answers no more.
#[pyfunction]
pub(crate) fn close_traffic(voice: &Bound<'_, PyAny>) -> PyResult<()> {
    Voice::of(voice)?.close();
    let closed = {
        let mut live = live();
        let at = live.voices.iter().position(|(other, _)| other.object().is(voice));
        at.map(|at| live.voices.swap_remove(at).0)
    };
    if matches!(&closed, Some(Voice::Cassette(cassette)) if cassette.get().declares_apis()) {
        WITH_APIS.fetch_sub(1, Ordering::Relaxed);
    }
    drop(closed);
    CONTEXT_VOICES.leave(voice)
}

/// Whether some cassette records requests to this address though it is no model's.
pub(super) fn is_declared_api(py: Python<'_>, url: &str) -> bool {
    if WITH_APIS.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let voices: Vec<Voice> = live().voices.iter().map(|(voice, _)| voice.clone_ref(py)).collect();
    voices.iter().any(|voice| matches!(voice, Voice::Cassette(cassette) if cassette.get().records_api(url)))
}

/// Who speaks for the model of a run which begins here. Where it could be one of several, nobody may: the run would go
/// out to the provider.
pub(crate) fn voice_here(py: Python<'_>) -> PyResult<Option<Voice>> {
    if live().voices.is_empty() {
        return Ok(None);
    }
    if let Some(voice) = innermost_voice(py)? {
        return Ok(Some(voice));
    }
    let live = live();
    let (innermost, voices) = (innermost_live(py, &live), live.voices.len());
    drop(live);
    if innermost.is_none() && voices > 0 {
        return Err(ambiguous(py, 0, voices));
    }
    Ok(innermost)
}

/// The innermost of all that are open, if each was opened inside of the one before: then it is meant, also by who
/// has no context. `None` when there are several beside each other.
fn innermost_live(py: Python<'_>, live: &Live) -> Option<Voice> {
    let mut depths: Vec<usize> = live.voices.iter().map(|(_, depth)| *depth).collect();
    depths.sort_unstable();
    let is_stack = depths.iter().enumerate().all(|(at, depth)| at == *depth);
    let innermost = live.voices.iter().max_by_key(|(_, depth)| *depth).filter(|_| is_stack);
    innermost.map(|(voice, _)| voice.clone_ref(py))
}

fn innermost_voice(py: Python<'_>) -> PyResult<Option<Voice>> {
    for voice in CONTEXT_VOICES.here(py)?.iter().rev() {
        let voice = Voice::of(&voice)?;
        if !voice.is_closed() {
            return Ok(Some(voice));
        }
    }
    Ok(None)
}

/// Whom a request from here belongs to; nobody, when neither a run nor a script is under way, and no budget
/// stands. What belongs to a run that is over is refused: it must not spend.
pub(super) fn owner(py: Python<'_>) -> PyResult<Option<Owner>> {
    if let Some(run) = Run::innermost_of_thread(py) {
        return of_run(py, run).map(Some);
    }
    if let Some(run) = CONTEXT_RUNS.here(py)?.iter().next_back() {
        return of_run(py, run.cast_into::<Run>()?.unbind()).map(Some);
    }
    if let Some(voice) = innermost_voice(py)? {
        return Ok(Some(Owner::Voice(voice, purse_here(py)?)));
    }
    refuse_left_behind(py)?;
    let live = live();
    match (live.runs.as_slice(), live.voices.as_slice()) {
        ([], []) => {
            drop(live);
            let purse = purse_here(py)?;
            Ok((purse.is_some() || tally::counts_outside_runs()).then_some(Owner::Outside(purse)))
        }
        ([run], _) => {
            let run = run.clone_ref(py);
            drop(live);
            of_run(py, run).map(Some)
        }
        (runs, voices) => {
            let innermost = if runs.is_empty() { innermost_live(py, &live) } else { None };
            let (runs, voices) = (runs.len(), voices.len());
            drop(live);
            match innermost {
                Some(voice) => Ok(Some(Owner::Voice(voice, purse_here(py)?))),
                None => Err(ambiguous(py, runs, voices)),
            }
        }
    }
}

/// Whether models are answered from memory here, so that no request to one leaves. With an address: whether it is one of
/// these requests.
#[pyfunction]
#[pyo3(signature = (url=None))]
pub(crate) fn keeps_models_in(py: Python<'_>, url: Option<&str>) -> bool {
    let is_model = url.is_none_or(|url| {
        Target::of(url).is_some_and(|target| target.is_model_host() || dialects::claiming(&target).is_some())
    });
    is_model
        && owner(py)
            .is_ok_and(|owner| owner.is_some_and(|owner| owner.voice().is_some_and(Voice::keeps_models_in)))
}

/// Whom a model's request from here belongs to. When it could be anybody's, all of them are told: a client
/// may swallow the error, and one of their records lacks a call.
pub(super) fn owner_of_request(py: Python<'_>) -> PyResult<Option<Owner>> {
    owner(py).inspect_err(|error| {
        let is_ambiguous =
            class(py, "AmbiguousRunError").is_ok_and(|class| error.matches(py, class).unwrap_or(false));
        if !is_ambiguous {
            return;
        }
        let (runs, voices): (Vec<Py<Run>>, Vec<Voice>) = {
            let live = live();
            let runs = live.runs.iter().map(|run| run.clone_ref(py)).collect();
            (runs, live.voices.iter().map(|(voice, _)| voice.clone_ref(py)).collect())
        };
        voices.iter().for_each(|voice| voice.note_trouble(py, error));
        runs.iter().for_each(|run| run.get().doom(py, error.clone_ref(py)));
    })
}

/// The run that whatever happens here belongs to, of any toolkit; `None` when no run is under way. What belongs to a run
/// that is over is refused. When it could be one of several, all of them end: the call is missing in one of their records.
#[pyfunction]
pub(crate) fn run_here(py: Python<'_>) -> PyResult<Option<Py<Run>>> {
    let here = match Run::innermost_of_thread(py) {
        None => match CONTEXT_RUNS.here(py)?.iter().next_back() {
            Some(run) => Some(run.cast_into::<Run>()?.unbind()),
            None => None,
        },
        run => run,
    };
    let run = match here {
        Some(run) => run,
        None => {
            refuse_left_behind(py)?;
            let runs: Vec<Py<Run>> = live().runs.iter().map(|run| run.clone_ref(py)).collect();
            match runs.as_slice() {
                [] => return Ok(None),
                [run] => run.clone_ref(py),
                several => {
                    let error = ambiguous(py, several.len(), 0);
                    several.iter().for_each(|run| run.get().doom(py, error.clone_ref(py)));
                    return Err(error);
                }
            }
        }
    };
    if run.get().is_over() || run.get().is_cut_off() { Err(cancelled(py)) } else { Ok(Some(run)) }
}

fn of_run(py: Python<'_>, run: Py<Run>) -> PyResult<Owner> {
    if run.get().is_over() || run.get().is_cut_off() {
        return Err(cancelled(py));
    }
    // What was opened inside of the run comes first. A script that is over still answers for its
    // run, with a refusal: what was begun under a script must not go out.
    let voice = innermost_voice(py)?.or_else(|| run.get().voice().map(|voice| voice.clone_ref(py)));
    Ok(Owner::Run(run, voice, purse::of_context(py)?))
}

fn refuse_left_behind(py: Python<'_>) -> PyResult<()> {
    let Some(threads) = live().left_behind.as_ref().map(|threads| threads.clone_ref(py)) else {
        return Ok(());
    };
    let thread = gate::call(&py.import("threading")?.attribute("current_thread")?, (), None)?;
    let is_left = gate::call(&threads.bind(py).attribute("__contains__")?, (&thread,), None)?.is_truthy()?;
    if is_left { Err(cancelled(py)) } else { Ok(()) }
}

fn ambiguous(py: Python<'_>, runs: usize, voices: usize) -> PyErr {
    let (count, what) = if runs > 1 { (runs, "runs") } else { (voices, "scripted models or cassettes") };
    Trouble::new(
        "AmbiguousRunError",
        format!("{count} {what} are under way, and this request or tool call could belong to any"),
    )
    .expected("a request from within the context of one of them")
    .found("a request from a thread without that context")
    .remedy("start the thread with contextvars.copy_context().run")
    .into_err(py)
}
