//! `unitai init`: settings, a first test that passes, and lines in `.gitignore`. Nothing that is there is changed.

mod detect;
mod framework;
mod ignore;
mod lay;
mod layers;
mod pyproject;
mod skill;

use std::path::{Path, PathBuf};

use clap::Args;
use unitai_config::Project;
use unitai_model::value::plain;

use detect::Found;
use framework::Framework;
use lay::{Fate, Laid};
use pyproject::Pyproject;

use crate::say::{complain, say};

/// The examples of the help.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai init                        settings, a first test, lines in .gitignore\n  unitai init --dry-run              show what would be made\n  unitai init --framework langgraph  with an example for this framework\n  unitai init --layers               a folder and an example for each layer of tests\n  unitai init --skill                how tests are written, as a skill for coding agents\n\nThe framework is found by what the project needs and imports. Nothing that is there already is changed.";

const SETTINGS: &str = include_str!("../../templates/unitai.toml");
const EXAMPLE: &str = "test_agent_example.py";

/// The setting that a line of the file shows, if it shows one.
#[cfg(test)]
fn setting(line: &str) -> Option<&str> {
    line.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The arguments of `unitai init`.
#[derive(Args)]
pub(crate) struct Init {
    /// Show what would be made, and make nothing
    #[arg(long)]
    dry_run: bool,
    /// What the example is written with [default: what the project uses]
    #[arg(long, value_name = "NAME", value_enum)]
    framework: Option<Framework>,
    /// Lay out the five layers of tests: a folder and an example for each, that pass at once
    #[arg(long)]
    layers: bool,
    /// Write how tests are written into a skill for coding agents, and nothing else [default file:
    /// .claude/skills/unitai-testing/SKILL.md]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = skill::PLACE)]
    skill: Option<PathBuf>,
}

impl Init {
    /// Makes what is missing, and gives the exit code: 1 if something could not be made.
    pub(crate) fn run(&self) -> i32 {
        let laid =
            std::env::current_dir().map_err(|error| error.to_string()).and_then(|here| self.lay(&here));
        match laid {
            Ok(laid) => self.tell(&laid),
            Err(message) => {
                complain(&message);
                2
            }
        }
    }

    fn lay(&self, here: &Path) -> Result<Vec<Laid>, String> {
        if self.is_skill_alone() && self.framework.is_some() {
            return Err(
                "--framework is for an example, and --skill writes none: add --layers, or run `unitai init` \
                        for each"
                    .to_owned(),
            );
        }
        let project = Project::of(here)
            .map_err(|trouble| format!("{}. Mend it, then run this again", trouble.told()))?;
        let root = project.file().and_then(Path::parent).unwrap_or(here);
        let mut laid: Vec<Laid> =
            self.skill.iter().map(|file| skill::lay(here, file, self.dry_run)).collect();
        if self.is_skill_alone() {
            return Ok(laid);
        }
        laid.push(self.settings(here, project.file()));
        laid.extend(self.examples(here));
        let kept: &[ignore::Kept] = if self.layers {
            &[ignore::FOLDER, ignore::REPORTS, ignore::KEYS]
        } else {
            &[ignore::FOLDER, ignore::REPORTS]
        };
        laid.push(ignore::see_to_it(root, here, kept, self.dry_run));
        Ok(laid)
    }

    fn settings(&self, here: &Path, file: Option<&Path>) -> Laid {
        let own = PathBuf::from("unitai.toml");
        let left = |why: String| Laid { file: own.clone(), fate: Fate::Left(why) };
        match file {
            Some(file) if file == here.join("pyproject.toml") => {
                left("not needed: pyproject.toml has [tool.unitai]".to_owned())
            }
            // A second file would hide the settings of the first.
            Some(file) if file.parent() != Some(here) => left(format!(
                "not needed: this folder is part of a project, with settings in {}",
                shown(file)
            )),
            _ => {
                let what = "every setting, with its default or an example".to_owned();
                Laid::new_file(here, &own, SETTINGS, what, self.dry_run)
            }
        }
    }

    /// Whether nothing but the skill is asked for.
    fn is_skill_alone(&self) -> bool {
        self.skill.is_some() && !self.layers
    }

    fn examples(&self, here: &Path) -> Vec<Laid> {
        let folder = Pyproject::of(here).tests().unwrap_or_else(|| PathBuf::from("tests"));
        let (framework, why) = match self.framework {
            Some(framework) => (framework, String::new()),
            None => detect::find(here).map_or_else(unknown, |found| chosen(&found)),
        };
        if self.layers {
            return layers::lay(here, &folder, framework, &why, self.dry_run);
        }
        let what = format!("a first test, for {}{why}", framework.title());
        vec![Laid::new_file(here, &folder.join(EXAMPLE), framework.example(), what, self.dry_run)]
    }

    fn tell(&self, laid: &[Laid]) -> i32 {
        // One path that is very long does not push the words of all others aside.
        let width = laid.iter().map(|laid| shown(&laid.file).chars().count()).max().unwrap_or(0).min(48);
        let line = |verb: &str, laid: &Laid, what: &str| {
            let file = shown(&laid.file);
            format!("  {verb:<13}{file:<width$}  {what}")
        };
        let (made, changed) = if self.dry_run { ("would make", "would change") } else { ("made", "changed") };
        let told: Vec<String> = laid
            .iter()
            .filter_map(|laid| match &laid.fate {
                Fate::Made(what) => Some(line(made, laid, what)),
                Fate::Extended(what) => Some(line(changed, laid, what)),
                Fate::Left(why) => Some(line("left", laid, why)),
                Fate::Failed(_) => None,
            })
            .collect();
        let failures: Vec<String> = laid
            .iter()
            .filter_map(|laid| match &laid.fate {
                Fate::Failed(why) => Some(format!("{} was not made: {why}", shown(&laid.file))),
                _ => None,
            })
            .collect();
        let mut text = told.join("\n");
        if failures.is_empty() {
            text.push_str(&self.next());
        }
        if !text.is_empty() {
            // Nobody may be reading any more.
            let _ = say(&text);
        }
        failures.iter().for_each(|failure| complain(failure));
        i32::from(!failures.is_empty())
    }

    /// What to do now that everything is there.
    fn next(&self) -> String {
        match (self.dry_run, self.layers) {
            (true, _) => {
                let framework =
                    self.framework.map_or(String::new(), |it| format!(" --framework {}", it.word()));
                let layers = if self.layers { " --layers" } else { "" };
                let skill = match &self.skill {
                    None => String::new(),
                    Some(file) if file == Path::new(skill::PLACE) => " --skill".to_owned(),
                    Some(file) => format!(" --skill={}", shown(file)),
                };
                format!("\n\nNext:  unitai init{framework}{layers}{skill}")
            }
            (false, true) => format!("\n\nNext:\n{}", layers::WORKFLOW),
            (false, false) if self.is_skill_alone() => String::new(),
            (false, false) => "\n\nNext:  unitai test".to_owned(),
        }
    }
}

/// A path for a terminal, which obeys what a file's name may hold.
pub(crate) fn shown(path: &Path) -> String {
    plain(&path.display().to_string()).to_string()
}

/// The example where nothing tells what the project uses: the choice is said, since it may be wrong.
fn unknown() -> (Framework, String) {
    (Framework::Generic, " (no framework was found: --framework names one)".to_owned())
}

/// The framework of the example, and why it is this one.
fn chosen(found: &Found) -> (Framework, String) {
    let mut frameworks = found.frameworks.iter();
    let framework = frameworks.next().copied().unwrap_or(Framework::Generic);
    let mut why = format!(" (found in {}", shown(&found.file));
    // That a framework's client is there too is no choice to make.
    let others: Vec<&str> =
        frameworks.filter(|other| **other != Framework::Openai).map(|other| other.word()).collect();
    if !others.is_empty() {
        why.push_str(&format!("; for the others: --framework {}", others.join(" or ")));
    }
    why.push(')');
    (framework, why)
}

#[cfg(test)]
mod tests {
    use unitai_config::{KEYS, Name, Settings, Spoken};

    use super::*;

    /// The settings with every default written out.
    fn uncommented() -> String {
        SETTINGS.lines().map(|line| setting(line).unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn one_thing_is_set_and_every_setting_is_shown_with_its_default_or_an_example() {
        let said = toml::Table::from_iter([("live_models".to_owned(), "marked".into())]);
        assert_eq!(SETTINGS.parse::<toml::Table>().unwrap(), said);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("unitai.toml"), uncommented()).unwrap();
        let project = Project::of(folder.path()).unwrap();
        let shown = Settings::resolve(&project, folder.path(), &Spoken::default()).unwrap();
        let usual = Settings::usual(folder.path());
        for key in &KEYS {
            // Not as its default: it is set.
            if key.name == Name::LiveModels {
                continue;
            }
            let setting = shown.get(key.name);
            assert_eq!(setting.source.kind(), "file", "{}", key.flat);
            if key.default.is_some() {
                assert_eq!(setting.value, usual.get(key.name).value, "{}", key.flat);
            }
        }
    }
}
