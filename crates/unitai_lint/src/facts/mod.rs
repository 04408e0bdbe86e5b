//! What one walk over a file gathers. Tables in the order of the source, borrowed from it; what a function or a class
//! holds is a range of each table, so that a rule looks at a test without walking.

mod class;
mod context;
mod dotted;
mod file;
mod function;
mod gather;
mod imports;
mod inside;
mod items;

pub use class::Class;
pub use context::Context;
pub use dotted::dotted;
pub use file::{File, FileRole};
pub use function::{Decorator, Def, Function, Role};
pub(crate) use gather::{TooDeep, gather};
pub use imports::{Import, Qualified};
pub use inside::{inside, inside_body};
pub use items::{Assert, Assign, Call, Name, Statement, Subscript, With, Yield};

/// The index of a function in [`File::functions`].
pub type FunctionId = u32;
/// The index of a class in [`File::classes`].
pub type ClassId = u32;
