//! The one place that writes files: what goes through it holds no secret, is for its owner's eyes only unless
//! it is made to be shown around, and is there whole or not at all.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::redact::Secrets;

#[cfg(unix)]
mod below;
mod log;

pub use log::Log;

/// The names of files that are being written begin so. One that is left was not finished, because its
/// writer was killed, and means nothing.
pub const UNFINISHED: &str = ".unfinished-";

/// Writes a file without its secrets, in place of the one that was there. When this returns, the file will
/// be there after a power cut too; when it fails, the old one is untouched. Folders that are missing are
/// made.
///
/// ```
/// use unitai_wire::gate::write_private;
/// use unitai_wire::redact::Secrets;
///
/// let folder = tempfile::tempdir()?;
/// let secrets = Secrets::none();
/// secrets.learn("Zk3vQ8xWn2LmR7tY");
/// let path = folder.path().join("notes/today.txt");
/// write_private(&path, b"it is Zk3vQ8xWn2LmR7tY", &secrets)?;
/// assert_eq!(std::fs::read(&path)?, b"it is [redacted]");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_private(path: &Path, bytes: &[u8], secrets: &Secrets) -> io::Result<()> {
    write(path, &secrets.clean_bytes(bytes), Eyes::Owner)
}

/// The same, of a file that is made to be shown around, as a report is: it has the mode that any new file has here,
/// and so have folders that are missing.
///
/// ```
/// use unitai_wire::gate::write_public;
/// use unitai_wire::redact::Secrets;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("test-results/unitai.html");
/// write_public(&path, b"<!doctype html>", &Secrets::none())?;
/// assert_eq!(std::fs::read(&path)?, b"<!doctype html>");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_public(path: &Path, bytes: &[u8], secrets: &Secrets) -> io::Result<()> {
    write(path, &secrets.clean_bytes(bytes), Eyes::Everybody)
}

/// Who may read what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Eyes {
    Owner,
    /// Whoever may read a new file of this process.
    Everybody,
}

/// The same, of bytes that must not change any more, because a checksum seals them: nothing is written if a
/// secret is still among them.
pub fn write_sealed(path: &Path, bytes: &[u8], secrets: &Secrets) -> io::Result<()> {
    match secrets.clean_bytes(bytes) {
        Cow::Borrowed(bytes) => write(path, bytes, Eyes::Owner),
        Cow::Owned(_) => {
            let why = "it would have held a secret, so it was not written";
            Err(io::Error::new(io::ErrorKind::InvalidData, why))
        }
    }
}

/// Writes a file that is not there yet, for others to read as well as their owner lets them: a part of the user's own
/// project. One that is there stays, and is the error.
///
/// ```
/// use unitai_wire::gate::write_new;
/// use unitai_wire::redact::Secrets;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("tests/test_it.py");
/// write_new(&path, b"mine", &Secrets::none())?;
/// let again = write_new(&path, b"yours", &Secrets::none()).unwrap_err();
/// assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
/// assert_eq!(std::fs::read(&path)?, b"mine");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_new(path: &Path, bytes: &[u8], secrets: &Secrets) -> io::Result<()> {
    let folder = folder_of(path);
    let file = unfinished(folder, &secrets.clean_bytes(bytes), Eyes::Everybody)?;
    file.persist_noclobber(path).map_err(|failed| failed.error)?;
    keep_name(folder)
}

/// Writes a file below a folder for somebody who may not leave it. The folder's path holds no link, and below it none is
/// followed, however names are changed meanwhile. A file that is there already is the error, unless it may be replaced.
///
/// ```
/// use unitai_wire::gate::write_below;
/// use unitai_wire::redact::Secrets;
///
/// let folder = tempfile::tempdir()?;
/// let write = |text: &str, may_replace| {
///     write_below(folder.path(), "tests/a.yaml".as_ref(), text.as_bytes(), &Secrets::none(), may_replace)
/// };
/// write("mine", false)?;
/// assert_eq!(write("yours", false).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
/// write("ours", true)?;
/// assert_eq!(std::fs::read(folder.path().join("tests/a.yaml"))?, b"ours");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_below(
    folder: &Path,
    inner: &Path,
    bytes: &[u8],
    secrets: &Secrets,
    may_replace: bool,
) -> io::Result<()> {
    #[cfg(unix)]
    {
        below::write(folder, inner, &secrets.clean_bytes(bytes), may_replace)
    }
    // Windows makes links for administrators only.
    #[cfg(not(unix))]
    match may_replace {
        true => write_public(&folder.join(inner), bytes, secrets),
        false => write_new(&folder.join(inner), bytes, secrets),
    }
}

