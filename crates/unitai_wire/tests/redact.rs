//! What is promised of secrets: no piece of a known one is left, in any spelling and however a text is cut,
//! and a text that has none stays as it is.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;
use unitai_wire::redact::{Found, MARK, Place, Secrets};

/// A random-looking text, the same for the same seed.
fn noise(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state >> 33) as usize % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

const WORD: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SIGNS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/!$&\"\\<>{}~^é";

/// Keys as providers hand them out, each made up here.
fn formats() -> Vec<(&'static str, String)> {
    let pairs: [(&str, &str, &str, usize, &str); 30] = [
        ("openai", "sk-", WORD, 48, ""),
        ("openai project", "sk-proj-", WORD, 120, ""),
        ("openai service", "sk-svcacct-", WORD, 74, ""),
        ("anthropic", "sk-ant-api03-", WORD, 93, "AA"),
        ("openrouter", "sk-or-v1-", HEX, 64, ""),
        ("google", "AIzaSy", WORD, 33, ""),
        ("google token", "ya29.", WORD, 120, ""),
        ("aws", "AKIA", UPPER, 16, ""),
        ("aws session", "ASIA", UPPER, 16, ""),
        ("github", "ghp_", WORD, 36, ""),
        ("github app", "ghs_", WORD, 36, ""),
        ("github fine", "github_pat_", WORD, 82, ""),
        ("gitlab", "glpat-", WORD, 20, ""),
        ("slack bot", "xoxb-", "0123456789", 12, "-7319402856173-Qw8eRt6yUi4oPa2sDf0gHj9k"),
        ("stripe", "sk_live_", WORD, 24, ""),
        ("stripe restricted", "rk_live_", WORD, 24, ""),
        ("huggingface", "hf_", LETTERS, 34, ""),
        ("groq", "gsk_", WORD, 52, ""),
        ("replicate", "r8_", WORD, 37, ""),
        ("xai", "xai-", WORD, 80, ""),
        ("perplexity", "pplx-", WORD, 48, ""),
        ("sendgrid", "SG.", WORD, 22, ".Zm4vKx8qLw2nRt6yBc0hJd5gPs9fAe3uTi7oMk1zVxQ"),
        ("twilio", "SK", HEX, 32, ""),
        ("npm", "npm_", WORD, 36, ""),
        ("pypi", "pypi-AgEIcHlwaS5vcmc", WORD, 120, ""),
        ("digitalocean", "dop_v1_", HEX, 64, ""),
        ("telegram", "738194025:AA", WORD, 33, ""),
        ("langsmith", "lsv2_pt_", HEX, 32, "_9f3ac1d27e"),
        ("nvidia", "nvapi-", WORD, 64, ""),
        ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", WORD, 60, ".Qw8eRt6yUi4oPa2sDf0gHj9kLz1xCv3b"),
    ];
    let seeded = pairs.iter().zip(1..);
    seeded
        .map(|((name, start, alphabet, length, end), seed)| {
            (*name, format!("{start}{}{end}", noise(alphabet, *length, seed)))
        })
        .collect()
}

/// How a value may be written down.
fn spellings(value: &str) -> Vec<(&'static str, String)> {
    let hex = |upper: bool| -> String {
        value.bytes().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }).collect()
    };
    let percent = |all: bool, upper: bool| -> String {
        let escape = |byte: u8| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() && !all;
        value
            .bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { escape(byte) })
            .collect()
    };
    let json = json!(value).to_string();
    let twice = json!(json).to_string();
    let unicode = value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    let slashed = json.trim_matches('"').replace('/', "\\/");
    vec![
        ("plain", value.to_owned()),
        ("base64", STANDARD.encode(value)),
        ("base64 in the second place", STANDARD.encode(format!("a{value}"))),
        ("base64 in the third place", STANDARD.encode(format!("ab{value}c"))),
        ("base64 for URLs", URL_SAFE_NO_PAD.encode(value)),
        ("hex", hex(false)),
        ("HEX", hex(true)),
        ("percent", percent(false, true)),
        ("percent in small letters", percent(false, false)),
        ("percent throughout", percent(true, true)),
        ("json", json.trim_matches('"').to_owned()),
        ("json in json", twice.trim_matches(['"', '\\']).to_owned()),
        ("json with slashes", slashed),
        ("unicode escapes", unicode),
    ]
}

/// Whether eight characters in a row of one text are in the other.
fn shared(piece_of: &str, text: &str) -> Option<String> {
    let chars: Vec<char> = piece_of.chars().collect();
    chars.windows(8).map(String::from_iter).find(|piece| text.contains(piece))
}

#[test]
fn keys_of_every_format_are_known_by_their_variable() {
    for (name, key) in formats() {
        let secrets = Secrets::of_environment([("SOME_API_KEY".to_owned(), key.clone())]);
        for (how, spelled) in spellings(&key) {
            let text = format!("before {spelled} after");
            let cleaned = secrets.clean(&text);
            assert_eq!(shared(&spelled, &cleaned), None, "{name} as {how}: {cleaned}");
            assert_eq!(shared(&key, &cleaned), None, "{name} as {how}: {cleaned}");
            assert!(
                cleaned.starts_with("before ") && cleaned.ends_with(" after"),
                "{name} as {how}: {cleaned}"
            );
            assert_eq!(secrets.clean(&cleaned), cleaned, "{name} as {how}: not the same again");
        }
    }
}

#[test]
fn keys_of_every_format_are_known_by_their_form() {
    let secrets = Secrets::none();
    for (name, key) in formats() {
        for text in
            [format!("key={key}"), format!("\"{key}\""), format!("line\\n{key}\\n"), format!("x {key}.")]
        {
            let cleaned = secrets.clean(&text);
            assert_eq!(shared(&key, &cleaned), None, "{name}: {cleaned}");
            assert_eq!(secrets.unknown(&text).len(), 1, "{name}: {text}");
            assert!(secrets.unknown(&cleaned).is_empty(), "{name}: {cleaned}");
        }
    }
}

#[test]
fn private_keys_and_passwords_in_urls_are_known_by_their_form() {
    let secrets = Secrets::none();
    let body: Vec<String> = (0..6).map(|n| noise(WORD, 64, 100 + n)).collect();
    let pem =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n", body.join("\n"));
    let shown = json!({ "key": pem }).to_string();
    for text in [pem, shown] {
        let cleaned = secrets.clean(&text);
        assert!(body.iter().all(|line| shared(line, &cleaned).is_none()), "{cleaned}");
        assert!(cleaned.contains("BEGIN RSA PRIVATE KEY"), "{cleaned}");
    }
    let cut = format!("{{\"key\": \"-----BEGIN PRIVATE KEY-----\\n{}\\n{}…\"}}", body[0], &body[1][..20]);
    assert_eq!(secrets.clean(&cut), "{\"key\": \"-----BEGIN PRIVATE KEY-----[redacted]…\"}");
    let prose =
        "A file with -----BEGIN PRIVATE KEY----- in it is a key, and must be handled like one, always.";
    assert_eq!(secrets.clean(prose), prose);
    let cleaned = secrets.clean("at postgres://shop:hQ7zK2vX9m@db.example.com:5432/shop");
    assert_eq!(cleaned, "at postgres://shop:[redacted]@db.example.com:5432/shop");
    let key = format!("{}==", noise(WORD, 86, 7));
    let cleaned = secrets.clean(&format!("AccountName=mine;AccountKey={key};EndpointSuffix=x")).into_owned();
    assert_eq!(cleaned, "AccountName=mine;AccountKey=[redacted];EndpointSuffix=x");
}

