//! What everybody writes, so that it is no secret wherever it stands: numbers and times, words, names of models and regions,
//! paths, and the ids that providers give to what they answer.
//!
//! Each of these rules lets something through, so none may fit a key: a key is long and mixes letters and digits, and so
//! nothing of that kind is taken for a word, for a part of a name, or for an id without the beginning of one.

use super::names;

/// A number of up to so many digits is an amount, a time or an id.
const LONGEST_NUMBER: usize = 17;
/// Names in times: `Thu, 18 Nov 2026 10:00:00 GMT`, `2026-W47-3T10:00:00Z`, `10:00:00 PM`, `1h23m45.678s`.
const OF_TIMES: [&str; 32] = [
    "t", "z", "w", "h", "m", "s", "ms", "am", "pm", "gmt", "utc", "mon", "tue", "wed", "thu", "fri", "sat",
    "sun", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "est", "cet",
];
/// How ids begin that providers make for an answer, a call, a file or a run.
const IDS: [&str; 29] = [
    "asst_",
    "batch_",
    "call_",
    "chatcmpl-",
    "chatcmpl_",
    "cmpl-",
    "file-",
    "file_",
    "ftjob-",
    "gen-",
    "item_",
    "lc_run--",
    "modelcall-",
    "msg_",
    "msg_bdrk_",
    "msgbatch_",
    "req_",
    "req_bdrk_",
    "resp_",
    "run-",
    "run--",
    "run_",
    "srvtoolu_",
    "srvtoolu_bdrk_",
    "step_",
    "thread_",
    "toolu_",
    "toolu_bdrk_",
    "vs_",
];
/// The same, of those too short to say much: what follows has hexadecimal digits alone.
const HEX_IDS: [&str; 6] = ["fc_", "fp_", "mcp_", "rs_", "tr_", "ws_"];
const SHORTEST_ID: usize = 6;
/// Families of models, without the number that may follow.
const MODELS: [&str; 43] = [
    "chatgpt",
    "claude",
    "codestral",
    "codex",
    "command",
    "davinci",
    "deepseek",
    "devstral",
    "embed",
    "embedding",
    "embeddings",
    "gemini",
    "gemma",
    "glm",
    "gpt",
    "granite",
    "grok",
    "imagen",
    "jamba",
    "kimi",
    "llama",
    "llava",
    "magistral",
    "ministral",
    "mistral",
    "mixtral",
    "nemotron",
    "nova",
    "o",
    "palm",
    "phi",
    "pixtral",
    "qwen",
    "qwq",
    "rerank",
    "sonar",
    "sora",
    "titan",
    "tts",
    "veo",
    "voyage",
    "whisper",
    "yi",
];
/// What stands in front of a family: who made the model, who runs it, and where.
const VENDORS: [&str; 37] = [
    "accounts",
    "ai",
    "ai21",
    "amazon",
    "anthropic",
    "apac",
    "azure",
    "bedrock",
    "cohere",
    "eu",
    "fireworks",
    "global",
    "google",
    "groq",
    "huggingface",
    "ibm",
    "jina",
    "meta",
    "microsoft",
    "mistralai",
    "models",
    "moonshotai",
    "nvidia",
    "ollama",
    "openai",
    "openrouter",
    "perplexity",
    "publishers",
    "text",
    "together",
    "us",
    "vertex",
    "vertexai",
    "x",
    "xai",
    "zai",
    "locations",
];
/// Part of a name of up to so many letters or digits says nothing by itself: `oss`, `cfg`.
const SHORT: usize = 4;
/// `a22b` and `fp8` stand in one name; of more such parts a key could be made.
const MOST_SIZES: usize = 3;
/// So many plain words are a passphrase; fewer are plain words.
const PASSPHRASE: usize = 4;
/// A word has no more letters.
const LONGEST_WORD: usize = 14;
/// Where clouds have their regions: `us-central1-a`, `eu-west-3`.
const CONTINENTS: [&str; 20] = [
    "af",
    "africa",
    "ap",
    "asia",
    "australia",
    "ca",
    "cn",
    "eu",
    "europe",
    "il",
    "me",
    "mx",
    "northamerica",
    "sa",
    "southamerica",
    "us",
    "uk",
    "in",
    "jp",
    "br",
];
const DIRECTIONS: [&str; 5] = ["central", "north", "south", "east", "west"];

