//! All that is wrong with the settings of a folder, for who wants to mend it.

use std::path::{Path, PathBuf};

use crate::settings::outside;
use crate::{KEYS, Project, Settings, Spoken, Trouble};

/// What a look at all settings of a folder came to.
#[derive(Debug, Clone)]
pub struct Examination {
    /// The project's file, whether it can be used or not.
    pub file: Option<PathBuf>,
    /// The folder of the project.
    pub root: PathBuf,
    /// The settings, or all that is wrong: with the file first, in its order.
    pub settings: Result<Settings, Vec<Trouble>>,
}

impl Examination {
    /// Looks at the project of a folder, and at what is said outside of its file.
    ///
    /// ```
    /// use unitai_config::{Examination, Spoken, Variables};
    /// # let folder = std::env::temp_dir();
    /// let variables = Variables::of([("UNITAI_DEFAULT_N", "many"), ("UNITAI_TIMEOUT", "0")]);
    /// let found = Examination::of(&folder, &Spoken { variables, ..Spoken::default() });
    /// assert_eq!(found.settings.unwrap_err().len(), 2);
    /// ```
    pub fn of(folder: &Path, spoken: &Spoken) -> Examination {
        let (project, mut troubles) = match Project::examined(folder) {
            Ok(project) => (project, Vec::new()),
            Err(found) => found,
        };
        troubles.extend(KEYS.iter().filter_map(|key| outside(key, spoken).err()));
        let settings = match troubles.is_empty() {
            true => Settings::resolve(&project, folder, spoken).map_err(|trouble| vec![trouble]),
            false => Err(troubles),
        };
        Examination { file: project.file().map(Path::to_owned), root: project.root().to_owned(), settings }
    }
}
