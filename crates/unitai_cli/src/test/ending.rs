//! What a run of `unitai test` came to: an exit code that never calls good what was not seen to be.

use std::path::Path;

use unitai_model::event::{RunEnding, RunFinished, TestFinished};
use unitai_report::Run;

use crate::child::Exit;
use crate::reports::{self, Ended, Places};
use crate::say::{complain, say, secrets};

/// What the run came to. Its process has made the reports, unless it died, or was only asked to look.
/// `overdue` are the tests for whose sake it was killed.
pub(super) fn conclude(
    folder: &Path,
    events: &Path,
    exit: Exit,
    only_looks: bool,
    overdue: Vec<TestFinished>,
) -> Result<i32, String> {
    if !events.exists() {
        return if only_looks { Ok(of_pytest(exit)) } else { not_begun(folder, events, exit) };
    }
    let run = reports::read(events)?;
    if let Some(finished) = &run.finished {
        return Ok(match of_pytest(exit) {
            // It was changed after the last word, or before it, by somebody who is not asked.
            0 => of_ending(finished).max(i32::from(!run.is_green())),
            // pytest-xdist takes the first failure for an interruption.
            2 if finished.ending == RunEnding::Stopped => 1,
            // What ends the process of pytest by raising ends it with 1.
            1 if finished.exit_code == Some(PYTEST_BROKE) => 2,
            code => code,
        });
    }
    let how = exit.words();
    let has_begun = !run.tests.is_empty();
    let when = if has_begun { "in the middle of the tests" } else { "before the first test" };
    let mut reason = format!("the process ended {how}");
    if overdue.is_empty() {
        complain(&format!("the process of pytest ended {how} {when}"));
    }
    for end in &overdue {
        let message = end.failures.first().map_or("", |failure| failure.message.as_str());
        reason = format!("{}: {message}", end.test);
        complain(&reason);
    }
    let how = Ended { ending: RunEnding::Crashed, exit_code: exit.own_code(), reason: &reason };
    reports::end(events, &run, overdue, how, secrets())?;
    report(folder, events)?;
    Ok(if matches!(exit, Exit::Signal(_)) || !has_begun { 2 } else { 1 })
}

/// The end of a run of which pytest told nothing. It is written down nevertheless: who asks for the last run must not be
/// shown the one before.
fn not_begun(folder: &Path, events: &Path, exit: Exit) -> Result<i32, String> {
    let how = exit.words();
    let reason = format!("pytest ended {how} before it looked for tests");
    let how = Ended { ending: RunEnding::Broken, exit_code: exit.own_code(), reason: &reason };
    reports::end(events, &Run::default(), Vec::new(), how, secrets())?;
    report(folder, events)?;
    match exit {
        Exit::Code(0) => Err("pytest ended with 0 before it looked for tests: nothing was tested. Look for what ends \
                              the process, in conftest.py for one"
            .to_owned()),
        // What pytest calls failures, it has not told to anybody.
        Exit::Code(1) => Err("pytest ended with exit code 1 and told of no test: what was tested is not known. What \
                              it says above may tell why; a test that deletes files of the project is another reason"
            .to_owned()),
        exit => Ok(of_pytest(exit)),
    }
}

/// Makes the reports that the process of pytest did not.
fn report(folder: &Path, events: &Path) -> Result<(), String> {
    let places = Places::of(folder).map_err(|trouble| trouble.told())?;
    let reports = places.finish(events, false, secrets())?;
    say(&reports.block).map_err(|error| error.to_string())?;
    reports.troubles.iter().for_each(|trouble| complain(trouble));
    Ok(())
}

/// The exit code of pytest when it fails itself, or a plugin.
const PYTEST_BROKE: i32 = 3;

/// The exit code of a run whose process says that all is well.
fn of_ending(finished: &RunFinished) -> i32 {
    match finished.ending {
        RunEnding::Completed => i32::from(finished.exit_code != Some(0)),
        RunEnding::Stopped => 1,
        RunEnding::Interrupted | RunEnding::Broken | RunEnding::Crashed => 2,
    }
}

/// The exit code of ours for pytest's, which has more of them.
fn of_pytest(exit: Exit) -> i32 {
    match exit {
        Exit::Code(code @ (0 | 1 | 5)) => code,
        Exit::Code(_) | Exit::Signal(_) => 2,
    }
}
