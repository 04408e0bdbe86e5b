//! A digest of the linter's own sources: what another linter found is not what this one finds.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=src");
    let mut hasher = DefaultHasher::new();
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    add(&Path::new(&root).join("src"), &mut hasher);
    println!("cargo:rustc-env=UNITAI_LINT_SOURCES={:016x}", hasher.finish());
}

fn add(folder: &Path, hasher: &mut DefaultHasher) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(&path, hasher);
        } else {
            fs::read(&path).unwrap_or_default().hash(hasher);
        }
    }
}
