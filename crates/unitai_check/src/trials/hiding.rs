//! What differs from one time to the next, hidden: numbers, ids, times, addresses, temporary files, quotations.

/// Longer texts in quotes are what a model said this time.
const QUOTED: usize = 40;

/// A line with all of that hidden.
pub(super) fn hidden(line: &str) -> String {
    let text: Vec<char> = line.chars().collect();
    Scanner { text, at: 0, quoted_to: 0, out: String::with_capacity(line.len()) }.scanned()
}

/// Reads a line once, from left to right.
struct Scanner {
    text: Vec<char>,
    at: usize,
    /// Where the last quotation has its second quote, which begins no other.
    quoted_to: usize,
    out: String,
}

impl Scanner {
    fn scanned(mut self) -> String {
        while let Some(c) = self.peek(0) {
            let is_start = self.at == 0 || !self.text[self.at - 1].is_alphanumeric();
            let length = is_start.then(|| self.temp_path()).flatten();
            if let Some(length) = length {
                self.replace(length, "<temp>");
            } else if let Some(length) = self.quotation() {
                self.quoted_to = self.at + 1 + length;
                self.at += 1;
                self.out.push(c);
                if length > QUOTED {
                    self.replace(length, "…");
                }
            } else if let Some(length) = is_start.then(|| self.uuid().or_else(|| self.number())).flatten() {
                self.hide(length);
            } else if c.is_alphanumeric() {
                self.word();
            } else {
                self.out.push(c);
                self.at += 1;
            }
        }
        self.out
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn is_digit(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|c| c.is_ascii_digit())
    }

    fn is_next(&self, ahead: usize, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(ahead + i) == Some(c))
    }

    /// How many characters from here on are so.
    fn run(&self, from: usize, is: impl Fn(char) -> bool) -> usize {
        self.text.iter().skip(self.at + from).take_while(|c| is(**c)).count()
    }

    fn replace(&mut self, length: usize, by: &str) {
        self.out.push_str(by);
        self.at += length;
    }

    /// Puts `#` for what is next. Of a list of numbers one is enough: how many there are differs too.
    fn hide(&mut self, length: usize) {
        if self.out.ends_with("#, ") {
            self.out.truncate(self.out.len() - 2);
        }
        let by = if self.out.ends_with('#') { "" } else { "#" };
        self.replace(length, by);
    }

    fn temp_path(&self) -> Option<usize> {
        let is_path = |c: char| !c.is_whitespace() && !"\"'`<>|:;,)]}".contains(c);
        let starts = |prefix: &str| self.is_next(0, prefix);
        let is_temp =
            ["/tmp/", "/var/tmp/", "/var/folders/", "/private/var/folders/"].into_iter().any(starts);
        if is_temp {
            return Some(self.run(0, is_path));
        }
        let is_drive = self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) && self.is_next(1, ":\\");
        let length = if is_drive { 2 + self.run(2, is_path) } else { return None };
        let path: String = self.text[self.at..self.at + length].iter().collect();
        path.contains("\\AppData\\Local\\Temp\\").then_some(length)
    }

    /// The length of a text in quotes that begins here, without its quotes.
    fn quotation(&self) -> Option<usize> {
        let quote = self.peek(0).filter(|c| matches!(c, '"' | '\'' | '`'))?;
        // An apostrophe stands within a word; a quote at its edge.
        let is_inside = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
        let is_first = self.at == 0 || self.at > self.quoted_to && !is_inside(self.text.get(self.at - 1));
        if !is_first {
            return None;
        }
        let mut length = 0;
        loop {
            match self.peek(1 + length)? {
                '\\' => length += 1 + usize::from(self.peek(2 + length).is_some()),
                c if c == quote && !is_inside(self.text.get(self.at + 2 + length)) => break,
                _ => length += 1,
            }
        }
        Some(length)
    }

    fn uuid(&self) -> Option<usize> {
        let mut at = 0;
        for (group, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
            if group > 0 {
                (self.peek(at) == Some('-')).then_some(())?;
                at += 1;
            }
            (self.run(at, |c| c.is_ascii_hexdigit()) == length).then_some(())?;
            at += length;
        }
        self.peek(at).is_none_or(|c| !c.is_alphanumeric()).then_some(at)
    }

    /// The length of a number, an amount, a time or an address that begins here, without its unit.
    fn number(&self) -> Option<usize> {
        let is_sign = matches!(self.peek(0), Some('-' | '+'))
            && self.out.chars().last().is_none_or(|c| " ([{=,:".contains(c));
        let mut at = usize::from(is_sign);
        if !self.is_digit(at) {
            return None;
        }
        if self.peek(at) == Some('0') && matches!(self.peek(at + 1), Some('x' | 'X')) {
            let digits = self.run(at + 2, |c| c.is_ascii_hexdigit());
            return (digits > 0).then_some(at + 2 + digits);
        }
        loop {
            at += self.run(at, |c| c.is_ascii_digit());
            let is_exponent =
                matches!(self.peek(at), Some('e' | 'E')) && matches!(self.peek(at + 1), Some('-' | '+'));
            let joined = match self.peek(at) {
                Some('.' | ',' | ':' | '-' | '+' | 'T' | 'e' | 'E') if self.is_digit(at + 1) => 1,
                _ if is_exponent && self.is_digit(at + 2) => 2,
                _ => break,
            };
            at += joined;
        }
        // `10ms` and `2nd` are a number and a unit; `4o` after a hyphen, and what goes on with digits, are names or ids.
        let letters = self.run(at, char::is_alphanumeric);
        let is_unit = letters <= 4 && self.run(at, |c| c.is_alphabetic()) == letters;
        let is_named = self.out.ends_with(['-', '_', '.']) && letters > 0;
        if self.peek(at) == Some('Z') && letters == 1 {
            return Some(at + 1);
        }
        (is_unit && !is_named).then_some(at)
    }

    /// A word: itself, or `#` if it is an id.
    fn word(&mut self) {
        let length = self.run(0, char::is_alphanumeric);
        let word = &self.text[self.at..self.at + length];
        let digits = word.iter().filter(|c| c.is_ascii_digit()).count();
        let is_hex = length >= 8 && digits >= 2 && word.iter().all(|c| c.is_ascii_hexdigit());
        let changes =
            word.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
        let is_mixed = length >= 8 && changes >= 3;
        if digits >= 3 || is_hex || is_mixed {
            self.hide(length);
        } else {
            self.out.extend(word);
            self.at += length;
        }
    }
}
