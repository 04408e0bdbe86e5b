//! The names of a test in JUnit's way: a class and a name.

/// The class and the name of a test, as pytest writes them: of `tests/test_refund.py::TestLate::test_fee[eu]`,
/// `tests.test_refund.TestLate` and `test_fee[eu]`.
pub(super) fn of_id(id: &str) -> (String, String) {
    // What is in brackets is a parameter, and may hold anything.
    let (path, parameters) = id.split_at(id.find('[').unwrap_or(id.len()));
    let mut names: Vec<String> = path.split("::").map(str::to_owned).collect();
    if let Some(file) = names.first_mut() {
        let dotted = file.replace('/', ".");
        *file = dotted.strip_suffix(".py").unwrap_or(&dotted).to_owned();
    }
    let name = names.pop().unwrap_or_default();
    (names.join("."), format!("{name}{parameters}"))
}

/// The id of a test of any tool: as good as it gets, because files cannot be told from classes.
pub(super) fn to_id(class: &str, name: &str, file: Option<&str>) -> String {
    // pytest says the file in one of its dialects.
    if let Some(file) = file
        && let (module, _) = of_id(&format!("{file}::x"))
        && let Some(classes) = class.strip_prefix(&module)
        && (classes.is_empty() || classes.starts_with('.'))
    {
        return format!("{file}{}::{name}", classes.replace('.', "::"));
    }
    match class {
        "" => name.to_owned(),
        class if class == name => name.to_owned(),
        class => format!("{class}::{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_named_as_pytest_does() {
        let cases = [
            ("tests/test_a.py::test_x", "tests.test_a", "test_x"),
            ("tests/test_a.py::TestB::test_x[a::b/c.py]", "tests.test_a.TestB", "test_x[a::b/c.py]"),
            ("tests/test_broken.py", "", "tests.test_broken"),
            ("", "", ""),
        ];
        for (id, class, name) in cases {
            assert_eq!(of_id(id), (class.to_owned(), name.to_owned()), "{id}");
        }
    }

    #[test]
    fn ids_come_back_where_the_file_is_known() {
        assert_eq!(
            to_id("tests.test_a.TestB", "test_x[1]", Some("tests/test_a.py")),
            "tests/test_a.py::TestB::test_x[1]"
        );
        assert_eq!(to_id("tests.test_ab", "test_x", Some("tests/test_a.py")), "tests.test_ab::test_x");
        assert_eq!(to_id("com.example.FooTest", "bar", None), "com.example.FooTest::bar");
        assert_eq!(to_id("adds up", "adds up", Some("sum.test.js")), "adds up");
    }
}
