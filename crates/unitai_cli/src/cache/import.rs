//! `unitai cache import`: recordings of other tools become our own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use unitai_config::CacheSettings;
use unitai_wire::cassette::import::{self, Contents, Found, Imported, LeftOut, Plan, Unreadable};
use unitai_wire::cassette::{Shelf, Volatile};
use unitai_wire::redact::Secrets;
use unitai_wire::{Target, is_model_host};

/// The arguments of `unitai cache import`.
#[derive(Args)]
pub(crate) struct Import {
    /// Cassettes of vcrpy and LangChain (.yaml, .json) and cassetter (.yaml, .toml), also as .gz, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Show what would be imported, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// What is said in the end, and the exit code.
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) code: i32,
}

impl Import {
    /// Brings all of them to the shelf.
    pub(crate) fn done(
        &self,
        shelf: &Shelf,
        secrets: &Secrets,
        settings: &CacheSettings,
        here: &Path,
    ) -> Result<Told, String> {
        let volatile = volatile(settings)?;
        let found = import::find(&self.paths).map_err(|error| format!("cannot list the files: {error}"))?;
        let read: Vec<(Found, Result<Contents, Unreadable>)> = found
            .into_iter()
            .map(|found| {
                let contents = import::read(&found.path);
                (found, contents)
            })
            .collect();
        // Before anything is written: a key in the head of one may stand in the body of another.
        for contents in read.iter().filter_map(|(_, contents)| contents.as_ref().ok()) {
            contents.interactions.iter().for_each(|interaction| interaction.teach(secrets));
        }
        let mut report = Report { is_dry: self.dry_run, ..Report::default() };
        for (found, contents) in read {
            let name = found.path.strip_prefix(here).unwrap_or(&found.path).display().to_string();
            match contents {
                Ok(contents) => {
                    let mut plan = Plan::of(contents.interactions, secrets, &volatile);
                    let mut left_out = contents.left_out;
                    left_out.append(&mut plan.left_out);
                    report.origins.append(&mut plan.origins);
                    let (models, apis) = (plan.models, plan.apis);
                    let mut imported = if self.dry_run {
                        Imported { added: models + apis, ..Imported::default() }
                    } else {
                        shelf.import(plan).map_err(|error| error.to_string())?
                    };
                    left_out.append(&mut imported.left_out);
                    report.file(&name, models, apis, imported, &left_out);
                }
                Err(error @ (Unreadable::Other | Unreadable::AnswerAlone)) if !found.is_named => {
                    report.passed_over(&name, &error);
                }
                Err(error) => report.unreadable(&name, &error),
            }
        }
        let told = report.told(settings);
        Ok(Told { text: secrets.clean(&told.text).into_owned(), ..told })
    }
}

fn volatile(settings: &CacheSettings) -> Result<Vec<Volatile>, String> {
    let known = |word: &String| {
        Volatile::of_word(word)
            .ok_or_else(|| format!("the project's file declares {word:?} volatile, which is nothing"))
    };
    settings.volatile.iter().map(known).collect()
}

#[derive(Default)]
struct Report {
    is_dry: bool,
    lines: Vec<String>,
    files: usize,
    imported: Imported,
    left_out: usize,
    unreadable: usize,
    origins: BTreeSet<String>,
}

impl Report {
    fn file(&mut self, name: &str, models: usize, apis: usize, imported: Imported, left_out: &[LeftOut]) {
        self.files += 1;
        self.imported.added += imported.added;
        self.imported.known += imported.known;
        self.left_out += left_out.len();
        let mut parts = vec![format!("{} of models, {} of other APIs", models, apis)];
        if imported.known > 0 {
            parts.push(format!("{} of them here already", imported.known));
        }
        if !left_out.is_empty() {
            parts.push(format!("{} left out:", left_out.len()));
        }
        self.lines.push(format!("  {name}: {}", parts.join("; ")));
        self.lines.extend(left_out.iter().map(|left| format!("    {}: {}", left.what, left.why)));
    }

    fn passed_over(&mut self, name: &str, why: &Unreadable) {
        self.lines.push(format!("  {name}: passed over: {why}"));
    }

    fn unreadable(&mut self, name: &str, error: &Unreadable) {
        self.unreadable += 1;
        self.lines.push(format!("  {name}: could not be read: {error}"));
    }

    fn told(self, settings: &CacheSettings) -> Told {
        let Report { is_dry, mut lines, files, imported, left_out, unreadable, origins } = self;
        if files + unreadable == 0 {
            lines.push("no cassette was found".to_owned());
            return Told { text: lines.join("\n"), code: 1 };
        }
        let exchanges = if imported.added == 1 { "exchange" } else { "exchanges" };
        let verb = if is_dry { "would be imported" } else { "imported" };
        let of_files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        let mut total = format!("{} {exchanges} {verb} from {of_files}", imported.added);
        if imported.known > 0 {
            total.push_str(&format!(", {} here already", imported.known));
        }
        if left_out > 0 {
            total.push_str(&format!(", {left_out} left out"));
        }
        if unreadable > 0 {
            total.push_str(&format!(", {unreadable} not read"));
        }
        lines.push(total);
        let undeclared: Vec<String> = origins
            .into_iter()
            .filter(|origin| !is_replayed(origin, settings))
            .map(|origin| format!("{origin:?}"))
            .collect();
        if !undeclared.is_empty() {
            lines.push(format!(
                "to replay what is no model's, name where it is, in pyproject.toml or in cassette(apis=...):\n  \
                 [tool.unitai.cache]\n  apis = [{}]",
                undeclared.join(", ")
            ));
        }
        Told { text: lines.join("\n"), code: i32::from(unreadable > 0) }
    }
}

/// Whether requests to this host are answered from recordings as things are.
fn is_replayed(origin: &str, settings: &CacheSettings) -> bool {
    let is_model = Target::of(origin).is_some_and(|target| is_model_host(target.host));
    is_model || settings.apis.iter().any(|api| api.starts_with(origin.trim_end_matches('/')))
}
