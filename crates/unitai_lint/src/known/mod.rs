//! What the linter knows of the world outside: which names check something, which stand in for something, and which
//! reach a model or a service. Rules ask; none of them has a list of its own.

pub(crate) mod answers;
pub(crate) mod around;
pub(crate) mod asking;
pub(crate) mod check_names;
pub(crate) mod checking;
pub(crate) mod claims;
pub(crate) mod clients;
pub(crate) mod mocks;
pub(crate) mod quiet;
pub(crate) mod tools;
pub(crate) mod words;
