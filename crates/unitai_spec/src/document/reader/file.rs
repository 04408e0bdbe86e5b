//! Files become text.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use unitai_model::value::plain;

use crate::document::yaml::LONGEST_TEXT;
use crate::document::{Place, ProjectRoot, Trouble};

/// The text of a file, or the trouble with it.
pub fn load(path: &Path) -> Result<String, Box<Trouble>> {
    let opened = match fs::metadata(path) {
        // A pipe would be waited for.
        Ok(found) if !found.is_file() => Ok(None),
        Ok(_) => File::open(path).map(Some),
        Err(error) => Err(error),
    };
    text_of(path, opened)
}

/// The same, for a caller who may see this project only. The real path is the one that the root gave.
pub(super) fn load_below(root: &ProjectRoot, path: &Path, real: &Path) -> Result<String, Box<Trouble>> {
    let opened = root.open(real).and_then(|file| Ok(file.metadata()?.is_file().then_some(file)));
    text_of(path, opened)
}

/// The text of what was opened; nothing: it is no file.
fn text_of(path: &Path, opened: io::Result<Option<File>>) -> Result<String, Box<Trouble>> {
    let trouble = |line, column, message: String, remedy: &str| {
        let place = Place { file: Arc::new(path.to_owned()), line, column };
        Box::new(Trouble::error(place, "", message, remedy))
    };
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read `{}`: {}", shown(path), reason(&error));
        trouble(0, 0, message, "look at its name and at who may read it")
    };
    let Some(file) = opened.map_err(unreadable)? else {
        return Err(trouble(0, 0, format!("`{}` is no file", shown(path)), "give the name of a file"));
    };
    let mut bytes = vec![];
    // One more than may be read tells that it is too long, however long it is.
    let limit = LONGEST_TEXT as u64 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > LONGEST_TEXT {
        let message = format!("`{}` has more than {LONGEST_TEXT} bytes", shown(path));
        return Err(trouble(0, 0, message, "make several files of it"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let before = &bytes[..at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[begin..]).chars().count() + 1;
        let message = format!("the file is not UTF-8: byte 0x{:02x} begins no character", bytes[at]);
        trouble(line, column, message, "save it as UTF-8")
    })
}

/// A name for people. The author of a test chose it, so it may hold control characters.
fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}

/// What the system says, without the number that it gives to it.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        _ => error.to_string(),
    }
}
