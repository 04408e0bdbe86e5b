//! A model with the tools of a test: what it is told, how it reaches them, and what it says at the end.

mod prompt;
mod report;
mod serving;

use std::sync::Arc;
use std::time::Duration;

use unitai_spec::run::{Driven, Driver, Errand, Future, Hands};

use crate::provider::{Ask, Drive, Provider, Reach, Said, Trouble};
pub(crate) use prompt::between;
use prompt::{REPAIRING, SYSTEM};
use serving::Serving;

/// How long a model may drive. The time of the test ends it before.
const TO_DRIVE: Duration = Duration::from_secs(3600);

/// How long it may take to give its report once more.
const TO_REPAIR: Duration = Duration::from_secs(120);

/// How often it may speak.
const TURNS: u32 = 200;

/// How much is told of what nobody could read.
const TOLD: usize = 500;

/// A provider that drives the tools of tests.
#[derive(Clone)]
pub struct ModelDriver {
    provider: Arc<dyn Provider>,
    timeout: Duration,
    turns: u32,
}

impl ModelDriver {
    /// Drives by this provider.
    pub fn new(provider: Arc<dyn Provider>) -> ModelDriver {
        ModelDriver { provider, timeout: TO_DRIVE, turns: TURNS }
    }

    /// With this much time, and this many turns. The time of each test is a limit of its own.
    pub fn within(self, timeout: Duration, turns: u32) -> ModelDriver {
        ModelDriver { timeout, turns, ..self }
    }

    async fn driven(&self, errand: &Errand<'_>, hands: Hands) -> Driven {
        if let Err(Trouble::Absent(how)) = self.provider.identity().await {
            return Driven::Absent(how);
        }
        let served = Serving::start(hands.clone()).await;
        let serving = match served {
            Ok(serving) => serving,
            Err(error) => return Driven::Trouble(format!("the tools of the test cannot be served: {error}")),
        };
        let prompt = match prompt::of(errand) {
            Ok(prompt) => prompt,
            Err(error) => return Driven::Trouble(format!("this machine gives no random numbers: {error}")),
        };
        let schema = report::schema();
        let drive = Drive {
            system: SYSTEM,
            prompt: &prompt,
            schema: &schema,
            timeout: self.timeout,
            turns: self.turns,
        };
        let (url, token) = (serving.url().to_owned(), serving.token().to_owned());
        let reach = Reach { hands: hands.clone(), url, token, pay: None };
        let said = self.provider.drive(&drive, &reach).await;
        for trouble in serving.end().await {
            hands.warn(trouble);
        }
        match said {
            Ok(said) => self.read(said, &hands).await,
            // Also where nobody is logged in: somebody is there and does nothing, which a skip would hide.
            Err(trouble) => Driven::Trouble(trouble.to_string()),
        }
    }

    /// Reads the report; what cannot be read is asked for once more.
    async fn read(&self, said: Said, hands: &Hands) -> Driven {
        let name = self.provider.name();
        for note in &said.notes {
            hands.warn(format!("{name}: {note}"));
        }
        let why = match report::read(&said) {
            Ok(verdict) => return Driven::Reported(verdict),
            Err(why) => why,
        };
        if said.text.trim().is_empty() && said.structured.is_none() {
            return Driven::Trouble(format!("{name} ended without a word"));
        }
        let unread = || Driven::Unread(said.text.trim().chars().take(TOLD).collect());
        let Ok(prompt) = prompt::repair(&said.text, &why) else { return unread() };
        let schema = report::schema();
        let ask = Ask { system: REPAIRING, prompt: &prompt, schema: &schema, timeout: TO_REPAIR };
        match self.provider.ask(&ask).await {
            Ok(again) => report::read(&again).map_or_else(|_| unread(), Driven::Reported),
            Err(trouble) => {
                hands.warn(format!("{name} could not be asked for its report once more: {trouble}"));
                unread()
            }
        }
    }
}

impl Driver for ModelDriver {
    fn drive<'a>(&'a self, errand: &'a Errand<'a>, hands: Hands) -> Future<'a, Driven> {
        Box::pin(self.driven(errand, hands))
    }
}
