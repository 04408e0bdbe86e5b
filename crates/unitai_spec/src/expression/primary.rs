//! Reads what binds strongest: values, names, calls, paths, and the functions of a pipe.

use unitai_model::value::Value;

use super::function::Function;
use super::lexer::Token;
use super::parser::{Node, Parser, Read};
use super::tree::{Expr, Part, PathStep};
use super::trouble::SyntaxTrouble;

/// Words that are no names.
pub(super) const RESERVED: [&str; 11] =
    ["and", "or", "not", "in", "contains", "matches", "starts_with", "ends_with", "true", "false", "null"];

impl Parser {
    /// A value and the path after it.
    pub(super) fn primary(&mut self) -> Read {
        let node = match self.token() {
            Token::Number(_) | Token::Text(_) | Token::Reference(_) => self.value(),
            Token::Sign("(") => self.group(),
            Token::Sign("[") => self.list(),
            Token::Sign(".") if self.element => self.made(Expr::Element, 0),
            Token::Sign(".") => Err(only_inside(self.at(), "`.name`")),
            Token::Word(_) => self.word(),
            _ => Err(self.unexpected("a value", "a value is a number, a text in quotes, a name or a list")),
        }?;
        self.path(node)
    }

    fn value(&mut self) -> Read {
        let expr = match self.advance() {
            Token::Number(value) => Expr::Literal(value),
            Token::Text(text) => Expr::Literal(Value::Str(text)),
            Token::Reference(reference) => Expr::Reference(reference),
            _ => Expr::Literal(Value::Null),
        };
        self.made(expr, 0)
    }

    fn group(&mut self) -> Read {
        self.advance();
        let node = self.expression()?;
        self.close(")")?;
        Ok(node)
    }

    fn literal(&mut self, value: Value) -> Read {
        self.advance();
        self.made(Expr::Literal(value), 0)
    }

    fn word(&mut self) -> Read {
        let at = self.at();
        let Token::Word(word) = self.token().clone() else { return self.value() };
        let word = word.as_str();
        match word {
            "true" | "True" => return self.literal(Value::Bool(true)),
            "false" | "False" => return self.literal(Value::Bool(false)),
            "null" | "None" => return self.literal(Value::Null),
            "_" if !self.element => return Err(only_inside(at, "`_`")),
            "_" => {
                self.advance();
                return self.made(Expr::Element, 0);
            }
            _ if RESERVED.contains(&word) => {
                return Err(self.unexpected("a value", "a field of that name is written `result.name`"));
            }
            _ if word.starts_with('$') => {
                return Err(self.unexpected(
                    "a value",
                    "a reference is written `${name}`; `$all` stands after a saved name",
                ));
            }
            _ => {}
        }
        self.advance();
        if !self.eat("(") {
            let optional = self.eat("?");
            return self.made(Expr::Name { name: word.to_owned(), optional }, 0);
        }
        let function = self.function(word, at)?;
        let args = self.arguments(function, Vec::new())?;
        self.call(function, args, false, at)
    }

    fn list(&mut self) -> Read {
        self.advance();
        let mut depth = 0;
        let mut items = Vec::new();
        while !self.eat("]") {
            let node = self.expression()?;
            depth = depth.max(node.depth);
            items.push(node.expr);
            if !self.eat(",") {
                self.close("]")?;
                break;
            }
        }
        self.made(Expr::List(items), depth)
    }

