//! The secret of one start: what a client must know to be let in.

use std::io;

use subtle::ConstantTimeEq;

/// 32 random bytes as digits.
///
/// ```
/// let token = unitai_wire::token::make()?;
/// assert_eq!(token.len(), 64);
/// assert!(unitai_wire::token::is_same(&token, token.as_bytes()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn make() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let digits = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(nibbles.map(|nibble| char::from(digits[usize::from(nibble)])).collect())
}

/// Whether what was given is the token. How long it takes tells nothing about where they differ.
pub fn is_same(token: &str, given: &[u8]) -> bool {
    token.as_bytes().ct_eq(given).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_another_at_every_start_and_nothing_like_it_is_the_same() {
        let token = make().unwrap();
        assert_ne!(token, make().unwrap());
        assert!(token.bytes().all(|byte| byte.is_ascii_hexdigit()));
        for other in ["", &token[1..], &token.to_uppercase(), &format!("{token} ")] {
            assert!(!is_same(&token, other.as_bytes()) || other == token);
        }
    }
}
