//! Nobody who answers. Kept answers can still be used.

use unitai_spec::run::Future;

use crate::provider::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

/// Stands where no provider is: whoever asks it learns how to get one.
///
/// ```
/// use unitai_judge::{Nobody, Provider};
/// let nobody = Nobody::new("install claude");
/// assert_eq!(nobody.name(), "none");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nobody {
    /// Who was wanted, in the words of settings.
    pub name: &'static str,
    /// How to get somebody, for people.
    pub how: String,
}

impl Nobody {
    /// Its name in settings.
    pub const NAME: &'static str = "none";

    /// Nobody in particular.
    pub fn new(how: impl Into<String>) -> Nobody {
        Nobody { name: Nobody::NAME, how: how.into() }
    }

    fn absent<T: Send + 'static>(&self) -> Future<'_, Result<T, Trouble>> {
        let trouble = Trouble::Absent(self.how.clone());
        Box::pin(async move { Err(trouble) })
    }
}

impl Provider for Nobody {
    fn name(&self) -> &'static str {
        self.name
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        self.absent()
    }

    fn ask<'a>(&'a self, _ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        self.absent()
    }

    fn drive<'a>(&'a self, _drive: &'a Drive<'a>, _reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        self.absent()
    }
}
