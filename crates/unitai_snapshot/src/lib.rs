//! Snapshots: output that changes on purpose only.
//!
//! Each test has a folder of its own beside its file, and each snapshot is a readable file in it. A value is compared as
//! it would be written: without secrets, and a text with the end of its last line.
//!
//! ```
//! use std::path::Path;
//! use unitai_snapshot::{Content, Mode, Outcome, TestSnapshots, Trouble};
//! use unitai_wire::redact::Secrets;
//!
//! let folder = tempfile::tempdir().unwrap();
//! let file = folder.path().join("test_prompts.py");
//! let open = |mode| TestSnapshots::of(&file, &["test_greeting"], mode);
//! let secrets = Secrets::none();
//! let hello = || Content::Text("Hello!".to_owned());
//!
//! let missing = open(Mode::Compare).look("greeting.txt", hello(), &secrets);
//! assert!(matches!(missing, Err(Trouble::Missing { .. })));
//! assert_eq!(open(Mode::Update).look("greeting.txt", hello(), &secrets).unwrap(), Outcome::Written);
//! assert_eq!(open(Mode::Compare).look("greeting.txt", hello(), &secrets).unwrap(), Outcome::Same);
//! let kept = folder.path().join("snapshots/test_prompts/test_greeting/greeting.txt");
//! assert_eq!(std::fs::read_to_string(kept).unwrap(), "Hello!\n");
//! ```

mod content;
mod difference;
mod of_test;
mod place;
mod strays;

pub use content::Content;
pub use of_test::{Mode, Outcome, TestSnapshots, Trouble};
pub use place::{NameFault, holds_snapshots};
pub use strays::{strays, without_file};
