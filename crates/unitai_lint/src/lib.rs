//! The linter for agent tests.
//!
//! The data's way: [`Source`] reads bytes into text; a parser makes a tree of it, once; one walk gathers [`File`], the
//! facts; each [`Rule`] is a function from facts to [`Finding`]s; [`Ignores`] take out what somebody allowed, with a
//! reason; what remains is told, or repaired. Rules about the whole project read a [`Summary`] of each file.

mod agent;
mod class_names;
mod contracts;
mod facts;
mod finding;
mod fix;
mod ignores;
mod known;
mod lines;
mod linter;
mod literal;
mod options;
pub mod output;
mod plan;
mod project;
mod python2;
pub mod reference;
mod report;
mod rule;
mod rules;
pub mod run;
mod settings;
mod source;
mod summary;
mod yaml;

pub use class_names::ClassNames;
pub use contracts::{Contracts, Cover, Implementation, Interface};
pub use facts::{
    Assert, Assign, Call, Class, ClassId, Context, Decorator, Def, File, FileRole, Function, FunctionId,
    Import, Name, Qualified, Role, Statement, Subscript, With, Yield, dotted, inside, inside_body,
};
pub use finding::{Edit, Finding, Fix, Severity};
pub use fix::{Fixed, fixed};
pub use ignores::{Ignore, Ignores};
pub use lines::Lines;
pub use linter::{
    Linted, finished, lint_python, lint_python_as, lint_yaml, look_at_source, project_stage, syntax_error,
};
pub use options::Options;
pub use plan::{Plan, Wanted, WrongSetting};
pub use project::{ClassSummary, FixtureSummary, MethodSummary, Project, ProjectReport, Summary};
pub use report::Report;
pub use ruff_python_ast as ast;
pub use ruff_text_size::{Ranged, TextRange, TextSize};
pub use rule::{Check, Example, Rule};
pub use rules::{RULES, rule};
pub use settings::Settings;
pub use source::{Source, Unreadable};
pub use unitai_model::Layer;
pub use yaml::YamlFile;
