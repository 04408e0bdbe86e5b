//! `unitai cache`: a look at the recordings, where they may come from, and their end.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use unitai_config::Settings;
use unitai_model::Money;
use unitai_model::value::plain;
use unitai_wire::cassette::{CassetteError, Shelf, Stats, Unused, ttl_of_hours};

mod import;
mod show;

use import::{Import, Told};
use show::Show;

use crate::say::{self, complain, say};

/// The arguments of `unitai cache`.
#[derive(Args)]
pub(crate) struct Cache {
    /// The folder of the recordings [default: .unitai/cache, or what the project's file says]
    #[arg(long, value_name = "FOLDER", global = true)]
    directory: Option<PathBuf>,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Show how many recordings there are, how often they answered, and what they saved
    Stats,
    /// Show a recording and where secrets were taken out of it, or list all
    Show(Show),
    /// Delete every recording
    Clear,
    /// Delete the recordings that are too old, and what a killed process left behind; or those that no test uses
    Prune {
        /// How old a recording may be [default: 168, or what the project's file says]
        #[arg(long, value_name = "HOURS")]
        ttl_hours: Option<f64>,
        /// List and delete what tests recorded once, and did not record again when they were last recorded as a whole
        #[arg(long, conflicts_with = "ttl_hours")]
        unused: bool,
        /// With --unused: list it, and delete nothing
        #[arg(long, requires = "unused")]
        dry_run: bool,
    },
    /// Bring recordings of vcrpy and cassetter, so that the same requests find them here
    Import(Import),
}

impl Cache {
    /// Does it, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        match self.done() {
            Ok(Told { text, code }) => {
                // Nobody may be reading any more.
                let _ = say(&text);
                code
            }
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn done(&self) -> Result<Told, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        let settings = Settings::of(&here).map_err(|trouble| trouble.told())?.cache();
        let directory = self.directory.clone().unwrap_or_else(|| settings.directory.clone());
        let secrets = Arc::new(say::of_environment());
        let shelf = Shelf::at(&directory, secrets.clone());
        let shown = directory.strip_prefix(&here).unwrap_or(&directory).display();
        let failed = |error: CassetteError| format!("{error}; `--directory FOLDER` names another folder");
        let text = match &self.what {
            What::Stats => format!("{shown}\n{}", described(&shelf.stats().map_err(failed)?)),
            What::Clear => {
                let count = shelf.clear().map_err(failed)?;
                format!("{} deleted from {shown}", recordings(count))
            }
            What::Show(show) => show.text(&shelf, directory.strip_prefix(&here).unwrap_or(&directory))?,
            What::Prune { unused: true, dry_run, .. } => {
                let unused = if *dry_run { shelf.unused() } else { shelf.prune_unused() }.map_err(failed)?;
                let verb = if *dry_run { "would be deleted" } else { "deleted" };
                let mut lines: Vec<String> = unused.iter().map(listed).collect();
                lines.push(format!("{} {verb} from {shown}", unused_answers(&unused)));
                lines.join("\n")
            }
            What::Prune { ttl_hours, .. } => {
                let hours = ttl_hours.unwrap_or(settings.ttl_hours);
                let ttl = ttl_of_hours(hours).ok_or_else(|| format!("{hours} is no number of hours"))?;
                let count = shelf.prune(ttl).map_err(failed)?;
                format!("{} deleted from {shown}", recordings(count))
            }
            What::Import(import) => {
                let told = import.done(&shelf, &secrets, &settings, &here)?;
                return Ok(Told { text: format!("{shown}\n{}", told.text), ..told });
            }
        };
        Ok(Told { text, code: 0 })
    }
}

/// `  3f2a91c0d2e4  gpt-4o (openai_chat), of tests/test_a.py::test_b`.
fn listed(unused: &Unused) -> String {
    let scopes = unused.scopes.iter().map(|scope| plain(scope)).collect::<Vec<_>>().join(", ");
    let shared = if unused.is_shared { "; other tests use answers of it, which stay" } else { "" };
    let short = unused.key.get(..12).unwrap_or(&unused.key);
    format!("  {short}  {}, of {scopes}{shared}", plain(&unused.request))
}

fn unused_answers(unused: &[Unused]) -> String {
    format!("the unused answers of {}", recordings(unused.len() as u64))
}

fn described(stats: &Stats) -> String {
    let counts = &stats.counts;
    let mut lines = vec![format!("  {:<12}{} ({})", "recordings", stats.entries, size(stats.bytes))];
    match counts.hit_rate() {
        Some(rate) => {
            let asked = counts.hits + counts.misses;
            lines.push(format!(
                "  {:<12}{} of {asked} requests ({:.1}%)",
                "answered",
                counts.hits,
                rate * 100.0
            ));
        }
        None => lines.push(format!("  {:<12}nothing was asked yet", "answered")),
    }
    let saved = Money::from_pico_dollars(1_000_000).times(counts.saved_micros);
    lines.push(format!("  {:<12}{}, at the prices of this release", "saved", saved.shown()));
    if stats.quarantined > 0 {
        lines.push(format!("  {:<12}{} damaged, in quarantine/", "set aside", stats.quarantined));
    }
    lines.join("\n")
}

fn recordings(count: u64) -> String {
    if count == 1 { "1 recording".to_owned() } else { format!("{count} recordings") }
}

/// `1.2 kB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