#[test]
fn base64_of_media_holds_no_keys_by_chance_in_either_alphabet() {
    let secrets = Secrets::none();
    let keys = [format!("fw_{}", noise(WORD, 24, 3)), format!("r8_{}", noise(WORD, 37, 4))];
    for (alphabet, signs) in [("-_", ["_", "-"]), ("+/", ["/", "+"])] {
        for (key, sign) in keys.iter().zip(signs) {
            let half = noise(&format!("{WORD}{alphabet}"), 1500, 9);
            let data = format!("{half}{sign}{key}{half}");
            // The key lies at another place of its line each time.
            let wrapped = |from: usize, end: &str| {
                let lines: Vec<&[u8]> = data.as_bytes()[from..].chunks(76).collect();
                let lines: Vec<_> = lines.into_iter().map(|line| str::from_utf8(line).unwrap()).collect();
                lines.join(end)
            };
            let mut texts = vec![
                data.clone(),
                format!("data:image/webp;base64,{data}"),
                json!({ "data": data }).to_string(),
            ];
            for from in 0..76 {
                texts.extend([wrapped(from, "\n"), wrapped(from, "\r\n"), wrapped(from, "\\r\\n")]);
                texts.push(json!({ "data": wrapped(from, "\n") }).to_string());
                texts.push(wrapped(from, "\n").lines().take(30).collect::<Vec<_>>().join("\n"));
            }
            for text in texts {
                assert_eq!(secrets.clean(&text), text);
            }
            for text in [
                format!("use {key} now"),
                format!("{half} {key} {half}"),
                format!("{half}={key}\n"),
                format!("as{sign}{key}."),
                format!("{key}\n{key}\n{key}"),
                format!("sk-{}_\nsk-{}_\n{key}", noise(WORD, 48, 5), noise(WORD, 48, 6)),
                format!("{half}{sign}\n{key}"),
                format!("{}\nA_KEY={key}{}\n{}", &half[..76], &half[..20], &half[..76]),
            ] {
                assert!(!secrets.clean(&text).contains(key.as_str()), "{text}");
            }
        }
    }
}

#[test]
fn prose_is_left_alone() {
    let secrets = Secrets::none();
    for text in [
        "sk-learn, sk-something-that-is-long-but-only-words-and-nothing-else",
        "task-12345678901234567890abcdef and risk-assessment-of-the-whole-organisation",
        "see https://user:password@localhost/ and postgres://postgres:postgres@db/app",
        "set OPENAI_API_KEY=sk-your-api-key-here or sk-proj-xxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx and AKIAXXXXXXXXXXXXXXXX",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id 550e8400-e29b-41d4-a716-446655440000 at 2026-11-03T10:00:00Z, chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUvWx",
        "call_abc123DEF456ghi789JKL012 fw_update_the_firmware_of_all_devices hf_hub_download",
        "xai-sdk, pplx-api, npm_config_registry, SG.something, pypi-publish, whsec_, eyJ is how they begin",
    ] {
        assert!(matches!(secrets.clean(text), Cow::Borrowed(_)), "{}", secrets.clean(text));
        assert_eq!(secrets.unknown(text), []);
    }
}

#[test]
fn only_variables_with_telling_names_are_known() {
    let secret = "Qw8eRt6yUi4oPa2s";
    let is_known = |name: &str, value: &str| {
        let secrets = Secrets::of_environment([(name.to_owned(), value.to_owned())]);
        secrets.clean(value) != value
    };
    for name in [
        "OPENAI_API_KEY",
        "openai_api_key",
        "apiKey",
        "SHOP_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "CLIENT_SECRET",
        "GITHUB_PAT",
        "NPM_CONFIG__AUTH",
        "SHOP_CREDENTIALS",
        "TOKEN2",
        "SESSION_COOKIE",
    ] {
        assert!(is_known(name, secret), "{name}");
    }
    for name in [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "SSH_AUTH_SOCK",
        "KEYBOARD",
        "XAUTHORITY",
        "TOKENIZERS_PARALLELISM",
        "GPG_KEY",
        "MONKEY",
        "PYTHONHASHSEED",
        "PYTHON_KEY",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "KEY_PATH",
        "AUTHOR",
        "COMPASS",
        "PASSENGER",
        "TOKEN_TYPE",
        "MAX_TOKENS_LIMIT",
        "SECRET_NAME",
    ] {
        assert!(!is_known(name, secret), "{name}");
    }
}

#[test]
fn what_everybody_writes_is_no_secret() {
    for value in [
        "",
        "test",
        "dummy",
        "sk-test",
        "sk-test-key",
        "your-api-key",
        "your_api_key_here",
        "changeme",
        "password",
        "password123",
        "xxxxxxxxxxxxxxxxxxxx",
        "00000000-0000-0000-0000-000000000000",
        "true",
        "false",
        "1",
        "86400",
        "/run/secrets/openai",
        "~/.netrc",
        "./keys/private",
        "C:\\keys\\mine.txt",
        "client_credentials",
        "HashicorpVault",
        "sk-1234567890abcdef",
        "sk-proj-test",
        "****************",
        "https://auth.example.com/oauth/token",
        "not-a-real-key",
    ] {
        let secrets = Secrets::of_environment([("SOME_API_KEY".to_owned(), value.to_owned())]);
        let text = format!(
            "a text with {value} in it, and password, database, client_credentials, /run/secrets/openai"
        );
        assert_eq!(secrets.clean(&text), text, "{value}");
    }
}

