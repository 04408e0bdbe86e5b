//! What was said, kept: one readable file for each test, beside it. The next run needs nobody, as long as questions and evidence
//! are the same.

mod entry;
mod holding;
mod key;
mod making;
mod miss;
mod shelf;

pub use entry::{
    Entry, Kept, KeptJudge, KeptOutcome, KeptQuestion, KeptQuote, KeptRecord, KeptReply, KeptVotes,
    Steadiness,
};
pub(crate) use holding::checked;
pub use key::{Key, Masks};
pub use making::{cleaned, cleaned_question};
pub(crate) use miss::{Wanted, Whom, what_differs};
pub(crate) use shelf::{Keeping, find, keep, records};
