//! What the command tells people: the only way to the terminal, and no secret takes it.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use unitai_report::Style;
use unitai_wire::redact::Secrets;

/// To whoever reads the output.
pub(crate) fn say(text: &str) -> io::Result<()> {
    print_exactly(&secrets().clean(text))
}

/// The same for a secret that was made for the reader, such as the token of a server.
pub(crate) fn print_exactly(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    // Whoever waits for a line gets it at once, behind a pipe too.
    let said = writeln!(out, "{text}").and_then(|()| out.flush());
    if let Err(error) = &said
        && error.kind() != io::ErrorKind::BrokenPipe
        && !IS_LOST.swap(true, Ordering::Relaxed)
    {
        complain(&format!("the output could not be written: {error}; send it elsewhere, or make room"));
    }
    said
}

/// Whether something that was said went nowhere, though somebody was to read it.
pub(crate) fn is_lost() -> bool {
    IS_LOST.load(Ordering::Relaxed)
}

static IS_LOST: AtomicBool = AtomicBool::new(false);

/// To whoever wonders why it did not work. If even that cannot be said, nobody listens.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "error: {}", secrets().clean(text));
}

/// To whoever watches: what happens beside the output.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "unitai: {}", secrets().clean(text));
}

/// `1 file`, `2 files`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Colour for whoever looks at a terminal, unless they said no (<https://no-color.org>).
pub(crate) fn is_coloured() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !is_set("NO_COLOR") && env::var("TERM").is_ok_and(|term| term != "dumb")
}

/// The same, for reports.
pub(crate) fn style() -> Style {
    if is_coloured() { Style::colour() } else { Style::plain() }
}

/// Shows how far something is, in the place of what was shown so before. For terminals.
pub(crate) fn live(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "\r\x1b[2K{}", secrets().clean(text));
    let _ = stderr.flush();
}

/// Those of the environment, which does not change while a command runs.
pub(crate) fn secrets() -> &'static Secrets {
    static SECRETS: OnceLock<Secrets> = OnceLock::new();
    SECRETS.get_or_init(of_environment)
}

/// The same, for somebody who learns more of them. What is no text is read as well as can be.
pub(crate) fn of_environment() -> Secrets {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    Secrets::of_environment(env::vars_os().map(|(name, value)| (text(name), text(value))))
}