#[test]
fn of_a_value_only_the_secret_part_is_hidden() {
    let vars = [
        ("DATABASE_URL", "postgres://reporting_user:hQ7zK2vX9m%2F@db.internal.example.com:5432/analytics"),
        (
            "AZURE_CONNECTION",
            "DefaultEndpointsProtocol=https;AccountName=mystore;AccountKey=Zm4vKx8qLw2nRt6yBc0hJd5gPs9fAe3uTi7oMk1z==;EndpointSuffix=core.windows.net",
        ),
        (
            "GOOGLE_CREDENTIALS",
            r#"{"type":"service_account","project_id":"my-analytics-project","private_key_id":"9f3ac1d27e5b8046","private_key":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n-----END PRIVATE KEY-----\n","client_email":"robot@my-analytics-project.iam.gserviceaccount.com"}"#,
        ),
        ("OPENAI_API_KEY", "sk-proj-Zm4vKx8qLw2nRt6yBc0hJd5g"),
    ];
    let secrets = Secrets::of_environment(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for ordinary in [
        "postgres://reporting_user@db.internal.example.com:5432/analytics",
        "DefaultEndpointsProtocol=https;AccountName=mystore;EndpointSuffix=core.windows.net",
        "service_account my-analytics-project robot@my-analytics-project.iam.gserviceaccount.com",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ",
        "keys begin with sk-proj-",
    ] {
        assert_eq!(secrets.clean(ordinary), ordinary);
    }
    for secret in [
        "hQ7zK2vX9m/",
        "hQ7zK2vX9m%2F",
        "Zm4vKx8qLw2nRt6yBc0hJd5gPs9fAe3uTi7oMk1z",
        "9f3ac1d27e5b8046",
        "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
        "sk-proj-Zm4vKx8qLw2nRt6yBc0hJd5g",
    ] {
        assert_eq!(secrets.clean(secret), MARK);
    }
}

#[test]
fn headers_that_carry_authorisation_are_learned() {
    let value = "Zm4vKx8qLw2nRt6y";
    for (name, header) in [
        ("Authorization", format!("Bearer {value}")),
        ("authorization", format!("Token {value}")),
        ("x-api-key", value.to_owned()),
        ("api-key", value.to_owned()),
        ("x-goog-api-key", value.to_owned()),
        ("Cookie", format!("theme=dark; session={value}")),
        ("set-cookie", format!("session={value}; Path=/; Max-Age=100000000000")),
        ("proxy-authorization", format!("Bearer {value}")),
        ("Authorization", format!("Basic {}", STANDARD.encode(format!("someone:{value}")))),
    ] {
        let secrets = Secrets::none();
        secrets.learn_header(name, &header);
        assert_eq!(secrets.clean(&format!("<{value}>")), "<[redacted]>", "{name}: {header}");
        let ordinary = "theme=dark; Path=/; Max-Age=100000000000 Bearer Basic someone";
        assert_eq!(secrets.clean(ordinary), ordinary);
    }
    for name in ["user-agent", "x-request-id", "idempotency-key", "content-type", "x-stainless-lang"] {
        let secrets = Secrets::none();
        secrets.learn_header(name, value);
        assert_eq!(secrets.clean(value), value, "{name}");
    }
}

#[test]
fn json_is_cleaned_by_place() {
    let secrets = Secrets::of_environment([("K_TOKEN".to_owned(), "Zm4vKx8qLw2nRt6y".to_owned())]);
    let github = format!("ghp_{}", noise(WORD, 36, 5));
    let mut value = json!({
        "a/b": ["clean", {"c": "it is Zm4vKx8qLw2nRt6y"}], "Zm4vKx8qLw2nRt6y": 1, "_Zm4vKx8qLw2nRt6y": {"d": github}, "n": 1.5, "z": null,
    });
    let places = secrets.clean_json(&mut value);
    assert_eq!(
        value,
        json!({"a/b": ["clean", {"c": "it is [redacted]"}], "[redacted]": 1, "_[redacted]": {"d": "[redacted]"}, "n": 1.5, "z": null})
    );
    let place = |pointer: &str, found| Place { pointer: pointer.to_owned(), found };
    assert_eq!(places.len(), 4, "{places:?}");
    assert!(places.contains(&place("/a~1b/1/c", Found::Known)));
    assert!(places.contains(&place("/[redacted]", Found::Known)));
    assert!(places.contains(&place("/_[redacted]", Found::Known)));
    assert!(places.contains(&place("/_[redacted]/d", Found::Looks("a GitHub token"))));
}

#[test]
fn keys_that_are_alike_without_their_secrets_keep_their_members() {
    let secrets = Secrets::none();
    secrets.learn("Zm4vKx8qLw2nRt6y");
    secrets.learn("Qw8eRt6yUi4oPa2s");
    secrets.learn("83719402856173");
    let mut value = json!({"Zm4vKx8qLw2nRt6y": 1, "Qw8eRt6yUi4oPa2s": 2, "n": 83_719_402_856_173_u64});
    secrets.clean_json(&mut value);
    // A number is never a secret by itself.
    assert_eq!(value, json!({"[redacted]": 2, "[redacted] 2": 1, "n": 83_719_402_856_173_u64}));
}

#[test]
fn an_unknown_secret_is_told_by_place_only() {
    let key = format!("ghp_{}", noise(WORD, 36, 5));
    let text = format!("one\nit is {key}");
    let seen = Secrets::none().unknown(&text);
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].to_string(), "a GitHub token at line 2, column 7");
    let knowing = Secrets::none();
    knowing.learn(&key);
    assert_eq!(knowing.unknown(&text), []);
}

