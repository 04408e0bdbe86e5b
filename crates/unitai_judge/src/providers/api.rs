//! A model behind an API: one question, or a talk in which it calls the tools of a test. What differs from one API to
//! the other is its [`Form`].

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use unitai_model::Money;
use unitai_spec::data::from_json;
use unitai_spec::run::{Called as Outcome, Future};
use unitai_wire::Target;
use unitai_wire::dialects::{Called, Seen, named};
use unitai_wire::meter::PriceTable;

use super::form::{Form, Handed, Talk};
use super::http::{Refused, Service};
use super::naming::Naming;
use crate::{Ask, Drive, Identity, Provider, Purse, Reach, Said, Spent, Ticket, Trouble};

/// The most tokens that one answer may have, thinking included.
pub const MOST_OUTPUT: u64 = 8192;

/// A model behind an API.
pub struct Api<F: Form> {
    service: Service,
    model: String,
    prices: PriceTable,
    is_local: bool,
    /// What the API has not refused so far. It is asked for less once it has, by everybody.
    holds_to_schemas: AtomicBool,
    takes_temperature: AtomicBool,
    /// Which of the words for the limit it takes.
    limit: AtomicUsize,
    form: std::marker::PhantomData<F>,
}

impl<F: Form> Api<F> {
    /// The API with this key at the usual address.
    pub fn new(key: &str) -> Api<F> {
        let api = Api {
            service: Service::new(F::NAME, F::KEY, F::headers(key), key),
            model: F::USUAL_MODEL.to_owned(),
            prices: PriceTable::release().clone(),
            is_local: false,
            holds_to_schemas: AtomicBool::new(true),
            takes_temperature: AtomicBool::new(true),
            limit: AtomicUsize::new(0),
            form: std::marker::PhantomData,
        };
        api.at(F::USUAL_ADDRESS)
    }

    /// At another address. What runs on this machine costs nothing, unless prices say otherwise.
    pub fn at(mut self, address: &str) -> Api<F> {
        self.service.url = format!("{}{}", address.trim_end_matches('/'), F::PATH);
        self.is_local = Target::of(&self.service.url).is_some_and(|target| target.is_local());
        self
    }

    /// With another model.
    pub fn with_model(self, model: &str) -> Api<F> {
        Api { model: model.to_owned(), ..self }
    }

    /// With these prices.
    pub fn priced(self, prices: PriceTable) -> Api<F> {
        Api { prices, ..self }
    }

    /// With a client of one's own: another proxy, another certificate.
    pub fn through(mut self, client: reqwest::Client) -> Api<F> {
        self.service.client = Some(client);
        self
    }

    /// Asks once, and again for less where the API says that it does not take something. Each request is paid for
    /// before it is sent; an answer comes with what is set aside for it.
    async fn answer(
        &self,
        talk: &Talk<'_>,
        pay: Option<&Purse>,
        deadline: Instant,
    ) -> Result<(Value, Option<Ticket>), Trouble> {
        loop {
            let schema = talk.schema.filter(|_| self.holds_to_schemas.load(Ordering::Relaxed));
            let is_steady = self.takes_temperature.load(Ordering::Relaxed);
            let word = self.limit.load(Ordering::Relaxed);
            let limit = F::LIMITS.get(word).copied().flatten();
            let mut asked = Talk { schema, is_steady, limit, ..talk.clone() };
            if let (Some(wanted), None) = (talk.schema, schema) {
                asked.system = told_schema(&asked.system, wanted);
            }
            let body = F::body(&asked);
            let ticket = pay.map(|purse| purse.reserve(body.to_string().len() as u64)).transpose()?;
            let refused = match self.service.post(&body, deadline).await {
                Ok(answer) => return Ok((answer, ticket)),
                Err(refused) => refused,
            };
            // Nobody bills a refusal. All else may be billed, and then what was set aside counts as spent.
            let is_unbilled = match &refused {
                Refused::Rejected { .. } => true,
                Refused::Trouble(trouble) => {
                    matches!(trouble, Trouble::Absent(_) | Trouble::Unavailable(_))
                }
            };
            if let Some(ticket) = ticket.filter(|_| is_unbilled) {
                ticket.give_back();
            }
            let (words, unclean) = match refused {
                Refused::Rejected { words, unclean } => (words, unclean),
                Refused::Trouble(trouble) => return Err(trouble),
            };
            if is_steady && unclean.contains("temperature") {
                self.takes_temperature.store(false, Ordering::Relaxed);
            } else if word + 1 < F::LIMITS.len()
                && F::LIMITS.iter().flatten().any(|limit| unclean.contains(limit))
            {
                self.limit.fetch_max(word + 1, Ordering::Relaxed);
            } else if schema.is_some() {
                self.holds_to_schemas.store(false, Ordering::Relaxed);
            } else {
                return Err(Trouble::Broken(format!("{} refused with {words}", F::NAME)));
            }
        }
    }

