//! The run that a command speaks of: the last one of the project, or one that is given.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use unitai_config::RunsPlace;
use unitai_model::value::plain;
use unitai_report::{Run, junit};
use unitai_wire::gate::Log;

use crate::say::secrets;

/// No file of events is larger than this.
const MAX_BYTES: u64 = 1 << 30;
const EXPECTED: &str =
    "expected a file of events, as `unitai test` leaves them in .unitai/runs, or JUnit XML";

/// A run, and the name of where it was found.
pub(crate) struct Given {
    pub(crate) run: Run,
    pub(crate) name: String,
}

/// The run of a file, of standard input for `-`, or the last one where none is given. `command` is who asks.
pub(crate) fn given(file: Option<&Path>, command: &str) -> Result<Given, String> {
    let here =
        std::env::current_dir().map_err(|error| format!("the folder of this shell is gone: {error}"))?;
    let (bytes, name) = match file {
        Some(path) if path == Path::new("-") => (all(io::stdin().lock()), "standard input".to_owned()),
        Some(path) => (File::open(path).and_then(all), shown(path, &here)),
        None => {
            let path = last(&here, command)?;
            if Log::is_growing(&path) {
                let name = shown(&path, &here);
                return Err(format!(
                    "the run of {name} is not over yet; wait for its end, or name another file"
                ));
            }
            (File::open(&path).and_then(all), shown(&path, &here))
        }
    };
    let bytes = bytes.map_err(|error| format!("{name} could not be read: {error}; {EXPECTED}"))?;
    let run = understood(&bytes)
        .map_err(|reason| format!("{name} cannot be understood: {}; {EXPECTED}", plain(&reason)))?;
    Ok(Given { run, name })
}

/// The events of the last run.
fn last(here: &Path, command: &str) -> Result<PathBuf, String> {
    let place = RunsPlace::of(here).map_err(|trouble| trouble.told())?;
    let folder = shown(place.folder(), here);
    let newest = place.newest().map_err(|error| {
        format!(
            "{folder} could not be looked into: {error}; `unitai {command} FILE` takes any file of events"
        )
    })?;
    newest.ok_or_else(|| {
        format!("there is no run in {folder}; `unitai test` makes one, and `unitai {command} FILE` takes any file of events")
    })
}

fn all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 1 GB"));
    }
    Ok(bytes)
}

/// The run that a file tells of, in whichever form.
fn understood(bytes: &[u8]) -> Result<Run, String> {
    // A mark of the byte order stands before XML only.
    let has_mark =
        [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"].iter().any(|mark| bytes.starts_with(mark));
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return Err("it is empty and tells of no run".to_owned()),
        Some(b'<') => return junit::read(bytes).map_err(|error| error.to_string()),
        Some(_) if has_mark => return junit::read(bytes).map_err(|error| error.to_string()),
        Some(b'{') => {}
        Some(_) => return Err("it is neither JSON nor XML".to_owned()),
    }
    let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
    // Before they are written in other forms, in which a secret may be spelled otherwise. Where that damages a number,
    // the gate alone has to find it.
    let run = Run::read(&secrets().clean(text)).or_else(|_| Run::read(text));
    match run.map_err(|error| error.to_string())? {
        run if run == Run::default() => Err("it tells of no run".to_owned()),
        run => Ok(run),
    }
}

fn shown(path: &Path, here: &Path) -> String {
    plain(&path.strip_prefix(here).unwrap_or(path).display().to_string())
}
