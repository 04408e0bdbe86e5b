//! JUnit XML: a run as every CI system reads it, and back from any of its dialects.
//!
//! ```
//! use unitai_report::{Run, junit};
//!
//! let xml = r#"<testsuite name="s"><testcase classname="a.B" name="c"><failure message="no"/></testcase></testsuite>"#;
//! let run = junit::read(xml.as_bytes()).unwrap();
//! assert_eq!((run.tests[0].end.test.as_str(), run.counts().failed), ("a.B::c", 1));
//! assert!(junit::write(&run, junit::Form::Common).contains(r#"<failure type="call" message="no"/>"#));
//! ```

mod case;
mod decode;
mod facts;
mod legal;
mod names;
mod read;
mod write;

pub use facts::properties;
pub use read::{JunitError, read};
pub use write::{Form, write};