    /// Talks until the model says its last words.
    async fn talk(
        &self,
        mut talk: Talk<'_>,
        hands: Option<(&Reach, Naming)>,
        turns: u32,
        deadline: Instant,
    ) -> Result<Said, Trouble> {
        let mut bill = Spent::NOTHING;
        for _ in 0..turns.max(1) {
            let pay = hands.as_ref().and_then(|(reach, _)| reach.pay.as_ref());
            let (answer, ticket) = self.answer(&talk, pay, deadline).await?;
            let mut seen = Seen::default();
            if let Some(dialect) = named(F::DIALECT) {
                dialect.read_answer(&answer, &mut seen);
            }
            let broken = |why: &str| Trouble::Broken(format!("{}: {}", F::NAME, self.service.cleaned(why)));
            if let Some(error) = &seen.error {
                return Err(broken(error));
            }
            if !seen.is_whole {
                return Err(broken("it answered something else than an answer of its interface"));
            }
            let mut spent = self.spent(&seen);
            if let Some(ticket) = ticket {
                spent = ticket.settle(seen.model.as_deref().unwrap_or(&self.model), spent)?;
            }
            bill = bill.plus(spent);
            if let Some(why) = F::unsaid(&answer, &seen) {
                return Err(broken(&why));
            }
            let Some((reach, naming)) = hands.as_ref().filter(|_| !seen.calls.is_empty()) else {
                return Ok(self.last_words(F::text(&answer), talk.schema.is_some(), seen.model, bill));
            };
            talk.messages.push(F::repeated(&answer));
            let mut results = Vec::with_capacity(seen.calls.len());
            for call in seen.calls {
                results.push(hand(reach, naming, call).await);
            }
            talk.messages.extend(F::results(results));
        }
        Err(Trouble::Broken(format!("{} had not come to an end after {turns} turns", F::NAME)))
    }

    fn last_words(&self, text: String, wants_schema: bool, model: Option<String>, spent: Spent) -> Said {
        let is_held = wants_schema && self.holds_to_schemas.load(Ordering::Relaxed);
        let structured =
            if is_held { serde_json::from_str(&text).ok().filter(Value::is_object) } else { None };
        let model = model.unwrap_or_else(|| self.model.clone());
        let notes = if spent.cost.is_none() {
            vec![format!("{model} has no price: what the answer cost is not known")]
        } else {
            Vec::new()
        };
        Said { text, structured, model, spent, notes }
    }

    /// What one answer took.
    fn spent(&self, seen: &Seen) -> Spent {
        Spent {
            input_tokens: seen.usage.map(|usage| usage.prompt_tokens()),
            output_tokens: seen.usage.map(|usage| usage.output),
            cost: self.cost(seen),
        }
    }

    fn cost(&self, seen: &Seen) -> Option<Money> {
        let model = seen.model.as_deref().unwrap_or(&self.model);
        let price = self
            .prices
            .price_at(model, self.is_local)
            // Some servers name the file of the model and not the model.
            .or_else(|| self.prices.price_at(&self.model, self.is_local))?;
        price.cost(seen.usage.as_ref()?, seen.service_tier.as_deref())
    }

    async fn within<T>(
        &self,
        limit: Duration,
        talk: impl std::future::Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let late = Trouble::TimedOut { provider: F::NAME.to_owned(), seconds: limit.as_secs() };
        tokio::time::timeout(limit, talk).await.unwrap_or(Err(late))
    }
}

impl<F: Form> Provider for Api<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        let identity = Identity {
            provider: F::NAME.to_owned(),
            model: self.model.clone(),
            version: F::VERSION.to_owned(),
            program: String::new(),
        };
        Box::pin(async move { Ok(identity) })
    }

    fn is_free(&self) -> bool {
        self.is_local && self.prices.price_at(&self.model, true) == Some(&unitai_wire::meter::Price::FREE)
    }

    fn pays_each_turn(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        let talk = Talk {
            model: &self.model,
            system: ask.system.to_owned(),
            messages: vec![serde_json::json!({"role": "user", "content": ask.prompt})],
            tools: Vec::new(),
            schema: Some(ask.schema),
            is_steady: true,
            limit: None,
        };
        let deadline = Instant::now() + ask.timeout;
        Box::pin(self.within(ask.timeout, self.talk(talk, None, 1, deadline)))
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        let tools = reach.hands.tools();
        let naming = Naming::of(tools);
        let offered = naming.said().iter().zip(tools);
        let talk = Talk {
            model: &self.model,
            system: drive.system.to_owned(),
            messages: vec![serde_json::json!({"role": "user", "content": drive.prompt})],
            tools: offered
                .map(|(said, tool)| (said.clone(), tool.description.as_str(), &tool.input_schema))
                .collect(),
            schema: Some(drive.schema),
            is_steady: true,
            limit: None,
        };
        let deadline = Instant::now() + drive.timeout;
        Box::pin(self.within(drive.timeout, self.talk(talk, Some((reach, naming)), drive.turns, deadline)))
    }
}

/// Calls the tool that a model means, and says what came of it.
async fn hand(reach: &Reach, naming: &Naming, call: Called) -> Handed {
    let failed = |id: String, text: String| Handed { id, text, is_error: true };
    let Some(tool) = naming.meant(&call.name) else {
        return failed(call.id, format!("there is no tool {}", call.name));
    };
    let text = if call.args.trim().is_empty() { "{}" } else { &call.args };
    let args = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(args)) => {
            args.iter().map(|(name, value)| (name.clone(), from_json(value))).collect()
        }
        _ => return failed(call.id, format!("the arguments are no JSON object: {text}")),
    };
    match reach.hands.call(tool, args).await {
        Outcome::Returned { text, .. } => Handed { id: call.id, text, is_error: false },
        Outcome::Failed { message, .. } => failed(call.id, message),
    }
}

/// The words for whoever cannot be held to a schema otherwise.
pub(crate) fn told_schema(system: &str, schema: &Value) -> String {
    format!("{system}\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n{schema}")
}
