//! What Python's own containers bring: a store that is a `dict` needs no `get` of its own. Operators are left out:
//! no interface asks for those.

const DICT: &[&str] = &[
    "__contains__",
    "__delitem__",
    "__getitem__",
    "__iter__",
    "__len__",
    "__reversed__",
    "__setitem__",
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];

const LIST: &[&str] = &[
    "__contains__",
    "__delitem__",
    "__getitem__",
    "__iter__",
    "__len__",
    "__reversed__",
    "__setitem__",
    "append",
    "clear",
    "copy",
    "count",
    "extend",
    "index",
    "insert",
    "pop",
    "remove",
    "reverse",
];

const FROZEN_SET: &[&str] = &[
    "__contains__",
    "__iter__",
    "__len__",
    "copy",
    "difference",
    "intersection",
    "isdisjoint",
    "issubset",
    "issuperset",
    "symmetric_difference",
    "union",
];

const SET: &[&str] = &[
    "add",
    "clear",
    "difference_update",
    "discard",
    "intersection_update",
    "pop",
    "remove",
    "symmetric_difference_update",
    "update",
];

/// What a mapping brings to whoever has the five methods that it asks for.
const MAPPING: &[&str] =
    &["__contains__", "clear", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"];

/// Whether a class of Python has a method, by its whole name: `dict`, `collections.Counter`.
pub(super) fn has(class: &str, method: &str) -> bool {
    let sets: &[&[&str]] = match class {
        "dict" | "collections.defaultdict" | "collections.UserDict" => &[DICT],
        "collections.OrderedDict" => &[DICT, &["move_to_end"]],
        "collections.Counter" => &[DICT, &["elements", "most_common", "subtract", "total"]],
        "collections.abc.MutableMapping" | "typing.MutableMapping" => &[MAPPING],
        "list" | "collections.UserList" => &[LIST, &["sort"]],
        "collections.deque" => &[LIST, &["appendleft", "extendleft", "popleft", "rotate"]],
        "frozenset" => &[FROZEN_SET],
        "set" => &[FROZEN_SET, SET],
        _ => &[],
    };
    sets.iter().any(|methods| methods.contains(&method))
}