#[test]
fn an_escape_is_no_part_of_a_value_in_a_document() {
    let secrets = Secrets::none();
    secrets.learn("nQw8eRt6yUi4oPa2s");
    // Without its escapes, the string holds another text.
    let other = r#"{"a": "one\nQw8eRt6yUi4oPa2s two"}"#;
    assert_eq!(secrets.clean(other), other);
    let same = r#"{"a": "one\n\u006eQw8eRt6yUi4oPa2s\n"}"#;
    assert_eq!(secrets.clean(same), r#"{"a": "one\n[redacted]\n"}"#);
}

#[test]
fn a_part_of_a_value_is_hidden_only_where_a_text_was_cut() {
    let secrets = Secrets::none();
    secrets.learn("Zk3vQ8xWn2LmR7tYbV5k");
    for (cut, cleaned) in [
        ("it begins with Zk3vQ8xWn2...", "it begins with [redacted]..."),
        ("...R7tYbV5k is its end", "...[redacted] is its end"),
        ("'Zk3vQ8xWn…'", "'[redacted]…'"),
        ("\"Zk3vQ8xWn\"… and …\"mR7tYbV5k\"", "\"[redacted]\"… and …\"[redacted]\""),
        ("'Zk3vQ8xW...mR7tYbV5k'", "'[redacted]...[redacted]'"),
        (r#"{"a": "Zk3vQ8xWn2…", "b": 1}"#, r#"{"a": "[redacted]…", "b": 1}"#),
        (r#"{"a": "Zk3vQ8xWn2\u2026", "b": 1}"#, r#"{"a": "[redacted]\u2026", "b": 1}"#),
        (r"cut, as \u0022Zk3vQ8xWn2\u2026\u0022", r"cut, as \u0022[redacted]\u2026\u0022"),
    ] {
        assert_eq!(secrets.clean(cut), cleaned);
    }
    for whole in [
        "Zk3vQ8xWn2 is a word",
        "a word: mR7tYbV5k.",
        "xWn2LmR7tY",
        "Zk3vQ8x…",
        "…tYbV5k",
        "so it ends: Zk3vQ8xWn2",
        "R7tYbV5k, so it begins",
        r#"{"a": "Zk3vQ8xWn2", "b": 'mR7tYbV5k'}"#,
    ] {
        assert_eq!(secrets.clean(whole), whole);
    }
    let dotted = Secrets::none();
    dotted.learn("Zk3vQ8xWn2.LmR7tYbV5k");
    assert_eq!(dotted.clean("it is Zk3vQ8xWn2..."), "it is [redacted]..");
}

/// A token may begin with the name of its service, of a tool or of a model; a password with an address.
#[test]
fn the_name_in_front_of_a_value_is_no_part_of_it_where_a_text_was_cut() {
    let vars = [
        ("REFUND_API_TOKEN", "refund-service-3f9a8b7c6d"),
        ("AZURE_KEY", "gpt-4o-mini-prod-8f7e6d5c"),
        ("AGENT_TOKEN", "customer_support_agent:9f8e7d6c5b4a"),
        ("COOKIE_SECRET", "lookup_order9Zk"),
        ("APP_TOKEN", "search_flights_v2_9f8e7d"),
        ("USER_PASSWORD", "alice.miller@example.com-9X8y7Z"),
        ("X_KEY", "order_123456_abcdef9"),
        ("LAST_TOKEN", "9f8e7d6c5b_refund-service"),
    ];
    let secrets = Secrets::of_environment(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for name in [
        "refund-service",
        "gpt-4o-mini",
        "customer_support_agent",
        "lookup_order",
        "search_flights_v2",
        "search_flights",
        "alice.miller@example.com",
        "order_123456",
    ] {
        for text in [
            format!("calling {name}"),
            format!("calling {name}..."),
            format!("calling \"{name}\"…"),
            format!("…{name} was called"),
            json!({"model": name, "tools": [{ "name": name }], name: 1}).to_string(),
        ] {
            assert_eq!(secrets.clean(&text), text);
        }
    }
    for (name, value) in vars {
        assert_eq!(secrets.clean(&format!("it is {value}.")), "it is [redacted].", "{name}");
    }
    for (cut, cleaned) in [
        ("it is refund-service-3f9a…", "it is [redacted]…"),
        ("it is gpt-4o-mini-prod-8f7e…", "it is [redacted]…"),
        ("it is customer_support_agent:9f8e7…", "it is [redacted]…"),
    ] {
        assert_eq!(secrets.clean(cut), cleaned);
    }
}

/// The cookie by which Cloudflare knows a client, and the answer that broke: the time in both is the same.
#[test]
fn a_cookie_is_one_secret_and_its_parts_are_none() {
    let secrets = Secrets::none();
    let value = "Vx2nQ8sLr4tYb7Kz-1794970227-1.0.1.1-pR3mW9cT5hJ2gF8dS6aE1uI4oP7qN0vX";
    secrets.learn_header("cookie", &format!("__cf_bm={value}; theme=dark"));
    let answer = r#"{"created": 1794970227, "version": "1.0.1.1", "id": "chatcmpl-1794970227-1.0.1.1-"}"#;
    assert_eq!(secrets.clean(answer), answer);
    assert_eq!(secrets.clean(&format!("it was {value}.")), "it was [redacted].");
}

#[test]
fn quotation_marks_around_a_value_stay() {
    let inner = "Zk3vQ8xWn2LmR7tY";
    for value in
        [r#""Zk3vQ8xWn2LmR7tY""#, "'Zk3vQ8xWn2LmR7tY'", r#"\"Zk3vQ8xWn2LmR7tY\""#, r#"Zk3vQ8xWn2LmR7tY""#]
    {
        let secrets = Secrets::of_environment([("SHOP_TOKEN".to_owned(), value.to_owned())]);
        secrets.learn_header("set-cookie", &format!("sid={value}; Path=/"));
        let call = json!({"token": inner, "n": 3}).to_string();
        for text in [
            json!({"event": "x", "token": inner, "n": 1}).to_string(),
            json!({"arguments": call, "n": 1}).to_string(),
            json!({"arguments": json!({"again": call}).to_string()}).to_string(),
            format!("{call}{call}"),
            format!("it said {call} and {call}"),
            format!("data: {call}\n\ndata: {{\"cut\": \"{inner}\""),
            format!("SHOP_TOKEN=\"{inner}\" or '{inner}' or sid={inner}"),
        ] {
            assert_eq!(secrets.clean(&text), text.replace(inner, MARK), "{value}");
        }
        assert!(!secrets.clean(&format!("sid={value}")).contains("Zk3v"));
        let encoded = STANDARD.encode(value);
        assert!(!secrets.clean(&encoded).contains(&STANDARD.encode(&value[2..14])[..12]));
    }
}

#[test]
fn spellings_inside_of_spellings_are_found() {
    let value = "Zk3v/Q8x+Wn2LmR7tY";
    let secrets = Secrets::none();
    secrets.learn(value);
    let mut tried = 0;
    let inner: Vec<String> = spellings(value).into_iter().map(|(_, spelled)| spelled).collect();
    for inner in &inner {
        for (how, outer) in spellings(inner) {
            // Unicode escapes throughout inside of base64 is no spelling that anyone writes.
            if inner.contains("\\u") && outer != *inner || inner.matches('%').count() > 5 {
                continue;
            }
            let cleaned = secrets.clean(&format!("<{outer}>")).into_owned();
            assert!(cleaned.contains(MARK), "{inner} as {how}: {cleaned}");
            tried += 1;
        }
    }
    assert!(tried > 120, "{tried}");
}

#[test]
fn spellings_of_long_values_and_of_other_letters_are_found_inside_of_base64() {
    let token = format!("eyJhbGciOiJIUzI1NiJ9.{}", noise(WORD, 1500, 7));
    let (umlaut, slashed) = ("pÄss\u{1f511}Zk3vQ8xWn2", "Zk3v/Q8x+Wn2LmR7tY");
    let secrets = Secrets::none();
    for value in [&token, umlaut, slashed] {
        secrets.learn(value);
    }
    for inner in [
        STANDARD.encode(&token),
        format!("Basic {}", STANDARD.encode(format!("x:{token}"))),
        // As Python's `json.dumps` and `urllib.parse.quote` write them.
        r#"{"password": "p\u00c4ss\ud83d\udd11Zk3vQ8xWn2"}"#.to_owned(),
        "/login?key=Zk3v/Q8x%2BWn2LmR7tY&go=1".to_owned(),
    ] {
        let text = format!("<{}>", STANDARD.encode(&inner));
        assert!(secrets.clean(&text).contains(MARK), "{inner}");
    }
}

#[test]
fn a_value_of_several_lines_is_hidden_with_its_line_ends_spelled() {
    let value = "Zk3vQ8xWn2LmR7tY\nBk4wR9yXm3KnS8uZ\tq7\r\nv";
    let secrets = Secrets::none();
    secrets.learn(value);
    let spelled = r"Zk3vQ8xWn2LmR7tY\nBk4wR9yXm3KnS8uZ\tq7\r\nv";
    for (text, cleaned) in [
        (format!("token='{spelled}', n=3"), "token='[redacted]', n=3"),
        (format!("E   assert '{spelled}' == 'x'\nnext"), "E   assert '[redacted]' == 'x'\nnext"),
        (format!(r"said \n{}\n twice", spelled.replace('\\', r"\\")), r"said \n[redacted]\n twice"),
    ] {
        assert_eq!(secrets.clean(&text), cleaned);
    }
    // Half of it is another value, and line ends are no secret.
    let text = r"C:\new\table\nZk3vQ8xWn2LmR7tY\nand on\r\n";
    assert_eq!(secrets.clean(text), text);
}

#[test]
fn a_variable_in_the_place_of_a_password_is_none() {
    let secrets = Secrets::none();
    for text in [
        "postgres://$DB_USER:$DB_PASSWORD@db:5432/shop",
        "postgresql://${DB_USER}:${DB_PASSWORD}@db.internal:5432/shop",
        "https://x-access-token:${GITHUB_TOKEN}@github.com/o/r.git",
        "mysql://%(user)s:%(password)s@localhost/shop",
        r#"f"amqp://{settings.user}:{settings.password}@rabbit""#,
        "redis://:#{ENV_PASSWORD}@cache redis://:{{cache_password}}@cache",
        "https://oauth2:$(read_token)@gitlab.com/o/r",
    ] {
        assert_eq!(secrets.clean(text), text);
        assert_eq!(knowing("DATABASE_URL", text).clean(text), text);
    }
    for (text, cleaned) in [
        ("postgres://shop:$ecret5Pass@db/shop", "postgres://shop:[redacted]@db/shop"),
        ("postgres://shop:$QW8ERT6YUI@db/shop", "postgres://shop:[redacted]@db/shop"),
        ("postgres://shop:$QWERTZUI@db/shop", "postgres://shop:[redacted]@db/shop"),
        ("postgres://shop:{8Zk3v-Q8x}@db/shop", "postgres://shop:[redacted]@db/shop"),
        ("postgres://shop:Zk3v{name}@db/shop", "postgres://shop:[redacted]@db/shop"),
    ] {
        assert_eq!(secrets.clean(text), cleaned);
    }
}

fn knowing(name: &str, value: &str) -> Secrets {
    Secrets::of_environment([(name.to_owned(), value.to_owned())])
}

#[test]
fn the_parameters_of_a_test_are_no_secrets() {
    let test = "tests/test_orders.py::test_refund[key=order-12345678] (call)";
    assert_eq!(knowing("PYTEST_CURRENT_TEST", test).clean(test), test);
    let pairs = "Server=db;AccountKey=Zk3vQ8xWn2LmR7tY";
    assert_eq!(knowing("CONNECTION", pairs).clean(pairs), "Server=db;AccountKey=[redacted]");
}

#[test]
fn what_stands_for_a_key_in_the_documents_of_aws_is_none() {
    let secrets = Secrets::none();
    for text in [
        r#""AccessKeyId": "AKIAIOSFODNN7EXAMPLE""#,
        "aws_access_key_id=ASIAJEXAMPLEXEG2JICEA",
        "arn:aws:kms:us-east-1:123456789012:key/AKIAIOSFODNN7EXAMPLE",
    ] {
        assert_eq!(secrets.clean(text), text);
        assert_eq!(knowing("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE").clean(text), text);
    }
    let real = format!("AKIA{}", noise(UPPER, 16, 3));
    assert_eq!(secrets.clean(&format!("id {real}, as in EXAMPLE")), "id [redacted], as in EXAMPLE");
}

#[test]
fn labels_announce_secrets() {
    let secrets = Secrets::none();
    for (text, cleaned) in [
        ("Authorization: Bearer Zk3vQ8xWn2LmR7tYbV5k", "Authorization: Bearer [redacted]"),
        ("authorization: Basic dXNlcjpaazN2UTh4V24yTG1SN3RZ", "authorization: Basic [redacted]"),
        ("curl 'https://a.b/c?api_key=Zk3vQ8xWn2LmR7tY&q=1'", "curl 'https://a.b/c?api_key=[redacted]&q=1'"),
        ("password=hunter2hunter2 ok", "password=[redacted] ok"),
        ("PGPASSWORD=84736251", "PGPASSWORD=[redacted]"),
        ("db_password = 'Tr0ub4dor3x'", "db_password = '[redacted]'"),
        ("OPENAI_API_KEY=Zk3vQ8xWn2LmR7tYbV5k python", "OPENAI_API_KEY=[redacted] python"),
        (r#"{"cmd": "X_TOKEN=\"Zk3vQ8xWn2LmR7tY\" go"}"#, r#"{"cmd": "X_TOKEN=\"[redacted]\" go"}"#),
    ] {
        assert_eq!(secrets.clean(text), cleaned);
    }
    for text in [
        "password=get_password_from_vault1(), password=password, password=None, password=os.environ['DB_PASSWORD'], password=get_password()",
        "const password = process.env.DB_PASSWORD; password = self.config.db_password; password = var.database_admin_password",
        "env:\nGPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D\nPYTHON_VERSION=3.13",
        "api_key=self.api_key, api_key=YOUR_API_KEY, token=next_token, key=lambda x: x[1], auth=True",
        "Bearer token authentication; a bearer of good news; Basic understanding-of-programming-1",
        "max_tokens=4096 page_token=Bk4wR9yXm3KnS8uZ cache_key=Bk4wR9yXm3KnS8uZBk4wR9yXm3KnS8uZ",
        "sort(key=operator.itemgetter(1)); pwd=/home/me/work; a == b; password = input('password: ')",
    ] {
        assert_eq!(secrets.clean(text), text);
    }
}

#[test]
fn passwords_of_words_and_short_keys_are_announced_by_their_labels() {
    let secrets = Secrets::none();
    for (text, cleaned) in [
        ("password=correcthorse", "password=[redacted]"),
        ("password=correct-horse-battery, then", "password=[redacted], then"),
        ("pwd=P@ssw0rd!", "pwd=[redacted]"),
        ("passwort=Sommer2024!", "passwort=[redacted]"),
        ("password=Sommer2024!", "password=[redacted]"),
        ("The password=Sommer2024. And on", "The password=[redacted]. And on"),
        ("password='index_url_user_password'", "password='[redacted]'"),
        ("https://a.b/c?api_key=aB3dE5fG7hJ9&q=1", "https://a.b/c?api_key=[redacted]&q=1"),
        ("?next=%2Fc%3Fapi_key%3DaB3dE5fG7hJ9kL1mN3pQ%26q%3D1", "?next=%2Fc%3Fapi_key%3D[redacted]%26q%3D1"),
        ("a=1%26api_key%3daB3dE5fG7hJ9", "a=1%26api_key%3d[redacted]"),
        ("password%3Dhunter2hunter2", "password%3D[redacted]"),
        ("Authorization: token aB3dE5fG7hJ9kL1mN3pQ", "Authorization: token [redacted]"),
        ("authorization: aB3dE5fG7hJ9kL1mN3pQ\r\n", "authorization: [redacted]\r\n"),
        (r#"{"Authorization": "Token aB3dE5fG7hJ9kL1mN3pQ"}"#, r#"{"Authorization": "Token [redacted]"}"#),
        (
            r#""{\"authorization\": \"token aB3dE5fG7hJ9kL1mN3pQ\"}""#,
            r#""{\"authorization\": \"token [redacted]\"}""#,
        ),
        ("AUTHORIZATION: BEARER aB3dE5fG7hJ9kL1mN3pQ", "AUTHORIZATION: BEARER [redacted]"),
    ] {
        assert_eq!(secrets.clean(text), cleaned);
        assert_eq!(secrets.clean(cleaned), cleaned, "not the same again");
    }
}

#[test]
fn labels_before_names_in_a_program_announce_nothing() {
    let secrets = Secrets::none();
    for text in [
        "count_tokens = FirstPartyAsyncMessagesAPI.count_tokens",
        "password = index_url_user_password; connect(password=index_url_user_password)",
        "token = get_token(); api_key=os.environ[\"X\"]; api_key=settings.OpenAIProviderSettings.default_api_key",
        "def connect(password: str, api_key: Optional[str] = None, token: Token = Token()) -> None:",
        "password=user_supplied_password, password=HASHED_USER_PASSWORD, passwd=password_from_prompt",
        "password=credentials, password=consistent, password=your-password-here, password=new-password",
        "PWD=/home/someone/projects/shop pwd=subdirectory pwd=~/projects",
        "authorization: required for everybody; Authorization: see the documentation; authorization=AuthorizationMiddlewareFactory",
        "the authorization token is checked; BEARER of news; sort_key=Item1 key=v1beta2 key=2024Q3report cache_key=aB3dE5fG7hJ9",
        "src_key='EmrManagedMasterSecurityGroup', dest_key='Ec2SubnetIds', token_loader = FileWebIdentityTokenLoader",
        r#""AWS::Config::AggregationAuthorization": "af318b77aaceeeaa9c0d1e2f", "authorized": "af318b77aaceeeaa9c0d1e2f""#,
        "key%3Dvalue%26page%3D2 and 100%3D100 and width%3A20%3Bkey%3Dname",
        "RegEnumKey = win32api.RegEnumKey; KeyConversionMode key_conversion = KeyConversionMode::kKeepNumbers)",
        "let pat_ws = CodePointSetData::try_new_unstable::<PatternWhiteSpace>(provider)",
        "EMRFS_SSE_KEY = 'fs.s3.enableServerSideEncryption'; credential_source=Ec2InstanceMetadata",
        "PUBLIC_KEY_AND_PASSWORD = 'PUBLIC_KEY_AND_PASSWORD'",
        "nextToken=Bk4wR9yXm3KnS8uZ continuationToken=Bk4wR9yXm3KnS8uZ idempotencyKey=Bk4wR9yXm3KnS8uZ",
    ] {
        assert_eq!(secrets.clean(text), text);
    }
}

/// Keys of Azure as they are handed out today, each made up here: what is random, the signature, what follows.
fn azure_keys() -> Vec<String> {
    let base64 = format!("{WORD}+/");
    [
        (WORD, 52, "JQQJ99BKAC", 5, "XJ3w3AAABACOG", 4, ""),
        (WORD, 52, "JQQJ99BCACAAAAAZg6lNAAASAZDO", 4, "", 0, ""),
        (&base64, 76, "+ASt", 5, "", 0, "Q=="),
        (&base64, 76, "+ABa", 5, "", 0, "g=="),
        (&base64, 76, "ACDb", 5, "", 0, "A=="),
        (&base64, 76, "APIM", 5, "", 0, "w=="),
        (&base64, 33, "+ASbC", 5, "", 0, "="),
        (&base64, 33, "AIoTP", 5, "", 0, "="),
        (WORD, 33, "AzCaB", 5, "", 0, "="),
        (WORD, 44, "AzFu", 5, "", 0, "Q=="),
        (WORD, 42, "AzSeD", 5, "", 0, ""),
        (&base64, 42, "+ACRA", 5, "", 0, ""),
    ]
    .iter()
    .zip(300..)
    .map(|((alphabet, length, signature, more, middle, rest, end), seed)| {
        let random = |length, by| noise(alphabet, length, seed * 3 + by);
        let (start, more, rest) =
            (random(*length, 0), noise(WORD, *more, seed + 1), noise(WORD, *rest, seed + 2));
        format!("{start}{signature}{more}{middle}{rest}{end}")
    })
    .collect()
}

#[test]
fn keys_of_azure_are_known_by_the_signature_in_their_middle() {
    let secrets = Secrets::none();
    for key in azure_keys() {
        for (before, after) in [
            ("", ""),
            ("the key is ", ", as you asked"),
            ("{\"key\": \"", "\"}"),
            ("\x1b[32m", "\x1b[0m"),
            (r"\u0022", r"\u0022"),
            (r"first\x0a", r"\x0asecond"),
            ("Endpoint=https://a.b;AccessKey=", ";Version=1.0"),
            ("https://a.b/c?code=", "&q=1"),
        ] {
            let cleaned = secrets.clean(&format!("{before}{key}{after}")).into_owned();
            assert_eq!(cleaned, format!("{before}[redacted]{after}"), "{key}");
        }
        let escaped = key.replace('=', "%3D");
        assert_eq!(secrets.clean(&format!("?code={escaped}&q=1")), "?code=[redacted]&q=1");
        assert_eq!(secrets.unknown(&key).first().map(|it| it.kind), Some("an Azure key"));
    }
}

#[test]
fn what_only_holds_a_signature_of_azure_is_left_alone() {
    let secrets = Secrets::none();
    for key in azure_keys() {
        // A character less before the signature, one more at either end, another signature, and the middle of a picture.
        let picture = noise(&format!("{WORD}+/"), 3000, 5);
        let other = key.replace("JQQJ9", "JQQX9").replace("+A", "+X").replace("Az", "Xz").replace("AC", "XC");
        let other = other.replace("APIM", "XPIM").replace("AIoT", "XIoT");
        for text in [
            key[1..].to_owned(),
            format!("x{key}"),
            format!("{}x", key.trim_end_matches('=')),
            other,
            format!("data:image/png;base64,{picture}{key}{picture}"),
        ] {
            assert_eq!(secrets.clean(&text), text);
        }
    }
    for text in [
        "AzureSearchService APIManagement AIoT AZEG JQQJ9 ACDb +ACR the_quick_brown_fox_AzFunctions_and_AzCache_for_everybody",
        "import AzSearchClientFactoryBuilderConfigurationAzSeDefaults from './AzureSearchConfigurationDefaults'",
    ] {
        assert_eq!(secrets.clean(text), text);
    }
}

#[test]
fn forms_are_found_after_escape_sequences() {
    let before = [
        "\x1b[32m",
        "\x1b[1;38;5;12m",
        r"\x1b[32m",
        r"\u001b[0m",
        r"\033[1m",
        r"\u0022",
        r"\x0a",
        r"\n",
        r"\t",
        "%20",
    ];
    let mut tried = 0;
    for (name, key) in formats() {
        for before in before {
            let cleaned = Secrets::none().clean(&format!("see {before}{key} there")).into_owned();
            assert!(cleaned.contains(MARK) && !cleaned.contains(&key), "{name} after {before:?}: {cleaned}");
            tried += 1;
        }
    }
    println!("{tried} forms after escape sequences");
}

/// Whether a value is a secret where its name says so: as a variable, a header or a cookie.
fn is_a_secret(value: &str) -> bool {
    let learned: [fn(&Secrets, &str); 3] = [
        |secrets, value| secrets.learn_environment([("SOME_TOKEN".to_owned(), value.to_owned())]),
        |secrets, value| secrets.learn_header("authorization", &format!("Bearer {value}")),
        |secrets, value| secrets.learn_header("cookie", &format!("seen={value}")),
    ];
    let hidden = learned.map(|learn| {
        let secrets = Secrets::none();
        learn(&secrets, value);
        secrets.clean(&format!("<{value}>")) != format!("<{value}>")
    });
    assert!(hidden.iter().all(|it| *it == hidden[0]), "{value}: {hidden:?}");
    hidden[0]
}

#[test]
fn numbers_times_words_models_regions_paths_and_ids_are_no_secrets() {
    for value in [
        "1794970227",
        "20261118100000",
        "2026-11-18T10:00:00.000Z",
        "2026-W47-3T10:00:00Z",
        "10:00:00 PM",
        "18/Nov/2026:10:00:00 +0000",
        "1h23m45.678s",
        "1800000ms",
        "Thu, 18 Nov 2026 10:00:00 GMT",
        "three prompts",
        "client_credentials",
        "gpt-4o-mini-2024-07-18",
        "o4-mini-2025-04-16",
        "claude-3-5-sonnet-20241022",
        "anthropic/claude-3.5-sonnet",
        "us.anthropic.claude-sonnet-4-20250514-v1:0",
        "meta-llama/Llama-3.3-70B-Instruct",
        "accounts/fireworks/models/llama-v3p1-70b-instruct",
        "Qwen/Qwen2.5-72B-Instruct",
        "mistralai/Mixtral-8x7B-Instruct-v0.1",
        "qwen3-235b-a22b-fp8",
        "models/gemini-2.0-flash",
        "gemini-2.5-flash-preview-05-20",
        "codestral-2501",
        "text-embedding-3-large",
        "us-central1-a",
        "us-gov-west-1",
        "northamerica-northeast1-b",
        "src/app/main2.py",
        "config/prod.key.json",
        "tests/fixtures/a1.json",
        "chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUvWx",
        "toolu_01A09q90qw90lq917835lq9",
        "toolu_bdrk_01A09q90qw90lq917835lq9",
        "srvtoolu_01AbCdEfGhIjKlMnOpQrStUv",
        "msg_01XFDUDYJgAACzvnptvVoYEL",
        "call_abc123DEF456ghi789JKL012",
        "asst_abc123DEF456ghi789JKL",
        "file-abc123DEF456ghi789JKL012",
        "fp_44709d6fcb",
        "rs_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
        "fc_0a1b2c3d4e5f6071",
        "gen-1794970227-AbCdEfGh1234",
        "run-3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ] {
        assert!(!is_a_secret(value), "{value}");
    }
}

#[test]
fn keys_that_begin_like_a_name_or_an_id_are_secrets() {
    for value in [
        "gpt-4o-mini-prod-8f7e6d5c",
        "claude-Zk3vQ8xWn2LmR7tY",
        "prod.anthropic.claude-3f9a8b7c6d5e",
        "refund-service-3f9a8b7c6d",
        "us-central1-3f9a8b7c6d5e",
        "us-east-1:3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "file-service-prod-9X8y7Z6w5V",
        "batch_worker_9f8a7b6c5d",
        "fp_Zk3vQ8xWn2LmR7tY",
        "fc-Zk3vQ8xWn2LmR7tYbV5k",
        "rs-3f9a8b7c6d5e4f30",
        "src/Zk3vQ8xWn2LmR7tY.key",
        "ab/cd/ef12/GH34x9Z",
        "2026-11-18-Zk3vQ8xWn2",
        "20261118100000200.1794970227",
        "Zk3vQ8xWn2LmR7tY prompts",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ] {
        assert!(is_a_secret(value), "{value}");
    }
    for (name, key) in formats() {
        assert!(is_a_secret(&key), "{name}");
    }
}

#[test]
fn what_is_known_cannot_be_printed() {
    let secrets = Secrets::none();
    secrets.learn("Zm4vKx8qLw2nRt6y");
    assert_eq!(shared("Zm4vKx8qLw2nRt6y", &format!("{secrets:?}")), None);
}

/// Documents of some depth, with numbers, texts and keys.
/// What a prompt may be made of: labels, secrets whole and in part, line ends, and what looks like them and is none.
fn lines() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D",
        "PAGE_TOKEN=Bk4wR9yXm3KnS8uZBk4w",
        "JWT=Zq8vN3xWn2LmR7tYbV5k",
        "DB_PASSWORD=hunter2-Xq9z",
        "password = self.config.db_password",
        "const password = process.env.DB_PASSWORD;",
        "Zk3vQ8xWn2LmR7tYbV5k",
        "Zk3vQ8xWn",
        "R7tYbV5k",
        "env:",
        " and on ",
        "\n",
        "\t",
        "\r\n",
        "\"",
        "\\",
        "n",
    ]);
    prop::collection::vec(part, 1..9).prop_map(|parts| parts.concat())
}

proptest! {
    /// A request is searched string by string before its key is made, and its file as a text before it is sealed: both must find
    /// the same, and a raw document must not hide less than its strings do.
    #[test]
    fn a_document_and_its_strings_are_searched_alike(text in lines()) {
        let secrets = Secrets::none();
        secrets.learn("Zk3vQ8xWn2LmR7tYbV5k");
        secrets.learn("machine api\n login Zq8v\n password Tn4wR9yXm3Kn");
        let mut document = serde_json::json!({"messages": [{"content": text}], "n": 1794970227});
        let raw = secrets.clean(&document.to_string()).into_owned();
        secrets.clean_json(&mut document);
        for written in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
            prop_assert_eq!(secrets.clean(&written), written.as_str());
        }
        let raw: serde_json::Value = serde_json::from_str(&raw).unwrap();
        prop_assert_eq!(&raw, &document);
    }
}

#[test]
fn a_value_of_several_lines_is_hidden_in_a_document() {
    let secrets = Secrets::of_environment([(
        "NETRC_SECRET".to_owned(),
        "machine api.shop\n login bot\n password Zk3vQ8xWn2LmR7tY".to_owned(),
    )]);
    let document = serde_json::json!({"content": "machine api.shop\n login bot\n password Zk3vQ8xWn2LmR7tY"});
    assert_eq!(secrets.clean(&document.to_string()), r#"{"content":"[redacted]"}"#);
}

#[test]
fn many_labels_do_not_take_the_square_of_their_number() {
    let text = "token=".repeat(200_000);
    let began = std::time::Instant::now();
    assert_eq!(Secrets::none().clean(&text), text);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

fn documents() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|it| json!(it)),
        any::<i64>().prop_map(|it| json!(it)),
        "[ -~é\n\"\\\\]{0,20}".prop_map(|it| json!(it)),
        Just(json!("VALUE")),
        Just(json!("{\"inner\": \"VALUE\", \"n\": 1}")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|it| json!(it)),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4).prop_map(|it| json!(it)),
        ]
    })
}

