//! What all connections of one gateway share. They run on one thread, so nothing here is locked.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use unitai_model::value::plain;
use unitai_model::{ExchangeEnd, ModelCall, Source};
use unitai_wire::cassette::Cassette;
use unitai_wire::exchange::{Asked, Exchange, How};
use unitai_wire::meter::{Reservation, Unreserved, Unsettled};

use crate::guard::{Guard, Reason};
use crate::journal::Journal;
use crate::memo::Memo;
use crate::provider::Provider;
use crate::settings::Settings;
use crate::trouble::{Trouble, TroubleKind};
use unitai_wire::cassette::CassetteError;

/// What all connections of one gateway share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) guard: Guard,
    pub(crate) journal: Journal,
    pub(crate) provider: Provider,
    pub(crate) memo: Memo,
    /// Whose recordings these are, without secrets.
    scope: OnceCell<Arc<str>>,
    /// Whether connections are to be closed when they have answered.
    pub(crate) is_stopping: Cell<bool>,
    troubles: RefCell<Vec<Trouble>>,
    refused: RefCell<HashMap<Reason, u64>>,
}

/// So many troubles are kept. The first ones explain the others.
const MOST_TROUBLES: usize = 100;

impl Shared {
    pub(crate) fn new(settings: Settings, guard: Guard, journal: Journal) -> Shared {
        Shared {
            settings,
            guard,
            journal,
            provider: Provider::default(),
            memo: Memo::default(),
            scope: OnceCell::new(),
            is_stopping: Cell::new(false),
            troubles: RefCell::default(),
            refused: RefCell::default(),
        }
    }

    /// Whose recordings these are, as they are looked for.
    pub(crate) fn scope(&self, cassette: &Cassette) -> &Arc<str> {
        self.scope.get_or_init(|| cassette.ready_scope(&self.settings.scope))
    }

    /// Says what happens. This is the one way out for words.
    pub(crate) fn say(&self, text: &str) {
        (self.settings.log)(&self.settings.secrets.clean(text));
    }

    /// Something that must not go unnoticed: the run is not what it was meant to be.
    pub(crate) fn trouble(&self, kind: TroubleKind, text: &str) {
        self.say(text);
        let mut troubles = self.troubles.borrow_mut();
        if troubles.len() < MOST_TROUBLES {
            let text = self.settings.secrets.clean(text).into_owned();
            troubles.push(Trouble { kind, text, miss: None });
        }
    }

    /// What the recordings refused.
    pub(crate) fn no_recording(&self, kind: TroubleKind, error: &CassetteError) {
        self.trouble(kind, &error.to_string());
        if let (CassetteError::Miss(miss), Some(last)) = (error, self.troubles.borrow_mut().last_mut()) {
            last.miss = Some(miss.clone());
        }
    }

    /// A request was not let in. Each reason is told once: anybody on the machine can knock, and often.
    pub(crate) fn refused(&self, reason: Reason) {
        let mut refused = self.refused.borrow_mut();
        let count = refused.entry(reason).or_default();
        *count += 1;
        if *count == 1 {
            self.say(&format!("a request was refused: {reason}"));
        }
    }

    pub(crate) fn take_troubles(&self) -> Vec<Trouble> {
        std::mem::take(&mut self.troubles.borrow_mut())
    }

    /// Sets aside what the call can cost, where there is a budget; or says why it may not be sent.
    pub(crate) fn reserve(&self, asked: &Asked) -> Result<Option<Reservation>, (TroubleKind, String)> {
        if self.settings.budgets.is_empty() {
            return Ok(None);
        }
        let model = plain(&asked.request.model);
        let Some(worst) = asked.worst_cost(&self.settings.prices, 0) else {
            if self.settings.budgets.lets_unpriced_through(&asked.request.model) {
                return Ok(None);
            }
            let todo = "say what the model costs, with prices= of gateway(), or in [tool.unitai.prices] of \
                        pyproject.toml; let the agent use a model of the price table; or drop the budget";
            let message =
                format!("there is a budget, and no price for {model}: what it spends cannot be told");
            return Err((TroubleKind::Unpriced, format!("{message}\n  to do: {todo}")));
        };
        self.settings.budgets.reserve(worst).map(Some).map_err(|refused| match refused {
            Unreserved::Ledger(error) => (TroubleKind::Ledger, error.to_string()),
            Unreserved::Over(over) => {
                let (message, expected, todo) = (over.message(), over.expected(), over.remedy());
                let found = format!("a call of {model} that can cost {}", over.asked.shown());
                let text = format!("{message}\n  expected: {expected}\n  found: {found}\n  to do: {todo}");
                (TroubleKind::Budget, text)
            }
        })
    }

    /// The record of a request that was refused by us.
    pub(crate) fn note_refused(&self, asked: Asked, source: Source, message: &str) {
        let first_line = message.lines().next().unwrap_or_default();
        self.journal.model_call(Exchange::refused(asked, source, first_line));
    }
}

/// A model call under way. However it ends, also by being dropped, it is settled once.
pub(crate) struct UnderWay {
    shared: Rc<Shared>,
    step: Option<usize>,
    pub(crate) exchange: Exchange,
    reservation: Option<Reservation>,
    is_settled: bool,
}

impl UnderWay {
    /// The request goes out now.
    pub(crate) fn begin(
        shared: &Rc<Shared>,
        exchange: Exchange,
        reservation: Option<Reservation>,
    ) -> UnderWay {
        let step = shared.journal.model_call(exchange.begun());
        UnderWay { shared: shared.clone(), step, exchange, reservation, is_settled: false }
    }

    /// The call is over. Gives what is known of it, the first time.
    pub(crate) fn settle(&mut self, how: &How) -> Option<ModelCall> {
        if self.is_settled {
            return None;
        }
        self.is_settled = true;
        let call = self.exchange.ended(how, &self.shared.settings.prices);
        if let Some(step) = self.step {
            self.shared.journal.settle(step, call.clone());
        }
        if is_answered(&call) {
            self.shared.journal.called(self.exchange.calls());
        }
        if let Some(Err(trouble)) = self.reservation.take().map(|reservation| reservation.settle_call(&call))
        {
            let (kind, text) = match trouble {
                Unsettled::Ledger(error) => (TroubleKind::Ledger, error.to_string()),
                Unsettled::Overspent(over) => {
                    let (message, limit) = (over.message(), over.limit.shown());
                    let model = plain(&self.exchange.asked().request.model);
                    let found = format!("a call of {model} that cost {}", over.counted.shown());
                    (TroubleKind::Budget, format!("{message}\n  expected: at most {limit}\n  found: {found}"))
                }
            };
            self.shared.trouble(kind, &text);
        }
        Some(call)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.settle(&How::Closed);
    }
}

/// Whether a call was answered to its end.
pub(crate) fn is_answered(call: &ModelCall) -> bool {
    let end = call.exchange.as_ref().map(|exchange| &exchange.end);
    matches!(end, Some(ExchangeEnd::Answered { .. }))
}
