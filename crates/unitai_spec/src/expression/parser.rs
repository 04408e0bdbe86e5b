//! Reads an expression. What binds weakest comes first: `or`, `and`, `not`, comparisons, sums, products, pipes, a minus
//! sign, paths.

use unitai_model::value::Value;

use super::lexer::{Token, tokens};
use super::number;
use super::tree::{Expr, Level, MAX_DEPTH, Relation, Searched, Sign};
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
        return Err(SyntaxTrouble::new(
            0,
            "expected an expression, found nothing",
            "write one, such as `status_code == 200`",
        ));
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

    /// Reads one level further in.
    fn inside(&mut self, read: fn(&mut Self) -> Read) -> Read {
        if self.nesting > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let node = read(self);
        self.nesting -= 1;
        node
    }

    pub(super) fn expression(&mut self) -> Read {
        self.inside(|it| it.climb(Level::Or))
    }

    /// Reads a value and whatever follows it that binds at least as strongly as `least`. One function for all signs keeps
    /// the stack short that nested parentheses take.
    fn climb(&mut self, least: Level) -> Read {
        let mut left = if least <= Level::Not && self.eat_word("not") {
            let node = self.inside(|it| it.climb(Level::Not))?;
            self.made(Expr::Not(Box::new(node.expr)), node.depth)?
        } else {
            self.negative()?
        };
        while let Some(level) = self.follows().filter(|level| *level >= least) {
            left = match level {
                Level::Or => self.joined("or", left)?,
                Level::And => self.joined("and", left)?,
                Level::Comparison => self.comparison(left)?,
                Level::Sum => self.arithmetic(left, Level::Product)?,
                Level::Product => self.arithmetic(left, Level::Pipe)?,
                _ => self.filter(left)?,
            };
        }
        Ok(left)
    }

    /// How strongly the sign or word binds that comes next.
    fn follows(&self) -> Option<Level> {
        Some(match self.token() {
            Token::Sign("==" | "!=" | "<" | "<=" | ">" | ">=") => Level::Comparison,
            Token::Sign("+" | "-") => Level::Sum,
            Token::Sign("*" | "/" | "%") => Level::Product,
            Token::Sign("|") => Level::Pipe,
            Token::Word(word) => match word.as_str() {
                "or" => Level::Or,
                "and" => Level::And,
                "in" | "not" | "contains" | "matches" | "starts_with" | "ends_with" => Level::Comparison,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// `a or b or c`, or the same with `and`: side by side, so that many of them are not deep.
    fn joined(&mut self, word: &str, first: Node) -> Read {
        let mut depth = first.depth;
        let mut parts = vec![first.expr];
        while self.eat_word(word) {
            let node = self.climb(if word == "or" { Level::And } else { Level::Not })?;
            depth = depth.max(node.depth);
            parts.push(node.expr);
        }
        self.made(if word == "or" { Expr::Or(parts) } else { Expr::And(parts) }, depth)
    }

    fn comparison(&mut self, first: Node) -> Read {
        let mut depth = first.depth;
        let mut rest: Vec<(Relation, Expr)> = Vec::new();
        while self.follows() == Some(Level::Comparison) {
            let at = self.at();
            let mut relation = self.relation()?;
            if rest.first().is_some_and(|(before, _)| !(before.chains() && relation.chains())) {
                return Err(SyntaxTrouble::new(
                    at,
                    format!("`{}` cannot follow another comparison", relation.text()),
                    "put `and` between two comparisons, or one of them in parentheses",
                ));
            }
            let right_at = self.at();
            let right = self.climb(Level::Sum)?;
            if let (Relation::Matches(searched), Expr::Literal(Value::Str(text))) =
                (&mut relation, &right.expr)
            {
                *searched = Some(regex(text, right_at)?);
            }
            depth = depth.max(right.depth);
            rest.push((relation, right.expr));
        }
        self.made(Expr::Comparison { first: Box::new(first.expr), rest }, depth)
    }

    fn relation(&mut self) -> Result<Relation, SyntaxTrouble> {
        let relation = match self.token() {
            Token::Sign("==") => Relation::Equal,
            Token::Sign("!=") => Relation::NotEqual,
            Token::Sign("<") => Relation::Less,
            Token::Sign("<=") => Relation::LessOrEqual,
            Token::Sign(">") => Relation::Greater,
            Token::Sign(">=") => Relation::GreaterOrEqual,
            Token::Word(word) if word == "in" => Relation::In,
            Token::Word(word) if word == "contains" => Relation::Contains,
            Token::Word(word) if word == "matches" => Relation::Matches(None),
            Token::Word(word) if word == "starts_with" => Relation::StartsWith,
            Token::Word(word) if word == "ends_with" => Relation::EndsWith,
            _ => {
                if !matches!(self.tokens.get(self.next + 1), Some((Token::Word(word), _)) if word == "in") {
                    return Err(self.left_over());
                }
                self.next += 1;
                Relation::NotIn
            }
        };
        self.next += 1;
        Ok(relation)
    }

    fn arithmetic(&mut self, left: Node, above: Level) -> Read {
        let sign = match self.advance() {
            Token::Sign("+") => Sign::Plus,
            Token::Sign("-") => Sign::Minus,
            Token::Sign("*") => Sign::Times,
            Token::Sign("/") => Sign::Divide,
            _ => Sign::Remainder,
        };
        let right = self.climb(above)?;
        let depth = left.depth.max(right.depth);
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        self.made(Expr::Arithmetic { left, sign, right }, depth)
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

fn regex(text: &str, at: usize) -> Result<Searched, SyntaxTrouble> {
    Searched::new(text).map_err(|why| {
        SyntaxTrouble::new(at, format!("this is no regex: {why}"), "a `\\` makes a sign plain, as in `\\(`")
    })
}
