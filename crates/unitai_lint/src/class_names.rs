//! Which classes pytest collects, by their names.

use globset::{Glob, GlobSet, GlobSetBuilder};

/// Which classes pytest collects: `python_classes` of its settings, or `Test` with what follows.
#[derive(Debug, Clone)]
pub struct ClassNames {
    prefixes: Vec<String>,
    globs: GlobSet,
}

impl Default for ClassNames {
    fn default() -> ClassNames {
        ClassNames::of(&["Test".to_owned()])
    }
}

impl ClassNames {
    /// Of what stands in the setting: how names begin, or patterns with `*`, `?` and `[`.
    ///
    /// ```
    /// use unitai_lint::ClassNames;
    ///
    /// let names = ClassNames::of(&["Check".to_owned(), "*Suite".to_owned()]);
    /// assert!(names.has("CheckStores") && names.has("StoreSuite"));
    /// assert!(!names.has("TestStores") && ClassNames::default().has("TestStores"));
    /// ```
    pub fn of(patterns: &[String]) -> ClassNames {
        let mut globs = GlobSetBuilder::new();
        for glob in
            patterns.iter().filter(|it| it.contains(['*', '?', '['])).filter_map(|it| Glob::new(it).ok())
        {
            globs.add(glob);
        }
        ClassNames { prefixes: patterns.to_vec(), globs: globs.build().unwrap_or_default() }
    }

    /// Whether a class of this name is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.prefixes.iter().any(|prefix| name.starts_with(prefix)) || self.globs.is_match(name)
    }
}
