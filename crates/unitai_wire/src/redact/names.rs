//! Names that say that a value is secret: of environment variables, of headers, of members.

/// Words that a secret's name holds.
const WHOLE: [&str; 18] = [
    "AUTH",
    "AUTHORIZATION",
    "AUTHTOKEN",
    "BEARER",
    "COOKIE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "DSN",
    "JWT",
    "PASS",
    "PAT",
    "PW",
    "PWD",
    "SAS",
    "SIG",
    "SIGNATURE",
    "SID",
];
/// Ends of such words: `APIKEY`, `ACCESSTOKEN`, `DBPASSWORD`.
const ENDS: [&str; 10] =
    ["KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSWORDS"];
/// Words that end like one of these and are none.
const OTHER_WORDS: [&str; 6] = ["MONKEY", "TURKEY", "HOTKEY", "PUBKEY", "PUBLICKEY", "WHISKEY"];
/// A name that ends so speaks about a secret, and its value is none.
const ABOUT: [&str; 37] = [
    "SOCK",
    "SOCKET",
    "FILE",
    "FILES",
    "PATH",
    "DIR",
    "HOME",
    "NAME",
    "NAMES",
    "HOST",
    "PORT",
    "TTL",
    "TYPE",
    "LENGTH",
    "LEN",
    "LIMIT",
    "SIZE",
    "ENABLED",
    "DISABLED",
    "REQUIRED",
    "METHOD",
    "MODE",
    "REGION",
    "ALGORITHM",
    "ALG",
    "HEADER",
    "VERSION",
    "SCOPE",
    "SOURCE",
    "SCOPES",
    "FORMAT",
    "EXPIRES",
    "EXPIRY",
    "PARALLELISM",
    "PROVIDER",
    "COMMAND",
    "HELPER",
];
/// Names that hold such a word and mean something else, as `NEXT_TOKEN` and as `nextToken`.
const OTHER_NAMES: [&str; 17] = [
    "PWD",
    "OLDPWD",
    "GPGKEY",
    "XAUTHORITY",
    "SSHAUTHSOCK",
    "IDEMPOTENCYKEY",
    "SECWEBSOCKETKEY",
    "CACHEKEY",
    "PUBLICKEY",
    "PARTITIONKEY",
    "SURROGATEKEY",
    "PROMPTCACHEKEY",
    "PAGETOKEN",
    "NEXTPAGETOKEN",
    "NEXTTOKEN",
    "CONTINUATIONTOKEN",
    "NEXTCONTINUATIONTOKEN",
];

/// Whether a variable, header or member of this name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.trim().to_ascii_uppercase().replace(['-', '.', ' '], "_");
    if OTHER_NAMES.contains(&name.replace('_', "").as_str())
        || name.starts_with("PYTHON")
        || name.ends_with("_PUBLIC_KEY")
    {
        return false;
    }
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let is_about = words.last().is_some_and(|last| ABOUT.contains(last));
    !is_about && words.into_iter().any(tells)
}

fn tells(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    WHOLE.contains(&word) || (ENDS.iter().any(|end| word.ends_with(end)) && !OTHER_WORDS.contains(&word))
}
