//! What is promised of files: no secret, nobody else's eyes, whole or absent.

use std::path::Path;

use unitai_wire::gate::{append, is_unfinished, write_new, write_private, write_public};
use unitai_wire::redact::Secrets;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_file_takes_the_place_of_the_old_one_and_leaves_nothing_beside_it() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let secrets = Secrets::none();
    secrets.learn("Zk3vQ8xWn2LmR7tY");
    let path = folder.path().join("one");
    write_private(&path, b"first", &secrets)?;
    write_private(&path, b"then Zk3vQ8xWn2LmR7tY", &secrets)?;
    assert_eq!(std::fs::read(&path)?, b"then [redacted]");
    assert_eq!(names(folder.path()), ["one"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_their_owners_alone() -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a/b/c.json");
    write_private(&path, b"{}", &Secrets::none())?;
    let mode = |path: &Path| std::fs::metadata(path).map(|data| data.permissions().mode() & 0o777);
    assert_eq!(mode(&path)?, 0o600);
    assert_eq!(mode(&folder.path().join("a"))?, 0o700);
    assert_eq!(mode(&folder.path().join("a/b"))?, 0o700);
    Ok(())
}

/// In processes of their own, because the mask is the process's.
#[cfg(unix)]
#[test]
fn what_is_shown_around_has_the_mode_of_any_new_file_and_no_secret() -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if let Some(path) = std::env::var_os("UNITAI_TEST_PUBLIC") {
        let secrets = Secrets::none();
        secrets.learn("Zk3vQ8xWn2LmR7tY");
        return write_public(Path::new(&path), b"it is Zk3vQ8xWn2LmR7tY", &secrets);
    }
    for (mask, file, made) in [("022", 0o644, 0o755), ("077", 0o600, 0o700), ("002", 0o664, 0o775)] {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("results/report.html");
        let test = "what_is_shown_around_has_the_mode_of_any_new_file_and_no_secret";
        let done = std::process::Command::new("sh")
            .args(["-c", "umask $1 && exec \"$2\" --exact $3", "sh", mask])
            .arg(std::env::current_exe()?)
            .arg(test)
            .env("UNITAI_TEST_PUBLIC", &path)
            .output()?;
        assert!(done.status.success(), "{done:?}");
        let mode = |path: &Path| std::fs::metadata(path).map(|data| data.permissions().mode() & 0o777);
        assert_eq!((mode(&path)?, mode(&folder.path().join("results"))?), (file, made), "umask {mask}");
        assert_eq!(std::fs::read(&path)?, b"it is [redacted]");
        assert_eq!(names(&folder.path().join("results")), ["report.html"]);
    }
    Ok(())
}

#[test]
fn a_failed_write_leaves_what_was_there() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    // A folder cannot be replaced by a file.
    let path = folder.path().join("taken");
    std::fs::create_dir_all(path.join("inside"))?;
    assert!(write_private(&path, b"x", &Secrets::none()).is_err());
    assert_eq!(names(folder.path()), ["taken"]);
    assert!(path.join("inside").is_dir());
    Ok(())
}

#[test]
fn readers_see_the_old_file_or_the_new_one() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("one");
    let texts: Vec<Vec<u8>> = (b'a'..=b'd').map(|letter| vec![letter; 40_000]).collect();
    write_private(&path, &texts[0], &Secrets::none())?;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            (0..40).try_for_each(|n| write_private(&path, &texts[n % texts.len()], &Secrets::none()))
        });
        while !writer.is_finished() {
            let seen = std::fs::read(&path)?;
            assert!(texts.contains(&seen), "a torn read of {} bytes", seen.len());
        }
        writer.join().map_err(|_| std::io::Error::other("the writer panicked"))?
    })
}

#[test]
fn what_was_never_finished_is_known_by_its_name() {
    assert!(is_unfinished(".unfinished-a1b2c3".as_ref()));
    assert!(!is_unfinished("a1b2c3.json".as_ref()));
}

#[cfg(unix)]
#[test]
fn a_device_stays_one_and_a_link_leads_to_its_file() {
    use std::fs;
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    // Not the one of this machine: it would be gone if this went wrong.
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (from, to) = (pipe.clone(), pipe.clone());
    let reader = std::thread::spawn(move || fs::read(from).unwrap());
    write_private(&to, b"through it", &Secrets::none()).unwrap();
    assert_eq!(reader.join().unwrap(), b"through it");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_private(&link, b"new", &Secrets::none()).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn a_new_file_holds_no_secret_and_never_takes_a_place() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let secrets = Secrets::none();
    secrets.learn("Zk3vQ8xWn2LmR7tY");
    let path = folder.path().join("tests/one.py");
    write_new(&path, b"key = Zk3vQ8xWn2LmR7tY", &secrets)?;
    assert!(write_new(&path, b"other", &secrets).is_err());
    assert_eq!(std::fs::read(&path)?, b"key = [redacted]");
    assert_eq!(names(&folder.path().join("tests")), ["one.py"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_not_written_through() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link)?;
    assert!(write_new(&link, b"x", &Secrets::none()).is_err());
    assert_eq!(names(folder.path()), ["link"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_is_added_to_keeps_its_mode_and_a_link_is_not_followed() -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("list");
    std::fs::write(&path, "a\n")?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640))?;
    append(&path, b"b\n", &Secrets::none())?;
    assert_eq!(std::fs::read(&path)?, b"a\nb\n");
    assert_eq!(std::fs::metadata(&path)?.permissions().mode() & 0o777, 0o640);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link)?;
    assert!(append(&link, b"c\n", &Secrets::none()).is_err());
    assert!(append(&folder.path().join("missing"), b"c\n", &Secrets::none()).is_err());
    assert_eq!(std::fs::read(&path)?, b"a\nb\n");
    Ok(())
}
