//! The environment: what its variables say about settings.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::key::{KEYS, Key, PREFIX};
use unitai_model::nearest::best;

/// The variables that begin with `UNITAI_`, as they were when somebody looked. An empty one says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, OsString>);

/// A variable that looks like a setting and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownVariable {
    /// Its name.
    pub name: String,
    /// The variable that was probably meant.
    pub nearest: Option<String>,
}

impl Variables {
    /// Those of this process, as they are now.
    pub fn of_process() -> Variables {
        Variables::of(std::env::vars_os().filter_map(|(name, text)| Some((name.into_string().ok()?, text))))
    }

    /// Those among these pairs.
    ///
    /// ```
    /// use unitai_config::Variables;
    /// let said = Variables::of([("UNITAI_DEFAULT_M", "5"), ("HOME", "/home/me")]);
    /// assert_eq!(said.unknown()[0].nearest.as_deref(), Some("UNITAI_DEFAULT_N"));
    /// ```
    pub fn of<N: Into<String>, T: Into<OsString>>(pairs: impl IntoIterator<Item = (N, T)>) -> Variables {
        let pairs = pairs.into_iter().map(|(name, text)| (name.into(), text.into()));
        Variables(pairs.filter(|(name, text)| name.starts_with(PREFIX) && !text.is_empty()).collect())
    }

    /// What is said about a setting, and by which variable.
    pub(crate) fn said(&self, key: &Key) -> Option<(String, &OsString)> {
        key.variables().find_map(|name| {
            let text = self.0.get(&name)?;
            Some((name, text))
        })
    }

    /// Those that say nothing that anybody understands.
    pub fn unknown(&self) -> Vec<UnknownVariable> {
        let known: Vec<String> = KEYS.iter().flat_map(Key::variables).collect();
        let is_unknown = |name: &&String| !known.contains(name);
        let unknown = self.0.keys().filter(is_unknown).map(|name| UnknownVariable {
            name: name.clone(),
            // All of them begin alike, which says nothing.
            nearest: best(
                &name[PREFIX.len()..],
                known.iter().filter_map(|known| Some((known.strip_prefix(PREFIX)?, known.clone()))),
            ),
        });
        unknown.collect()
    }
}
