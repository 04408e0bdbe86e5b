//! The settings of recordings.

use std::path::{Path, PathBuf};

use toml::Value;
use unitai_model::TapeMode;

use crate::project::number;
use crate::variables::said;
use crate::{Project, Trouble};

/// Whether recordings take part, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// They do not: the provider answers, and nothing is recorded.
    #[default]
    Off,
    /// They do.
    On(TapeMode),
}

impl Choice {
    /// The words, for a message.
    pub const WORDS: &str = "one of: off, record, replay, auto";

    /// The choice of this word.
    ///
    /// ```
    /// use unitai_config::Choice;
    /// use unitai_model::TapeMode;
    /// assert_eq!(Choice::of_word("replay"), Some(Choice::On(TapeMode::Replay)));
    /// assert_eq!(Choice::of_word("off"), Some(Choice::Off));
    /// assert_eq!(Choice::of_word("REPLAY"), None);
    /// ```
    pub fn of_word(word: &str) -> Option<Choice> {
        if word == Choice::Off.word() {
            return Some(Choice::Off);
        }
        TapeMode::of_word(word).map(Choice::On)
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Choice::Off => "off",
            Choice::On(mode) => mode.word(),
        }
    }
}

/// The settings of recordings, as used.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheSettings {
    /// Where answers come from; `None` when nobody said.
    pub mode: Option<Choice>,
    /// Where the recordings are.
    pub directory: PathBuf,
    /// How many hours a recording lives; 0 for ever.
    pub ttl_hours: f64,
    /// What differs from one time to the next and means nothing.
    pub volatile: Vec<String>,
    /// The beginnings of addresses that are recorded though they are no model's.
    pub apis: Vec<String>,
}

/// What the environment says: `UNITAI_CACHE` (the mode), `UNITAI_CACHE_ENABLED`, `UNITAI_CACHE_DIRECTORY`,
/// `UNITAI_CACHE_TTL_HOURS`.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The mode.
    pub mode: Option<String>,
    /// Whether recordings are used at all.
    pub enabled: Option<String>,
    /// The folder.
    pub directory: Option<String>,
    /// The hours.
    pub ttl_hours: Option<String>,
}

impl Overrides {
    /// What the environment says.
    pub fn of_environment() -> Overrides {
        Overrides {
            mode: said("UNITAI_CACHE").or_else(|| said("UNITAI_CACHE_MODE")),
            enabled: said("UNITAI_CACHE_ENABLED"),
            directory: said("UNITAI_CACHE_DIRECTORY"),
            ttl_hours: said("UNITAI_CACHE_TTL_HOURS"),
        }
    }
}

const KEYS: [&str; 6] = ["enabled", "mode", "directory", "ttl_hours", "volatile", "apis"];
const HOURS: &str = "a number of hours, 0 for ever";

impl CacheSettings {
    /// The settings for a folder: the environment first, then the project's file, then the defaults.
    pub fn resolve(folder: &Path, overrides: &Overrides) -> Result<CacheSettings, Trouble> {
        let project = Project::of(folder)?;
        let root = project.folder().unwrap_or_else(|| root_above(folder)).to_owned();
        let mut settings = CacheSettings {
            mode: None,
            directory: root.join(".unitai").join("cache"),
            ttl_hours: 168.0,
            volatile: Vec::new(),
            apis: Vec::new(),
        };
        let mut enabled = None;
        for (name, value) in project.section("cache")? {
            settings.take(&project, &root, &name, value, &mut enabled)?;
        }
        match enabled {
            Some(false) => settings.mode = Some(Choice::Off),
            Some(true) => settings.mode = settings.mode.or(Some(Choice::On(TapeMode::Auto))),
            None => {}
        }
        settings.override_by(folder, overrides)?;
        Ok(settings)
    }

    fn take(
        &mut self,
        project: &Project,
        root: &Path,
        name: &str,
        value: &Value,
        enabled: &mut Option<bool>,
    ) -> Result<(), Trouble> {
        let wrong = |expected: &str| project.wrong("the cache", name, value, expected);
        match name {
            "enabled" => *enabled = Some(value.as_bool().ok_or_else(|| wrong("true or false"))?),
            "mode" => {
                self.mode =
                    Some(value.as_str().and_then(Choice::of_word).ok_or_else(|| wrong(Choice::WORDS))?)
            }
            "directory" => {
                let text = value
                    .as_str()
                    .filter(|text| !text.is_empty())
                    .ok_or_else(|| wrong("the path of a folder"))?;
                self.directory = root.join(text);
            }
            "ttl_hours" => {
                self.ttl_hours = number(value).filter(|hours| is_span(*hours)).ok_or_else(|| wrong(HOURS))?;
            }
            "volatile" => self.volatile = texts(value).ok_or_else(|| wrong("a list of texts"))?,
            "apis" => {
                let is_address = |text: &String| text.starts_with("http://") || text.starts_with("https://");
                let all = texts(value).filter(|texts| texts.iter().all(is_address));
                self.apis =
                    all.ok_or_else(|| wrong("a list of addresses, as in [\"https://api.example.com/\"]"))?;
            }
            _ => return Err(project.unknown("the cache", name, &KEYS)),
        }
        Ok(())
    }

