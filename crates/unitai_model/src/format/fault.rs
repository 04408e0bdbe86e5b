//! A fault that was put into a call, in version 1.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::FormatError;
use super::v1::Any;
use crate::Packed;
use crate::fault::{Fault, FaultKind};
use crate::value::text::push_str;

/// What was done to a call on purpose.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultDocument<'a> {
    /// What kind of fault: `rate_limit`, `cut`, `empty`, ...
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
    /// The fault in a few words.
    #[serde(borrow)]
    pub text: Cow<'a, str>,
    /// The seed of the plan that it is from.
    pub seed: u64,
    /// What the tool returned, where the agent was given something else.
    #[serde(borrow, default, deserialize_with = "super::v1::present")]
    pub instead_of: Option<Any<'a>>,
}

pub(super) fn write(out: &mut String, fault: &Fault) {
    out.push_str("{\"kind\":");
    push_str(out, fault.kind.word());
    out.push_str(",\"text\":");
    push_str(out, &fault.text);
    out.push_str(",\"seed\":");
    out.push_str(itoa::Buffer::new().format(fault.seed));
    if let Some(value) = &fault.instead_of {
        out.push_str(",\"instead_of\":");
        out.push_str(value.text());
    }
    out.push('}');
}

impl FaultDocument<'_> {
    pub(super) fn read(self) -> Result<Fault, FormatError> {
        let kind = FaultKind::of_word(&self.kind)
            .ok_or_else(|| FormatError::malformed(format!("`{}` is no kind of fault", self.kind)))?;
        let instead_of = match self.instead_of {
            Some(value) => Some(Packed::from_json(value.0.get()).map_err(FormatError::malformed)?),
            None => None,
        };
        Ok(Fault { kind, text: Arc::from(&*self.text), seed: self.seed, instead_of })
    }
}
