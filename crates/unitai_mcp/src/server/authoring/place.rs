//! Where files may be: below the project's root to be read, below its `tests/llm` to be written. Links that lead out are
//! not followed.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use unitai_model::value::quoted;
use unitai_spec::document::{ProjectRoot, looks_like_test};

/// The folder of tests, below the root.
const TESTS: &str = "tests/llm";

/// The folder of plugins, below the root.
pub(super) const PLUGINS: &str = "tests/llm/plugins";

/// More bytes than this are no test.
const MOST_BYTES: u64 = 1 << 20;

/// The root of a project.
#[derive(Debug, Clone)]
pub(super) struct Root(pub(super) ProjectRoot);

impl Root {
    pub(super) fn folder(&self) -> &Path {
        self.0.folder()
    }

    /// A path as people write it: from the root, with slashes.
    pub(super) fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(self.folder()).unwrap_or(path);
        let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
        if path.is_absolute() { path.display().to_string() } else { parts.collect::<Vec<_>>().join("/") }
    }

    /// A file below the root that is there.
    pub(super) fn file(&self, given: &str) -> Result<PathBuf, String> {
        let real = self.0.resolve(&self.below(given)?);
        let real = real.map_err(|_| format!("{} leads out of the project", quoted(given)))?;
        match fs::metadata(&real) {
            Ok(found) if found.is_file() => Ok(real),
            Ok(_) => Err(format!("{} is not a file", quoted(given))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(format!("there is no file {}; list_tests says which there are", quoted(given)))
            }
            Err(error) => Err(format!("{} could not be opened: {error}", quoted(given))),
        }
    }

    /// The path from the root; one that begins with the folder of the root is one from there.
    fn below(&self, given: &str) -> Result<PathBuf, String> {
        let inner = Path::new(given).strip_prefix(self.folder()).ok().and_then(Path::to_str);
        plain(inner.unwrap_or(given))
    }

    /// The text of a test below the root. Messages about a test quote it, so another file is not read as one.
    pub(super) fn test(&self, file: &Path) -> Result<String, String> {
        let text = self.text(file)?;
        if looks_like_test(&text) {
            return Ok(text);
        }
        let shown = self.shown(file);
        Err(format!(
            "{shown} is not a test: expected `test`, `steps` and `verdict` at the top of a YAML file"
        ))
    }

    /// The text of a file below the root.
    pub(super) fn text(&self, file: &Path) -> Result<String, String> {
        let wrong = |why: String| format!("{} could not be read: {why}", self.shown(file));
        let unreadable = |error: io::Error| wrong(error.to_string());
        let opened = self.0.open(file).map_err(unreadable)?;
        let found = opened.metadata().map_err(unreadable)?;
        if !found.is_file() {
            return Err(wrong("it is not a file".to_owned()));
        }
        let size = found.len();
        if size > MOST_BYTES {
            return Err(wrong(format!("it has {size} bytes, and a test has at most {MOST_BYTES}")));
        }
        let mut text = String::new();
        // It may be written to meanwhile.
        opened.take(MOST_BYTES).read_to_string(&mut text).map_err(unreadable)?;
        Ok(text)
    }

    /// Where a test of this path is written: below `tests/llm`, whether the path says so or not.
    pub(super) fn new_test(&self, given: &str) -> Result<PathBuf, String> {
        let given_path = plain(given)?;
        let inner = given_path.strip_prefix(TESTS).unwrap_or(&given_path);
        let is_yaml = |end: &std::ffi::OsStr| end == "yaml" || end == "yml";
        if !inner.extension().is_some_and(is_yaml) {
            return Err(format!("{} must be a file that ends in .yaml", quoted(given)));
        }
        self.writable(self.folder().join(TESTS).join(inner), given)
    }

    /// Where a new plugin is written: in the folder of plugins, under a plain name of Python.
    pub(super) fn new_plugin(&self, name: &str) -> Result<PathBuf, String> {
        let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '_' | '-');
        match name.strip_suffix(".py") {
            Some(stem)
                if stem.starts_with(|it: char| it.is_ascii_lowercase()) && stem.chars().all(is_plain) =>
            {
                self.writable(self.folder().join(PLUGINS).join(name), name)
            }
            _ => Err(format!(
                "{} cannot be the file of a plugin: expected a name such as shop.py",
                quoted(name)
            )),
        }
    }

    /// The path, unless what is there would lead out of its folder.
    fn writable(&self, path: PathBuf, given: &str) -> Result<PathBuf, String> {
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(format!("{} is there, and no plain file", quoted(given)));
        }
        // Folders that are there must be where their names say; the rest will be made there.
        let existing = path.ancestors().skip(1).find(|folder| fs::symlink_metadata(folder).is_ok());
        match existing.map(|existing| (existing, fs::canonicalize(existing))) {
            Some((existing, Ok(real))) if real == existing => Ok(path),
            _ => Err(format!("{} leads out of {TESTS}, by a link", quoted(given))),
        }
    }
}