    fn override_by(&mut self, folder: &Path, overrides: &Overrides) -> Result<(), Trouble> {
        if let Some(text) = &overrides.enabled {
            match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => {
                    self.mode =
                        self.mode.filter(|mode| *mode != Choice::Off).or(Some(Choice::On(TapeMode::Auto)));
                }
                "0" | "false" | "no" | "off" => self.mode = Some(Choice::Off),
                _ => return Err(Trouble::of_variable("UNITAI_CACHE_ENABLED", text, "true or false")),
            }
        }
        if let Some(text) = &overrides.mode {
            self.mode = Some(
                Choice::of_word(text)
                    .ok_or_else(|| Trouble::of_variable("UNITAI_CACHE", text, Choice::WORDS))?,
            );
        }
        if let Some(text) = &overrides.directory {
            self.directory = folder.join(text);
        }
        if let Some(text) = &overrides.ttl_hours {
            let hours = text.parse().ok().filter(|hours| is_span(*hours));
            self.ttl_hours =
                hours.ok_or_else(|| Trouble::of_variable("UNITAI_CACHE_TTL_HOURS", text, HOURS))?;
        }
        Ok(())
    }
}

/// The folder of the project that has no file to say so: pytest may be started in any folder of it.
pub fn root_above(folder: &Path) -> &Path {
    const SIGNS: [&str; 6] = [".unitai", "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".git"];
    let is_root = |folder: &&Path| SIGNS.iter().any(|sign| folder.join(sign).exists());
    folder.ancestors().find(is_root).unwrap_or(folder)
}

fn is_span(hours: f64) -> bool {
    hours.is_finite() && (0.0..=1e9).contains(&hours)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(file: &str, text: &str, overrides: &Overrides) -> Result<CacheSettings, Trouble> {
        let folder = std::env::temp_dir().join(format!(
            "unitai-config-{}-{:x}",
            std::process::id(),
            text.len() * 31 + file.len()
        ));
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(folder.join(file), text).unwrap();
        let settings = CacheSettings::resolve(&folder.join("deep"), overrides);
        std::fs::remove_dir_all(&folder).unwrap();
        settings
    }

    #[test]
    fn the_table_and_flat_keys_say_the_same() {
        let none = Overrides::default();
        let table = "[tool.unitai.cache]\nenabled = true\ndirectory = \"tapes\"\nttl_hours = 24\n";
        let flat = "[tool.unitai]\ncache_enabled = true\ncache_directory = \"tapes\"\ncache_ttl_hours = 24\n";
        for text in [table, flat] {
            let settings = resolve("pyproject.toml", text, &none).unwrap();
            assert_eq!((settings.mode, settings.ttl_hours), (Some(Choice::On(TapeMode::Auto)), 24.0));
            assert!(settings.directory.ends_with("tapes") && !settings.directory.ends_with("deep/tapes"));
        }
        let own = resolve("unitai.toml", "[cache]\nenabled = false\nmode = \"replay\"\n", &none).unwrap();
        assert_eq!(own.mode, Some(Choice::Off));
    }

    #[test]
    fn the_environment_comes_first() {
        let overrides = Overrides {
            mode: Some("replay".to_owned()),
            ttl_hours: Some("0".to_owned()),
            ..Overrides::default()
        };
        let settings =
            resolve("unitai.toml", "[cache]\nenabled = true\nttl_hours = 5\n# env\n", &overrides).unwrap();
        assert_eq!((settings.mode, settings.ttl_hours), (Some(Choice::On(TapeMode::Replay)), 0.0));
        let wrong = Overrides { mode: Some("live".to_owned()), ..Overrides::default() };
        assert!(
            resolve("unitai.toml", "# nothing\n", &wrong).unwrap_err().to_string().contains("UNITAI_CACHE")
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let none = Overrides::default();
        let error = resolve("unitai.toml", "[cache]\n\ndirectry = \"x\"\n", &none).unwrap_err();
        assert!(error.place.ends_with("unitai.toml:3"), "{}", error.place);
        assert!(error.expected.contains("perhaps `directory`"), "{}", error.expected);
        let error = resolve("unitai.toml", "[cache]\nttl_hours = -1\n", &none).unwrap_err();
        assert!(error.message.contains("-1") && error.place.ends_with(":2"));
        let error = resolve("unitai.toml", "[cache\n", &none).unwrap_err();
        assert!(error.place.ends_with("unitai.toml:1"), "{}", error.place);
        let both = "cache_mode = \"auto\"\n[cache]\nmode = \"auto\"\n";
        assert!(resolve("unitai.toml", both, &none).unwrap_err().message.contains("both"));
    }
}
