//! A file of variables for tests, as `.env.test`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a file of variables says.
///
/// ```
/// use unitai_config::EnvFile;
/// let file = EnvFile::of_text("# for tests\nexport SHOP_URL='http://localhost:6333'\nGREETING=\"a\\nb\" # two lines\n");
/// let said: Vec<_> = file.unwrap().variables;
/// assert_eq!(said[0], ("SHOP_URL".to_owned(), "http://localhost:6333".to_owned()));
/// assert_eq!(said[1], ("GREETING".to_owned(), "a\nb".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnvFile {
    /// The variables, in the order of the file.
    pub variables: Vec<(String, String)>,
}

/// Why a file of variables cannot be read. No part of the file is in it: it holds keys.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    /// The system did not let us.
    #[error("{path} cannot be read: {error}", path = .0.display(), error = .1)]
    System(PathBuf, io::Error),
    /// It is no text.
    #[error("{path} is no text in UTF-8", path = .0.display())]
    NoText(PathBuf),
    /// A line of it means nothing.
    #[error("{path}:{line}: this line sets no variable; write NAME=value, with quotes around a value that has spaces", path = .0.display(), line = .1)]
    Line(PathBuf, usize),
}

impl EnvFile {
    /// Reads a file; one that is not there says nothing.
    pub fn read(path: &Path) -> Result<EnvFile, NotRead> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(EnvFile::default()),
            Err(error) => return Err(NotRead::System(path.to_owned(), error)),
        };
        let text = String::from_utf8(bytes).map_err(|_| NotRead::NoText(path.to_owned()))?;
        EnvFile::of_text(&text).map_err(|line| NotRead::Line(path.to_owned(), line))
    }

    /// What a text says, or the number of the line that says nothing.
    pub fn of_text(text: &str) -> Result<EnvFile, usize> {
        // Some editors begin a file with this mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let variables: Result<_, _> = dotenvy::from_read_iter(text.as_bytes()).collect();
        match variables {
            Ok(variables) => Ok(EnvFile { variables }),
            Err(dotenvy::Error::LineParse(line, _)) => {
                let before = text.find(line.trim()).unwrap_or_default();
                Err(text[..before].matches('\n').count() + 1)
            }
            Err(_) => Err(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_sets_nothing_is_told_by_its_number_and_not_by_its_text() {
        assert_eq!(EnvFile::of_text("A=1\n\n# note\nmy secret words\nB=2\n"), Err(4));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env.test");
        fs::write(&path, "A=1\nmy secret words\n").unwrap();
        let told = EnvFile::read(&path).unwrap_err().to_string();
        assert!(told.contains(".env.test:2:") && !told.contains("secret words"), "{told}");
    }

    #[test]
    fn values_are_read_as_shells_read_them() {
        let file =
            EnvFile::of_text("\u{feff}A='it is $A'\nB=\"x y\" # note\nC=\nD=a#b\nexport E=5\r\nF=${E}6\n")
                .unwrap();
        let expected = [("A", "it is $A"), ("B", "x y"), ("C", ""), ("D", "a#b"), ("E", "5"), ("F", "56")];
        let said: Vec<_> =
            file.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn a_file_that_is_not_there_says_nothing_and_one_that_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(EnvFile::read(&folder.path().join("none")).unwrap(), EnvFile::default());
        let path = folder.path().join("odd");
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(matches!(EnvFile::read(&path), Err(NotRead::NoText(_))));
        assert!(matches!(EnvFile::read(folder.path()), Err(NotRead::System(..))));
    }
}
