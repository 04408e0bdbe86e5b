//! Runs of every kind, with the worst texts there are.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use unitai_model::event::{
    Captured, IntervalBasis, Limit, Part, Phase, RunEnding, RunFinished, RunStarted, Spending, Statistics,
    TestFailure, TestFinished, TestOutcome, Verdict,
};
use unitai_report::{Run, Test};

/// Text that means something to XML, Markdown, HTML or a terminal, and any other.
fn text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "&lt;",
        "&#0;",
        "]]>",
        "<![CDATA[",
        "<!--",
        "\"",
        "'",
        "\r\n",
        "\r",
        "\n",
        "\n\n",
        "\t",
        "\0",
        "\u{1b}",
        "\u{1b}[31m",
        "\u{1b}]8;;x\u{7}",
        "|",
        "`",
        "```",
        "~~~~",
        "\\",
        "\\|",
        "*",
        "_",
        "[x](y)",
        "![",
        "@octo",
        "#1",
        "</code>",
        "</details>",
        "<script>",
        "\u{202e}",
        "\u{85}",
        "\u{2028}",
        "\u{fffe}",
        "\u{feff}",
        "::",
        "/",
        ".py",
        "[",
        "]",
        " ",
        "test",
        "é",
        "日本",
        "\u{1f600}",
        "http://x.y",
        "www.x.y",
        "a@b.co",
        "$1$",
        "- ",
        "# ",
        "1. ",
        "> ",
        "---",
        "|---|",
        "    ",
    ]);
    let piece = prop_oneof![4 => words.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn part() -> impl Strategy<Value = Part> {
    (0..1000u64, 0..1_000_000u64, 0..100_000u64).prop_map(|(calls, tokens, cents)| match calls {
        0 => Part::default(),
        calls => Part { calls, tokens, cost: cents as f64 / 10_000.0, unpriced: calls / 7 },
    })
}

fn spending() -> impl Strategy<Value = Spending> {
    (part(), part(), part()).prop_map(|(live, scripted, replayed)| Spending { live, scripted, replayed })
}

fn statistics() -> impl Strategy<Value = Statistics> {
    let verdict = prop::sample::select(vec![Verdict::Passed, Verdict::Failed, Verdict::Inconclusive]);
    let basis = prop::sample::select(vec![
        IntervalBasis::FixedN,
        IntervalBasis::StoppingRule,
        IntervalBasis::MissingRuns,
    ]);
    (verdict, 0..50u64, 0..50u64, 0..5u64, text(), basis).prop_map(
        |(verdict, passed, failed, inconclusive, claim, basis)| {
            let rate = passed as f64 / (passed + failed).max(1) as f64;
            Statistics {
                verdict,
                passed,
                failed,
                inconclusive,
                planned: passed + failed + inconclusive,
                pass_rate: rate,
                threshold: 0.95,
                interval: [rate / 3.0, (rate + 1.0) / 2.0],
                interval_basis: basis,
                confidence: 0.95,
                claim: claim.clone(),
                mode: "all".to_owned(),
                saved_runs: 0,
                stopped: (!claim.is_empty()).then_some(claim),
                cost: 0.0,
                is_cost_known: true,
                failure_modes: vec![],
                causes: vec![],
                notes: vec![],
            }
        },
    )
}

fn failure() -> impl Strategy<Value = TestFailure> {
    let phase = prop::sample::select(vec![Phase::Collect, Phase::Setup, Phase::Call, Phase::Teardown]);
    (phase, text(), text(), option::of(text())).prop_map(|(phase, message, text, report)| TestFailure {
        phase,
        message,
        text,
        report,
        broken: vec![],
    })
}

fn test() -> impl Strategy<Value = Test> {
    let outcome = prop::sample::select(vec![
        TestOutcome::Passed,
        TestOutcome::Failed,
        TestOutcome::Error,
        TestOutcome::Inconclusive,
        TestOutcome::Skipped,
        TestOutcome::XFailed,
        TestOutcome::XPassed,
    ]);
    let captured = (prop::sample::select(vec!["stdout call", "stderr setup", "log call"]), text())
        .prop_map(|(title, text)| Captured { title: title.to_owned(), text });
    let about = (option::of(text()), option::of(spending()), option::of(statistics()), 0..3u64);
    (text(), outcome, vec(failure(), 0..3), vec(captured, 0..3), 0..1_000_000u64, about).prop_map(
        |(name, outcome, failures, captured, millis, (reason, spending, statistics, reruns))| {
            let is_red =
                matches!(outcome, TestOutcome::Failed | TestOutcome::Error | TestOutcome::Inconclusive);
            let end = TestFinished {
                at: 0.0,
                test: name,
                file: Some("tests/test_0.py".to_owned()),
                line: Some(millis),
                outcome,
                duration_seconds: millis as f64 / 1000.0,
                reason: reason.filter(|_| matches!(outcome, TestOutcome::Skipped | TestOutcome::XFailed)),
                failures: if is_red { failures } else { vec![] },
                captured,
                reruns,
                runs_left_out: 0,
                spending,
                statistics,
                layer: None,
                contract: None,
                worker: None,
            };
            Test { end, agents: vec![] }
        },
    )
}

/// Any run.
pub(crate) fn run() -> impl Strategy<Value = Run> {
    let ending = prop::sample::select(vec![
        RunEnding::Completed,
        RunEnding::Stopped,
        RunEnding::Interrupted,
        RunEnding::Broken,
        RunEnding::Crashed,
    ]);
    let started = text().prop_map(|unitai| RunStarted {
        format: "unitai.events".to_owned(),
        version: 1,
        at: 1_763_231_400.0,
        run_id: "9f2c".to_owned(),
        unitai,
        python: "3.13.1".to_owned(),
        pytest: "9.0.3".to_owned(),
        arguments: vec![],
        model_override: None,
        cache_mode: None,
    });
    let finished =
        (ending, option::of(text()), option::of(0..100u64)).prop_map(|(ending, reason, cents)| RunFinished {
            at: 1_763_231_434.5,
            duration_seconds: 34.5,
            ending,
            exit_code: Some(1),
            reason,
            spending: None,
            budget: cents.map(|cents| Limit { limit: 0.5, spent: cents as f64 / 100.0 }),
        });
    (option::of(started), option::of(0..20u64), vec(test(), 0..6), option::of(finished)).prop_map(
        |(started, found, mut tests, finished)| {
            // No two tests of a run have one id.
            for (n, test) in tests.iter_mut().enumerate() {
                test.end.test = format!("tests/test_{n}.py::{}", test.end.test);
            }
            Run { started, found, tests, finished }
        },
    )
}