/// The document with a value in the place of the word for it.
fn with_value(document: serde_json::Value, value: &str) -> serde_json::Value {
    match document {
        serde_json::Value::String(text) => json!(text.replace("VALUE", value)),
        serde_json::Value::Array(items) => items.into_iter().map(|it| with_value(it, value)).collect(),
        serde_json::Value::Object(members) => {
            members.into_iter().map(|(key, it)| (key, with_value(it, value))).collect()
        }
        other => other,
    }
}

/// The document without its texts.
fn shape(document: &serde_json::Value) -> serde_json::Value {
    match document {
        serde_json::Value::String(_) => json!("text"),
        serde_json::Value::Array(items) => items.iter().map(shape).collect(),
        serde_json::Value::Object(members) => {
            members.iter().map(|(key, it)| (key.clone(), shape(it))).collect()
        }
        other => other.clone(),
    }
}

/// A value that is no word, with letters and digits wherever it is cut.
fn values() -> impl Strategy<Value = String> {
    (12..60usize, 1..u64::MAX, prop::bool::ANY)
        .prop_map(|(length, seed, signs)| noise(if signs { SIGNS } else { WORD }, length, seed))
}

proptest! {
    #[test]
    fn no_known_value_survives_whole_or_at_a_cut(
        value in values(),
        before in "[ -~\n]{0,40}",
        after in "[ -~\n]{0,40}",
        from in 0..60usize,
        spelling in 0..14usize,
        cuts in prop::collection::vec(0..400usize, 0..6),
    ) {
        // One of the spellings is made by taking away what is at its ends.
        prop_assume!(!value.starts_with(['\\', '"']) && !value.ends_with(['\\', '"']));
        let secrets = Secrets::none();
        secrets.learn(&value);
        let spelled = spellings(&value).swap_remove(spelling).1;
        // Its end where the text was cut, and all of it among other text.
        let is_whole = [0, 5, 6].contains(&spelling);
        let mut from = if is_whole { from.min(spelled.len()) } else { spelled.len() };
        while !spelled.is_char_boundary(from) { from -= 1 }
        let text = format!("…{} {before} {spelled} {after}", &spelled[from..]);
        let cleaned = secrets.clean(&text);
        prop_assert!(!cleaned.contains(&spelled), "{}", cleaned);
        prop_assert!(!cleaned.contains(&value), "{}", cleaned);
        if is_whole && spelled.len() - from >= 12 {
            prop_assert!(cleaned.starts_with(&format!("…{MARK}")), "{}", cleaned);
        }
        prop_assert_eq!(secrets.clean(&cleaned), &*cleaned);

        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.sort_unstable();
        let mut chunks = Vec::new();
        let mut start = 0;
        for end in cuts.into_iter().chain([text.len()]) {
            chunks.push(text.as_bytes()[start..end].to_vec());
            start = end;
        }
        let count = chunks.len();
        prop_assert_eq!(secrets.clean_chunks(&mut chunks), cleaned != text);
        prop_assert_eq!(chunks.len(), count);
        prop_assert_eq!(chunks.concat(), cleaned.as_bytes());
    }

    /// What is no secret by what it looks like must not fit a key that somebody made by chance.
    #[test]
    fn no_random_key_is_taken_for_ordinary(length in 16..64usize, seed in 1..u64::MAX, of in 0..4usize, start in 0..30usize) {
        let key = noise([WORD, HEX, UPPER, "abcdefghijklmnopqrstuvwxyz0123456789"][of], length, seed);
        // So few letters or digits are one in millions.
        prop_assume!(key.bytes().filter(u8::is_ascii_digit).count() >= 2 && key.bytes().filter(u8::is_ascii_alphabetic).count() >= 2);
        prop_assert!(is_a_secret(&key), "{}", key);
        let (_, known) = formats().swap_remove(start);
        let prefix = known.split_inclusive(['-', '_', '.']).next().filter(|it| it.len() < 6).unwrap_or_default();
        prop_assert!(is_a_secret(&format!("{prefix}{key}")), "{}{}", prefix, key);
    }

    #[test]
    fn a_document_keeps_its_shape(value in values(), document in documents(), pretty in any::<bool>()) {
        let secrets = Secrets::none();
        secrets.learn(&value);
        let document = with_value(document, &value);
        let text = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        let stream = format!("event: x\ndata: {document}\n\ndata: [DONE]\n\n");
        let cleaned: serde_json::Value = serde_json::from_str(&secrets.clean(&text)).unwrap();
        prop_assert_eq!(shape(&cleaned), shape(&document));
        let line = secrets.clean(&stream).into_owned();
        let line = line.lines().find_map(|line| line.strip_prefix("data: ")).unwrap().to_owned();
        prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&line).unwrap(), &cleaned);
        prop_assert!(!cleaned.to_string().contains(&value));
    }

    #[test]
    fn a_text_without_secrets_is_the_same_text(value in values(), text in "[a-z A-Z.,\n\\\\\"{}:%é]{0,300}") {
        let secrets = Secrets::none();
        secrets.learn(&value);
        prop_assume!(shared(&value, &text).is_none());
        prop_assert!(matches!(secrets.clean(&text), Cow::Borrowed(same) if same == text));
        let mut chunks = vec![text.clone().into_bytes()];
        prop_assert!(!secrets.clean_chunks(&mut chunks));
        prop_assert_eq!(&chunks[0], text.as_bytes());
    }

    #[test]
    fn json_stays_json_with_the_same_strings(value in values(), before in "[^%]{0,19}[^\\\\%]", after in "[^%]{0,20}") {
        let secrets = Secrets::none();
        secrets.learn(&value);
        // A backslash at the end may as well be the start of an escape, and stays.
        prop_assume!(!value.ends_with('\\'));
        let mut document = json!({"text": format!("{before}{value}{after}"), "list": [before, after]});
        let written = document.to_string();
        let cleaned = secrets.clean(&written).into_owned();
        let read: serde_json::Value = serde_json::from_str(&cleaned).map_err(|error| TestCaseError::fail(format!("{error}: {cleaned}")))?;
        secrets.clean_json(&mut document);
        prop_assert_eq!(read, document);
    }

    #[test]
    fn any_bytes_can_be_cleaned(value in values(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let secrets = Secrets::none();
        secrets.learn(&value);
        let bytes = [&bytes[..], value.as_bytes(), &bytes].concat();
        let cleaned = secrets.clean_bytes(&bytes).into_owned();
        prop_assert_eq!(shared(&value, &String::from_utf8_lossy(&cleaned)), None);
        prop_assert!(matches!(secrets.clean_bytes(&cleaned), Cow::Borrowed(_)));
    }
}

