//! What an expectation says in plain words, if it says nothing else.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A claim that a machine can check.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Claim {
    /// The status of an HTTP answer.
    Status(u16),
    /// How many elements the list of a name has.
    Count { sign: &'static str, count: u64, noun: String },
    /// How long the call took.
    Time { sign: &'static str, ms: f64 },
    /// A text that the body contains.
    BodyContains(String),
    /// How far apart two values are.
    Within { percent: f64 },
    /// That two values are equal.
    Equal,
    /// How long `sleep` slept.
    Slept { sign: &'static str, seconds: f64 },
    /// What a field is; the value is as an expression writes it.
    Field { path: String, sign: &'static str, value: String },
}

const MODAL: &str = "(?:should|must|shall|will|has to|needs to)";
const IS: &str = "(?:(?:should|must|shall|will|has to|needs to) (?:be|equal)|is|equals|==)";
const AMOUNT: &str = "(exactly|at least|at most|more than|greater than|fewer than|less than)";
const LIMIT: &str = "(under|below|less than|within|at most)";
const TIME: &str = r"(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)";
const QUOTED: &str = r#"("[^"]*"|'[^']*')"#;
const REASON: &str = r"( (?:ok|created|accepted|no content|bad request|unauthorized|forbidden|not found))?";

/// What a phrase of a form claims.
type Reading = fn(&Captures<'_>) -> Option<Claim>;

/// Each form is a whole phrase: a word that is left over is a meaning that is left over.
static FORMS: LazyLock<Vec<(Regex, Reading)>> = LazyLock::new(|| {
    let forms: [(String, Reading); 10] = [
        (
            format!(
                r"(?:the )?(?:http |response )?status(?: code|_code)?:? (?:{IS} )?(?:exactly )?(\d{{3}}){REASON}"
            ),
            status,
        ),
        (
            format!(
                r"(?:the (?:request|response|api|server|endpoint|call) )?(?:{MODAL} )?(?:returns?|responds? with|gives?)(?: an?)?(?: http)?(?: status(?: code)?)? (\d{{3}}){REASON}"
            ),
            status,
        ),
        (format!(r"http (\d{{3}}){REASON}"), status),
        (format!(r"(?:{MODAL} )?(?:returns?|contains?|have|has|lists?) {AMOUNT} (\d+) (\w+)"), count),
        (
            format!(r"(?:the )?(?:response time|latency|duration):? (?:(?:{MODAL} be|is) )?{LIMIT} {TIME}"),
            time,
        ),
        (
            format!(
                r"(?:the (?:request|response|call) )?(?:{MODAL} )?(?:responds?|answers?|finish(?:es)?|completes?|takes?) (?:in )?{LIMIT} {TIME}"
            ),
            time,
        ),
        (format!(r"(?:the )?(?:response )?body (?:{MODAL} )?(?:contains?|includes?) {QUOTED}"), body),
        (
            format!(
                r"(?:the )?(?:two |both )?values (?:{MODAL} be|are) (?:within (\d+(?:\.\d+)?) ?% of each other|equal)"
            ),
            values,
        ),
        (format!(r"(?:{MODAL} )?(?:waits?|sleeps?) {AMOUNT} (\d+(?:\.\d+)?) ?(?:s|seconds?)"), slept),
        (
            format!(
                r"`?([a-z_]\w*(?:\.[a-z_]\w*|\[\d+\])*)`? {IS} (?:{AMOUNT} )?(-?\d+(?:\.\d+)?|true|false|null|{QUOTED})"
            ),
            field,
        ),
    ];
    let compiled =
        forms.into_iter().map(|(form, read)| Regex::new(&format!("(?i)^{form}$")).map(|form| (form, read)));
    // A test compiles them all.
    compiled.filter_map(Result::ok).collect()
});

/// Every reading of one phrase, the most particular first.
pub(super) fn claims(phrase: &str) -> Vec<Claim> {
    FORMS.iter().filter_map(|(form, read)| form.captures(phrase).and_then(|found| read(&found))).collect()
}

/// The phrases of an expectation, cut at each `and` outside of quotes.
pub(super) fn phrases(expect: &str) -> Vec<String> {
    let words = expect.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words.trim_end_matches(['.', '!']).trim();
    let mut phrases = vec![String::new()];
    let mut quote = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if text[at..].starts_with(" and ") => {
                phrases.push(String::new());
                at += " and ".len();
                continue;
            }
            _ => {}
        }
        if let Some(phrase) = phrases.last_mut() {
            phrase.push(c);
        }
        at += c.len_utf8();
    }
    phrases
}

fn status(found: &Captures<'_>) -> Option<Claim> {
    let code = found.get(1)?.as_str().parse().ok().filter(|code| (100..600).contains(code))?;
    let reason = found.get(2).map(|it| it.as_str().trim().to_lowercase());
    let meant = reason.map(|reason| match reason.as_str() {
        "ok" => 200,
        "created" => 201,
        "accepted" => 202,
        "no content" => 204,
        "bad request" => 400,
        "unauthorized" => 401,
        "forbidden" => 403,
        _ => 404,
    });
    // `200 Not Found` contradicts itself.
    meant.is_none_or(|meant| meant == code).then_some(Claim::Status(code))
}

fn count(found: &Captures<'_>) -> Option<Claim> {
    let noun = found.get(3)?.as_str().to_owned();
    Some(Claim::Count {
        sign: sign(found.get(1)?.as_str()),
        count: found.get(2)?.as_str().parse().ok()?,
        noun,
    })
}

fn time(found: &Captures<'_>) -> Option<Claim> {
    let unit = if found.get(3)?.as_str().to_lowercase().starts_with('m') { 1.0 } else { 1000.0 };
    let ms = found.get(2)?.as_str().parse::<f64>().ok()? * unit;
    Some(Claim::Time { sign: sign(found.get(1)?.as_str()), ms })
}

fn body(found: &Captures<'_>) -> Option<Claim> {
    let quoted = found.get(1)?.as_str();
    Some(Claim::BodyContains(quoted[1..quoted.len() - 1].to_owned()))
}

fn values(found: &Captures<'_>) -> Option<Claim> {
    match found.get(1) {
        Some(percent) => Some(Claim::Within { percent: percent.as_str().parse().ok()? }),
        None => Some(Claim::Equal),
    }
}

fn slept(found: &Captures<'_>) -> Option<Claim> {
    let sign = sign(found.get(1)?.as_str());
    // No clock sleeps exactly.
    (sign != "==").then_some(Claim::Slept { sign, seconds: found.get(2)?.as_str().parse().ok()? })
}

fn field(found: &Captures<'_>) -> Option<Claim> {
    let sign = found.get(2).map_or("==", |amount| sign(amount.as_str()));
    let value = found.get(3)?.as_str();
    let numeric = value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let value = match value.to_lowercase() {
        word if matches!(word.as_str(), "true" | "false" | "null") => word,
        _ if numeric => value.to_owned(),
        _ => crate::expression::quoted(&value[1..value.len() - 1]),
    };
    (sign == "==" || numeric).then_some(Claim::Field { path: found.get(1)?.as_str().to_owned(), sign, value })
}

fn sign(amount: &str) -> &'static str {
    match amount.to_lowercase().as_str() {
        "at least" => ">=",
        "at most" | "within" => "<=",
        "more than" | "greater than" => ">",
        "fewer than" | "less than" | "under" | "below" => "<",
        _ => "==",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles() {
        assert_eq!(FORMS.len(), 10);
    }

    #[test]
    fn plain_phrases_are_understood() {
        for (phrase, claim) in [
            ("Status code should be 200", Claim::Status(200)),
            ("Status should be 200", Claim::Status(200)),
            ("Should return 201", Claim::Status(201)),
            ("status code 200", Claim::Status(200)),
            ("Status: 404 Not Found", Claim::Status(404)),
            ("Response time under 500ms", Claim::Time { sign: "<", ms: 500.0 }),
            ("Latency: below 2 seconds", Claim::Time { sign: "<", ms: 2000.0 }),
            ("the response status code is 404 Not Found", Claim::Status(404)),
            ("returns a status code 204", Claim::Status(204)),
            ("HTTP 200 OK", Claim::Status(200)),
            ("Should return exactly 10 users", Claim::Count { sign: "==", count: 10, noun: "users".into() }),
            ("contains at least 3 items", Claim::Count { sign: ">=", count: 3, noun: "items".into() }),
            ("Response time should be under 500 ms", Claim::Time { sign: "<", ms: 500.0 }),
            ("Responds within 2 seconds", Claim::Time { sign: "<=", ms: 2000.0 }),
            ("Should respond in under 1.5s", Claim::Time { sign: "<", ms: 1500.0 }),
            ("body contains 'x and y'", Claim::BodyContains("x and y".into())),
            ("Values should be within 1% of each other", Claim::Within { percent: 1.0 }),
            ("Values should be equal", Claim::Equal),
            ("Should wait at least 2.5 seconds", Claim::Slept { sign: ">=", seconds: 2.5 }),
            (
                "meta.page should be 1",
                Claim::Field { path: "meta.page".into(), sign: "==", value: "1".into() },
            ),
            ("`success` is True", Claim::Field { path: "success".into(), sign: "==", value: "true".into() }),
            (
                "total must be at least 5",
                Claim::Field { path: "total".into(), sign: ">=", value: "5".into() },
            ),
        ] {
            assert_eq!(claims(phrase).first(), Some(&claim), "{phrase}");
        }
    }

    #[test]
    fn a_word_that_is_left_over_is_a_meaning_that_is_left_over() {
        for phrase in [
            "Should create user and return 201",
            "Should return user list",
            "Should return exactly 10 active users",
            "Should return 10 users",
            "Status code should be 200 or 201",
            "status code 200 or 201",
            "Response time under load",
            "Status code should not be 500",
            "Status code should be 200 Not Found",
            "Status code should be 2000",
            "Should wait 2.5 seconds",
            "Should wait exactly 2.5 seconds",
            "Response time should be reasonable",
            "Response time should be under 500 ms on average",
            "body should contain the user's name",
            "name should be at least 'x'",
            "Names look like real people",
        ] {
            let all: Vec<Vec<Claim>> = phrases(phrase).iter().map(|phrase| claims(phrase)).collect();
            assert!(all.iter().any(Vec::is_empty), "{phrase}: {all:?}");
        }
    }
}
