//! What an agent did, or a YAML test, step by step.

use std::collections::BTreeSet;

use unitai_model::event::{AgentRan, BrokenExpectation};
use unitai_model::{Ending, Trajectory};

use super::cut::{block, line};
use super::place::Place;
use super::step::step;
use super::value::{short, value};
use super::words::{counted, duration};
use super::write::Html;
use crate::words::thousands;

/// Of a trajectory, so many steps are shown from its beginning,
const FIRST: usize = 200;
/// so many from its end,
const LAST: usize = 50;
/// so many on either side of a cited step,
const AROUND: usize = 3;
/// and no more cited steps than this.
const CITED: usize = 50;

/// A run of an agent, opened or not. `broken` are the expectations about this run.
pub(super) fn agent_run(
    html: &mut Html,
    ran: &AgentRan,
    read: &Result<Trajectory, String>,
    broken: &[&BrokenExpectation],
    place: Place,
    is_open: bool,
) {
    html.raw("<details class=\"run\" id=\"").html(&place.id()).raw(if is_open { "\" open>" } else { "\">" });
    html.raw("<summary><span class=\"run-title\">");
    match &ran.example_of {
        Some(what) if what == "passing" => html.raw("A run that passed"),
        Some(what) => html.raw("A run that failed: ").text(&line(what, 240)),
        None if ran.is_yaml => html.raw("Steps"),
        None => html.raw("Agent run"),
    };
    html.raw("</span>");
    match read {
        Ok(trajectory) => opened(html, trajectory, broken, place, ran.is_yaml),
        Err(reason) => {
            html.raw("</summary><div class=\"run-body\"><p class=\"bad\">What was done could not be read: ");
            html.text(reason).raw("</p></div>");
        }
    }
    html.raw("</details>");
}

fn opened(
    html: &mut Html,
    trajectory: &Trajectory,
    broken: &[&BrokenExpectation],
    place: Place,
    is_yaml: bool,
) {
    html.raw("<span class=\"facts\">");
    let steps = trajectory.steps();
    html.span("fact", &counted(steps.len() as u64, "step", "steps"));
    html.span("fact", &duration(trajectory.duration_seconds()));
    match trajectory.total_tokens() {
        Ok(0) => {}
        Ok(tokens) => {
            html.span("fact", &format!("{} tokens", thousands(tokens)));
        }
        Err(_) => {
            html.span("fact", "tokens unknown");
        }
    }
    match trajectory.total_cost() {
        Ok(cost) if cost == unitai_model::Money::ZERO => {}
        Ok(cost) => {
            html.span("fact", &cost.shown());
        }
        Err(unknown) => {
            html.span("fact", &format!("cost unknown: {unknown}"));
        }
    }
    html.span("fact mono", trajectory.run_id());
    html.raw("</span></summary><div class=\"run-body\">");
    if steps.len() > 1 {
        html.raw("<button type=\"button\" class=\"open-steps script-only\">Open all steps</button>");
    }
    let (asked, answered) = if is_yaml { ("Test", "Verdict") } else { ("Input", "Output") };
    end(html, "asked", asked, &short(trajectory.input(), 120), |html| value(html, trajectory.input()));
    if steps.is_empty() {
        let who = if is_yaml { "The steps" } else { "The agent" };
        html.raw("<p class=\"note\">").raw(who).raw(" called no tool and no model.</p>");
    } else {
        timeline(html, trajectory, broken, place);
    }
    match trajectory.ending() {
        Ending::Returned(output) => {
            end(html, "answered", answered, &short(output, 120), |html| value(html, output))
        }
        Ending::Raised(failure) => end(html, "raised", "Raised", &line(&failure.to_string(), 160), |html| {
            let mut text = format!("{}: {}", failure.type_name(), failure.message);
            if let Some(at) = &failure.place {
                text.push_str(&format!("\n\nat {at}"));
            }
            block(html, &text);
        }),
    }
    html.raw("</div>");
}

/// What the agent was given, or what it gave.
fn end(html: &mut Html, class: &'static str, name: &'static str, shown: &str, whole: impl FnOnce(&mut Html)) {
    html.raw("<details class=\"end ").raw(class).raw("\"><summary><span class=\"kind\">").raw(name);
    html.raw("</span><code>").text(shown).raw("</code></summary><div class=\"step-body\">");
    whole(html);
    html.raw("</div></details>");
}

fn timeline(html: &mut Html, trajectory: &Trajectory, broken: &[&BrokenExpectation], place: Place) {
    let steps = trajectory.steps();
    let shown = shown_steps(steps.len(), broken);
    html.raw("<ol class=\"steps\">");
    let mut next = 0;
    for at in &shown {
        left_out(html, at - next);
        next = at + 1;
        let cited: Vec<&BrokenExpectation> =
            broken.iter().filter(|expectation| expectation.cites.contains(at)).copied().collect();
        step(html, &steps[*at], *at, trajectory.started_at(), &cited, place);
    }
    left_out(html, steps.len() - next);
    html.raw("</ol>");
}

/// The steps that are shown, in order.
pub(super) fn shown_steps(len: usize, broken: &[&BrokenExpectation]) -> BTreeSet<usize> {
    let mut shown: BTreeSet<usize> = (0..len.min(FIRST)).chain(len.saturating_sub(LAST)..len).collect();
    let cites = broken.iter().flat_map(|expectation| &expectation.cites).take(CITED);
    for cite in cites.filter(|cite| **cite < len) {
        shown.extend(cite.saturating_sub(AROUND)..(cite + AROUND + 1).min(len));
    }
    shown
}

fn left_out(html: &mut Html, count: usize) {
    if count > 0 {
        let steps = counted(count as u64, "step", "steps");
        html.raw("<li class=\"gap\">").text(&steps).raw(" left out here; the events file has them all</li>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citing(cites: Vec<usize>) -> BrokenExpectation {
        let text = String::new;
        BrokenExpectation { run_id: text(), assertion: text(), expected: text(), actual: text(), cites }
    }

    #[test]
    fn of_a_long_trajectory_both_ends_and_what_is_cited_are_shown() {
        assert_eq!(shown_steps(250, &[]).len(), 250);
        let broken = citing(vec![5_000, 20_000]);
        let shown = shown_steps(10_000, &[&broken]);
        assert_eq!(shown.len(), FIRST + LAST + 2 * AROUND + 1);
        assert!(
            shown.contains(&0) && shown.contains(&5_000) && shown.contains(&9_999) && !shown.contains(&5_010)
        );
        assert!(shown_steps(0, &[&broken]).is_empty());
    }
}
