//! Who reaches a service: functions that send at once, and clients of models and databases.

use crate::ast::{Expr, ExprCall};
use crate::{Call, Def, dotted};

/// Functions that send a request to the address that they are given.
const SENDING: [(&str, &[&str]); 6] = [
    ("requests", &["delete", "get", "head", "options", "patch", "post", "put", "request"]),
    ("httpx", &["delete", "get", "head", "options", "patch", "post", "put", "request", "stream"]),
    ("urllib.request", &["urlopen", "urlretrieve"]),
    ("aiohttp", &["request"]),
    ("socket", &["create_connection", "getaddrinfo", "gethostbyname"]),
    ("smtplib", &["SMTP", "SMTP_SSL"]),
];

/// Modules whose `connect` opens a connection to a database server.
const DATABASES: [&str; 9] = [
    "aiomysql",
    "asyncpg",
    "mysql.connector",
    "oracledb",
    "psycopg",
    "psycopg2",
    "pymssql",
    "pymysql",
    "snowflake.connector",
];

/// Companies and products whose clients talk to a service.
const SERVICES: [&str; 19] = [
    "anthropic",
    "bedrock",
    "cohere",
    "deepseek",
    "elasticsearch",
    "fireworks",
    "gemini",
    "genai",
    "groq",
    "mistralai",
    "mistral",
    "openai",
    "perplexity",
    "pinecone",
    "qdrant",
    "replicate",
    "vertexai",
    "voyageai",
    "voyage",
];

/// What may stand around the name of a service in the name of a client's class.
const KINDS: [&str; 16] = [
    "",
    "chat",
    "chatmodel",
    "client",
    "completion",
    "embedder",
    "embedding",
    "embeddings",
    "index",
    "llm",
    "model",
    "reranker",
    "sdk",
    "store",
    "vectorstore",
    "api",
];

/// Clients whose names say it all.
const CLIENTS: [&str; 5] = ["MongoClient", "AsyncMongoClient", "Redis", "StrictRedis", "create_engine"];

/// The address outside of this machine that a call sends to, if it is seen to.
pub(crate) fn sends_to<'a>(def: Def<'_, 'a>, call: &Call<'a>) -> Option<&'a str> {
    let import = def.file.import(call.root())?;
    if import.is_relative {
        return None;
    }
    let name = def.qualified(call.name);
    let is_sending =
        |module: &str, functions: &[&str]| name.behind(module).is_some_and(|last| functions.contains(&last));
    if SENDING.iter().any(|(module, functions)| is_sending(module, functions)) {
        let arguments = &call.node.arguments;
        return arguments
            .args
            .iter()
            .chain(
                arguments.keywords.iter().filter(|it| it.arg.as_deref() == Some("url")).map(|it| &it.value),
            )
            .find_map(|argument| address(argument))
            .filter(|address| is_outside(address));
    }
    let connects = |module: &&str| name.behind(module) == Some("connect");
    DATABASES.iter().any(connects).then_some("a database")
}

/// `"https://api.example.com/x"`, or `("example.com", 80)`.
fn address(argument: &Expr) -> Option<&str> {
    match argument {
        Expr::StringLiteral(text) => Some(text.value.to_str()),
        Expr::FString(text) => text.value.elements().next()?.as_literal().map(|literal| &*literal.value),
        Expr::Tuple(tuple) => tuple.elts.first().and_then(address),
        _ => None,
    }
}

fn is_outside(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, host)| host);
    let host = host.split(['/', ':', '?']).next().unwrap_or_default();
    // `example.invalid` and its kin are made for tests: nobody answers there.
    let ends = [".invalid", ".test", ".localhost", ".local"];
    host.contains('.')
        && !host.starts_with("127.")
        && !host.starts_with("0.")
        && !host.starts_with("192.0.2.")
        && !ends.iter().any(|end| host.ends_with(end))
}

/// The class of a client that a call makes, if it is one that talks to a service outside of this process.
pub(crate) fn client_of<'a>(call: &'a ExprCall, source: &'a str) -> Option<&'a str> {
    let name = dotted(&call.func, source);
    let class = name.rsplit('.').next().unwrap_or_default();
    (is_client(class) && !is_near(call, source)).then_some(class)
}

fn is_client(class: &str) -> bool {
    if CLIENTS.contains(&class) {
        return true;
    }
    if !class.starts_with(|first: char| first.is_ascii_uppercase()) {
        return false;
    }
    let folded = class.to_ascii_lowercase();
    let folded = folded.strip_prefix("async").unwrap_or(&folded);
    let folded = folded.strip_prefix("azure").unwrap_or(folded);
    let folded = folded.strip_prefix("chat").unwrap_or(folded);
    SERVICES.iter().any(|service| folded.strip_prefix(service).is_some_and(|kind| KINDS.contains(&kind)))
}

/// Whether it is told to stay on this machine, or how to send: in memory, or through what the test gives it.
fn is_near(call: &ExprCall, source: &str) -> bool {
    const OWN: [&str; 6] = ["http_client", "transport", "client", "path", "location", "session"];
    let is_own = |name: Option<&str>| name.is_some_and(|name| OWN.contains(&name));
    let text = &source[call.arguments.range];
    call.arguments.keywords.iter().any(|keyword| is_own(keyword.arg.as_deref()))
        || [":memory:", "localhost", "127.0.0.1", "sqlite", "testserver"]
            .iter()
            .any(|place| text.contains(place))
}

/// Whether the name of a variable says that it is somebody's key: `OPENAI_API_KEY`, `SLACK_TOKEN`.
pub(crate) fn is_key(name: &str) -> bool {
    ["API_KEY", "_APIKEY", "ACCESS_KEY", "SECRET_KEY", "_SECRET", "_TOKEN", "_PASSWORD"]
        .iter()
        .any(|end| name.ends_with(end))
}
