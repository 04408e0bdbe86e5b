//! What the targets share: an input with choices at its head, the ways to cut bytes, the framings'
//! invariants, and changes to JSON that leave it JSON.

mod answers;
mod choices;
mod compression;
mod frames;
mod json;
mod memory;
mod mutation;
mod pieces;
mod random;

pub use answers::{bounded_cost, readable_record};
pub use choices::Choices;
pub use compression::{compressed, flushed};
pub use frames::{Reading, check_frames, read_frames, with_checksums};
pub use json::reversed;
pub use memory::{Counted, peak_of};
pub use mutation::mutate;
pub use pieces::ways_to_cut;
