//! Where the snapshots of a test are: names that no other test has, on any file system.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The folder, beside the files of tests, that holds all of theirs.
pub(crate) const FOLDER: &str = "snapshots";

/// So many bytes of a name are kept; file systems take 255.
const LONGEST: usize = 120;

/// The folder of a test's snapshots. `names` are those of its classes, its function and its parameters.
pub(crate) fn folder(file: &Path, names: &[impl AsRef<str>]) -> PathBuf {
    let mut folder = of_file(file);
    folder.extend(names.iter().map(|name| part(name.as_ref())));
    folder
}

/// The folder of the snapshots of a file's tests.
pub(crate) fn of_file(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.parent().unwrap_or(Path::new("")).join(FOLDER).join(part(&stem))
}

/// A name as a part of a path. No two names become the same part: what is no letter of a plain name is spelled out.
fn part(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (at, letter) in name.chars().enumerate() {
        if letter.is_alphanumeric() || matches!(letter, '_' | '-') || (letter == '.' && at > 0) {
            out.push(letter);
        } else {
            let mut bytes = [0; 4];
            letter.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        }
    }
    if out.len() > LONGEST {
        let seal: String = Sha256::digest(name)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let end = (0..=LONGEST - 20).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
        out.truncate(end);
        // No spelled letter is followed by this sign.
        out.push_str(&format!("%~{seal}"));
    }
    // An empty part would be none at all.
    if out.is_empty() { "%".to_owned() } else { out }
}

/// Whether a name is one file's in a folder, and stays there.
pub(crate) fn is_name(name: &str) -> bool {
    let is_odd = |letter: char| letter.is_control() || matches!(letter, '/' | '\\' | ':');
    !name.is_empty() && !name.starts_with('.') && name.len() <= LONGEST && !name.chars().any(is_odd)
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
        let names =
            ["..", "../../etc", "a/b", "a%2Fb", "a\\b", "", "%", ".", "a b", "a%20b", "\u{0}", "ä", "C:"];
        let parts: Vec<String> = names.iter().map(|name| part(name)).collect();
        for part in &parts {
            assert_eq!(Path::new(part).components().count(), 1, "{part}");
            assert!(!part.contains(['/', '\\', ':', '\0']) && !part.starts_with('.'), "{part}");
        }
        let mut unique = parts.clone();
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
        assert!(["prompt.txt", "prompt", "routing known.json", "ä.txt"].iter().all(|name| is_name(name)));
        let wrong = ["", ".", "..", ".hidden", "a/b", "../a", "/etc/passwd", "a\\b", "C:a", "a\nb", "a\0"];
        assert_eq!(wrong.iter().find(|name| is_name(name)), None);
    }
}
