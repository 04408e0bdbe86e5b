//! A file that grows by lines. Each line is there whole or not at all, also if its writer is killed in the next moment.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::make_folder;
use crate::redact::Secrets;

/// A file that grows by lines, without their secrets and for its owner's eyes only.
///
/// ```
/// use unitai_wire::gate::Log;
/// use unitai_wire::redact::Secrets;
///
/// let folder = tempfile::tempdir()?;
/// let secrets = Secrets::none();
/// secrets.learn("Zk3vQ8xWn2LmR7tY");
/// let path = folder.path().join("runs/first.jsonl");
/// let mut log = Log::open(&path)?;
/// log.add("it begins", &secrets)?;
/// log.add("it is Zk3vQ8xWn2LmR7tY", &secrets)?;
/// assert_eq!(std::fs::read_to_string(&path)?, "it begins\nit is [redacted]\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Log(File);

impl Log {
    /// Begins a file anew.
    pub fn begin(path: &Path) -> io::Result<Log> {
        let log = Log::open(path)?;
        // A device has no length.
        if log.0.metadata()?.is_file() {
            log.0.set_len(0)?;
        }
        // Who reads can see that more will come. On Windows nobody could read it.
        #[cfg(unix)]
        let _ = log.0.try_lock();
        Ok(log)
    }

    /// Whether somebody who began the file is still there.
    pub fn is_growing(path: &Path) -> bool {
        let is_locked = |file: File| matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock));
        cfg!(unix) && path.is_file() && File::open(path).is_ok_and(is_locked)
    }

    /// Opens a file, which is made if it is not there. Folders that are missing are made.
    pub fn open(path: &Path) -> io::Result<Log> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map(Log)
    }

    /// Ends a line that its writer could not, because it was killed.
    pub fn end_line(&mut self) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};

        let mut last = [b'\n'];
        if self.0.seek(SeekFrom::End(0))? > 0 {
            self.0.seek(SeekFrom::End(-1))?;
            self.0.read_exact(&mut last)?;
        }
        if last == [b'\n'] { Ok(()) } else { self.0.write_all(b"\n") }
    }

    /// Adds a line.
    pub fn add(&mut self, line: &str, secrets: &Secrets) -> io::Result<()> {
        // At once, for another process may add lines as well.
        self.0.write_all(format!("{}\n", secrets.clean(line)).as_bytes())
    }
}
