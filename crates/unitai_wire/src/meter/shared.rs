//! A ledger that several processes share: a small file, changed under a lock, and whole at every moment.
//!
//! What a process has set aside stands under its name. As long as it lives it holds the lock of a file of that name,
//! which the system takes back whatever way it ends. What is set aside under a name whose lock is free was never
//! settled, and counts as spent: it may have been billed. A child that was forked from such a process keeps the lock
//! for as long as it lives itself, and what its parent left stays set aside until then; either way it is not free.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use unitai_model::Money;

use super::ledger::{Balance, LedgerError, LedgerTrouble};
use crate::gate::{self, Lock};
use crate::redact::Secrets;

/// The beginning of the first line, before the checksum of the rest.
const HEAD: &str = "unitai ledger 1 ";

/// The ledger as one process sees it.
#[derive(Debug)]
pub(super) struct SharedLedger {
    path: PathBuf,
    holder: Mutex<Option<Arc<Holder>>>,
}

/// The name under which a process sets money aside.
#[derive(Debug)]
struct Holder {
    process: u32,
    name: String,
    /// Held for as long as the process lives.
    _sign: File,
}

/// What stands in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    limit: Amount,
    spent: Amount,
    /// What each process has set aside.
    reserved: BTreeMap<String, Amount>,
}

/// Exact decimal dollars, never below nothing.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Amount(Money);

impl TryFrom<String> for Amount {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Amount, &'static str> {
        let amount = text.parse::<Money>().ok().filter(|amount| *amount >= Money::ZERO);
        amount.map(Amount).ok_or("an amount of dollars was expected")
    }
}

impl From<Amount> for String {
    fn from(amount: Amount) -> String {
        amount.0.to_string()
    }
}

/// The ledger while nobody else can change it.
pub(super) struct OpenBook<'a> {
    ledger: &'a SharedLedger,
    book: Book,
    _lock: Lock,
}

