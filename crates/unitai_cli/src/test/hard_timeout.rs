//! A limit that holds whatever a test does: the process that runs it is killed from outside. No watchdog inside of a
//! process can do that, for code in C that keeps the interpreter's lock lets no other thread work.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unitai_model::event::{RunEvent, TestFinished, TestStarted};

/// Follows the events of a run, and knows for how long which tests have been under way.
pub(super) struct HardTimeout {
    limit: Duration,
    events: PathBuf,
    file: Option<File>,
    /// The beginning of a line that is still being written.
    rest: Vec<u8>,
    under_way: Vec<(TestStarted, Instant)>,
    overdue: Vec<TestFinished>,
}

impl HardTimeout {
    /// A limit of so many seconds for each test of the run that writes these events.
    pub(super) fn new(seconds: f64, events: &Path) -> HardTimeout {
        HardTimeout {
            limit: Duration::from_secs_f64(seconds),
            events: events.to_owned(),
            file: None,
            rest: Vec::new(),
            under_way: Vec::new(),
            overdue: Vec::new(),
        }
    }

    /// Whether some test has been under way for longer than it may be.
    pub(super) fn is_exceeded(&mut self) -> bool {
        self.follow();
        let (limit, now) = (self.limit, Instant::now());
        self.overdue = self
            .under_way
            .iter()
            .map(|(started, since)| (started, now.duration_since(*since)))
            .filter(|(_, took)| *took > limit)
            .map(|(started, took)| killed(started, took, limit))
            .collect();
        !self.overdue.is_empty()
    }

    /// The tests that took too long when somebody last looked, as they ended.
    pub(super) fn into_overdue(self) -> Vec<TestFinished> {
        self.overdue
    }

    /// Reads what was written since the last look. What cannot be read now may be next time.
    fn follow(&mut self) {
        if self.file.is_none() {
            self.file = File::open(&self.events).ok();
        }
        let Some(file) = &mut self.file else { return };
        let _ = file.read_to_end(&mut self.rest);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            match RunEvent::read(&String::from_utf8_lossy(&line)) {
                Ok(Some(RunEvent::TestStarted(started))) => {
                    self.under_way.retain(|(other, _)| other.test != started.test);
                    self.under_way.push((started, Instant::now()));
                }
                Ok(Some(RunEvent::TestFinished(end))) => {
                    self.under_way.retain(|(other, _)| other.test != end.test);
                }
                _ => {}
            }
        }
    }
}

fn killed(started: &TestStarted, took: Duration, limit: Duration) -> TestFinished {
    let message = format!(
        "the test did not end within the hard_timeout of {} s, and its process was killed",
        limit.as_secs_f64()
    );
    let text = format!(
        "{message}.\n  to do:    `unitai test -o faulthandler_timeout={}` shows where it is before it is killed; the setting \
         hard_timeout gives it more time",
        (limit.as_secs_f64() / 2.0).max(0.1)
    );
    TestFinished::without_end(started, took.as_secs_f64(), message, text)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_test_counts_from_its_beginning_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut timeout = HardTimeout::new(0.001, &path);
        assert!(!timeout.is_exceeded(), "there is no file yet");
        let mut file = File::create(&path).unwrap();
        let (begun, half) = (r#"{"event":"test_started","at":1,"test":"a"}"#, r#"{"event":"test_st"#);
        write!(file, "{begun}\n{half}").unwrap();
        let pause = || std::thread::sleep(Duration::from_millis(3));
        timeout.is_exceeded();
        pause();
        assert!(timeout.is_exceeded());
        writeln!(file, r#"arted","at":2,"test":"b"}}"#).unwrap();
        writeln!(
            file,
            r#"{{"event":"test_finished","at":3,"test":"a","outcome":"passed","duration_seconds":1}}"#
        )
        .unwrap();
        timeout.is_exceeded();
        pause();
        assert!(timeout.is_exceeded());
        let tests: Vec<String> = timeout.into_overdue().into_iter().map(|end| end.test).collect();
        assert_eq!(tests, ["b"]);
    }
}
