//! Files below a folder that a name may not lead out of: every part is opened in the folder that was opened before it, so a
//! link that takes the place of one is an error, whenever it comes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Mode, OFlags, linkat, mkdirat, openat, renameat, unlinkat};

use super::UNFINISHED;

pub(super) fn write(folder: &Path, inner: &Path, bytes: &[u8], may_replace: bool) -> io::Result<()> {
    let mut opened = File::open(folder)?;
    let mut parts = inner.components().map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no path of plain parts")),
    });
    let Some(mut name) = parts.next().transpose()? else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
    };
    for next in parts {
        opened = open_or_make(&opened, name)?;
        name = next?;
    }
    let unfinished = format!("{UNFINISHED}{}", crate::token::make()?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The system takes away what the process's mask says.
    let mut file = File::from(openat(&opened, &unfinished, flags, Mode::from_raw_mode(0o666))?);
    let put = || match may_replace {
        true => renameat(&opened, &unfinished, &opened, name),
        false => linkat(&opened, &unfinished, &opened, name, AtFlags::empty()),
    };
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| Ok(put()?));
    if written.is_err() || !may_replace {
        // One that is left means nothing.
        let _ = unlinkat(&opened, &unfinished, AtFlags::empty());
    }
    written?;
    opened.sync_all()
}

fn open_or_make(folder: &File, name: &OsStr) -> io::Result<File> {
    let open = || openat(folder, name, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
    match open() {
        Err(rustix::io::Errno::NOENT) => {
            // Another one may have made it meanwhile.
            let _ = mkdirat(folder, name, Mode::from_raw_mode(0o777));
            Ok(open()?.into())
        }
        opened => Ok(opened?.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn a_file_and_its_folders_are_made_as_any_others_are() {
        let folder = tempfile::tempdir().unwrap();
        let expected = folder.path().join("expected");
        fs::create_dir(&expected).unwrap();
        fs::write(expected.join("a"), "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode();
        for may_replace in [false, true] {
            write(folder.path(), "a/b/c.yaml".as_ref(), b"text", may_replace).unwrap();
            let file = folder.path().join("a/b/c.yaml");
            assert_eq!(fs::read(&file).unwrap(), b"text");
            assert_eq!(mode(&file), mode(&expected.join("a")));
            assert_eq!(mode(&folder.path().join("a/b")), mode(&expected));
            assert_eq!(fs::read_dir(folder.path().join("a/b")).unwrap().count(), 1);
            fs::remove_file(file).unwrap();
        }
    }

    #[test]
    fn no_link_and_no_step_upwards_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mine.yaml"), "mine").unwrap();
        symlink(&outside, root.join("out")).unwrap();
        symlink(outside.join("mine.yaml"), root.join("in/link.yaml")).unwrap();
        for inner in ["out/a.yaml", "out/deep/a.yaml", "../a.yaml", "in/../../a.yaml", "/a.yaml", ""] {
            for may_replace in [false, true] {
                assert!(write(&root, inner.as_ref(), b"no", may_replace).is_err(), "{inner}");
            }
        }
        assert!(write(&root, "in/link.yaml".as_ref(), b"no", false).is_err());
        // It is the link that is replaced, and not what it leads to.
        write(&root, "in/link.yaml".as_ref(), b"new", true).unwrap();
        assert_eq!(fs::read(outside.join("mine.yaml")).unwrap(), b"mine");
        assert_eq!(fs::read(root.join("in/link.yaml")).unwrap(), b"new");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_dir(root.join("in")).unwrap().count(), 1);
    }
}
