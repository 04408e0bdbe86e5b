//! The outcomes of tests: their words, their marks and their order.

use unitai_model::event::TestOutcome;

/// All outcomes, the worst first.
pub(super) const ALL: [TestOutcome; 7] = [
    TestOutcome::Failed,
    TestOutcome::Error,
    TestOutcome::Inconclusive,
    TestOutcome::XPassed,
    TestOutcome::Passed,
    TestOutcome::XFailed,
    TestOutcome::Skipped,
];

/// The word, which is also the name of its class.
pub(super) fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Error => "error",
        TestOutcome::Inconclusive => "inconclusive",
        TestOutcome::Skipped => "skipped",
        TestOutcome::XFailed => "xfailed",
        TestOutcome::XPassed => "xpassed",
    }
}

/// The mark, which tells outcomes apart where colours do not.
pub(super) fn mark(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "✓",
        TestOutcome::Failed => "✕",
        TestOutcome::Error => "!",
        TestOutcome::Inconclusive => "?",
        TestOutcome::Skipped => "–",
        TestOutcome::XFailed => "×",
        TestOutcome::XPassed => "‽",
    }
}
