//! What holds for any text and any value: nothing panics, what is printed reads back, and what has no `$` is left alone.

use proptest::collection::vec;
use proptest::prelude::*;
use unitai_model::value::{Opaque, Value};
use unitai_spec::expression::{Expression, Fields, Pattern, References};

/// Pieces of the language, in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b.c",
        "_",
        ".x",
        "users",
        "1",
        "2.5",
        "'t'",
        "\"q\"",
        "null",
        "true",
        "[",
        "]",
        "(",
        ")",
        ",",
        "|",
        "?",
        "-",
        "+",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        ">=",
        "and",
        "or",
        "not",
        "in",
        "contains",
        "matches",
        "length",
        "map",
        "where",
        "any",
        "json",
        "round",
        "calls",
        "${a}",
        "${a.b:-1}",
        "${",
        "$all",
        ".",
        " ",
        "'",
        "\\",
        "#",
        "é",
        "\u{200b}",
        "9999999999999999999999",
    ]);
    vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

/// Texts that follow the grammar.
fn written() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "a",
            "b?",
            "a.b",
            "a[0]?.c",
            "a[-1]",
            "a[\"b c\"]",
            "a.$all",
            "n",
            "s",
            "l",
            "true",
            "false",
            "null"
        ])
        .prop_map(str::to_owned),
        any::<i64>().prop_map(|it| it.to_string()),
        any::<u64>().prop_map(|it| it.to_string()),
        any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(|it| format!("{it:?}")),
        "[a-z\\\\\"$ ünt]{0,6}".prop_map(|it| format!("'{it}'")),
        prop::sample::select(vec!["${a}", "${a.b[0]:-no}", "${a-b.c:-'x}'}", "${a?}"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let sign = prop::sample::select(vec![
            "+",
            "-",
            "*",
            "/",
            "%",
            "==",
            "!=",
            "<",
            "<=",
            ">",
            ">=",
            "in",
            "not in",
            "contains",
            "matches",
            "starts_with",
            "ends_with",
            "and",
            "or",
        ]);
        let function = prop::sample::select(vec![
            "json", "length", "lower", "int", "float", "str", "keys", "first", "sum", "min", "sort",
            "unique", "abs", "round", "type", "any", "all", "calls",
        ]);
        let each = prop::sample::select(vec!["map", "where", "any", "all"]);
        prop_oneof![
            (inner.clone(), sign.clone(), inner.clone()).prop_map(|(a, sign, b)| format!("{a} {sign} {b}")),
            (inner.clone(), sign, inner.clone()).prop_map(|(a, sign, b)| format!("({a} {sign} {b})")),
            (function.clone(), inner.clone()).prop_map(|(function, a)| format!("{function}({a})")),
            (inner.clone(), function).prop_map(|(a, function)| format!("({a}) | {function}")),
            (inner.clone(), each, inner.clone())
                .prop_map(|(a, each, b)| format!("({a}) | {each}(.x == {b} or _)")),
            inner.clone().prop_map(|a| format!("not {a}")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("({a}).x[0]")),
            vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(", "))),
        ]
    })
}

/// Values of every kind, those that nobody would send included.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Float),
        "-?[0-9a-f]{1,40}".prop_map(Value::BigInt),
        Just(Value::BigInt("no number".to_owned())),
        "[a-z{}$.:\\-\\[\\]#\\\\ 0-9ü]{0,12}".prop_map(Value::Str),
        Just(Value::Surrogates(vec![0xd800])),
        vec(any::<u8>(), 0..4).prop_map(Value::Bytes),
        Just(Value::Opaque(Opaque { type_name: "x.Y".to_owned(), repr: "Y()".to_owned() })),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        let key = prop_oneof![3 => "[abclnsx]".prop_map(Value::Str), 1 => inner.clone()];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            vec(inner.clone(), 0..4).prop_map(Value::Tuple),
            vec(inner.clone(), 0..4).prop_map(Value::Set),
            vec((key, inner), 0..4).prop_map(Value::Dict),
        ]
    })
}

fn scope() -> impl Strategy<Value = Value> {
    vec(values(), 5).prop_map(|values| {
        let names = ["a", "b", "n", "s", "l"].map(|name| Value::Str(name.to_owned()));
        Value::Dict(names.into_iter().zip(values).collect())
    })
}

fn without_dollar(value: &Value) -> bool {
    match value {
        Value::Str(text) => !text.contains('$'),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) => items.iter().all(without_dollar),
        Value::Dict(entries) => {
            entries.iter().all(|(key, value)| without_dollar(key) && without_dollar(value))
        }
        _ => true,
    }
}

/// Compared by what is seen: NaN is not even equal to itself.
fn same(a: &Value, b: &Value) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in any::<String>(), soup in soup()) {
        for text in [&text, &soup] {
            if let Err(trouble) = Expression::parse(text) {
                prop_assert!(trouble.at <= text.len() && text.is_char_boundary(trouble.at), "{text:?}: {trouble:?}");
                prop_assert!(!trouble.message.is_empty() && !trouble.message.contains('\n'));
            }
            for pattern in [text.clone(), format!("#{text}"), format!("#? {text}"), format!("#[2] #{text}"), format!("#regex {text}")] {
                if let Err(trouble) = Pattern::parse(&Value::Str(pattern.clone())) {
                    prop_assert!(trouble.at <= pattern.len(), "{pattern:?}: {trouble:?}");
                }
            }
            let _ = References::fill_text(text, &Fields(&Value::Null));
        }
    }

    #[test]
    fn what_is_printed_reads_back(soup in soup(), written in written()) {
        for text in [soup, written] {
            if let Ok(expression) = Expression::parse(&text) {
                let printed = expression.to_string();
                let again = Expression::parse(&printed);
                prop_assert_eq!(again.as_ref(), Ok(&expression), "{} printed as {}", text, printed);
            }
        }
    }

    #[test]
    fn evaluation_does_not_panic(text in written(), scope in scope()) {
        if let Ok(expression) = Expression::parse(&text) {
            let fields = Fields(&scope);
            let value = expression.eval(&fields);
            match (value, expression.holds(&fields)) {
                (Ok(Value::Bool(value)), holds) => prop_assert_eq!(holds.map(|it| it.holds()), Ok(value)),
                (_, holds) => prop_assert!(holds.is_err(), "{}", text),
            }
        }
    }

    #[test]
    fn values_without_a_dollar_are_filled_with_nothing(value in values()) {
        if without_dollar(&value) {
            let filled = References::fill(&value, &Fields(&Value::Null)).expect("nothing to fill");
            prop_assert!(same(&filled, &value));
            prop_assert!(References::names(&value).is_empty());
        }
    }

    #[test]
    fn filling_and_matching_do_not_panic(value in values(), pattern in values(), scope in scope()) {
        let _ = References::fill(&value, &Fields(&scope));
        if let Ok(pattern) = Pattern::parse(&pattern) {
            let _ = pattern.mismatches(&value, &Fields(&scope));
            let _ = pattern.names();
        }
    }
}
