//! A model request that meets a fault.

use std::sync::Mutex;
use std::time::Duration;

use pyo3::prelude::*;
use unitai_model::{Fault, Source};
use unitai_wire::common::Refusal;
use unitai_wire::exchange::{Asked, Exchange};
use unitai_wire::faults::{ModelFault, Spoiled, pieces};
use unitai_wire::frames::Framing;
use unitai_wire::script::Fail;

use super::belonging::Owner;
use super::reply::{Break, Content, Reply};
use crate::faults::{FaultPlan, plans_for};

/// The plans that a request is under, and the fault of theirs that it meets.
#[derive(Default)]
pub(super) struct Outlook {
    plans: Vec<Py<FaultPlan>>,
    /// Of whose request it is, and what it asks: by this an answer that a fault spoiled is kept.
    key: (String, String),
    pub(super) met: Option<Met>,
}

/// A fault that a request meets.
pub(super) struct Met {
    fault: ModelFault,
    recorded: Fault,
    drawn: u64,
}

/// An answer from memory, and where it came from.
pub(crate) struct Remembered {
    pub(super) reply: Reply,
    pub(super) source: Source,
    pub(super) hides_usage: bool,
    /// How long it took when it was recorded.
    pub(super) recorded_in: Option<f64>,
}

impl Outlook {
    /// What a request meets. Every plan counts every request, whoever has it.
    pub(super) fn of(py: Python<'_>, owner: &Owner, asked: &Asked) -> PyResult<Outlook> {
        // Whoever only pays for a request, or counts it, does nothing else to it.
        if matches!(owner, Owner::Outside(_)) {
            return Ok(Outlook::default());
        }
        let plans = plans_for(py, owner.run(), None)?;
        if plans.is_empty() {
            return Ok(Outlook { plans, key: Default::default(), met: None });
        }
        let run_id = owner.run().map_or("", |run| run.id());
        let mut met = None;
        for plan in &plans {
            let hit = plan.get().for_model(py, run_id, &asked.request)?;
            if let (Some(hit), true) = (hit, met.is_none()) {
                let recorded = hit.fault.recorded(plan.get().seed());
                met = Some(Met { fault: hit.fault.clone(), recorded, drawn: hit.drawn });
            }
        }
        Ok(Outlook { plans, key: (run_id.to_owned(), asked.digest.to_string()), met })
    }

    /// Whether the request fails before anybody is asked.
    pub(super) fn is_instead(&self) -> bool {
        self.met.as_ref().is_some_and(|met| met.fault.is_instead())
    }

    /// Whether the same request got an answer before, and a fault spoiled it.
    pub(super) fn was_spoiled_before(&self) -> bool {
        self.plans.iter().any(|plan| plan.get().kept_answers().contains_key(&self.key))
    }

    /// The answer that the same request got before, if a fault spoiled it: who tries again gets it, and
    /// neither a script nor a recording need have another.
    pub(super) fn spoiled_before(&self) -> Option<Remembered> {
        self.plans.iter().find_map(|plan| plan.get().kept_answers().remove(&self.key))
    }

    /// The answer, through the fault that the request meets.
    pub(super) fn through(&self, remembered: &Remembered, framing: Option<Framing>) -> Reply {
        let reply = remembered.reply.again();
        let Some(met) = &self.met else { return reply };
        if met.fault.changes_bytes()
            && let Some(plan) = self.plans.first()
        {
            let kept = Remembered { reply: remembered.reply.again(), ..*remembered };
            plan.get().kept_answers().insert(self.key.clone(), kept);
        }
        met.spoil(reply, framing)
    }
}

impl Remembered {
    /// The call as it begins.
    pub(super) fn exchange(&self, asked: Asked) -> Exchange {
        let exchange = Exchange::begin(asked, self.source, self.hides_usage);
        match self.recorded_in {
            Some(seconds) => exchange.recorded_in(seconds),
            None => exchange,
        }
    }
}

impl Met {
    /// The fault as the record keeps it.
    pub(super) fn recorded(&self) -> Fault {
        self.recorded.clone()
    }

    /// What the client gets when nobody is asked for an answer.
    pub(super) fn instead(&self, asked: &Asked) -> Option<Reply> {
        let broken = |by: Break, delay: Duration| Reply {
            breaks: Some(by),
            delay: delay.as_secs_f64(),
            ..Reply::new(200, Vec::new(), Content::Whole(Vec::new()))
        };
        match &self.fault {
            ModelFault::Refuse { status, message, retry_after } => {
                let refusal = Refusal { status: *status, message: message.clone() };
                let fail = Fail { refusal, retry_after: *retry_after, delay: Duration::ZERO };
                Some(super::answering::failed(&fail, asked))
            }
            ModelFault::Reset => Some(broken(Break::Reset, Duration::ZERO)),
            ModelFault::Timeout { after } => Some(broken(Break::Timeout, *after)),
            _ => None,
        }
    }

    /// How late the first byte of an answer is, and each part of a stream, in seconds.
    pub(super) fn lateness(&self) -> (f64, f64) {
        match &self.fault {
            ModelFault::Slow { first, pace } => (first.as_secs_f64(), pace.as_secs_f64()),
            _ => (0.0, 0.0),
        }
    }

    /// What changes the bytes of an answer, if anything does.
    pub(super) fn spoiled(&self, framing: Option<Framing>) -> Option<Mutex<Spoiled>> {
        let changes = self.fault.changes_bytes();
        changes.then(|| Mutex::new(Spoiled::new(self.fault.clone(), framing, self.drawn)))
    }

    fn spoil(&self, reply: Reply, framing: Option<Framing>) -> Reply {
        let (first, pace) = self.lateness();
        let spoiled = self.spoiled(framing);
        if spoiled.is_none() && (pace == 0.0 || framing.is_none()) {
            return Reply { delay: reply.delay + first, ..reply };
        }
        // In parts, since it is they that are late, cut or changed.
        let (parts, own_pace) = match &reply.content {
            Content::Whole(body) => (pieces(body, framing), 0.0),
            Content::Paced { pieces, pace } => (pieces.clone(), *pace),
            Content::Recorded { recording, .. } => (pieces(&recording.body(), framing), 0.0),
        };
        let content = Content::Paced { pieces: parts, pace: own_pace + pace };
        let mut headers = reply.headers;
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
        Reply { headers, content, delay: reply.delay + first, spoiled, ..reply }
    }
}
