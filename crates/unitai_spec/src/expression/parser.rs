//! Reads an expression. What binds weakest comes first: `or`, `and`, `not`, comparisons, sums, products, pipes, a minus
//! sign, paths.

use unitai_model::value::Value;

use super::lexer::{Token, tokens};
use super::number;
use super::tree::{Expr, MAX_DEPTH, Relation, Searched, Sign};
use super::trouble::SyntaxTrouble;

/// A part that has been read, and how deep it is.
pub(super) struct Node {
    pub(super) expr: Expr,
    pub(super) depth: usize,
}

pub(super) type Read = Result<Node, SyntaxTrouble>;

/// Reads a text. `element` says whether `_` has a meaning from the start, as it has in `#? _ > 3`.
pub(crate) fn parse(source: &str, element: bool) -> Result<Expr, SyntaxTrouble> {
    let mut parser = Parser { tokens: tokens(source)?, next: 0, nesting: 0, element };
    if *parser.token() == Token::End {
        return Err(SyntaxTrouble::new(0, "expected an expression, found nothing", "write one, such as `status_code == 200`"));
    }
    let node = parser.expression()?;
    match parser.token() {
        Token::End => Ok(node.expr),
        _ => Err(parser.left_over()),
    }
}

pub(super) struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    nesting: usize,
    pub(super) element: bool,
}