    fn close(&mut self, sign: &str) -> Result<(), SyntaxTrouble> {
        if self.eat(sign) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{sign}`"), "texts stand in quotes"))
        }
    }

    /// A pipe and the function after it, whose first argument is what stands before it.
    pub(super) fn filter(&mut self, piped: Node) -> Read {
        self.advance();
        let at = self.at();
        let Token::Word(word) = self.token().clone() else {
            return Err(
                self.unexpected("a function after `|`", "as in `users | length`; `or` is written out")
            );
        };
        self.advance();
        let function = self.function(&word, at)?;
        let mut args = vec![piped];
        if self.eat("(") {
            args = self.arguments(function, args)?;
        }
        let node = self.call(function, args, true, at)?;
        self.path(node)
    }

    fn function(&self, word: &str, at: usize) -> Result<Function, SyntaxTrouble> {
        Function::named(word)
            .map_err(|remedy| SyntaxTrouble::new(at, format!("there is no function `{word}`"), remedy))
    }

    fn arguments(&mut self, function: Function, mut args: Vec<Node>) -> Result<Vec<Node>, SyntaxTrouble> {
        let outer = self.element;
        while !self.eat(")") {
            self.element = outer || (function.asks_each() && !args.is_empty());
            let node = self.expression();
            self.element = outer;
            args.push(node?);
            if !self.eat(",") {
                self.close(")")?;
                break;
            }
        }
        Ok(args)
    }

    fn call(&mut self, function: Function, args: Vec<Node>, piped: bool, at: usize) -> Read {
        let (fewest, most) = function.takes();
        if !(fewest..=most).contains(&args.len()) {
            let takes = if fewest == most { fewest.to_string() } else { format!("{fewest} or {most}") };
            let many = if most == 1 { "argument" } else { "arguments" };
            let remedy = match function {
                Function::Map => "as in `users | map(.id)`",
                Function::Where => "as in `users | where(.age > 3)`",
                _ => "what stands before `|` is the first",
            };
            let message = format!("`{}` takes {takes} {many}, found {}", function.name(), args.len());
            return Err(SyntaxTrouble::new(at, message, remedy));
        }
        let depth = args.iter().map(|arg| arg.depth).max().unwrap_or(0);
        let args = args.into_iter().map(|arg| arg.expr).collect();
        self.made(Expr::Call { function, args, piped }, depth)
    }

    fn path(&mut self, node: Node) -> Read {
        let (base, mut parts) = match node.expr {
            Expr::Path { base, parts } => (*base, parts),
            other => (other, Vec::new()),
        };
        loop {
            let step = if self.eat(".") {
                match self.token().clone() {
                    Token::Word(word)
                        if word == "$all" && parts.is_empty() && matches!(base, Expr::Name { .. }) =>
                    {
                        PathStep::All
                    }
                    Token::Word(word) if word.starts_with('$') => {
                        return Err(self.unexpected(
                            "a name after `.`",
                            "`$all` stands after a saved name, and nowhere else",
                        ));
                    }
                    Token::Word(word) => PathStep::Key(word),
                    Token::Number(_) => {
                        return Err(
                            self.unexpected("a name after `.`", "an element of a list is written `[0]`")
                        );
                    }
                    _ => {
                        return Err(self.unexpected("a name after `.`", "another key is written `[\"a b\"]`"));
                    }
                }
            } else if self.eat("[") {
                self.bracket()?
            } else {
                break;
            };
            self.advance();
            parts.push(Part { step, optional: self.eat("?") });
        }
        if parts.is_empty() {
            return Ok(Node { expr: base, depth: node.depth });
        }
        self.made(Expr::Path { base: Box::new(base), parts }, node.depth)
    }

    /// What stands in brackets; the closing one is left.
    fn bracket(&mut self) -> Result<PathStep, SyntaxTrouble> {
        const REMEDY: &str = "a path is written `users[0]`, `users[-1]` or `headers[\"content-type\"]`";
        let negative = self.eat("-");
        let step = match self.token().clone() {
            Token::Text(key) if !negative => PathStep::Key(key),
            Token::Number(Value::Int(index)) => PathStep::Index(if negative { -index } else { index }),
            _ => return Err(self.unexpected("a number or a text in quotes", REMEDY)),
        };
        self.advance();
        if *self.token() == Token::Sign("]") { Ok(step) } else { Err(self.unexpected("`]`", REMEDY)) }
    }
}

fn only_inside(at: usize, what: &str) -> SyntaxTrouble {
    SyntaxTrouble::new(
        at,
        format!("{what} has a meaning only where elements are asked"),
        "as in `users | where(.age > 3)` or `#? _ > 3`; elsewhere begin with a name",
    )
}