/// The path without links: two budgets that lead to one file must know it, or they would wait for each other.
fn real(path: &Path) -> PathBuf {
    let beside = || {
        let folder = path.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}

impl SharedLedger {
    /// Opens a ledger, or makes it if there is none and a limit is given. Gives its limit, too.
    pub(super) fn join(path: &Path, limit: Option<Money>) -> Result<(SharedLedger, Money), LedgerError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut ledger = SharedLedger { path, holder: Mutex::default() };
        if let (Some(folder), Some(_)) = (ledger.path.parent(), limit) {
            gate::make_folder(folder).map_err(|error| ledger.disk(&error))?;
        }
        ledger.path = real(&ledger.path);
        let lock = ledger.lock()?;
        match (ledger.read(), limit) {
            (Ok(Book { limit: Amount(there), .. }), Some(given)) if there != given => {
                Err(ledger.trouble(LedgerTrouble::OtherLimit { there, given }))
            }
            (Ok(Book { limit: Amount(limit), .. }), _) => {
                drop(lock);
                Ok((ledger, limit))
            }
            (Err(LedgerError { trouble: LedgerTrouble::Absent, .. }), Some(limit)) => {
                ledger.write(&Book {
                    limit: Amount(limit),
                    spent: Amount(Money::ZERO),
                    reserved: BTreeMap::new(),
                })?;
                drop(lock);
                Ok((ledger, limit))
            }
            (Err(error), _) => Err(error),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the ledger. What was set aside by processes that are gone counts as spent from here on.
    pub(super) fn open(&self) -> Result<OpenBook<'_>, LedgerError> {
        let lock = self.lock()?;
        let mut book = self.read()?;
        let own = self.known_holder();
        let gone: Vec<String> = book
            .reserved
            .keys()
            .filter(|name| own.as_ref().is_none_or(|own| own.name != **name) && !self.is_alive(name))
            .cloned()
            .collect();
        for name in &gone {
            if let Some(Amount(left)) = book.reserved.remove(name) {
                book.spent = Amount(book.spent.0.plus(left));
            }
        }
        if !gone.is_empty() {
            self.write(&book)?;
            gone.iter().for_each(|name| drop(fs::remove_file(self.sign(name))));
        }
        Ok(OpenBook { ledger: self, book, _lock: lock })
    }

    fn read(&self) -> Result<Book, LedgerError> {
        let bytes = fs::read(&self.path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.trouble(LedgerTrouble::Absent),
            _ => self.disk(&error),
        })?;
        let damaged = |why: &str| self.trouble(LedgerTrouble::Damaged(why.to_owned()));
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged("it is no text"))?;
        let (head, body) = text.split_once('\n').ok_or_else(|| damaged("it is cut"))?;
        let sum = head.strip_prefix(HEAD).ok_or_else(|| damaged("its first line is no ledger's"))?;
        if sum != checksum(body) {
            return Err(damaged("its checksum does not fit"));
        }
        serde_json::from_str(body).map_err(|error| damaged(&error.to_string()))
    }

    fn write(&self, book: &Book) -> Result<(), LedgerError> {
        let body = serde_json::to_string(book)
            .map_err(|error| self.trouble(LedgerTrouble::Disk(error.to_string())))?;
        let text = format!("{HEAD}{}\n{body}", checksum(&body));
        // Amounts and names of ours: there can be no secret in it.
        gate::write_sealed(&self.path, text.as_bytes(), &Secrets::none()).map_err(|error| self.disk(&error))
    }

    fn lock(&self) -> Result<Lock, LedgerError> {
        gate::lock(&self.beside("lock")).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.trouble(LedgerTrouble::Absent),
            _ => self.disk(&error),
        })
    }

    /// The name of this process, which it holds from here on. A forked child has another than its parent.
    fn holder(&self) -> Result<Arc<Holder>, LedgerError> {
        if let Some(holder) = self.known_holder() {
            return Ok(holder);
        }
        let process = std::process::id();
        let name = format!("{process}-{:016x}", RandomState::new().build_hasher().finish());
        let sign = gate::lock_file(&self.sign(&name)).map_err(|error| self.disk(&error))?;
        sign.lock().map_err(|error| self.disk(&error))?;
        let holder = Arc::new(Holder { process, name, _sign: sign });
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = Some(holder.clone());
        Ok(holder)
    }

    fn known_holder(&self) -> Option<Arc<Holder>> {
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        holder.clone().filter(|holder| holder.process == std::process::id())
    }

    /// Whether the process of that name still lives. If it cannot be told, it does.
    fn is_alive(&self, name: &str) -> bool {
        match File::open(self.sign(name)) {
            Ok(sign) => !matches!(sign.try_lock(), Ok(())) || sign.unlock().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    fn sign(&self, name: &str) -> PathBuf {
        self.beside(&format!("{name}.alive"))
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".");
        path.push(ending);
        PathBuf::from(path)
    }

    fn disk(&self, error: &io::Error) -> LedgerError {
        self.trouble(LedgerTrouble::Disk(error.to_string()))
    }

    fn trouble(&self, trouble: LedgerTrouble) -> LedgerError {
        LedgerError { path: self.path.clone(), trouble }
    }
}

impl Drop for SharedLedger {
    fn drop(&mut self) {
        let holder = self.holder.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(holder) = holder.filter(|holder| holder.process == std::process::id()) else { return };
        // Nobody can settle any more, since a reservation would keep the ledger alive.
        let _ = fs::remove_file(self.sign(&holder.name));
    }
}

impl OpenBook<'_> {
    pub(super) fn balance(&self) -> Balance {
        let Book { limit: Amount(limit), spent: Amount(spent), reserved } = &self.book;
        let reserved = reserved.values().fold(Money::ZERO, |sum, Amount(amount)| sum.plus(*amount));
        Balance { limit: *limit, spent: *spent, reserved }
    }

    pub(super) fn reserve(&mut self, amount: Money) -> Result<(), LedgerError> {
        let holder = self.ledger.holder()?;
        let Amount(before) = self.book.reserved.get(&holder.name).copied().unwrap_or(Amount(Money::ZERO));
        self.book.reserved.insert(holder.name.clone(), Amount(before.plus(amount)));
        self.ledger.write(&self.book)
    }

    pub(super) fn settle(&mut self, reserved: Money, spent: Money) -> Result<(), LedgerError> {
        if let Some(holder) = self.ledger.known_holder()
            && let Some(Amount(before)) = self.book.reserved.remove(&holder.name)
            && before > reserved
        {
            self.book.reserved.insert(holder.name.clone(), Amount(before.minus(reserved)));
        }
        self.book.spent = Amount(self.book.spent.0.plus(spent));
        self.ledger.write(&self.book)
    }
}

fn checksum(body: &str) -> String {
    format!("{:08x}", crc32fast::hash(body.as_bytes()))
}
