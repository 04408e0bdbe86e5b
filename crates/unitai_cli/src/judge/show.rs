//! `unitai judge show`: who answered what about a test, for people who review it.

use clap::Args;
use unitai_judge::answers::{Entry, KeptQuestion, KeptReply, Steadiness};
use unitai_model::value::plain;
use unitai_report::Style;

use super::kept::{Found, find, shown};
use crate::say::{counted, say, style};

/// What `unitai judge show --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai judge show \"Refunds are polite\"      by the name of a test\n  unitai judge show tests/llm/refunds.yaml    every test of a file\n  unitai judge show \"Refunds are polite\" --all    what was answered before, too";

/// The arguments of `unitai judge show`.
#[derive(Args)]
pub(crate) struct Show {
    /// The name of a YAML test, its file, FILE::NAME of any test, or a file of kept answers
    test: String,
    /// Earlier answers as well, about other evidence or by other judges
    #[arg(long)]
    all: bool,
}

impl Show {
    /// Shows them.
    pub(crate) fn done(&self) -> Result<(), String> {
        let style = style();
        let all: Vec<String> = find(&self.test)?.iter().map(|found| self.told(found, style)).collect();
        // Nobody may be reading any more.
        let _ = say(&all.join("\n\n"));
        Ok(())
    }

    fn told(&self, Found { path, kept, .. }: &Found, style: Style) -> String {
        let place = style.faint(&format!("({})", shown(path)));
        let mut lines = vec![format!("{} {place}", style.heading(&plain(&kept.test)))];
        let count = if self.all { kept.entries.len() } else { 1 };
        for entry in kept.entries.iter().rev().take(count) {
            lines.extend(self::entry(entry, style));
        }
        let older = kept.entries.len().saturating_sub(count);
        if older > 0 {
            let what = if older == 1 {
                "1 earlier entry is".to_owned()
            } else {
                format!("{older} earlier entries are")
            };
            lines.push(style.faint(&format!("{what} not shown; --all shows more")));
        }
        if let Some(question) = kept.entries.last().and_then(|it| it.questions.first()) {
            lines.push(format!(
                "Is an answer wrong, or right? Say so: unitai judge label {} {} yes|no",
                quoted(&self.test),
                question.id
            ));
        }
        lines.join("\n")
    }
}

fn entry(entry: &Entry, style: Style) -> Vec<String> {
    let asked = counted(entry.repeats.into(), "time");
    let Steadiness { again, flips } = entry.steadiness;
    let steady = match again {
        0 => String::new(),
        _ => {
            format!("; asked again {}, and {flips} of them changed an answer", counted(again.into(), "time"))
        }
    };
    let mut lines =
        vec![format!("{}, {}, asked {asked}{steady}", plain(&entry.judge.name()), plain(&entry.date))];
    for question in &entry.questions {
        let reply = entry.replies.iter().find(|it| it.id == question.id);
        lines.extend(answer(question, reply, entry, style));
    }
    lines
}

fn answer(question: &KeptQuestion, reply: Option<&KeptReply>, entry: &Entry, style: Style) -> Vec<String> {
    let said = reply.map_or("no answer", |it| it.answer.as_str());
    let painted = match said {
        "yes" => style.good(said),
        "no" => style.bad(said),
        other => style.doubtful(&plain(other)),
    };
    let about = [question.kind.as_str(), question.path.as_str()].join(" ");
    let text = plain(&question.text);
    let mut lines = vec![format!(
        "  {} {painted}: {text} {}",
        plain(&question.id),
        style.faint(&format!("({})", plain(about.trim())))
    )];
    let Some(reply) = reply else { return lines };
    if !reply.why.is_empty() {
        lines.push(format!("     {}", plain(&reply.why)));
    }
    for quote in &reply.quotes {
        let tool = entry
            .evidence
            .iter()
            .find(|it| it.reference == quote.reference)
            .map_or("", |it| it.tool.as_str());
        lines.push(format!("     {} {}: \"{}\"", plain(&quote.reference), plain(tool), plain(&quote.quote)));
    }
    lines
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", plain(text).replace('\'', "'\\''"))
}
