//! A provider that keeps our keys to itself, whatever the program behind it says: programs like to tell which key was
//! wrong.

use unitai_spec::run::Future;
use unitai_wire::redact::{MARK, Secrets};

use crate::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

/// A provider in whose words no key is.
pub struct Discreet {
    inner: Box<dyn Provider>,
    keys: Vec<String>,
    secrets: Secrets,
}

impl Discreet {
    /// The provider without these keys.
    pub fn new(inner: Box<dyn Provider>, keys: impl IntoIterator<Item = String>) -> Discreet {
        let keys: Vec<String> = keys.into_iter().filter(|key| !key.is_empty()).collect();
        let secrets = Secrets::none();
        keys.iter().for_each(|key| secrets.learn(key));
        Discreet { inner, keys, secrets }
    }

    fn cleaned(&self, text: &str) -> String {
        let clean = self.secrets.clean(text).into_owned();
        // Short keys are no secrets to whoever looks for them by their form.
        self.keys
            .iter()
            .filter(|key| key.len() >= 8)
            .fold(clean, |text, key| text.replace(key.as_str(), MARK))
    }

    fn said(&self, said: Result<Said, Trouble>) -> Result<Said, Trouble> {
        match said {
            Ok(mut said) => {
                said.text = self.cleaned(&said.text);
                said.notes = said.notes.iter().map(|note| self.cleaned(note)).collect();
                if let Some(structured) = &mut said.structured {
                    self.secrets.clean_json(structured);
                }
                Ok(said)
            }
            Err(trouble) => Err(self.trouble(trouble)),
        }
    }

    fn trouble(&self, trouble: Trouble) -> Trouble {
        match trouble {
            Trouble::Absent(text) => Trouble::Absent(self.cleaned(&text)),
            Trouble::Unavailable(text) => Trouble::Unavailable(self.cleaned(&text)),
            Trouble::OverBudget(text) => Trouble::OverBudget(self.cleaned(&text)),
            Trouble::Broken(text) => Trouble::Broken(self.cleaned(&text)),
            late @ Trouble::TimedOut { .. } => late,
        }
    }
}

impl Provider for Discreet {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn is_free(&self) -> bool {
        self.inner.is_free()
    }

    fn pays_each_turn(&self) -> bool {
        self.inner.pays_each_turn()
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        Box::pin(async { self.inner.identity().await.map_err(|trouble| self.trouble(trouble)) })
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async { self.said(self.inner.ask(ask).await) })
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async { self.said(self.inner.drive(drive, reach).await) })
    }
}