/// Whether a whole value is one of these.
pub(super) fn is_ordinary(value: &str) -> bool {
    is_number_or_time(value)
        || is_id(value)
        || is_model(value)
        || is_region(value)
        || is_file(value)
        || is_words(value)
        || is_placeholder(value)
}

/// What stands in the place of a secret: the name of a variable, and the keys in the documents of AWS, `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let is_of_aws = value.starts_with("AKIA") || value.starts_with("ASIA");
    (is_of_aws && value.contains("EXAMPLE")) || is_variable(value)
}

/// `$DB_PASSWORD`, `${DB_PASSWORD}`, `%(password)s`, `{settings.password}`: what a program puts in its place is a secret.
fn is_variable(value: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.[]()".contains(&byte);
    // Of a shell's names only those of its environment: a password may begin with the sign.
    let is_of_environment = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    if let Some(name) = value.strip_prefix('$').filter(|name| name.bytes().all(is_of_environment)) {
        return names::is_secret(name);
    }
    let between = |(start, end)| value.strip_prefix(start)?.strip_suffix(end);
    let name = [("${", "}"), ("#{", "}"), ("{{", "}}"), ("{", "}"), ("%(", ")s"), ("$(", ")")]
        .into_iter()
        .find_map(between);
    name.is_some_and(|name| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(is_of_name)
    })
}

/// Whether a part of a value is a name by itself: of a model, or several words, perhaps with numbers. A single word is none,
/// and neither are capitals: a key may begin so by chance.
pub(super) fn is_name(part: &str) -> bool {
    let words: Vec<&str> =
        part.split(['-', '_', ' ', '.', '/', ':', ',', '@']).filter(|word| !word.is_empty()).collect();
    let is_small = |word: &str| is_word(word) && !is_of(&word[1..], u8::is_ascii_uppercase);
    is_model(part)
        || (words.len() > 1
            && words.iter().any(|word| is_small(word))
            && words.iter().all(|word| is_small(word) || is_number(word) || is_version(word)))
}

/// `1794970227`, `1.0.1.1`, `2026-11-18T10:00:00.000Z`. More digits than an id or a time has are a key.
fn is_number_or_time(value: &str) -> bool {
    let is_letter = |byte: char| byte.is_ascii_alphabetic();
    let is_other = |it: char| !(is_letter(it) || it.is_ascii_digit() || ".+-, :/".contains(it));
    let mut names = value.split(|it| !is_letter(it)).filter(|name| !name.is_empty());
    !value.contains(is_other)
        && value.bytes().filter(u8::is_ascii_digit).count() <= LONGEST_NUMBER
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && names.all(|name| OF_TIMES.contains(&name.to_ascii_lowercase().as_str()))
}

/// `chatcmpl-9xYzAbCd`, `gen-1700000000-AbCdEfGh`, `run-3f2504e0-4f89-41d3-9a0c-0305e82c3301`.
fn is_id(value: &str) -> bool {
    let is_token = |it: &str| it.len() >= SHORTEST_ID && it.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_hex = |it: &str| it.len() >= SHORTEST_ID && it.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_made = |rest: &str| {
        is_token(rest)
            || is_uuid(rest)
            || rest.split_once('-').is_some_and(|(number, rest)| is_number(number) && is_token(rest))
    };
    let after = |starts: &[&str], is: &dyn Fn(&str) -> bool| {
        starts.iter().any(|start| value.strip_prefix(start).is_some_and(is))
    };
    after(&IDS, &is_made) || after(&HEX_IDS, &is_hex)
}

