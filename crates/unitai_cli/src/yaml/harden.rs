//! `unitai yaml harden`: expectations that could be checks. Shows what it would change, and changes it only when told.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use similar::TextDiff;
use unitai_spec::document::{Place, Spec, Step, read_file};
use unitai_spec::harden::{Proposal, propose, rewrite};
use unitai_wire::gate::write_public;

use super::files;
use crate::say::{complain, counted, note, say, secrets};

/// What `unitai yaml harden --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai yaml harden                       what could be checked in tests/llm, as a diff\n  unitai yaml harden tests/llm/api.yaml --write   put the checks into the file\n\nOnly what is plainly mechanical is proposed, such as `Status code should be 200`. The expectations stay.";

/// The arguments of `unitai yaml harden`.
#[derive(Args)]
pub(crate) struct Harden {
    /// Files, or folders to look in [default: tests/llm]
    paths: Vec<PathBuf>,
    /// Write the checks into the files
    #[arg(long)]
    write: bool,
}

impl Harden {
    /// Proposes, and gives the exit code.
    pub(crate) fn run(&self) -> i32 {
        match self.proposed() {
            Ok(()) => 0,
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn proposed(&self) -> Result<(), String> {
        let (mut count, mut changed) = (0, 0);
        for file in files::tests(&self.paths)? {
            let reading = read_file(&file);
            if reading.specs.is_empty() {
                note(&format!(
                    "{}: not looked at, because it cannot be read; see unitai yaml check",
                    file.display()
                ));
                continue;
            }
            for (file, proposals) in by_file(&reading.specs) {
                let written = self.file(&file, &proposals)?;
                (count, changed) = (count + written, changed + u64::from(written > 0));
            }
        }
        let told = match (count, self.write) {
            (0, _) => {
                "nothing to write: what is left to expect needs a judge, is checked already, or is named above".to_owned()
            }
            (_, true) => format!("{} written into {}", counted(count, "check"), counted(changed, "file")),
            (_, false) => format!("{} proposed; --write puts them into the files", counted(count, "check")),
        };
        say(&told).map_err(|error| error.to_string())
    }

    /// Shows the changes of one file, and makes them if they are wanted.
    fn file(&self, file: &Path, proposals: &[(Place, Proposal)]) -> Result<u64, String> {
        let shown = file.display();
        let before = fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
        let after = rewrite(&before, proposals);
        for place in &after.left_out {
            let check = proposals.iter().find(|(at, _)| at == place).map_or("", |(_, it)| it.check.as_str());
            note(&format!("{place}: could have the check `{check}`; write it there by hand"));
        }
        if after.text == before {
            return Ok(0);
        }
        let diff = TextDiff::from_lines(before.as_str(), after.text.as_str());
        let name = shown.to_string();
        let _ = say(diff.unified_diff().header(&name, &name).to_string().trim_end());
        if self.write {
            write_public(file, after.text.as_bytes(), secrets())
                .map_err(|error| format!("{shown}: {error}"))?;
        }
        Ok((proposals.len() - after.left_out.len()) as u64)
    }
}

/// What is proposed, by the file that the step stands in; a step of several cases is proposed once.
fn by_file(specs: &[Spec]) -> BTreeMap<PathBuf, Vec<(Place, Proposal)>> {
    let mut found: BTreeMap<PathBuf, Vec<(Place, Proposal)>> = BTreeMap::new();
    for spec in specs {
        for step in [&spec.setup, &spec.steps, &spec.teardown].into_iter().flatten() {
            look(step, &mut found);
        }
    }
    found
}

fn look(step: &Step, found: &mut BTreeMap<PathBuf, Vec<(Place, Proposal)>>) {
    if let Some(proposal) = propose(&step.expect, step, None) {
        let proposals = found.entry(step.place.file.as_ref().clone()).or_default();
        if !proposals.iter().any(|(place, _)| *place == step.place) {
            proposals.push((step.place.clone(), proposal));
        }
    }
    for child in &step.steps {
        look(child, found);
    }
}
