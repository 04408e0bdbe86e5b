//! Money, exact. Prices are a few dollars for a million tokens, so the unit is 10^-12 dollars and
//! sums of millions of calls lose nothing.

use std::str::FromStr;

/// An amount of US dollars, in units of 10^-12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(i64);

const UNITS: i64 = 1_000_000_000_000;

impl Money {
    /// Nothing.
    pub const ZERO: Money = Money(0);

    /// So many units of 10^-12 dollars.
    pub const fn from_pico_dollars(units: i64) -> Money {
        Money(units)
    }

    /// The amount nearest to a number of dollars; `None` when it is no amount at all.
    ///
    /// ```
    /// use unitai_model::Money;
    /// assert_eq!(Money::from_dollars(0.003).unwrap().to_string(), "0.003");
    /// assert_eq!(Money::from_dollars(f64::NAN), None);
    /// ```
    pub fn from_dollars(dollars: f64) -> Option<Money> {
        let units = (dollars * UNITS as f64).round();
        // Strictly inside, because the bounds themselves are not exact as floats.
        (units.is_finite() && units.abs() < i64::MAX as f64).then_some(Money(units as i64))
    }

    /// The amount as a number of dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / UNITS as f64
    }

    /// The price of `count` things at `self` each. Saturates rather than wraps.
    pub fn times(self, count: u64) -> Money {
        Money(self.0.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)))
    }

    /// The sum. Saturates rather than wraps.
    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }

    /// The difference. Saturates rather than wraps.
    pub fn minus(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0))
    }

    /// One of so many equal parts, rounded down: all of them together are never more.
    ///
    /// ```
    /// use unitai_model::Money;
    /// assert_eq!(Money::from_pico_dollars(10).part(3), Money::from_pico_dollars(3));
    /// ```
    pub fn part(self, parts: u32) -> Money {
        Money(self.0.div_euclid(i64::from(parts.max(1))))
    }

    /// The amount as a person writes it: `$0.47`, `$0.003`, `$0.00`.
    ///
    /// ```
    /// use unitai_model::Money;
    /// let shown = |dollars| Money::from_dollars(dollars).unwrap().shown();
    /// assert_eq!(shown(0.47), "$0.47");
    /// assert_eq!(shown(0.0314), "$0.031");
    /// assert_eq!(shown(0.0999), "$0.10");
    /// assert_eq!(shown(12.0), "$12.00");
    /// assert_eq!(shown(0.0), "$0.00");
    /// ```
    pub fn shown(self) -> String {
        let dollars = self.dollars();
        let size = dollars.abs();
        if self.0 == 0 || size >= 0.1 {
            return format!("${dollars:.2}");
        }
        let decimals = (1.0 - size.log10().floor()) as usize;
        let text = format!("${dollars:.decimals$}");
        let cents = format!("${dollars:.2}");
        // What was rounded up to a round amount is shown in cents, as that amount is.
        if text.trim_end_matches('0') == cents.trim_end_matches('0') {
            cents
        } else {
            text.trim_end_matches('0').to_owned()
        }
    }
}

impl std::fmt::Display for Money {
    /// Exact decimal dollars.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.unsigned_abs();
        let (whole, part) = (size / UNITS as u64, size % UNITS as u64);
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = format!("{sign}{whole}.{part:012}");
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FromStr for Money {
    type Err = ();

    /// Reads exact decimal dollars, as [`Display`](std::fmt::Display) writes them.
    fn from_str(text: &str) -> Result<Money, ()> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || part.len() > 12 || !is_number(whole) || !is_number(part) {
            return Err(());
        }
        let units: i128 = format!("{whole}{part:0<12}").parse().map_err(|_| ())?;
        i64::try_from(if negative { -units } else { units }).map(Money).map_err(|_| ())
    }
}
