//! Recordings of what models answered, and their replay.
//!
//! A cassette is a folder of files, one for each request that was asked, named by its [`key`](Inquiry).
//! A file keeps its answers in slots, so that a request which was asked n times replays n answers in their
//! order. What is stored is what is matched: secrets are taken out before the key is made. A request that
//! is not there is a [`Miss`], which says what is nearest and how it differs.

mod cleaning;
mod difference;
mod entry;
mod full_disk;
mod housekeeping;
pub mod import;
mod inquiry;
mod media;
mod miss;
mod seat;
mod shelf;
mod tally;
mod tape;
mod telling;
mod ticket;
mod unredacted;
mod verify_replay;
mod volatile;

pub use entry::{Chunk, Damage, Entry, Recording, Slot};
pub use housekeeping::{Stats, Unused};
pub use inquiry::Inquiry;
pub use miss::{Miss, Reason};
pub use seat::Seat;
pub use shelf::Shelf;
pub use tally::{Counts, Tally, redacted_note};
pub use tape::Tape;
pub use ticket::Ticket;
pub use unitai_model::TapeMode as Mode;
pub use verify_replay::{NotReplayable, ReplayDefect};
pub use volatile::Volatile;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rustc_hash::FxBuildHasher;

use crate::redact::Secrets;

/// How a cassette is opened.
pub struct Options {
    /// Where the answers come from.
    pub mode: Mode,
    /// How old a recording may be; `None` for any age.
    pub ttl: Option<Duration>,
    /// What differs from one time to the next and means nothing.
    pub volatile: Vec<Volatile>,
    /// What must never be written.
    pub secrets: Arc<Secrets>,
}

/// How old a recording may be that lives for so many hours; any age for 0. `None` when that is no number of hours.
///
/// ```
/// use unitai_wire::cassette::ttl_of_hours;
/// assert_eq!(ttl_of_hours(1.5), Some(Some(std::time::Duration::from_secs(5400))));
/// assert_eq!(ttl_of_hours(0.0), Some(None));
/// assert_eq!(ttl_of_hours(-1.0), None);
/// ```
pub fn ttl_of_hours(hours: f64) -> Option<Option<Duration>> {
    (0.0..=1e9).contains(&hours).then(|| (hours > 0.0).then(|| Duration::from_secs_f64(hours * 3600.0)))
}

/// An opened folder of recordings. Opening reads nothing: each entry is read when it is asked for, once.
pub struct Cassette {
    shelf: Arc<Shelf>,
    options: Arc<Options>,
    /// Recordings of this scope and key that are older than this are replaced when it is recorded again.
    opened: SystemTime,
    state: Mutex<State>,
    tally: Arc<Tally>,
    begins_again: bool,
    marked: unredacted::MarkedRequests,
}

#[derive(Default)]
struct State {
    entries: HashMap<Arc<str>, Arc<[Slot]>, FxBuildHasher>,
    /// Damaged files that were set aside.
    set_aside: Vec<Damage>,
    /// Recordings of other tests that answered a test which has none of its own.
    borrowed: BTreeSet<String>,
    /// Who asked what, by scope and key.
    seats: HashMap<(Arc<str>, Arc<str>), Arc<Seat>, FxBuildHasher>,
}

/// What a cassette has for a request.
pub enum Look {
    /// An answer.
    Hit {
        /// The answer.
        recording: Arc<Recording>,
        /// Where it stands among the answers to the request.
        place: usize,
    },
    /// Nothing: the provider is to be asked, and its answer kept with this ticket.
    Record(Ticket),
}

