//! A score in words, and for programs.

use serde_json::{Value, json};
use unitai_check::trials::Interval;
use unitai_judge::calibration::{Heard, Kappa, Missed, Rate, Score};
use unitai_model::value::plain;
use unitai_report::Style;
use unitai_spec::run::Spent;

use crate::say::counted;

/// The score for people.
pub(super) fn text(score: &Score, cases: usize, missed: &[Missed], style: Style) -> String {
    let table = score.table();
    let by = if score.judged.by.is_empty() { "the judge" } else { &score.judged.by };
    let mut lines = vec![
        format!(
            "{} of {}, answered by {}",
            questions(table.asked()),
            counted(cases as u64, "case"),
            plain(by)
        ),
        String::new(),
        style.faint("             people say yes  people say no"),
    ];
    let row = |name: &str, yes: u64, no: u64| format!("  {name:<11}{yes:>14}  {no:>13}");
    lines.push(row("judge: yes", table.yes.yes, table.no.yes));
    lines.push(row("judge: no", table.yes.no, table.no.no));
    lines.push(row("unknown", table.yes.unknown, table.no.unknown));
    lines.push(String::new());
    let is_missed = |figure: &str| missed.iter().any(|it| it.figure == figure);
    let painted = |figure: &str, shown: String| if is_missed(figure) { style.bad(&shown) } else { shown };
    for (figure, rate, what) in
        [("TPR", table.tpr(), "says yes where people do"), ("TNR", table.tnr(), "says no where people do")]
    {
        lines.push(painted(figure, format!("  {figure:<10}{}  {what}", shares(rate))));
    }
    lines.push(painted("kappa", format!("  {:<10}{}  agrees beyond chance", "kappa", kappa(table.kappa()))));
    lines.push(format!("  {:<10}{}", "unknown", percent(table.abstention())));
    lines.push(format!("  {:<10}{}", "accuracy", percent(table.accuracy())));
    if let Some(spent) = spent(score.judged.spent) {
        lines.push(format!("  {:<10}{spent}", "took"));
    }
    let disagreements: Vec<&Heard> = score.disagreements().collect();
    if !disagreements.is_empty() {
        lines.push(String::new());
        lines.push(style.heading(&format!("{}:", counted(disagreements.len() as u64, "disagreement"))));
        for heard in disagreements {
            lines.extend(disagreement(heard, style));
        }
    }
    for noted in &score.judged.notes {
        lines.push(format!("note: {}", plain(noted)));
    }
    if !missed.is_empty() {
        lines.push(String::new());
        lines.extend(missed.iter().map(|it| style.bad(&told(it))));
    }
    lines.join("\n")
}

fn questions(count: u64) -> String {
    counted(count, "question")
}

fn word(is_yes: bool) -> &'static str {
    if is_yes { "yes" } else { "no" }
}

fn disagreement(heard: &Heard, style: Style) -> Vec<String> {
    let Heard { case, question, reply } = heard;
    let why = |text: &str| if text.is_empty() { String::new() } else { format!(" ({})", plain(text)) };
    let mut lines = vec![
        format!("  {}: {}", style.heading(&plain(case)), plain(&question.ask)),
        format!("    people say {}{}", word(question.is_yes), why(&question.note)),
        format!("    the judge says {}{}", reply.answer.word(), why(&reply.why)),
    ];
    lines.extend(
        reply.quotes.iter().map(|it| format!("      {}: \"{}\"", plain(&it.reference), plain(&it.quote))),
    );
    lines.push(style.faint(&format!("    {}", plain(&question.place.to_string()))));
    lines
}

fn told(missed: &Missed) -> String {
    let Missed { figure, least, found } = missed;
    match (*figure, found) {
        ("kappa", Some(found)) => format!("kappa is {found:.2}, and {least:.2} is required"),
        (_, Some(found)) => {
            format!("{figure} is {:.1}%, and {:.1}% is required", found * 100.0, least * 100.0)
        }
        ("kappa", None) => {
            format!(
                "kappa is not known where all labels are the same, and {least:.2} is required: label some others"
            )
        }
        (_, None) => {
            let label = if *figure == "TPR" { "yes" } else { "no" };
            format!(
                "{figure} is not known, because no question is labelled {label}, and {:.1}% is required",
                least * 100.0
            )
        }
    }
}

fn percent(rate: Rate) -> String {
    match rate.value() {
        Some(value) => format!("{:>5.1}%", value * 100.0),
        None => "  not known".to_owned(),
    }
}

fn shares(rate: Rate) -> String {
    let Interval { low, high } = rate.interval();
    let interval = format!("{:.1}% to {:.1}%", low * 100.0, high * 100.0);
    match rate.value() {
        Some(_) => format!("{}  {} of {}, 95% interval {interval};", percent(rate), rate.hits, rate.of),
        None => "  not known: nothing is labelled so;".to_owned(),
    }
}

fn kappa(kappa: Option<Kappa>) -> String {
    match kappa {
        Some(Kappa { value, interval: Interval { low, high }, .. }) => {
            format!("{value:>6.2}  95% interval {low:.2} to {high:.2};")
        }
        None => "  not known: all labels are the same;".to_owned(),
    }
}

fn spent(spent: Spent) -> Option<String> {
    let tokens = spent.input_tokens.zip(spent.output_tokens);
    let tokens = tokens.map(|(input, output)| format!("{input} tokens in, {output} out"));
    let cost = spent.cost.map(|it| it.shown());
    let known: Vec<String> = tokens.into_iter().chain(cost).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// The score for programs.
pub(super) fn json(score: &Score, cases: usize, missed: &[Missed]) -> String {
    let table = score.table();
    let rate = |it: Rate| {
        let Interval { low, high } = it.interval();
        json!({"value": it.value(), "low": low, "high": high, "hits": it.hits, "of": it.of})
    };
    let kappa = table.kappa().map(|it| {
        json!({
            "value": it.value, "standard_error": it.standard_error,
            "low": it.interval.low, "high": it.interval.high,
        })
    });
    let row = |it: unitai_judge::calibration::Row| json!({"yes": it.yes, "no": it.no, "unknown": it.unknown});
    let spent = score.judged.spent;
    let told = json!({
        "judge": score.judged.by,
        "cases": cases,
        "questions": table.asked(),
        "labelled_yes": row(table.yes),
        "labelled_no": row(table.no),
        "tpr": rate(table.tpr()),
        "tnr": rate(table.tnr()),
        "kappa": kappa,
        "accuracy": rate(table.accuracy()),
        "unknown": rate(table.abstention()),
        "missed": missed.iter().map(|it| json!({"figure": it.figure, "required": it.least, "found": it.found})).collect::<Vec<_>>(),
        "disagreements": score.disagreements().map(heard).collect::<Vec<_>>(),
        "notes": score.judged.notes,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cost_usd": spent.cost.map(|it| it.dollars()),
    });
    serde_json::to_string_pretty(&told).unwrap_or_default()
}

fn heard(heard: &Heard) -> Value {
    let Heard { case, question, reply } = heard;
    let quotes: Vec<Value> =
        reply.quotes.iter().map(|it| json!({"ref": it.reference, "quote": it.quote})).collect();
    json!({
        "case": case,
        "question": question.ask,
        "label": word(question.is_yes),
        "note": question.note,
        "answer": reply.answer.word(),
        "why": reply.why,
        "quotes": quotes,
        "file": question.place.file.display().to_string(),
        "line": question.place.line,
    })
}
