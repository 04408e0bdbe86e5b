//! How the runs of a repeated test did: the interval as a drawing, the ways of failing as a list.

use unitai_model::event::{FailureMode, Statistics};

use super::cut::line;
use super::words::{counted, percent};
use super::write::Html;
use crate::words::{dollars, thousands};

/// The drawing of a list: small, without words.
pub(super) fn spark(html: &mut Html, statistics: &Statistics) {
    let [low, high] = bounds(statistics);
    html.raw("<svg class=\"spark\" aria-hidden=\"true\" width=\"64\" height=\"12\">");
    html.raw("<rect class=\"track\" x=\"0\" y=\"4\" width=\"100%\" height=\"4\" rx=\"2\"/>");
    html.raw("<rect class=\"range\" y=\"4\" height=\"4\" rx=\"2\" x=\"")
        .number(low * 100.0)
        .raw("%\" width=\"");
    html.number((high - low) * 100.0).raw("%\"/>");
    let threshold = share(statistics.threshold) * 100.0;
    html.raw("<line class=\"threshold\" y1=\"0\" y2=\"12\" x1=\"")
        .number(threshold)
        .raw("%\" x2=\"")
        .number(threshold);
    html.raw("%\"/><circle class=\"point\" cy=\"6\" r=\"3\" cx=\"")
        .number(share(statistics.pass_rate) * 100.0);
    html.raw("%\"/></svg>");
}

/// Everything about the runs. `links` leads from an example to its run in this page.
pub(super) fn panel(html: &mut Html, statistics: &Statistics, links: impl Fn(&str) -> Option<Html>) {
    html.raw("<section class=\"panel stats\" aria-label=\"Repeated runs\"><h2>Repeated runs</h2>");
    html.raw("<p class=\"claim\">").text(&statistics.claim).raw("</p>");
    let counted_runs = statistics.passed + statistics.failed;
    if counted_runs > 0 && statistics.is_rate() {
        interval(html, statistics);
    }
    html.raw("<dl class=\"grid\">");
    html.fact("Passed", &format!("{} of {}", thousands(statistics.passed), thousands(counted_runs)));
    if statistics.inconclusive > 0 {
        html.fact("Inconclusive", &thousands(statistics.inconclusive));
    }
    html.fact("Asked for", &counted(statistics.planned, "run", "runs"));
    if statistics.saved_runs > 0 {
        html.fact("Not needed", &counted(statistics.saved_runs, "run", "runs"));
    }
    if let Some(why) = &statistics.stopped {
        html.fact("Stopped", why);
    }
    html.fact("Mode", &statistics.mode);
    let about = if statistics.is_cost_known { "" } else { "at least " };
    html.fact("Cost of all runs", &format!("{about}{}", dollars(statistics.cost)));
    html.raw("</dl>");
    modes(html, "Ways of failing", &statistics.failure_modes, statistics.failed, &links);
    modes(html, "Why runs decided nothing", &statistics.causes, statistics.inconclusive, &links);
    for note in &statistics.notes {
        html.raw("<p class=\"note\">").text(note).raw("</p>");
    }
    html.raw("</section>");
}

fn interval(html: &mut Html, statistics: &Statistics) {
    let [low, high] = bounds(statistics);
    let (rate, threshold) = (share(statistics.pass_rate), share(statistics.threshold));
    let said = format!(
        "Pass rate {}, {} interval from {} to {}, threshold {}",
        percent(rate),
        percent(statistics.confidence),
        percent(low),
        percent(high),
        percent(threshold)
    );
    html.raw("<figure class=\"interval\"><svg role=\"img\" width=\"100%\" height=\"34\" aria-label=\"")
        .text(&said);
    html.raw("\"><rect class=\"track\" x=\"0\" y=\"13\" width=\"100%\" height=\"8\" rx=\"4\"/>");
    html.raw("<rect class=\"range\" y=\"13\" height=\"8\" rx=\"4\" x=\"")
        .number(low * 100.0)
        .raw("%\" width=\"");
    html.number((high - low) * 100.0).raw("%\"/>");
    for edge in [low, high] {
        html.raw("<line class=\"edge\" y1=\"10\" y2=\"24\" x1=\"").number(edge * 100.0).raw("%\" x2=\"");
        html.number(edge * 100.0).raw("%\"/>");
    }
    html.raw("<line class=\"threshold\" y1=\"2\" y2=\"32\" x1=\"").number(threshold * 100.0).raw("%\" x2=\"");
    html.number(threshold * 100.0)
        .raw("%\"/><circle class=\"point\" cy=\"17\" r=\"6\" cx=\"")
        .number(rate * 100.0);
    html.raw("%\"/></svg><div class=\"scale\" aria-hidden=\"true\"><span>0%</span><span>50%</span><span>100%</span></div>");
    html.raw("<figcaption><span class=\"legend point\">pass rate <b>").text(&percent(rate));
    html.raw("</b></span><span class=\"legend range\">")
        .text(&percent(statistics.confidence))
        .raw(" interval <b>");
    html.text(&percent(low)).raw(" to ").text(&percent(high)).raw("</b>");
    if let Some(note) = statistics.interval_basis.note() {
        html.raw(" (").raw(note).raw(")");
    }
    html.raw("</span><span class=\"legend threshold\">threshold <b>").text(&percent(threshold));
    html.raw("</b></span></figcaption></figure>");
}

fn modes(
    html: &mut Html,
    title: &'static str,
    modes: &[FailureMode],
    of: u64,
    links: &impl Fn(&str) -> Option<Html>,
) {
    if modes.is_empty() {
        return;
    }
    html.raw("<h3>").raw(title).raw("</h3><ul class=\"modes\">");
    for mode in modes {
        html.raw("<li><span class=\"times\">")
            .count(mode.count)
            .raw("×</span><div><p>")
            .text(&line(&mode.text, 600));
        html.raw("</p>");
        if let Some(parting) = &mode.parting {
            html.raw("<p class=\"note\">").text(&line(parting, 600)).raw("</p>");
        }
        if let Some(example) = &mode.example {
            match links(example) {
                Some(place) => html.raw("<a href=\"#").html(&place).raw("\">see a run that failed so</a>"),
                None => {
                    html.raw("<span class=\"note\">for example run ").text(&line(example, 60)).raw("</span>")
                }
            };
        }
        html.raw("</div><svg class=\"bar\" aria-hidden=\"true\" width=\"80\" height=\"6\"><rect class=\"track\" width=\"100%\" height=\"6\" rx=\"3\"/><rect class=\"fill\" height=\"6\" rx=\"3\" width=\"");
        html.number(share(mode.count as f64 / of.max(mode.count).max(1) as f64) * 100.0)
            .raw("%\"/></svg></li>");
    }
    html.raw("</ul>");
}

/// A share between nothing and all, whatever was written.
fn share(share: f64) -> f64 {
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

fn bounds(statistics: &Statistics) -> [f64; 2] {
    let [low, high] = statistics.interval.map(share);
    [low.min(high), low.max(high)]
}