/// A path of plain parts: relative, without steps upwards and hidden names, the same on every system.
fn plain(given: &str) -> Result<PathBuf, String> {
    let wrong = |why: &str| Err(format!("{} {why}; give a path from the project's root", quoted(given)));
    if given.is_empty() || given.contains(['\\', '\0', ':']) {
        return wrong("is no plain path");
    }
    let mut path = PathBuf::new();
    for part in Path::new(given).components() {
        match part {
            Component::Normal(name) if name.to_string_lossy().starts_with('.') => {
                return wrong("has a hidden part");
            }
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => return wrong("goes upwards"),
            Component::RootDir | Component::Prefix(_) => return wrong("is not relative"),
        }
    }
    if path.as_os_str().is_empty() { wrong("names nothing") } else { Ok(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project/tests/llm")).unwrap();
        fs::write(folder.path().join("secret.yaml"), "no").unwrap();
        fs::write(folder.path().join("project/tests/llm/a.yaml"), "test:").unwrap();
        let root = Root(ProjectRoot::new(folder.path().join("project")).unwrap());
        (folder, root)
    }

    #[test]
    fn tests_are_written_below_their_folder_alone() {
        let (_folder, root) = root();
        let shown = |given: &str| root.new_test(given).map(|path| root.shown(&path));
        assert_eq!(shown("b.yaml").unwrap(), "tests/llm/b.yaml");
        assert_eq!(shown("tests/llm/b.yml").unwrap(), "tests/llm/b.yml");
        assert_eq!(shown("shop/deep/b.yaml").unwrap(), "tests/llm/shop/deep/b.yaml");
        assert_eq!(shown("./a.yaml").unwrap(), "tests/llm/a.yaml");
        for wrong in [
            "",
            ".",
            "/etc/x.yaml",
            "../x.yaml",
            "a/../../x.yaml",
            "tests/llm/../../x.yaml",
            "x.txt",
            "x",
            ".yaml",
            "a\\..\\x.yaml",
            "C:x.yaml",
            ".git/x.yaml",
            "x\0.yaml",
        ] {
            assert!(root.new_test(wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (folder, root) = root();
        let llm = folder.path().join("project/tests/llm");
        symlink(folder.path(), llm.join("out")).unwrap();
        symlink(folder.path().join("secret.yaml"), llm.join("link.yaml")).unwrap();
        symlink(folder.path().join("not-there.yaml"), llm.join("dangling.yaml")).unwrap();
        for given in ["out/x.yaml", "out/secret.yaml", "link.yaml", "dangling.yaml"] {
            assert!(root.new_test(given).is_err(), "{given}");
        }
        for given in ["tests/llm/out/secret.yaml", "tests/llm/link.yaml"] {
            assert!(root.file(given).unwrap_err().contains("leads out"), "{given}");
        }
        // The folder itself may be such a link.
        fs::remove_dir_all(&llm).unwrap();
        symlink(folder.path(), &llm).unwrap();
        assert!(root.new_test("x.yaml").is_err());
    }

    #[test]
    fn files_are_read_below_the_root_alone() {
        let (_folder, root) = root();
        let file = root.file("tests/llm/a.yaml").unwrap();
        assert_eq!(root.text(&file).unwrap(), "test:");
        assert!(root.file("../secret.yaml").unwrap_err().contains("goes upwards"));
        assert!(root.file("tests/llm/b.yaml").unwrap_err().contains("list_tests"));
        assert!(root.file("tests").unwrap_err().contains("not a file"));
        fs::write(&file, vec![b' '; 2 << 20]).unwrap();
        assert!(root.text(&file).unwrap_err().contains("at most"));
        let absolute = |below: &str| root.folder().join(below).display().to_string();
        assert_eq!(root.file(&absolute("tests/llm/a.yaml")).unwrap(), file);
        for out in ["../secret.yaml", "tests/../../secret.yaml", ".git/config", ""] {
            assert!(root.file(&absolute(out)).is_err(), "{out}");
        }
    }

    #[test]
    fn a_plugin_has_a_plain_name_in_the_folder_of_plugins() {
        let (_folder, root) = root();
        assert_eq!(root.shown(&root.new_plugin("shop_1.py").unwrap()), "tests/llm/plugins/shop_1.py");
        for wrong in ["", ".py", "../x.py", "a/b.py", "_x.py", "X.py", "x.yaml", "x.py.sh", "1.py"] {
            assert!(root.new_plugin(wrong).is_err(), "{wrong}");
        }
    }
}
