//! Where the snapshots of a test are: names that no other test has, on any file system.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The folder, beside the files of tests, that holds all of theirs.
pub(crate) const FOLDER: &str = "snapshots";

/// So many bytes of a name are kept; file systems take 255.
const LONGEST: usize = 120;

/// What is wrong with the name of a snapshot.
///
/// ```
/// use unitai_snapshot::NameFault;
///
/// assert_eq!(NameFault::Long.expected(), "at most 120 bytes");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// It leads elsewhere, or to nothing.
    #[error("a snapshot is one file in the folder of its test")]
    Place,
    /// File systems would cut it, or refuse it.
    #[error("the name of the snapshot is too long")]
    Long,
    /// Some file systems do not take it.
    #[error("a snapshot has a name that every file system takes")]
    Foreign,
}

impl NameFault {
    /// What a name is.
    pub fn expected(self) -> String {
        match self {
            NameFault::Place => {
                "a name without folders and with no dot in front, as in \"prompt.txt\"".to_owned()
            }
            NameFault::Long => format!("at most {LONGEST} bytes"),
            NameFault::Foreign => {
                "none of : * ? \" < > | in it, no dot or space at its end, and no name of a device, \
                                   as con and aux are for Windows"
                    .to_owned()
            }
        }
    }
}

/// The folder of a test's snapshots. `names` are those of its classes, its function and its parameters.
pub(crate) fn folder(file: &Path, names: &[impl AsRef<str>]) -> PathBuf {
    let mut folder = of_file(file);
    folder.extend(names.iter().map(|name| part(name.as_ref())));
    folder
}

/// The folder of the snapshots of a file's tests.
pub(crate) fn of_file(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(FOLDER).join(of_stem(file))
}

/// The part of a path that stands for a file of tests. The file is where its snapshots are, so that the file system
/// has told it from others.
fn of_stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let spelled = spelled(&stem);
    if spelled.len() > LONGEST { sealed(spelled, &stem) } else { spelled }
}

/// Whether there is a file beside a folder of snapshots whose tests this part of a path stands for.
pub(crate) fn has_file(beside: &Path, part: &str) -> bool {
    let files = || fs::read_dir(beside).into_iter().flatten().flatten().map(|entry| entry.path());
    // Most files need no look at the others.
    beside.join(format!("{part}.py")).is_file()
        || files().any(|file| of_stem(&file) == part && file.is_file())
}

/// Whether this is the folder of a test, or of a class, that holds snapshots and nothing that is to be run or read as a
/// test: `snapshots/<file of tests>/<test>`, beside that file.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let kept = folder.path().join("snapshots/test_prompts/test_greeting");
/// std::fs::create_dir_all(&kept).unwrap();
/// assert!(!unitai_snapshot::holds_snapshots(&kept));
/// std::fs::write(folder.path().join("test_prompts.py"), "").unwrap();
/// assert!(unitai_snapshot::holds_snapshots(&kept));
/// ```
pub fn holds_snapshots(folder: &Path) -> bool {
    let mut above = folder.ancestors().skip(1);
    let (Some(of_file), Some(all), Some(beside)) = (above.next(), above.next(), above.next()) else {
        return false;
    };
    all.file_name() == Some(OsStr::new(FOLDER))
        && folder.is_dir()
        && of_file.file_name().and_then(OsStr::to_str).is_some_and(|part| has_file(beside, part))
}

/// A name as a part of a path. No two names become the same part, also where capitals do not count: a name with some
/// has a checksum at its end. That of a class has none, for a file has no two that differ so.
fn part(name: &str) -> String {
    let spelled = spelled(name);
    let has_case = name != without_case(name) && !is_class(name);
    if has_case || spelled.len() > LONGEST { sealed(spelled, name) } else { spelled }
}

/// The name with all that is no letter of a plain one spelled out.
fn spelled(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let last = name.chars().count().saturating_sub(1);
    let is_device = is_device(name);
    for (at, letter) in name.chars().enumerate() {
        let is_plain = match letter {
            '_' | '-' => true,
            '.' => at > 0 && at < last,
            letter => letter.is_alphanumeric() && !(is_device && at == 0),
        };
        if is_plain {
            out.push(letter);
        } else {
            let mut bytes = [0; 4];
            letter.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        }
    }
    // An empty part would be none at all.
    if out.is_empty() { "%".to_owned() } else { out }
}

/// What is spelled, cut where it is too long, with a checksum of the whole name.
fn sealed(mut spelled: String, name: &str) -> String {
    let seal: String = Sha256::digest(name)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let most = spelled.len().min(LONGEST - 20);
    let end = (0..=most).rev().find(|at| spelled.is_char_boundary(*at)).unwrap_or(0);
    spelled.truncate(end);
    // No spelled letter is followed by this sign.
    spelled + &format!("%~{seal}")
}

