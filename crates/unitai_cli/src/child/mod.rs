//! A command that we start and wait for: with signals handed on, and nothing of it left at the end.

mod signals;

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

pub(crate) use signals::Signals;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    #[cfg_attr(not(unix), allow(dead_code, reason = "only Unix ends a process by a signal"))]
    Signal(i32),
}

impl Exit {
    /// The code that the process itself gave, if it did.
    pub(crate) fn own_code(self) -> Option<i32> {
        match self {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) => None,
        }
    }

    /// How it ended: "with exit code 3", "by signal 9".
    pub(crate) fn words(self) -> String {
        match self {
            Exit::Code(code) => format!("with exit code {code}"),
            Exit::Signal(signal) => format!("by signal {signal}"),
        }
    }

    /// The exit code, as shells say it.
    pub(crate) fn code(self) -> i32 {
        match self {
            Exit::Code(code) => code,
            Exit::Signal(signal) => 128 + signal,
        }
    }

    fn of(status: ExitStatus) -> Exit {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Exit::Signal(signal);
        }
        Exit::Code(status.code().unwrap_or(1))
    }
}

/// How a command is told of a signal that came for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// By the same signal.
    AsItCame,
    /// By an interrupt, whatever it was: the command ends well then.
    ToStop,
}

/// Asked again and again while a command runs: whether it is to be killed now.
pub(crate) type MustEnd<'a> = &'a mut (dyn FnMut() -> bool + Send);

/// How often it is asked.
const LOOK: Duration = Duration::from_millis(50);

/// Runs a command to its end, or until it must end.
#[cfg(unix)]
pub(crate) fn run(
    command: &mut Command,
    signals: &Signals,
    told: Told,
    must_end: Option<MustEnd<'_>>,
) -> io::Result<Exit> {
    use std::io::IsTerminal;
    use std::os::unix::process::CommandExt;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    use rustix::process::Signal;

    // In a group of its own all of it can be reached. A command that talks with a terminal must stay in the
    // terminal's group, which also gets the terminal's signals; one that may have to be killed must not, for what it
    // has started would be left.
    let is_alone = !io::stdin().is_terminal() || must_end.is_some();
    if is_alone {
        command.process_group(0);
    }
    let mut child = command.spawn()?;
    let tree = Tree { id: rustix::process::Pid::from_child(&child), is_group: is_alone };
    let status = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut is_told = false;
            while let Some(signal) = signals.wait() {
                let signal = named(signal);
                // A second interrupt would end the command in the middle of its end.
                if told == Told::ToStop && !is_alone && signal == Signal::INT {
                    continue;
                }
                // Whoever asks twice means it.
                tree.tell(match told {
                    _ if is_told => Signal::KILL,
                    Told::AsItCame => signal,
                    Told::ToStop => Signal::INT,
                });
                is_told = true;
            }
        });
        let (ended, is_ended) = channel::<()>();
        if let Some(must_end) = must_end {
            let tree = &tree;
            scope.spawn(move || {
                while is_ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    if must_end() {
                        tree.tell(Signal::KILL);
                        break;
                    }
                }
            });
        }
        let status = child.wait();
        drop(ended);
        signals.close();
        status
    });
    tree.end();
    status.map(Exit::of)
}

#[cfg(unix)]
struct Tree {
    id: rustix::process::Pid,
    is_group: bool,
}

#[cfg(unix)]
impl Tree {
    fn tell(&self, signal: rustix::process::Signal) {
        // It may have ended meanwhile.
        let _ = if self.is_group {
            rustix::process::kill_process_group(self.id, signal)
        } else {
            rustix::process::kill_process(self.id, signal)
        };
    }

    /// Ends what the command left behind: politely, then at once.
    fn end(&self) {
        use std::time::Instant;

        let is_there = || rustix::process::test_kill_process_group(self.id).is_ok();
        if !self.is_group || !is_there() {
            return;
        }
        self.tell(rustix::process::Signal::TERM);
        let deadline = Instant::now() + Duration::from_secs(1);
        while is_there() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        if is_there() {
            self.tell(rustix::process::Signal::KILL);
        }
    }
}

#[cfg(unix)]
fn named(signal: i32) -> rustix::process::Signal {
    rustix::process::Signal::from_named_raw(signal).unwrap_or(rustix::process::Signal::TERM)
}

/// Runs a command to its end, or until it must end. What it has started itself is not reached.
#[cfg(not(unix))]
pub(crate) fn run(
    command: &mut Command,
    _signals: &Signals,
    _told: Told,
    must_end: Option<MustEnd<'_>>,
) -> io::Result<Exit> {
    let Some(must_end) = must_end else { return command.status().map(Exit::of) };
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Exit::of(status));
        }
        if must_end() {
            child.kill()?;
        }
        std::thread::sleep(LOOK);
    }
}