/// Puts other text in the place of a file of the user's own, which keeps its mode: what a repair makes of it. Nothing is
/// taken out, because nothing of ours is in it: what the user wrote, the user keeps.
///
/// ```
/// use unitai_wire::gate::rewrite;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("test_it.py");
/// assert!(rewrite(&path, b"assert x").is_err());
/// std::fs::write(&path, b"assert (x)")?;
/// rewrite(&path, b"assert x")?;
/// assert_eq!(std::fs::read(&path)?, b"assert x");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn rewrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link leads to the file that is meant.
    let path = fs::canonicalize(path)?;
    let found = fs::metadata(&path)?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    if found.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it may not be written"));
    }
    let folder = folder_of(&path);
    let file = unfinished(folder, bytes, Eyes::Owner)?;
    file.as_file().set_permissions(found.permissions())?;
    put(file, &path)?;
    keep_name(folder)
}

/// Puts something at the end of a file of the user's, which keeps its owner and its mode. What is no plain file, or is
/// reached by a link, is not touched.
pub fn append(path: &Path, bytes: &[u8], secrets: &Secrets) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let mut file = OpenOptions::new().append(true).open(path)?;
    file.write_all(&secrets.clean_bytes(bytes))?;
    file.sync_all()
}

/// Opens a file that is locked and never written. The lock is the system's, and dies with its holder.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A lock that is held. It is given back by word, not by closing the file: a process that was forked meanwhile has
/// the file open as well, and would hold the lock as long as it lives.
#[derive(Debug)]
pub struct Lock(File);

/// Waits for the lock of a file, which is made if it is not there.
pub fn lock(path: &Path) -> io::Result<Lock> {
    let file = lock_file(path)?;
    loop {
        match file.lock() {
            Ok(()) => return Ok(Lock(file)),
            // A signal came; its handler has its turn when we are done.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing comes next, and does what is left to do.
        let _ = self.0.unlock();
    }
}

/// Whether a folder takes so many bytes. They are gone when this returns.
pub fn try_to_write(folder: &Path, bytes: usize) -> io::Result<()> {
    // Zeros would take no room on a file system that compresses.
    let noise = (0..bytes as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8);
    unfinished(folder, &noise.collect::<Vec<u8>>(), Eyes::Owner).map(drop)
}

/// Whether a file of this name was never finished.
pub fn is_unfinished(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
}

fn write(path: &Path, bytes: &[u8], eyes: Eyes) -> io::Result<()> {
    // A device or a pipe is written to: to take its place would be the end of `/dev/null`. A link leads to the
    // file that is meant.
    let target = fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = folder_of(path);
    put(unfinished(folder, bytes, eyes)?, path)?;
    keep_name(folder)
}

/// A file that is whole, and has not its name yet. Its folder is made if it is missing.
fn unfinished(folder: &Path, bytes: &[u8], eyes: Eyes) -> io::Result<NamedTempFile> {
    match eyes {
        Eyes::Owner => make_folder(folder)?,
        Eyes::Everybody => fs::create_dir_all(folder)?,
    }
    // In the same folder, because only within one file system can a file take another's place at once. Its
    // mode is the one it keeps from the first instant: 0600, unless it is for everybody.
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    if eyes == Eyes::Everybody {
        // The system takes away what the process's mask says.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder of a project for what is this machine's alone: recordings, results, what is remembered.
const PRIVATE_FOLDER: &str = ".unitai";
/// What keeps it out of version control, also where nobody has thought of it.
const IGNORE_ALL: &str = "# Made by UnitAI: what is below is private to this machine. What is meant to be committed lies elsewhere.\n*\n";

/// Makes a folder that is its owner's alone. One that is there already stays as it is. The private folder of a project gets
/// a `.gitignore` of its own with the first folder that is made in it.
///
/// ```
/// let project = tempfile::tempdir()?;
/// let folder = project.path().join(".unitai/cache");
/// unitai_wire::gate::make_folder(&folder)?;
/// let ignored = std::fs::read_to_string(project.path().join(".unitai/.gitignore"))?;
/// assert!(ignored.ends_with("\n*\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return keep_private(folder);
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    keep_private(folder)
}

/// Sees to it that git ignores the private folder that this one is, or is in. A list that is there says what its owner wants.
fn keep_private(folder: &Path) -> io::Result<()> {
    let own = folder.ancestors().find(|above| above.file_name() == Some(OsStr::new(PRIVATE_FOLDER)));
    let Some(list) = own.map(|own| own.join(".gitignore")).filter(|list| !list.exists()) else {
        return Ok(());
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&list) {
        Ok(mut file) => file.write_all(IGNORE_ALL.as_bytes()).inspect_err(|_| {
            // An empty one would be taken for its owner's wish.
            let _ = fs::remove_file(&list);
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(not(windows))]
fn put(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|failed| failed.error)
}

/// A virus scanner or a reader may hold the old file for a moment.
#[cfg(windows)]
fn put(mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    const TRIES: u32 = 8;
    for attempt in 0..TRIES {
        let failed = match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(failed) => failed,
        };
        if attempt + 1 == TRIES || failed.error.kind() != io::ErrorKind::PermissionDenied {
            return Err(failed.error);
        }
        std::thread::sleep(std::time::Duration::from_millis(1 << attempt));
        file = failed.file;
    }
    Ok(())
}

/// A new name is on the disk only when its folder is.
fn keep_name(folder: &Path) -> io::Result<()> {
    // Windows opens no folders, and needs nothing here.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