fn is_uuid(value: &str) -> bool {
    value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// `gpt-4o-mini-2024-07-18`, `meta-llama/Llama-3.3-70B-Instruct`, `us.anthropic.claude-sonnet-4-20250514-v1:0`.
fn is_model(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.', ':', '/', '@']).collect();
    let name = |part: &str| part.to_ascii_lowercase();
    let family = parts.iter().position(|part| {
        let name = name(part);
        let family = name.trim_end_matches(|it: char| it.is_ascii_digit());
        // `o4` is a family, and `o` is none.
        MODELS.contains(&family) && name.len() - family.len() <= 2 && (family != "o" || name.len() == 2)
    });
    let Some(family) = family else { return false };
    parts.len() > 1
        && parts[..family].iter().all(|part| VENDORS.contains(&name(part).as_str()))
        && parts[family..].iter().all(|part| is_of_model(part))
        && parts[family..].iter().filter(|part| is_size(part) && !is_number(part)).count() <= MOST_SIZES
}

/// `sonnet`, `20241022`, `70b`: what follows the family in the name of a model. Long and mixed, it is a key.
fn is_of_model(part: &str) -> bool {
    let is_short =
        part.len() <= SHORT && is_one_case(part) && part.bytes().all(|it| it.is_ascii_alphabetic());
    let with_number = part.trim_end_matches(|it: char| it.is_ascii_digit());
    let is_family = MODELS.contains(&with_number.to_ascii_lowercase().as_str());
    is_short || is_number(part) || is_word(part) || is_size(part) || is_family
}

/// `70b`, `4o`, `8x7b`, `v3p1`, `a22b`, `FP8`: numbers with a letter or two at either side.
fn is_size(part: &str) -> bool {
    let is_digit = |it: char| it.is_ascii_digit();
    let is_letter = |it: char| it.is_ascii_alphabetic();
    let from_number = part.trim_start_matches(is_letter);
    let number = from_number.trim_end_matches(is_letter);
    let (before, after) = (part.len() - from_number.len(), from_number.len() - number.len());
    let numbers = number.split(['x', 'p']);
    part.len() <= 5
        && before <= 2
        && after <= 1
        && is_one_case(&part.replace(['x', 'p'], ""))
        && numbers.clone().count() <= 2
        && numbers.into_iter().all(|it| !it.is_empty() && it.chars().all(is_digit))
}

fn is_region(value: &str) -> bool {
    let mut parts = value.split('-');
    let is_continent = parts.next().is_some_and(|part| CONTINENTS.contains(&part));
    let mut parts = parts.skip_while(|part| ["gov", "iso", "isob"].contains(part));
    let is_direction = parts.next().is_some_and(|part| {
        let mut rest = part.trim_end_matches(|it: char| it.is_ascii_digit());
        while let Some(shorter) = DIRECTIONS.iter().find_map(|direction| rest.strip_prefix(direction)) {
            rest = shorter;
        }
        rest.is_empty()
    });
    is_continent && is_direction && parts.all(|part| part.len() <= 2 && is_one_case(part))
}

/// A file below the folder one is in: `src/app/main2.py`.
fn is_file(value: &str) -> bool {
    let is_part = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && (part.len() <= SHORT || is_number(part) || is_word(part) || is_version(part))
    };
    let ending = value.rsplit_once('.').map(|(_, ending)| ending);
    let has_ending = ending
        .is_some_and(|it| (1..=5).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_lowercase()));
    value.contains('/') && has_ending && value.split(['/', '.', '-', '_']).all(is_part)
}

/// A few words: `client_credentials`.
fn is_words(value: &str) -> bool {
    let words = words(value);
    words.len() < PASSPHRASE && words.into_iter().all(is_word)
}

/// Letters that could be spoken, in one case but for the first.
fn is_word(word: &str) -> bool {
    let vowels = word.bytes().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    // `prompts` has one of seven; of a long word that many are more.
    let is_spoken = vowels * 5 >= word.len() || (word.len() <= 7 && vowels > 0);
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && is_one_case(word.get(1..).unwrap_or_default())
        && word.len() <= LONGEST_WORD
        && is_spoken
        && vowels * 3 <= word.len() * 2
}

/// `main2`, `v2`, `2b`: a word, a letter or nothing, with a short number.
fn is_version(word: &str) -> bool {
    let rest = word.trim_matches(|it: char| it.is_ascii_digit());
    word.len() - rest.len() <= 3
        && (rest.len() <= 1 || is_word(rest))
        && rest.bytes().all(|it| it.is_ascii_alphabetic())
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.len() <= LONGEST_NUMBER && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_one_case(word: &str) -> bool {
    !is_of(word, u8::is_ascii_uppercase) || !is_of(word, u8::is_ascii_lowercase)
}

fn is_of(word: &str, is: fn(&u8) -> bool) -> bool {
    word.bytes().any(|byte| is(&byte))
}

/// The words of `client_credentials`, `client credentials` and `ClientCredentials`.
fn words(value: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in value.split(['-', '_', ' ', '.', '/', ':', ',']) {
        let mut start = 0;
        let humps = part.as_bytes().windows(2).enumerate();
        for (at, _) in humps.filter(|(_, pair)| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        {
            words.push(&part[start..=at]);
            start = at + 1;
        }
        words.push(&part[start..]);
    }
    words.retain(|word| !word.is_empty());
    words
}
