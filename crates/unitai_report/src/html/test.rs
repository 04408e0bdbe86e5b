//! A test: its line in the list, and what is behind it.

use unitai_model::Trajectory;
use unitai_model::event::{BrokenExpectation, Phase, TestFailure};

use super::cut::{block, diff, line};
use super::outcome::{mark, word};
use super::place::Place;
use super::statistics::{panel, spark};
use super::timeline::{agent_run, shown_steps};
use super::words::{counted, duration, percent};
use super::write::Html;
use crate::Test;
use crate::ansi::without_escapes;
use crate::words::{self, is_red, short_cost, thousands};

/// So many characters of a name are shown in the list.
const NAME: usize = 300;

/// How much of a test is in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// All that is worth showing.
    Whole,
    /// What agents did and what was printed is left out, for the page is large enough.
    Short,
}

/// A test in the list.
pub(super) fn test(html: &mut Html, test: &Test, number: usize, body: &Html) {
    let end = &test.end;
    let cost = end.spending.as_ref().map(|spending| spending.all());
    html.raw("<li class=\"test ").raw(word(end.outcome)).raw("\" data-outcome=\"").raw(word(end.outcome));
    html.raw("\" data-time=\"").number(end.duration_seconds).raw("\" data-cost=\"");
    html.number(cost.map_or(0.0, |all| all.cost)).raw("\" data-rate=\"");
    let rate = end.statistics.as_ref().filter(|statistics| statistics.is_rate());
    html.number(rate.map_or(2.0, |statistics| statistics.pass_rate)).raw("\">");
    html.raw("<details id=\"t").index(number).raw("\"><summary>");
    html.raw("<span class=\"outcome\"><span class=\"mark\" aria-hidden=\"true\">").raw(mark(end.outcome));
    html.raw("</span><span class=\"word\">")
        .raw(word(end.outcome))
        .raw("</span></span><span class=\"name\">");
    name(html, &end.test);
    html.raw("</span><span class=\"rate\">");
    // Without runs that decided anything, there is no rate.
    if let Some(statistics) = rate.filter(|found| found.passed + found.failed > 0) {
        spark(html, statistics);
        html.span("share", &percent(statistics.pass_rate));
    }
    html.raw("</span><span class=\"cost\">");
    if let Some(all) = cost {
        html.text(&short_cost(all));
    }
    html.raw("</span><span class=\"time\">").text(&duration(end.duration_seconds));
    html.raw("</span>");
    if let Some(message) = told(test) {
        html.span("message", &line(message, 240));
    }
    html.raw("</summary>").html(body).raw("</details></li>");
}

/// The name of the test, and before it the file and classes that it is in.
fn name(html: &mut Html, id: &str) {
    // Parameters may hold anything, the sign between names included.
    let plain = id.find('[').map_or(id, |at| &id[..at]);
    let own = plain.rfind("::").map_or(0, |at| at + 2);
    if own > 0 {
        html.span("path", &line(&id[..own], NAME)).raw("<wbr>");
    }
    html.span("own", &line(&id[own..], NAME));
}

/// Why the test is not plainly green, in a line.
fn told(test: &Test) -> Option<&str> {
    match test.end.failures.first() {
        Some(failure) => Some(&failure.message),
        None => test.end.reason.as_deref(),
    }
}

/// What is behind a test.
pub(super) fn body(test: &Test, number: usize, depth: Depth) -> Html {
    let end = &test.end;
    let mut html = Html::default();
    html.raw("<div class=\"body\">");
    facts(&mut html, test);
    let trajectories: Vec<Result<Trajectory, String>> = match depth {
        Depth::Whole => test.agents.iter().map(|ran| read(ran.trajectory.text())).collect(),
        Depth::Short => Vec::new(),
    };
    let run_of = |id: &str| {
        let is_it = |read: &Result<Trajectory, String>| read.as_ref().is_ok_and(|found| found.run_id() == id);
        trajectories.iter().position(is_it).map(|run| Place { test: number, run })
    };
    let broken: Vec<&BrokenExpectation> = end.failures.iter().flat_map(|failure| &failure.broken).collect();
    for failure in &end.failures {
        failed(&mut html, failure, |broken| {
            let place = run_of(&broken.run_id)?;
            let len = trajectories[place.run].as_ref().ok()?.steps().len();
            Some((place, shown_steps(len, &[broken])))
        });
    }
    if let Some(statistics) = &end.statistics {
        panel(&mut html, statistics, |id| run_of(id).map(Place::id));
    }
    match depth {
        Depth::Whole => runs(&mut html, test, &trajectories, &broken, number),
        Depth::Short if test.agents.is_empty() && end.captured.is_empty() => {}
        Depth::Short => {
            html.raw("<p class=\"note\">What was done here, and what was printed, is left out to keep this page small. The events file has it; a report of fewer tests shows it.</p>");
        }
    }
    html.raw("</div>");
    html
}

fn read(text: &str) -> Result<Trajectory, String> {
    Trajectory::from_json(text).map_err(|error| error.to_string())
}

