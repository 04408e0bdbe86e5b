//! Ends the processes of a server or of any program: its group, and those that moved to another session, which are known
//! by a variable of their environment.

/// The variable that every process of a server inherits. A server inside a server has the ids of both.
pub const VARIABLE: &str = "UNITAI_SERVER";

/// A name that no other process has.
pub fn new_mark() -> String {
    let random = getrandom::u64().unwrap_or_default();
    let time = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_nanos());
    format!("{}-{time:x}-{random:016x}", std::process::id())
}

/// What [`VARIABLE`] holds for a process with this mark: ours come before it.
pub fn marks_with(mark: &str) -> String {
    std::env::var(VARIABLE).map_or_else(|_| mark.to_owned(), |outer| format!("{outer},{mark}"))
}

/// What a process group is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// To end.
    Terminate,
    /// Nothing: it is ended.
    Kill,
}

/// Tells all processes of a group.
#[cfg(unix)]
pub fn tell_group(group: u32, told: Told) {
    let signal = match told {
        Told::Terminate => rustix::process::Signal::TERM,
        Told::Kill => rustix::process::Signal::KILL,
    };
    if let Some(group) = pid(group) {
        // It fails when nobody is left, which is what is wanted.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Whether a group has any process left.
#[cfg(unix)]
pub fn is_group_alive(group: u32) -> bool {
    pid(group).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
}

/// A number as the id of a process or a group. 1 and below would reach processes that are not ours.
#[cfg(unix)]
fn pid(number: u32) -> Option<rustix::process::Pid> {
    i32::try_from(number).ok().filter(|number| *number > 1).and_then(rustix::process::Pid::from_raw)
}

/// Tells nobody: there are no groups.
#[cfg(not(unix))]
pub fn tell_group(_group: u32, _told: Told) {}

/// There are no groups.
#[cfg(not(unix))]
pub fn is_group_alive(_group: u32) -> bool {
    false
}

/// Ends every process whose environment has this mark. They may start others meanwhile, so it looks until none is left.
#[cfg(target_os = "linux")]
pub fn sweep(mark: &str) {
    const ROUNDS: usize = 10;
    for _ in 0..ROUNDS {
        let left = marked(mark);
        if left.is_empty() {
            return;
        }
        for process in left.into_iter().filter_map(pid) {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// The processes whose environment has this mark.
#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ours = std::process::id();
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process| *process != ours)
        .filter(|process| {
            std::fs::read(format!("/proc/{process}/environ")).is_ok_and(|it| has_mark(&it, mark))
        })
        .collect()
}

#[cfg(target_os = "linux")]
fn has_mark(environment: &[u8], mark: &str) -> bool {
    environment.split(|byte| *byte == 0).any(|variable| {
        variable
            .strip_prefix(VARIABLE.as_bytes())
            .and_then(|it| it.strip_prefix(b"="))
            .is_some_and(|marks| marks.split(|byte| *byte == b',').any(|it| it == mark.as_bytes()))
    })
}

/// Ends nobody: environments cannot be seen here.
#[cfg(not(target_os = "linux"))]
pub fn sweep(_mark: &str) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::has_mark;

    #[test]
    fn a_mark_is_found_among_those_of_outer_servers_and_nowhere_else() {
        assert!(has_mark(b"A=1\0UNITAI_SERVER=abc\0", "abc"));
        assert!(has_mark(b"UNITAI_SERVER=abc,def\0", "abc"));
        assert!(has_mark(b"UNITAI_SERVER=abc,def\0", "def"));
        assert!(!has_mark(b"UNITAI_SERVER=abcd\0", "abc"));
        assert!(!has_mark(b"OTHER=abc\0", "abc"));
    }
}