#[test]
fn base64_shows_nothing_of_a_key_at_its_borders() {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    // The same text with other keys, of any length, is the same text without them.
    for (before, after) in [("", ""), ("a", ""), ("user:", ""), ("", "@host"), ("ab", "\n"), ("abc", "de")] {
        for engine in [&STANDARD, &URL_SAFE_NO_PAD] {
            let told = |key: &str| {
                let secrets = Secrets::none();
                secrets.learn(key);
                secrets.clean(&format!("\"{}\"", engine.encode(format!("{before}{key}{after}")))).into_owned()
            };
            let (first, last) = (told("Zk3vQ8xWn2LmR7tYbV5k"), told("q7Hd0sYp4KcX9wEzU1fN"));
            assert_eq!(first, last, "{before:?} {after:?}");
            assert_eq!(first.matches("[redacted]").count(), 1);
            assert!(first.starts_with('"') && first.ends_with('"'), "{first}");
            if after.is_empty() {
                assert_eq!(first, told("q7Hd0sYp4KcX9wEzU1fN3"));
                assert!(!first.contains('='), "{first}");
            }
        }
    }
}

#[test]
fn a_key_in_a_query_is_no_part_of_what_is_asked() {
    for (url, expected) in [
        ("https://a.b/c?API-Key=x&q=1", "https://a.b/c?API-Key=[redacted]&q=1"),
        ("https://a.b/c?q=1&access_token=", "https://a.b/c?q=1&access_token=[redacted]"),
        ("https://a.b/c?key=entry-1&token=page-2", "https://a.b/c?key=entry-1&token=page-2"),
        ("https://a.b/api_key=x", "https://a.b/api_key=x"),
    ] {
        assert_eq!(unitai_wire::redact::without_keys(url), expected);
    }
}
