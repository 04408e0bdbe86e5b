//! Options as written become settings as used.
//!
//! [`KEYS`] is the table of every setting: parsing, the schema, the reference page and the typed views follow from it.
//! The order of those who may decide: an explicit argument, the command line, the environment, the project's file, the
//! default. [`Settings`] are resolved once and passed on as values, each with its [`Source`].

mod baseline;
mod budget;
mod cache;
mod document;
mod env_file;
mod examination;
mod judge;
mod key;
mod kind;
mod layers;
mod lint;
mod live_models;
mod project;
pub mod reference;
mod root;
mod running;
mod runs;
mod settings;
mod source;
mod statistics;
mod trouble;
mod value;
mod variables;
mod written;

pub use baseline::BaselinePlace;
pub use budget::BudgetSettings;
pub use cache::{CacheSettings, Choice};
pub use env_file::{EnvFile, NotRead};
pub use examination::Examination;
pub use judge::{JudgeAnswers, JudgeProvider, JudgeSettings, is_ci};
pub use key::{KEYS, Key, Name, PREFIX};
pub use kind::Kind;
pub use layers::LayerSettings;
pub use lint::LintSettings;
pub use live_models::LiveModels;
pub use project::Project;
pub use root::{is_root, root_above, root_around};
pub use running::RunSettings;
pub use runs::RunsPlace;
pub use settings::{Setting, Settings, Spoken, named};
pub use source::{Place, Source};
pub use statistics::StatisticsSettings;
pub use trouble::Trouble;
pub use value::Value;
pub use variables::{UnknownVariable, Variables};
pub use written::{Item, What, Written};
