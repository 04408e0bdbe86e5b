//! Every setting with its value and who has said it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use unitai_model::value::plain;

use crate::kind::Wrong;
use crate::written::{What, Written};
use crate::{KEYS, Key, Name, Project, Source, Trouble, Value, Variables};
use unitai_model::nearest::nearest;

/// A value, and who has said it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Who has said it.
    pub source: Source,
}

/// What is said outside of the project's file.
#[derive(Debug, Clone, Default)]
pub struct Spoken {
    /// The environment.
    pub variables: Variables,
    /// Options of the command line: their names, the settings that they are, and their texts.
    pub command_line: Vec<(String, Name, String)>,
    /// Arguments of a call.
    pub arguments: Vec<(Name, Written)>,
}

impl Spoken {
    /// What the environment of this process says, and nobody else.
    pub fn of_process() -> Spoken {
        Spoken { variables: Variables::of_process(), ..Spoken::default() }
    }
}

/// Every setting of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    file: Option<PathBuf>,
    root: PathBuf,
    /// In the order of [`KEYS`].
    all: Vec<Setting>,
    /// What the file says, whoever is heard before it, in the order of [`KEYS`].
    in_file: Vec<Option<Value>>,
}

impl Settings {
    /// The settings for a folder: what the environment of this process says, and the project's file.
    ///
    /// ```
    /// use unitai_config::{Name, Settings, Source};
    /// # let folder = std::env::temp_dir();
    /// let settings = Settings::of(&folder).unwrap();
    /// assert!(settings.get(Name::DefaultN).value.whole().is_some());
    /// ```
    pub fn of(folder: &Path) -> Result<Settings, Trouble> {
        Settings::resolve(&Project::of(folder)?, folder, &Spoken::of_process())
    }

    /// The settings of a project. Paths that are not of its file are relative to `folder`.
    ///
    /// An argument comes first, then the command line, the environment, the project's file, and the default.
    ///
    /// ```
    /// use unitai_config::{Name, Project, Settings, Source, Spoken, Variables};
    /// # let folder = std::env::temp_dir();
    /// let variables = Variables::of([("UNITAI_DEFAULT_N", "20")]);
    /// let spoken = Spoken { variables, ..Spoken::default() };
    /// let settings = Settings::resolve(&Project::of(&folder).unwrap(), &folder, &spoken).unwrap();
    /// let n = settings.get(Name::DefaultN);
    /// assert_eq!((n.value.whole(), n.source.to_string().as_str()), (Some(20), "UNITAI_DEFAULT_N"));
    /// ```
    pub fn resolve(project: &Project, folder: &Path, spoken: &Spoken) -> Result<Settings, Trouble> {
        let one = |key: &Key| -> Result<Setting, Trouble> {
            let (value, source) = match outside(key, spoken)? {
                Some((value, source)) => (value.rooted_in(folder), source),
                None => {
                    let (value, source) =
                        project.said(key.name).unwrap_or_else(|| (usual(key), Source::Default));
                    (value.rooted_in(project.root()), source)
                }
            };
            Ok(Setting { value, source })
        };
        Ok(Settings {
            file: project.file().map(Path::to_owned),
            root: project.root().to_owned(),
            all: KEYS.iter().map(one).collect::<Result<_, _>>()?,
            in_file: KEYS.iter().map(|key| project.said(key.name).map(|(value, _)| value)).collect(),
        })
    }

    /// The settings of a folder whose project says nothing.
    ///
    /// ```
    /// use unitai_config::{Name, Settings, Spoken};
    /// # let folder = std::env::temp_dir();
    /// let settings = Settings::without_project(&folder, &Spoken::default()).unwrap();
    /// assert_eq!(settings, Settings::usual(&folder));
    /// ```
    pub fn without_project(folder: &Path, spoken: &Spoken) -> Result<Settings, Trouble> {
        let mut settings = Settings::usual(folder);
        for (setting, key) in settings.all.iter_mut().zip(&KEYS) {
            if let Some((value, source)) = outside(key, spoken)? {
                *setting = Setting { value: value.rooted_in(folder), source };
            }
        }
        Ok(settings)
    }

    /// The settings of a folder where nobody says anything.
    pub fn usual(folder: &Path) -> Settings {
        let one = |key: &Key| Setting { value: usual(key).rooted_in(folder), source: Source::Default };
        Settings {
            file: None,
            root: folder.to_owned(),
            all: KEYS.iter().map(one).collect(),
            in_file: vec![None; KEYS.len()],
        }
    }

    /// One of them.
    pub fn get(&self, name: Name) -> &Setting {
        &self.all[name as usize]
    }

    /// What the project's file says of one, also where somebody else is heard before it.
    pub(crate) fn in_file(&self, name: Name) -> Option<&Value> {
        self.in_file[name as usize].as_ref()
    }

    /// All of them, in the order of [`KEYS`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static Key, &Setting)> {
        KEYS.iter().zip(&self.all)
    }

    /// The project's file; `None` when there is none.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The folder of the project.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// What an argument, the command line or the environment says.
pub(crate) fn outside(key: &Key, spoken: &Spoken) -> Result<Option<(Value, Source)>, Trouble> {
    if let Some((_, written)) = spoken.arguments.iter().find(|(name, _)| *name == key.name) {
        // None is what the default may be, and then an argument may say so.
        let value = match &written.what {
            What::Nothing if key.default.is_none() => Ok(Value::Nothing),
            _ => key.kind.read(written),
        };
        return value.map(|value| Some((value, Source::Argument))).map_err(|wrong| {
            let Wrong { within, found, expected, .. } = wrong;
            Trouble { place: format!("{}{within}", key.flat), message: format!("it {found}"), expected }
        });
    }
    if let Some((option, _, text)) = spoken.command_line.iter().find(|(_, name, _)| *name == key.name) {
        let value = key.kind.read_text(text);
        return match value {
            Ok(value) => Ok(Some((value, Source::CommandLine(option.clone())))),
            Err(wrong) => Err(Trouble::of_text(format!("the option {option}"), text, wrong.expected)),
        };
    }
    let Some((variable, text)) = spoken.variables.said(key) else { return Ok(None) };
    let trouble = |text: &str, expected: String| {
        Trouble::of_text(format!("the environment variable {variable}"), text, expected)
    };
    let Some(text) = OsStr::to_str(text) else {
        return Err(trouble(&text.to_string_lossy(), format!("{}, in UTF-8", key.kind.expected())));
    };
    match key.kind.read_text(text) {
        Ok(value) => Ok(Some((value, Source::Variable(variable)))),
        Err(wrong) => Err(trouble(text, wrong.expected)),
    }
}

/// What a setting is when nobody says anything.
pub(crate) fn usual(key: &Key) -> Value {
    // A test reads every default of the table.
    key.default.and_then(|text| key.kind.read_text(text).ok()).unwrap_or(Value::Nothing)
}

/// The setting of a name that somebody gave as an argument.
pub fn named(name: &str) -> Result<Name, Trouble> {
    Key::of_flat(name).map(|key| key.name).ok_or_else(|| {
        let known = KEYS.iter().map(|key| key.flat);
        let expected = match nearest(name, known.clone()) {
            Some(near) => format!("perhaps `{near}`"),
            None => format!("one of: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Trouble { place: plain(name), message: "there is no setting of that name".to_owned(), expected }
    })
}
