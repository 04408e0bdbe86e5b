//! What is common in values: the prefixes of key formats, and the words of which people make up keys.
//!
//! Such parts stand in ordinary text too. Were they hidden, prompts would be damaged, and differently on
//! every machine.

use regex::bytes::Regex;
use std::sync::OnceLock;

/// What a key begins with by its format. A longer one stands before its own beginning.
const PREFIXES: [&str; 62] = [
    "sk-proj-",
    "sk-svcacct-",
    "sk-admin-",
    "sk-None-",
    "sk-ant-api03-",
    "sk-ant-admin01-",
    "sk-ant-oat01-",
    "sk-ant-sid01-",
    "sk-ant-",
    "sk-or-v1-",
    "sk-lf-",
    "pk-lf-",
    "sk-",
    "AIzaSy",
    "AIza",
    "ya29.",
    "GOCSPX-",
    "AKIA",
    "ASIA",
    "ABSK",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "glrt-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxe-",
    "xoxr-",
    "xoxs-",
    "xapp-1-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "pk_live_",
    "whsec_",
    "hf_",
    "gsk_",
    "r8_",
    "xai-",
    "pplx-",
    "SG.",
    "npm_",
    "pypi-AgEIcHlwaS5vcmc",
    "pypi-",
    "dop_v1_",
    "doo_v1_",
    "lsv2_pt_",
    "lsv2_sk_",
    "tvly-",
    "fw_",
    "nvapi-",
    "jina_",
    "pa-",
    "csk-",
    "dapi",
    "shpat_",
];

/// Beginnings that carry no secret: the header of a JSON web token, the fixed fields of encoded keys.
const BEGINNINGS: &str = concat!(
    r"(?-u)^(?:eyJ[A-Za-z0-9_-]+\.eyJ",
    r"|MII[A-Za-z0-9+/]{3}IBADANBgkqhkiG9w0BAQEFAASC[A-Za-z0-9+/]{28}",
    r"|MII[A-Za-z0-9+/]{13}|MHcCAQEEI|MI[A-Za-z0-9+/]{18}AgEGCCqGSM49AwEHBG0wawIBAQQg",
    r"|MC4CAQAwBQYDK2VwBCIEI|b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{0,55})",
);

/// Words and rows of digits that made-up keys consist of, and that ordinary text is full of. A longer one
/// stands before its own beginning.
const WORDS: &str = concat!(
    r"(?i-u)",
    r"abcdefghijklmnopqrstuvwxyz|not-?a-?real|application|development|environment|placeholder|0123456789|",
    r"1234567890|9876543210|credential|passphrase|postgresql|production|123456789|987654321|anthropic|",
    r"localhost|12345678|abcdefgh|cafebabe|changeme|database|deadbeef|password|postgres|provider|redacted|",
    r"1234567|account|default|example|invalid|mistral|private|project|replace|service|session|staging|",
    r"testing|123456|\*{3,}|\.{3,}|abcdef|access|bearer|change|client|config|docker|foobar|gemini|github|",
    r"gitlab|google|insert|openai|passwd|please|public|qwerty|sample|secret|server|string|-{3,}|0{3,}|",
    r"12345|={2,}|admin|agent|azure|dummy|local|model|mongo|mysql|redis|super|token|value|x{3,}|1234|abcd|",
    r"auth|demo|fake|here|mock|none|null|pass|prod|real|root|some|temp|test|this|user|with|your|123|abc|",
    r"api|dev|foo|key|xyz",
);

/// For each byte of a value, whether it belongs to a prefix or to a word.
pub(super) fn common(value: &[u8]) -> Vec<bool> {
    let mut common = vec![false; value.len()];
    common[..prefix(value)].fill(true);
    for word in pattern(&WORDS_PATTERN, WORDS).find_iter(value) {
        common[word.range()].fill(true);
    }
    common
}

/// The length of what the value begins with by its format.
pub(super) fn prefix(value: &[u8]) -> usize {
    let known = PREFIXES
        .iter()
        .filter(|prefix| value.starts_with(prefix.as_bytes()))
        .map(|prefix| prefix.len())
        .max();
    let found = pattern(&BEGINNINGS_PATTERN, BEGINNINGS).find(value).map(|found| found.end());
    known.max(found).unwrap_or(0)
}

static WORDS_PATTERN: OnceLock<Regex> = OnceLock::new();
static BEGINNINGS_PATTERN: OnceLock<Regex> = OnceLock::new();

fn pattern(cell: &'static OnceLock<Regex>, text: &str) -> &'static Regex {
    cell.get_or_init(|| Regex::new(text).expect("the pattern is right"))
}
