//! Who reaches a service: functions that send at once, and clients of models and databases.

use crate::ast::{Expr, ExprCall, Stmt};
use crate::known::words::words;
use crate::{Call, Def, File, dotted};

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
pub(crate) fn client_of<'a>(file: &File<'a>, call: &'a ExprCall) -> Option<&'a str> {
    let name = dotted(&call.func, file.source);
    let class = name.rsplit('.').next().unwrap_or_default();
    (is_client(class) && is_of_service(file, name) && !is_near(call, file.source)).then_some(class)
}

/// Packages that talk to services and are not named after one.
const PACKAGES: [&str; 22] = [
    "agno",
    "autogen_ext",
    "chromadb",
    "crewai",
    "dspy",
    "google",
    "haystack",
    "haystack_integrations",
    "instructor",
    "langchain",
    "langchain_community",
    "langfuse",
    "litellm",
    "llama_index",
    "motor",
    "pydantic_ai",
    "pymongo",
    "redis",
    "semantic_kernel",
    "smolagents",
    "sqlalchemy",
    "strands",
];

/// Whether a class comes from a package that is known to talk to services. A project's own class may be called like one of
/// them and ask nobody; one that this file neither imports nor has is taken by its name.
fn is_of_service(file: &File<'_>, name: &str) -> bool {
    let root = name.split('.').next().unwrap_or_default();
    match file.import(root) {
        Some(import) => {
            let package = import.module.split('.').next().unwrap_or_default();
            let is_named_so = |word: String| SERVICES.contains(&&*word);
            !import.is_relative && (PACKAGES.contains(&package) || words(package).any(is_named_so))
        }
        None => {
            !file.classes.iter().any(|class| class.name() == root)
                && !file.defs().any(|def| def.name() == root)
                && !file.imports().iter().any(|import| import.name == "*")
        }
    }
}

/// The class of the client that a name holds in a function.
pub(crate) fn bound_client<'a>(def: Def<'_, 'a>, name: &str) -> Option<&'a str> {
    let bound = def.assigns().iter().filter(|assign| assign.name == name);
    bound.filter_map(|assign| assign.value?.as_call_expr()).find_map(|made| client_of(def.file, made))
}

/// The class of the client that a fixture gives, made on the spot or a line before.
pub(crate) fn given_client<'a>(fixture: Def<'_, 'a>) -> Option<&'a str> {
    fixture.statements().iter().filter(|statement| fixture.owns(statement.owner)).find_map(|statement| {
        let given = match statement.node {
            Stmt::Return(given) => given.value.as_deref()?,
            Stmt::Expr(given) => given.value.as_yield_expr()?.value.as_deref()?,
            _ => return None,
        };
        match given {
            Expr::Call(made) => client_of(fixture.file, made),
            Expr::Name(name) => bound_client(fixture, name.id.as_str()),
            _ => None,
        }
    })
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
