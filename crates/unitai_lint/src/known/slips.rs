//! Slips of the pen in names.

/// How long a word must be, or what of it differs: `tool_1` and `tool_2` are two names, and so are `get` and `set`.
const LONG: usize = 4;

/// Whether a name is another one with a slip of the pen in it: a letter too many, too few or another, two that changed places,
/// a capital, an underscore. Much narrower than `nearest`, which only advises. `bank_refund` is no slip: so the
/// tool `Bank.refund` is called where no dot is allowed.
pub(crate) fn slip_of(name: &str, known: &str) -> bool {
    if name.len() > 100 || name.len() < LONG {
        return false;
    }
    const MARKS: [char; 4] = ['_', '-', ' ', '.'];
    let letters = |name: &str| name.to_lowercase().replace(MARKS, "");
    let (a, b) = (letters(name), letters(known));
    if a == b {
        return name != known && !known.contains(&MARKS[1..]);
    }
    let words = name.split(MARKS).zip(known.split(MARKS));
    let is_long = words.filter(|(a, b)| a != b).all(|(a, b)| a.len().min(b.len()) >= LONG);
    let has_as_many = name.split(MARKS).count() == known.split(MARKS).count();
    let has_digits = a.chars().chain(b.chars()).any(|c| c.is_ascii_digit());
    strsim::osa_distance(&a, &b) == 1 && !has_digits && (is_long || !has_as_many)
}

#[cfg(test)]
mod tests {
    use super::slip_of;

    #[test]
    fn two_names_that_mean_two_things_are_no_slip() {
        for (name, known) in [
            ("tool_1", "tool_2"),
            ("step_a", "step_b"),
            ("get_order", "set_order"),
            ("read_file", "load_file"),
            ("refund", "refund"),
            ("add", "ad"),
            ("", "a"),
            ("lookup_order", "lookup_user"),
            ("Bank-refund", "Bank.refund"),
            ("bank_refund", "Bank.refund"),
            ("check_spelling", "Check spelling"),
        ] {
            assert!(!slip_of(name, known), "{name} {known}");
        }
        for (name, known) in [
            ("sendrefund", "send_refund"),
            ("sendRefund", "send_refund"),
            ("send_refunds", "send_refund"),
            ("send_refudn", "send_refund"),
            ("sned_refund", "send_refund"),
            ("send_rfund", "send_refund"),
            ("Refund", "refund"),
        ] {
            assert!(slip_of(name, known), "{name} {known}");
        }
        assert!(!slip_of(&"refund".repeat(1000), "refund"));
    }
}
