//! What crosses from the agent into the record.
//!
//! [`Value`] is the readable tree; [`Packed`] is the same value as JSON text, which is how a
//! trajectory stores it: one allocation, and written to a file as it stands.

mod equality;
mod packed;
mod reading;
mod show;
pub mod text;

pub use equality::{equal, hash};
pub use packed::Packed;
pub use show::{arguments, log_lines, plain, plain_lines, quoted};

/// One recorded value. JSON has fewer kinds than Python; the rest are written as tagged objects
/// (see [`text`]), so that a tuple comes back as a tuple.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `None`.
    Null,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer, as lower-case hexadecimal digits with an optional leading minus.
    BigInt(String),
    /// A float; NaN and the infinities included.
    Float(f64),
    /// A string that is valid Unicode.
    Str(String),
    /// A string with lone surrogates, as code points.
    Surrogates(Vec<u32>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A set, in the order it was read.
    Set(Vec<Value>),
    /// A frozen set, in the order it was read.
    FrozenSet(Vec<Value>),
    /// A dictionary in insertion order; keys may be of any kind.
    Dict(Vec<(Value, Value)>),
    /// Something that could not be written as data.
    Opaque(Opaque),
}

/// What could not be serialised: its type and what `repr` said when it crossed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// The qualified name of its type.
    pub type_name: String,
    /// Its representation at the moment it crossed.
    pub repr: String,
}

impl Value {
    /// The value of a string key, when this is a dictionary that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Dict(entries) = self else { return None };
        entries.iter().find(|(k, _)| matches!(k, Value::Str(k) if k == key)).map(|(_, v)| v)
    }

    /// The value as the text that a trajectory stores.
    pub fn pack(&self) -> Packed {
        let mut out = String::new();
        text::push_value(&mut out, self);
        Packed::from_trusted(&out)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&show::shown(self, usize::MAX))
    }
}
