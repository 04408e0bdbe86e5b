//! Cuts the text of an expression into words, signs, numbers and texts.

use unitai_model::value::Value;

use super::reference::{self, Reference};
use super::{number, quoting, trouble::SyntaxTrouble};

/// One piece of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Number(Value),
    Text(String),
    Word(String),
    Reference(Box<Reference>),
    Sign(&'static str),
    End,
}

impl Token {
    /// As it is named in an error.
    pub(crate) fn shown(&self) -> String {
        match self {
            Token::Number(value) => format!("`{}`", number::decimal(value)),
            Token::Text(text) => super::showing::shown(&Value::Str(text.clone())),
            Token::Word(word) => format!("`{}`", unitai_model::value::plain(word)),
            Token::Reference(reference) => format!("`{reference}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Longer signs first, so that `<=` is not `<`.
const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ".", "|", "?"];

/// What people write who come from elsewhere, and what it is called here.
const FOREIGN: [(&str, &str); 6] = [
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("===", "write `==`"),
    ("!==", "write `!=`"),
    ("**", "there are `+ - * / %`"),
    ("=~", "write `matches`"),
];

/// Cuts a text; the last piece is [`Token::End`]. Each comes with its place in bytes.
pub(crate) fn tokens(source: &str) -> Result<Vec<(Token, usize)>, SyntaxTrouble> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let begin = at;
        let rest = &source[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let token = if c.is_ascii_digit() {
            at += digits(rest);
            Token::Number(read_number(&source[begin..at], begin)?)
        } else if c == '"' || c == '\'' {
            let (text, end) = quoting::read(source, at)?;
            at = end;
            Token::Text(text)
        } else if rest.starts_with("${") {
            let (reference, end) = reference::read(source, at)?;
            at = end;
            Token::Reference(Box::new(reference))
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            at += c.len_utf8();
            let rest = &source[at..];
            at += rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            Token::Word(source[begin..at].to_owned())
        } else {
            let sign = sign(rest, begin)?;
            at += sign.len();
            Token::Sign(sign)
        };
        tokens.push((token, begin));
    }
    tokens.push((Token::End, source.len()));
    Ok(tokens)
}

fn sign(rest: &str, at: usize) -> Result<&'static str, SyntaxTrouble> {
    let foreign = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign));
    if let Some((sign, remedy)) = foreign {
        return Err(SyntaxTrouble::new(at, format!("`{sign}` is no sign of this language"), *remedy));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok(sign);
    }
    let c: String = rest.chars().take(1).collect();
    let remedy = match c.as_str() {
        "=" => "write `==` to compare",
        "!" => "write `not`",
        "&" => "write `and`",
        "{" | "}" => "an object is compared with `match`, or part by part",
        "“" | "”" | "‘" | "’" => "texts stand in straight quotes",
        "`" => "names stand without quotes, texts in straight ones",
        _ => "texts stand in quotes",
    };
    Err(SyntaxTrouble::new(at, format!("`{}` has no meaning here", unitai_model::value::plain(&c)), remedy))
}

/// How many bytes the number at the beginning has.
fn digits(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = run(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end += 1 + run(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + signed).is_some_and(u8::is_ascii_digit) {
            end += 1 + signed + run(end + 1 + signed);
        }
    }
    end
}

fn read_number(text: &str, at: usize) -> Result<Value, SyntaxTrouble> {
    let value = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok().map(number::whole)
    } else {
        text.parse().ok().filter(|it: &f64| it.is_finite()).map(Value::Float)
    };
    value.ok_or_else(|| SyntaxTrouble::new(at, format!("the number {text:.40} is too large"), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        tokens(text).expect(text).into_iter().map(|(token, _)| token.shown()).collect()
    }

    #[test]
    fn texts_are_cut_into_pieces() {
        assert_eq!(
            shown("a.b[0]>=1.5e3|x"),
            ["`a`", "`.`", "`b`", "`[`", "`0`", "`]`", "`>=`", "`1500.0`", "`|`", "`x`", "the end"]
        );
        assert_eq!(
            shown("5.x 1e 'a' ${ b }"),
            ["`5`", "`.`", "`x`", "`1`", "`e`", "\"a\"", "`${b}`", "the end"]
        );
    }

    #[test]
    fn signs_from_elsewhere_are_translated() {
        for (text, remedy) in [
            ("a && b", "write `and`"),
            ("a || b", "write `or`"),
            ("a = 1", "write `==` to compare"),
            ("!a", "write `not`"),
            ("a === 1", "write `==`"),
            ("a == “x”", "texts stand in straight quotes"),
            ("a == {}", "an object is compared with `match`, or part by part"),
        ] {
            assert_eq!(tokens(text).expect_err(text).remedy, remedy, "{text}");
        }
        assert!(tokens(&"9".repeat(60)).expect_err("a long number").message.contains("too large"));
        assert!(tokens("1e999").expect_err("a large number").message.contains("too large"));
    }
}
