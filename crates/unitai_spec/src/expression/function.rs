//! The functions by name, and how many arguments each takes.

use unitai_model::nearest::nearest;

/// A function of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Json,
    Length,
    Lower,
    Upper,
    Trim,
    Int,
    Float,
    Str,
    Keys,
    Values,
    First,
    Last,
    Sum,
    Min,
    Max,
    Sort,
    Unique,
    Abs,
    Round,
    Type,
    Any,
    All,
    Map,
    Where,
    Calls,
}

/// Each with its name, the fewest and the most arguments, and whether those after the first are asked for each element.
const TABLE: [(Function, &str, usize, usize, bool); 25] = [
    (Function::Json, "json", 1, 1, false),
    (Function::Length, "length", 1, 1, false),
    (Function::Lower, "lower", 1, 1, false),
    (Function::Upper, "upper", 1, 1, false),
    (Function::Trim, "trim", 1, 1, false),
    (Function::Int, "int", 1, 1, false),
    (Function::Float, "float", 1, 1, false),
    (Function::Str, "str", 1, 1, false),
    (Function::Keys, "keys", 1, 1, false),
    (Function::Values, "values", 1, 1, false),
    (Function::First, "first", 1, 1, false),
    (Function::Last, "last", 1, 1, false),
    (Function::Sum, "sum", 1, 1, false),
    (Function::Min, "min", 1, 1, false),
    (Function::Max, "max", 1, 1, false),
    (Function::Sort, "sort", 1, 1, false),
    (Function::Unique, "unique", 1, 1, false),
    (Function::Abs, "abs", 1, 1, false),
    (Function::Round, "round", 1, 2, false),
    (Function::Type, "type", 1, 1, false),
    (Function::Any, "any", 1, 2, true),
    (Function::All, "all", 1, 2, true),
    (Function::Map, "map", 2, 2, true),
    (Function::Where, "where", 2, 2, true),
    (Function::Calls, "calls", 1, 1, false),
];

impl Function {
    fn row(self) -> (&'static str, usize, usize, bool) {
        // Every function has a row: a test counts them.
        TABLE.iter().find(|row| row.0 == self).map_or(("", 0, 0, false), |row| (row.1, row.2, row.3, row.4))
    }

    /// The function of a name; otherwise what to do about it.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        if let Some(row) = TABLE.iter().find(|row| row.1 == name) {
            return Ok(row.0);
        }
        let meant = match name {
            "count" | "size" => Some("length"),
            "filter" | "select" => Some("where"),
            "bool" => None,
            _ => nearest(name, TABLE.iter().map(|row| row.1)),
        };
        Err(match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                let names: Vec<_> = TABLE.iter().map(|row| row.1).collect();
                format!("there are: {}", names.join(", "))
            }
        })
    }

    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    /// The fewest and the most arguments, the piped one included.
    pub(crate) fn takes(self) -> (usize, usize) {
        (self.row().1, self.row().2)
    }

    /// Whether its second argument is asked for each element of the first.
    pub(crate) fn asks_each(self) -> bool {
        self.row().3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_functions_and_slips_to_names() {
        for (function, name, fewest, most, _) in TABLE {
            assert_eq!(Function::named(name), Ok(function));
            assert_eq!(function.name(), name);
            assert!(0 < fewest && fewest <= most);
        }
        for (slip, meant) in [("len", "length"), ("count", "length"), ("lowr", "lower"), ("filter", "where")]
        {
            assert_eq!(Function::named(slip), Err(format!("did you mean `{meant}`?")));
        }
        assert!(Function::named("zzz").is_err_and(|remedy| remedy.starts_with("there are: json, length")));
    }
}