/// Something is wrong with a recording, or with the folder.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// There is no recording, and nothing else may answer.
    #[error("{0}")]
    Miss(Box<Miss>),
    /// A file is not what was written.
    #[error("{}", .0)]
    Damaged(Box<Damage>),
    /// A replay could not give back what was answered, so that it is not stored.
    #[error(transparent)]
    NotReplayable(#[from] NotReplayable),
    /// The disk refused.
    #[error("{doing} {}: {error}", path.display())]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

impl Cassette {
    /// Opens the folder. It need not exist: it is made when something is recorded.
    pub fn open(directory: &Path, options: Options) -> Cassette {
        let shelf = Arc::new(Shelf::at(directory, options.secrets.clone()));
        Cassette {
            shelf,
            options: Arc::new(options),
            opened: SystemTime::now(),
            state: Mutex::default(),
            tally: Arc::default(),
            begins_again: false,
            marked: unredacted::MarkedRequests::default(),
        }
    }

    /// What was recorded since then is this session's own, and is not replaced by it: one test may open a
    /// cassette several times.
    pub fn begun_at(self, opened: SystemTime) -> Cassette {
        Cassette { opened, ..self }
    }

    /// Answers that are used up begin again at the first: for a server, which cannot tell where one run of an
    /// agent ends and the next begins.
    pub fn beginning_again(self) -> Cassette {
        Cassette { begins_again: true, ..self }
    }

    /// Where the answers come from.
    pub fn mode(&self) -> Mode {
        self.options.mode
    }

    /// The folder.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// What was found and what was not.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// A test that recorded all that it asked came to its end: what it recorded in earlier sessions and not in this one, it
    /// uses no more.
    pub fn complete(&self, scope: &str) -> Result<(), CassetteError> {
        if self.options.mode != Mode::Record || self.tally.counts().kept == 0 {
            return Ok(());
        }
        self.shelf.remember_recorded(&self.ready_scope(scope), self.opened)
    }

    /// Remembers in the folder what this session of a test counted, and whose recordings it has used.
    pub fn remember(&self, scope: &str) -> Result<(), CassetteError> {
        self.shelf.remember(&self.ready_scope(scope), self.tally.counts())?;
        let borrowed = std::mem::take(&mut self.state().borrowed);
        if borrowed.is_empty() { Ok(()) } else { self.shelf.remember_borrowed(borrowed) }
    }

    /// Damaged files that were set aside since this was asked last.
    pub fn set_aside(&self) -> Vec<Damage> {
        std::mem::take(&mut self.state().set_aside)
    }

    /// What must never be written.
    pub fn secrets(&self) -> &Arc<Secrets> {
        &self.options.secrets
    }

    /// Looks for the answer to a request. `scope` is whose request it is: a test's id, or nothing. Each scope
    /// has answers of its own, so that tests that ask the same do not take them from one another; where it has
    /// none, those of the others serve.
    pub fn look(&self, scope: &str, inquiry: Inquiry) -> Result<Look, CassetteError> {
        self.look_again(&self.ready_scope(scope), &self.ready(inquiry))
    }

    /// Looks for the answer to a request where both have been made ready.
    pub fn look_again(&self, scope: &Arc<str>, inquiry: &Inquiry) -> Result<Look, CassetteError> {
        self.look_from(&self.seat(scope, inquiry), inquiry)
    }

    /// The request as it is looked for: without secrets, and with what is volatile made equal.
    pub fn ready(&self, inquiry: Inquiry) -> Inquiry {
        inquiry.cleaned(&self.options.secrets, &self.options.volatile)
    }

    /// The scope as it is looked for: a test's id may hold what it is parametrized with.
    pub fn ready_scope(&self, scope: &str) -> Arc<str> {
        Arc::from(&*self.options.secrets.clean(scope))
    }

    /// Where the answers to a request of a scope are, both made ready.
    pub fn seat(&self, scope: &Arc<str>, inquiry: &Inquiry) -> Arc<Seat> {
        let mut state = self.state();
        let seat = state.seats.entry((scope.clone(), inquiry.key().clone()));
        seat.or_insert_with(|| Arc::new(Seat::of(scope, inquiry.key()))).clone()
    }

    /// The next answer of a seat, where one is known. Where none is, nothing has happened, and
    /// [`look_from`](Cassette::look_from) says what is to be done. Gives its place among the answers with it.
    pub fn next_known<'s>(&self, seat: &'s Seat) -> Option<(usize, &'s Arc<Recording>)> {
        let slots = seat.slots().filter(|_| self.options.mode != Mode::Record)?;
        let found = seat.take_turn_for(|turn| self.pick(slots, seat, turn).ok())?;
        self.tally.hit();
        Some(found)
    }

    /// Looks for the answer to the request of a seat. What is recorded for it is recorded under the inquiry.
    pub fn look_from(&self, seat: &Seat, inquiry: &Inquiry) -> Result<Look, CassetteError> {
        let (scope, turn) = (&seat.scope, seat.take_turn());
        if self.options.mode == Mode::Record {
            return self.ticket(scope, turn, inquiry, true).map(Look::Record);
        }
        let slots = match self.slots(seat) {
            Ok(Some(slots)) => Some(slots),
            Ok(None) => self.slots_with_secrets_hidden(seat, inquiry),
            Err(CassetteError::Damaged(damage)) if self.options.mode == Mode::Auto && !damage.is_newer() => {
                self.shelf.set_aside(&seat.key)?;
                self.state().set_aside.push(*damage);
                None
            }
            Err(error) => return Err(error),
        };
        let reason = match slots {
            None => Reason::Never,
            Some(slots) => match self.pick(slots, seat, turn) {
                Ok((place, recording)) => {
                    self.tally.hit();
                    return Ok(Look::Hit { recording: recording.clone(), place });
                }
                Err(reason) => reason,
            },
        };
        self.tally.missed();
        if self.options.mode == Mode::Auto {
            return self.ticket(scope, turn, inquiry, false).map(Look::Record);
        }
        let miss = Miss::explain(&self.shelf, inquiry.clone(), reason, turn);
        Err(CassetteError::Miss(Box::new(miss)))
    }

    /// The answers to the same request as it was recorded where more secrets were known.
    fn slots_with_secrets_hidden<'s>(&self, seat: &'s Seat, inquiry: &Inquiry) -> Option<&'s Arc<[Slot]>> {
        let key = self.marked.key_for(&self.shelf, inquiry)?;
        let slots = self.shelf.slots(key).ok().flatten()?;
        Some(seat.keep(Arc::from(slots)))
    }

    /// The recording for the n-th request of a scope, and its place: one of the scope's own. Only where it has
    /// none do those of others serve; otherwise one request more than was recorded would go unnoticed.
    fn pick<'s>(
        &self,
        slots: &'s [Slot],
        seat: &Seat,
        turn: usize,
    ) -> Result<(usize, &'s Arc<Recording>), Reason> {
        // Asked once: slots may be many.
        let oldest = self.options.ttl.and_then(|ttl| SystemTime::now().checked_sub(ttl));
        let is_fresh = |slot: &&Slot| oldest.is_none_or(|oldest| slot.recorded_at >= oldest);
        let has_own = slots.iter().any(|slot| slot.scope == seat.scope);
        let serves = |slot: &Slot| !has_own || slot.scope == seat.scope;
        let mut fresh =
            slots.iter().enumerate().filter(|(_, slot)| serves(slot)).filter(|(_, slot)| is_fresh(slot));
        let turn = match fresh.clone().count() {
            count @ 1.. if self.begins_again => turn % count,
            _ => turn,
        };
        if let Some((place, slot)) = fresh.nth(turn) {
            // What was imported belongs to every test.
            if !has_own && !slot.scope.is_empty() {
                self.state().borrowed.insert(seat.key.to_string());
            }
            return Ok((place, &slot.recording));
        }
        let expired = slots.iter().filter(|slot| !is_fresh(slot)).map(Slot::age).min();
        match (expired, self.options.ttl) {
            (Some(age), Some(ttl)) => Err(Reason::Expired { age, ttl }),
            _ => Err(Reason::UsedUp { recorded: slots.iter().filter(|slot| serves(slot)).count() }),
        }
    }

    fn slots<'s>(&self, seat: &'s Seat) -> Result<Option<&'s Arc<[Slot]>>, CassetteError> {
        if let Some(slots) = seat.slots() {
            return Ok(Some(slots));
        }
        if let Some(slots) = self.state().entries.get(&seat.key) {
            return Ok(Some(seat.keep(slots.clone())));
        }
        // Read outside of the lock: two that read the same file read the same.
        let Some(slots) = self.shelf.slots(&seat.key)? else { return Ok(None) };
        let slots: Arc<[Slot]> = Arc::from(slots);
        self.state().entries.insert(seat.key.clone(), slots.clone());
        Ok(Some(seat.keep(slots)))
    }

    /// The right to keep an answer; not where it would be paid for and could not be kept.
    fn ticket(
        &self,
        scope: &Arc<str>,
        turn: usize,
        inquiry: &Inquiry,
        replaces: bool,
    ) -> Result<Ticket, CassetteError> {
        full_disk::check(self.shelf.directory())?;
        let replaced_before = replaces.then_some(self.opened);
        Ok(Ticket {
            shelf: self.shelf.clone(),
            tally: self.tally.clone(),
            scope: scope.clone(),
            turn,
            inquiry: Box::new(inquiry.clone()),
            options: self.options.clone(),
            replaced_before,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
