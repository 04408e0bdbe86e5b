//! What a check asks of its caller: comparisons that need more than a trajectory knows.

use unitai_model::calls::PlacedCall;
use unitai_model::{Failure, Packed};

pub use crate::data::DataArguments;

/// Arguments that a call is compared with.
pub trait Arguments: Send + Sync {
    /// Whether the call has these arguments and no others.
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool;

    /// Whether the call has these arguments, and perhaps others.
    fn are_among(&self, call: PlacedCall<'_>) -> bool;

    /// Where the call differs, an item each: `order_id: expected "1", got "2"`. Arguments that the
    /// call has in addition count only if `whole`.
    fn differences(&self, call: PlacedCall<'_>, whole: bool) -> Vec<String>;

    /// As written in a call: `order_id="123", amount=5`.
    fn shown(&self) -> String;

    /// The arguments as data, when they are nothing but data. Equal calls are then found by hash.
    fn as_data(&self) -> Option<&Packed>;
}

/// The arguments that a check asks for.
pub enum ExpectedArguments {
    /// Any.
    Any,
    /// Exactly these, which are nothing but data.
    Data(DataArguments),
    /// Whatever the caller accepts.
    Ask(Box<dyn Arguments>),
}

impl ExpectedArguments {
    /// As written in a call.
    pub fn shown(&self) -> String {
        self.port().map_or_else(|| "...".to_owned(), Arguments::shown)
    }

    pub(crate) fn port(&self) -> Option<&dyn Arguments> {
        match self {
            ExpectedArguments::Any => None,
            ExpectedArguments::Data(data) => Some(data),
            ExpectedArguments::Ask(port) => Some(&**port),
        }
    }
}

/// A text pattern.
pub trait Pattern: Send + Sync {
    /// Whether it is found anywhere in the text.
    fn found_in(&self, text: &str) -> bool;

    /// Every part of the text that it fits, in order.
    fn all_in(&self, text: &str) -> Vec<String>;

    /// As written.
    fn shown(&self) -> String;
}

/// A class of errors.
pub trait ErrorClass: Send + Sync {
    /// Whether the failure is of this class.
    fn includes(&self, failure: &Failure) -> bool;

    /// Its name.
    fn shown(&self) -> String;
}