/// Whether a name is written as those of classes of tests are: `TestRouter`.
fn is_class(name: &str) -> bool {
    name.strip_prefix("Test").is_some_and(|rest| {
        rest.starts_with(|first: char| first.is_ascii_uppercase())
            && rest.bytes().all(|letter| letter.is_ascii_alphanumeric())
    })
}

/// Whether Windows takes a name for one of its devices, whatever follows the first dot.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || port.is_some_and(|number| {
            matches!(number, "\u{b9}" | "\u{b2}" | "\u{b3}")
                || matches!(number.as_bytes(), [digit] if digit.is_ascii_digit())
        })
}

/// The name as file systems compare it for which capitals do not count.
pub(crate) fn without_case(name: &str) -> String {
    name.chars().map(|letter| only(only(letter, char::to_uppercase), char::to_lowercase)).collect()
}

/// The one letter that another becomes. File systems do not know that one may become two.
fn only<L: ExactSizeIterator<Item = char>>(letter: char, change: impl Fn(char) -> L) -> char {
    let mut changed = change(letter);
    if changed.len() == 1 { changed.next().unwrap_or(letter) } else { letter }
}

/// Whether a name is one file's in a folder, and stays there, on any file system.
pub(crate) fn check_name(name: &str) -> Result<(), NameFault> {
    let is_foreign =
        |letter: char| letter.is_control() || matches!(letter, ':' | '*' | '?' | '"' | '<' | '>' | '|');
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
        Err(NameFault::Place)
    } else if name.len() > LONGEST {
        Err(NameFault::Long)
    } else if name.chars().any(is_foreign) || name.ends_with(['.', ' ']) || is_device(name) {
        Err(NameFault::Foreign)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_a_folder_beside_its_file() {
        let folder =
            folder(Path::new("tests/regression/test_prompts.py"), &["TestRouter", "test_all", "two words"]);
        assert_eq!(
            folder,
            Path::new("tests/regression/snapshots/test_prompts/TestRouter/test_all/two%20words")
        );
    }

    #[test]
    fn no_name_leads_out_and_no_two_are_one() {
        let names = [
            "..",
            "../../etc",
            "a/b",
            "a%2Fb",
            "a\\b",
            "",
            "%",
            ".",
            "a b",
            "a%20b",
            "\u{0}",
            "ä",
            "C:",
            "a",
            "A",
            "Ä",
            "a.",
            "a ",
            "con",
            "CON",
            "%63on",
            "aux.txt",
            "COM1",
            "com10",
            "ς",
            "σ",
            "GET",
            "get",
            "test_It",
            "test_it",
        ];
        let parts: Vec<String> = names.iter().map(|name| part(name)).collect();
        for part in &parts {
            assert_eq!(Path::new(part).components().count(), 1, "{part}");
            assert!(!part.contains(['/', '\\', ':', '\0']) && !part.starts_with('.'), "{part}");
            assert!(!part.ends_with(['.', ' ']) && !is_device(part), "{part}");
        }
        let mut unique: Vec<String> = parts.iter().map(|part| without_case(part)).collect();
        unique.sort();
        unique.dedup();
        // `%` is spelled out, so that the part for nothing is its own.
        assert_eq!(unique.len(), parts.len(), "{parts:?}");
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let (one, other) = (part(&"ä".repeat(400)), part(&format!("{}b", "ä".repeat(399))));
        assert!(one.len() <= LONGEST && other.len() <= LONGEST && one != other);
    }

    #[test]
    fn a_snapshot_is_one_file_in_the_folder() {
        let right =
            ["prompt.txt", "prompt", "routing known.json", "ä.txt", "README.md", "console.txt", "com.txt"];
        assert!(right.iter().all(|name| check_name(name).is_ok()));
        let elsewhere = ["", ".", "..", ".hidden", "a/b", "../a", "/etc/passwd", "a\\b"];
        assert_eq!(elsewhere.iter().find(|name| check_name(name) != Err(NameFault::Place)), None);
        let foreign =
            ["C:a", "a\nb", "a\0", "q?.txt", "a*", "a.", "a ", "con", "Aux.txt", "lpt1.tar.gz", "a|b"];
        assert_eq!(foreign.iter().find(|name| check_name(name) != Err(NameFault::Foreign)), None);
        assert_eq!(
            (check_name(&"a".repeat(120)), check_name(&"a".repeat(121))),
            (Ok(()), Err(NameFault::Long))
        );
    }

    #[test]
    fn a_file_directly_in_the_folder_of_a_file_is_nobodys_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::write(at("test it.py"), "").unwrap();
        fs::create_dir_all(at("snapshots/test%20it/test_a/deep")).unwrap();
        fs::write(at("snapshots/test%20it/test_b.py"), "").unwrap();
        assert!(holds_snapshots(&at("snapshots/test%20it/test_a")));
        let others =
            ["snapshots/test%20it/test_b.py", "snapshots/test%20it", "snapshots", "snapshots/other/test_a"];
        assert_eq!(others.iter().find(|path| holds_snapshots(&at(path))), None);
    }
}
