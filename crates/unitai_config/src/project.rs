//! The project's file: `[tool.unitai]` in `pyproject.toml`, or else `unitai.toml`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::document::{self, Said};
use crate::root::root_above;
use crate::source::Place;
use crate::written::Written;
use crate::{Name, Source, Trouble, Value};

/// The project that a folder belongs to, and what its file says. All of the file has been checked.
#[derive(Debug, Clone)]
pub struct Project {
    file: Option<PathBuf>,
    root: PathBuf,
    said: Vec<Said>,
}

impl Project {
    /// The project that a folder belongs to: the nearest file at or above it that speaks of UnitAI. Of several things
    /// that are wrong with it, the first is told.
    pub fn of(folder: &Path) -> Result<Project, Trouble> {
        Project::examined(folder).map_err(|(_, mut troubles)| troubles.remove(0))
    }

    /// The same; of a project whose file cannot be used, all that is wrong with it, at least one thing.
    pub(crate) fn examined(folder: &Path) -> Result<Project, (Project, Vec<Trouble>)> {
        for folder in folder.ancestors() {
            for name in [PYPROJECT, OWN] {
                let file = folder.join(name);
                let said = match bytes_of(&file) {
                    Ok(None) => continue,
                    Ok(Some(bytes)) => said_by(&file, bytes),
                    Err(trouble) => Err(vec![trouble]),
                };
                let (said, troubles) = match said {
                    Ok(None) => continue,
                    Ok(Some(said)) => (said, Vec::new()),
                    Err(troubles) => (Vec::new(), troubles),
                };
                let project = Project { file: Some(file), root: folder.to_owned(), said };
                return if troubles.is_empty() { Ok(project) } else { Err((project, troubles)) };
            }
        }
        Ok(Project::none(folder))
    }

    /// The project of a file that holds these bytes; `None` when it does not speak of UnitAI. The name of the file
    /// tells whose it is.
    ///
    /// ```
    /// use std::path::Path;
    /// use unitai_config::Project;
    /// let read = |text: &str| Project::of_bytes(Path::new("/x/unitai.toml"), text.as_bytes().to_vec());
    /// assert!(read("default_n = 5").is_ok());
    /// assert_eq!(read("\ndefault_n = 0").unwrap_err().place, "/x/unitai.toml:2:13");
    /// ```
    pub fn of_bytes(file: &Path, bytes: Vec<u8>) -> Result<Option<Project>, Trouble> {
        let root = file.parent().unwrap_or(Path::new("")).to_owned();
        match said_by(file, bytes) {
            Ok(said) => Ok(said.map(|said| Project { file: Some(file.to_owned()), root, said })),
            Err(mut troubles) => Err(troubles.remove(0)),
        }
    }

    /// A project that has no file.
    pub fn none(folder: &Path) -> Project {
        Project { file: None, root: root_above(folder).to_owned(), said: Vec::new() }
    }

    /// The file; `None` when there is none.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The folder of the project: that of its file, which paths in the file are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the file says about a setting.
    pub(crate) fn said(&self, name: Name) -> Option<(Value, Source)> {
        let said = self.said.iter().find(|said| said.name == name)?;
        Some((said.value.clone(), Source::File(said.place.clone())))
    }
}

/// The files that may speak of UnitAI.
const PYPROJECT: &str = "pyproject.toml";
const OWN: &str = "unitai.toml";

/// What a file holds; `None` when there is none.
fn bytes_of(file: &Path) -> Result<Option<Vec<u8>>, Trouble> {
    match contents(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        // A folder that nobody may look into has no file that anybody could mean, and one of a file's name is none.
        Err(_) if file.symlink_metadata().is_err() => Ok(None),
        Err(_) if file.ends_with(PYPROJECT) && !file.is_file() => Ok(None),
        Err(error) => Err(unreadable(file, &error)),
    }
}

/// What a file says; `None` when it does not speak of UnitAI.
fn said_by(file: &Path, bytes: Vec<u8>) -> Result<Option<Vec<Said>>, Vec<Trouble>> {
    let is_ours = !file.ends_with(PYPROJECT);
    // One that does not even name UnitAI is none of our business, whatever is wrong with it.
    if !is_ours && !contains(&bytes, b"unitai") {
        return Ok(None);
    }
    let text = text(file, bytes).map_err(|trouble| vec![trouble])?;
    let all = parsed(file, &text).map_err(|trouble| vec![trouble])?;
    if is_ours {
        return document::read(file, &text, &all).map(Some);
    }
    let Some((key, own)) = all.get("tool").and_then(|tool| match tool.get_ref() {
        DeValue::Table(tool) => tool.get_key_value("unitai"),
        _ => None,
    }) else {
        return Ok(None);
    };
    match own.get_ref() {
        DeValue::Table(own) => document::read(file, &text, own).map(Some),
        other => Err(vec![Trouble {
            place: Place::of(file.to_owned(), &text, key.span().start).to_string(),
            message: format!("`tool.unitai` is {}", Written::of_toml(other, own.span()).what.shown()),
            expected: "a table, as in [tool.unitai]".to_owned(),
        }]),
    }
}

/// The bytes of a file; a pipe and a device may have no end.
fn contents(file: &Path) -> io::Result<Vec<u8>> {
    match fs::metadata(file)? {
        found if found.is_file() || found.is_dir() => fs::read(file),
        _ => Err(io::Error::other("it is no file")),
    }
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

fn unreadable(file: &Path, error: &io::Error) -> Trouble {
    Trouble {
        place: file.display().to_string(),
        message: format!("the file cannot be read: {error}"),
        expected: "a file that this user may read".to_owned(),
    }
}

fn text(file: &Path, bytes: Vec<u8>) -> Result<String, Trouble> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[good];
        let before = String::from_utf8_lossy(&error.as_bytes()[..good]);
        Trouble {
            place: Place::of(file.to_owned(), &before, before.len()).to_string(),
            message: format!("the byte 0x{byte:02x} is no text"),
            expected: "a file in UTF-8, as TOML is".to_owned(),
        }
    })
}

fn parsed<'a>(file: &Path, text: &'a str) -> Result<DeTable<'a>, Trouble> {
    DeTable::parse(text).map(toml::Spanned::into_inner).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        Trouble {
            place: Place::of(file.to_owned(), text, start).to_string(),
            message: unitai_model::value::plain(error.message()),
            expected: "a file in TOML".to_owned(),
        }
    })
}