fn facts(html: &mut Html, test: &Test) {
    let end = &test.end;
    html.raw("<dl class=\"grid lead\">");
    if end.test.chars().count() > NAME {
        html.fact("Test", &end.test);
    }
    if let Some(file) = &end.file {
        html.fact("Place", &end.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")));
    }
    if let Some(reason) = &end.reason {
        html.fact("Reason", reason);
    }
    if let Some(spending) = &end.spending {
        let all = spending.all();
        html.fact("Cost", &words::cost(all)).fact("Paid", &words::cost(spending.live));
        html.fact("Tokens", &thousands(all.tokens))
            .fact("Model calls", &words::sources(spending).unwrap_or_default());
    }
    if test.end.reruns > 0 {
        html.fact(
            "Tried before",
            &counted(test.end.reruns, "time; the last one counts", "times; the last one counts"),
        );
    }
    if let Some(worker) = &end.worker {
        html.fact("Worker", worker);
    }
    html.raw("</dl>");
}

fn failed(
    html: &mut Html,
    failure: &TestFailure,
    shown: impl Fn(&BrokenExpectation) -> Option<(Place, std::collections::BTreeSet<usize>)>,
) {
    html.raw("<section class=\"panel failure\" aria-label=\"Failure\"><h2>").raw(match failure.phase {
        Phase::Collect => "Its file could not be read",
        Phase::Setup => "Failed while it was set up",
        Phase::Call => "Failed",
        Phase::Teardown => "Failed while it was taken down",
    });
    html.raw("</h2>");
    block(html, &failure.message);
    for broken in &failure.broken {
        html.raw("<div class=\"broken\"><p class=\"assertion\"><code>").text(&broken.assertion);
        html.raw("</code></p><div class=\"sides\"><div class=\"side expected\"><h3>Expected</h3>");
        block(html, &broken.expected);
        html.raw("</div><div class=\"side actual\"><h3>Actual</h3>");
        diff(html, &broken.actual);
        html.raw("</div></div>");
        cites(html, broken, shown(broken));
        html.raw("</div>");
    }
    // Where the page itself tells what was expected, the same as text can wait.
    let open = if failure.broken.is_empty() { "\" open>" } else { "\">" };
    if let Some(report) = &failure.report {
        html.raw("<details class=\"raw").raw(open).raw("<summary>UnitAI's report</summary>");
        block(html, report);
        html.raw("</details>");
    }
    if failure.text.trim() != failure.message.trim() && !failure.text.trim().is_empty() {
        html.raw("<details class=\"raw").raw(open).raw("<summary>As the terminal shows it</summary>");
        block(html, &without_escapes(&failure.text));
        html.raw("</details>");
    }
    html.raw("</section>");
}

/// The steps that decided, as links where they are shown.
fn cites(
    html: &mut Html,
    broken: &BrokenExpectation,
    shown: Option<(Place, std::collections::BTreeSet<usize>)>,
) {
    if broken.cites.is_empty() {
        return;
    }
    html.raw("<p class=\"cites\">Decided by step");
    for (n, cite) in broken.cites.iter().take(20).enumerate() {
        html.raw(if n == 0 { if broken.cites.len() == 1 { " " } else { "s " } } else { ", " });
        match &shown {
            Some((place, steps)) if steps.contains(cite) => html
                .raw("<a href=\"#")
                .html(&place.step(*cite))
                .raw("\">")
                .count(*cite as u64 + 1)
                .raw("</a>"),
            _ => html.count(*cite as u64 + 1),
        };
    }
    if broken.cites.len() > 20 {
        html.raw(" and ").count(broken.cites.len() as u64 - 20).raw(" more");
    }
    html.raw("</p>");
}

fn runs(
    html: &mut Html,
    test: &Test,
    trajectories: &[Result<Trajectory, String>],
    broken: &[&BrokenExpectation],
    number: usize,
) {
    if !test.agents.is_empty() {
        // A YAML test may be run in a test that runs agents as well.
        let (label, title) = match test.agents.iter().all(|ran| ran.is_yaml) {
            true => ("What its steps called", "What its steps called"),
            false => ("What agents did", "What the agent did"),
        };
        html.raw("<section class=\"runs\" aria-label=\"").raw(label).raw("\"><h2>").raw(title).raw("</h2>");
        for (run, (ran, read)) in test.agents.iter().zip(trajectories).enumerate() {
            let id = read.as_ref().map_or("", |trajectory| trajectory.run_id());
            let mine: Vec<&BrokenExpectation> =
                broken.iter().filter(|expectation| expectation.run_id == id).copied().collect();
            let is_open = !mine.is_empty()
                || test.agents.len() == 1
                || (run == 0 && is_red(test.end.outcome) && broken.is_empty());
            agent_run(html, ran, read, &mine, Place { test: number, run }, is_open);
        }
        if test.end.runs_left_out > 0 {
            let left_out = counted(test.end.runs_left_out, "more run is", "more runs are");
            html.raw("<p class=\"note\">")
                .text(&left_out)
                .raw(" not kept: there are too many, or too long.</p>");
        }
        html.raw("</section>");
    }
    if !test.end.captured.is_empty() {
        html.raw("<section class=\"captured\" aria-label=\"Output\"><h2>What it printed</h2>");
        for captured in &test.end.captured {
            html.raw("<details class=\"raw\"><summary>").text(&line(&captured.title, 240));
            html.raw("</summary>");
            block(html, &without_escapes(&captured.text));
            html.raw("</details>");
        }
        html.raw("</section>");
    }
}
