//! The one gate through which bytes reach a disk: clean, private, and whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::Secrets;

/// How the file of a write that is not finished begins.
const UNFINISHED: &str = ".unfinished-";

/// Makes a folder that only its owner may enter, and those above it that are missing.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file whose bytes must not be changed any more, because a checksum seals them. Nothing is written
/// if a secret is still among them. When this returns, the file is on the disk, whole.
pub fn write_sealed(path: &Path, bytes: &[u8], secrets: &Secrets) -> io::Result<()> {
    if matches!(secrets.clean_bytes(bytes), std::borrow::Cow::Owned(_)) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it would have held a secret, so it was not written",
        ));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    private_folder(folder)?;
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    persist(file, path)?;
    // The name is on the disk only with the folder.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// Gives the file its name. A virus scanner may hold the old one open for a moment.
fn persist(mut file: tempfile::NamedTempFile, path: &Path) -> io::Result<()> {
    let mut tries = if cfg!(windows) { 50 } else { 0 };
    loop {
        match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(failed) if tries > 0 && failed.error.kind() == io::ErrorKind::PermissionDenied => {
                tries -= 1;
                file = failed.file;
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            Err(failed) => return Err(failed.error),
        }
    }
}

/// Writes a small file of our own text, unless there is one.
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match private(OpenOptions::new().write(true).create_new(true)).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a file that is only locked, never written.
pub fn lock_file(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().write(true).create(true).truncate(false)).open(path)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Whether this is what a process left that was killed while it wrote.
pub fn is_unfinished(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(UNFINISHED))
}
