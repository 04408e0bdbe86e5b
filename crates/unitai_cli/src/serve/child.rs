//! The command that runs behind a gateway: with signals handed on, and nothing of it left at the end.

use std::io;
use std::process::{Command, ExitStatus};

use super::signals::Signals;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Code(i32),
    #[cfg_attr(not(unix), allow(dead_code, reason = "only Unix ends a process by a signal"))]
    Signal(i32),
}

impl Exit {
    /// The exit code, as shells say it.
    pub(super) fn code(self) -> i32 {
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

/// Runs a command to its end.
#[cfg(unix)]
pub(super) fn run(words: &[String], environment: &[(String, String)], signals: &Signals) -> io::Result<Exit> {
    use std::io::IsTerminal;
    use std::os::unix::process::CommandExt;

    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(environment.iter().map(|(name, value)| (name, value)));
    // In a group of its own all of it can be reached. A command that talks with a terminal must stay in the
    // terminal's group, which also gets the terminal's signals.
    let is_alone = !io::stdin().is_terminal();
    if is_alone {
        command.process_group(0);
    }
    let mut child = command.spawn()?;
    let tree = Tree { id: rustix::process::Pid::from_child(&child), is_group: is_alone };
    let status = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut is_told = false;
            while let Some(signal) = signals.wait() {
                // Whoever asks twice means it.
                tree.tell(if is_told { rustix::process::Signal::KILL } else { named(signal) });
                is_told = true;
            }
        });
        let status = child.wait();
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
        use std::time::{Duration, Instant};

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

/// Runs a command to its end.
#[cfg(not(unix))]
pub(super) fn run(
    words: &[String],
    environment: &[(String, String)],
    _signals: &Signals,
) -> io::Result<Exit> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(environment.iter().map(|(name, value)| (name, value)));
    command.status().map(Exit::of)
}