impl Parser {
    pub(super) fn token(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    pub(super) fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |(_, at)| *at)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.token().clone();
        self.next += 1;
        token
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let there = matches!(self.token(), Token::Sign(it) if *it == sign);
        self.next += usize::from(there);
        there
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(it) if it == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        self.next += usize::from(there);
        there
    }

    pub(super) fn unexpected(&self, expected: &str, remedy: &str) -> SyntaxTrouble {
        SyntaxTrouble::new(self.at(), format!("expected {expected}, found {}", self.token().shown()), remedy)
    }

    fn left_over(&self) -> SyntaxTrouble {
        let remedy = match self.token() {
            Token::Word(word) => match word.as_str() {
                "is" | "equals" | "equal" | "be" => "write `==` to compare",
                "contain" | "includes" | "has" => "write `contains`",
                "match" => "write `matches`",
                "not" => "write `not` before the whole comparison, as in `not text contains 'x'`",
                "if" | "else" => "there are no branches; `a or b` and `a and b` may do",
                _ => "put `and` or `or` between two conditions; texts stand in quotes",
            },
            Token::Sign("?") => "`?` stands after a name or a part of a path, as in `user.email?`",
            Token::Sign(")" | "]") => "it closes nothing",
            _ => "put a comparison, `and` or `or` between two values",
        };
        self.unexpected("the end", remedy)
    }

    /// What has been read, made of parts that are `depth` deep.
    pub(super) fn made(&self, expr: Expr, depth: usize) -> Read {
        if depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(Node { expr, depth: depth + 1 })
    }

    fn too_deep(&self) -> SyntaxTrouble {
        SyntaxTrouble::new(
            self.at(),
            format!("the expression is nested deeper than {MAX_DEPTH} levels"),
            "cut it into several checks",
        )
    }

    /// Runs a reader one level further in.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        if self.nesting > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let node = read(self);
        self.nesting -= 1;
        node
    }

    pub(super) fn expression(&mut self) -> Read {
        self.inside(|it| it.joined("or"))
    }

    /// `a or b or c`, and inside of it `a and b and c`.
    fn joined(&mut self, word: &'static str) -> Read {
        let mut node = self.joined_part(word)?;
        if !self.is_word(word) {
            return Ok(node);
        }
        let mut depth = node.depth;
        let mut parts = vec![node.expr];
        while self.eat_word(word) {
            node = self.joined_part(word)?;
            depth = depth.max(node.depth);
            parts.push(node.expr);
        }
        self.made(if word == "or" { Expr::Or(parts) } else { Expr::And(parts) }, depth)
    }

    fn joined_part(&mut self, word: &str) -> Read {
        if word == "or" { self.joined("and") } else { self.negated() }
    }

    fn negated(&mut self) -> Read {
        if self.eat_word("not") {
            let node = self.inside(Self::negated)?;
            return self.made(Expr::Not(Box::new(node.expr)), node.depth);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Read {
        let first = self.arithmetic(false)?;
        let mut depth = first.depth;
        let mut rest: Vec<(Relation, Expr)> = Vec::new();
        loop {
            let at = self.at();
            let Some(mut relation) = self.relation()? else { break };
            if rest.first().is_some_and(|(before, _)| !(before.chains() && relation.chains())) {
                return Err(SyntaxTrouble::new(
                    at,
                    format!("`{}` cannot follow another comparison", relation.text()),
                    "put `and` between two comparisons, or one of them in parentheses",
                ));
            }
            let right_at = self.at();
            let right = self.arithmetic(false)?;
            if let (Relation::Matches(searched), Expr::Literal(Value::Str(text))) = (&mut relation, &right.expr) {
                let regex = Searched::new(text).map_err(|why| {
                    SyntaxTrouble::new(right_at, format!("this is no regex: {why}"), "a `\\` makes a sign plain, as in `\\(`")
                })?;
                *searched = Some(regex);
            }
            depth = depth.max(right.depth);
            rest.push((relation, right.expr));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        self.made(Expr::Comparison { first: Box::new(first.expr), rest }, depth)
    }

    fn relation(&mut self) -> Result<Option<Relation>, SyntaxTrouble> {
        let relation = match self.token() {
            Token::Sign("==") => Relation::Equal,
            Token::Sign("!=") => Relation::NotEqual,
            Token::Sign("<") => Relation::Less,
            Token::Sign("<=") => Relation::LessOrEqual,
            Token::Sign(">") => Relation::Greater,
            Token::Sign(">=") => Relation::GreaterOrEqual,
            Token::Word(word) => match word.as_str() {
                "in" => Relation::In,
                "contains" => Relation::Contains,
                "matches" => Relation::Matches(None),
                "starts_with" => Relation::StartsWith,
                "ends_with" => Relation::EndsWith,
                "not" => {
                    if !matches!(self.tokens.get(self.next + 1), Some((Token::Word(word), _)) if word == "in") {
                        return Err(self.left_over());
                    }
                    self.next += 1;
                    Relation::NotIn
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(relation))
    }

    /// `a + b`, and with `product` `a * b`.
    fn arithmetic(&mut self, product: bool) -> Read {
        let mut left = if product { self.piped()? } else { self.arithmetic(true)? };
        loop {
            let sign = match self.token() {
                Token::Sign("+") if !product => Sign::Plus,
                Token::Sign("-") if !product => Sign::Minus,
                Token::Sign("*") if product => Sign::Times,
                Token::Sign("/") if product => Sign::Divide,
                Token::Sign("%") if product => Sign::Remainder,
                _ => return Ok(left),
            };
            self.next += 1;
            let right = if product { self.piped()? } else { self.arithmetic(true)? };
            let depth = left.depth.max(right.depth);
            let expr = Expr::Arithmetic { left: Box::new(left.expr), sign, right: Box::new(right.expr) };
            left = self.made(expr, depth)?;
        }
    }

    fn piped(&mut self) -> Read {
        let mut node = self.negative()?;
        while self.eat("|") {
            node = self.filter(node)?;
        }
        Ok(node)
    }

    /// A minus sign before a number is part of the number.
    fn negative(&mut self) -> Read {
        if !self.eat("-") {
            return self.primary();
        }
        let node = self.inside(Self::negative)?;
        match &node.expr {
            Expr::Literal(value) if number::is_number(value) => match number::negative(value) {
                Ok(value) => self.made(Expr::Literal(value), 0),
                Err(why) => Err(SyntaxTrouble::new(self.at(), why, "")),
            },
            _ => self.made(Expr::Negative(Box::new(node.expr)), node.depth),
        }
    }
}
