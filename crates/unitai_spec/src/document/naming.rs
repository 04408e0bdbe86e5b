//! The names that the tests of a file have in pytest and in reports.

use std::collections::HashMap;
use std::path::Path;

/// The names of the tests of one file, each given by its own name and its case. No two are the same.
///
/// ```
/// use std::path::Path;
/// use unitai_spec::document::report_names;
/// let tests = [("log  in", None), ("log in", None), ("a::b", Some("x=1")), ("", None)];
/// let names = report_names(tests, Path::new("shop.yaml"));
/// assert_eq!(names, ["log in", "log in #2", "a:b[x=1]", "shop"]);
/// ```
pub fn report_names<'a>(
    tests: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    file: &Path,
) -> Vec<String> {
    let mut given: HashMap<String, usize> = HashMap::new();
    let numbered = |(name, case)| {
        let name = report_name(name, case, file);
        let times = given.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name} #{times}") }
    };
    tests.into_iter().map(numbered).collect()
}

fn report_name(name: &str, case: Option<&str>, file: &Path) -> String {
    // Two colons would part the name where somebody asks for it.
    let name = name.replace("::", ":");
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = match words.is_empty() {
        true => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        false => words.join(" "),
    };
    case.map_or(name.clone(), |case| format!("{name}[{case}]"))
}
