//! The secret of one start.

use crate::GatewayError;

/// 32 random bytes as digits.
pub(crate) fn make() -> Result<String, GatewayError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| GatewayError::System(error.to_string()))?;
    let digits = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(nibbles.map(|nibble| char::from(digits[usize::from(nibble)])).collect())
}
