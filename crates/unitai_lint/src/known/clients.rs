//! Who reaches a service: functions that send at once, and clients of models and databases.

use crate::ast::{Expr, ExprCall, Stmt};
use crate::known::words::words;
use crate::literal::constant;
use crate::{Call, Def, File, Qualified, Ranged, dotted};

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

/// Classes whose objects send requests to the addresses that they are given.
const SESSIONS: [&str; 5] =
    ["aiohttp.ClientSession", "httpx.AsyncClient", "httpx.Client", "requests.Session", "requests.session"];

/// What a session is told, where it is not to send anything out.
const OF_OWN_TRANSPORT: [&str; 5] = ["app", "connector", "mounts", "transport", "proxies"];

/// Functions that ask a model at once.
const MODELS: [&str; 5] = [
    "litellm.acompletion",
    "litellm.aembedding",
    "litellm.completion",
    "litellm.embedding",
    "litellm.text_completion",
];

/// Methods of an AWS client that send nothing.
const QUIET: [&str; 5] = ["can_paginate", "close", "generate_presigned_url", "get_paginator", "get_waiter"];

/// The address outside of this machine that a call sends to, if it is seen to; or who is there, in words.
pub(crate) fn sends_to<'a>(def: Def<'_, 'a>, call: &Call<'a>) -> Option<&'a str> {
    if let Some(session) = session_of(def, call) {
        let base = session.arguments.find_keyword("base_url").map(|it| &it.value);
        let is_verb = SENDING.iter().any(|(module, verbs)| *module == "httpx" && verbs.contains(&call.last));
        let given = outside(def, call).or_else(|| base.and_then(|base| outside_of(def, base)));
        return given.filter(|_| is_verb);
    }
    if let Some(made) = made_by(def, call, |name| name.is("boto3.client") || name.is("boto3.resource")) {
        let is_near = is_near(made, def.file.source) || made.arguments.find_keyword("endpoint_url").is_some();
        return (!is_near && !QUIET.contains(&call.last)).then_some("AWS");
    }
    let import = def.file.import(call.root())?;
    if import.is_relative {
        return None;
    }
    let name = def.qualified(call.name);
    if name.is_any(&MODELS) {
        return call.keyword("mock_response").is_none().then_some("a model");
    }
    let is_sending =
        |module: &str, functions: &[&str]| name.behind(module).is_some_and(|last| functions.contains(&last));
    if SENDING.iter().any(|(module, functions)| is_sending(module, functions)) {
        return outside(def, call);
    }
    let connects = |module: &&str| name.behind(module) == Some("connect");
    DATABASES.iter().any(connects).then_some("a database")
}

/// The first address outside of this machine among what a call is given.
fn outside<'a>(def: Def<'_, 'a>, call: &Call<'a>) -> Option<&'a str> {
    let arguments = &call.node.arguments;
    let by_name = arguments.keywords.iter().filter(|it| it.arg.as_deref() == Some("url")).map(|it| &it.value);
    arguments.args.iter().chain(by_name).find_map(|argument| outside_of(def, argument))
}

/// The address that an expression is, or that its name got, if it is outside.
fn outside_of<'a>(def: Def<'_, 'a>, expr: &'a Expr) -> Option<&'a str> {
    let value = match expr {
        Expr::Name(name) => constant(def, name.id.as_str())?,
        expr => expr,
    };
    address(value).filter(|address| is_outside(address))
}

/// The call that makes the session that a call belongs to, if it sends by the ways of the library.
fn session_of<'a>(def: Def<'_, 'a>, call: &Call<'a>) -> Option<&'a ExprCall> {
    let made = made_by(def, call, |name| name.is_any(&SESSIONS))?;
    let has_own = OF_OWN_TRANSPORT.iter().any(|name| made.arguments.find_keyword(name).is_some());
    // What is mounted or set later is not seen here.
    (!has_own && !def.calls().iter().any(|other| other.last == "mount")).then_some(made)
}

/// The call that makes the object whose method is called, if it makes one of these: on the spot, a line before, or by `with`.
fn made_by<'a>(
    def: Def<'_, 'a>,
    call: &Call<'a>,
    is_it: impl Fn(Qualified<'a>) -> bool,
) -> Option<&'a ExprCall> {
    let Expr::Attribute(method) = &*call.node.func else { return None };
    let is_made = |made: &&'a ExprCall| {
        let name = dotted(&made.func, def.file.source);
        let root = name.split('.').next().unwrap_or_default();
        def.file.import(root).is_some() && is_it(def.qualified(name))
    };
    match &*method.value {
        Expr::Call(made) => Some(made).filter(is_made),
        Expr::Name(name) => {
            let name = name.id.as_str();
            let assigned = def.assigns().iter().filter(|it| it.name == name).filter_map(|it| it.value);
            let opened =
                def.withs().iter().filter(|it| it.bound() == Some(name)).map(|it| &it.item.context_expr);
            // The last one before the call is the one that is asked.
            let bound = assigned.chain(opened).filter(|value| value.end() <= call.node.start());
            bound.max_by_key(|value| value.start())?.as_call_expr().filter(is_made)
        }
        _ => None,
    }
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
            // `langchain_openai`, `upstash_redis`.
            let is_named_so = |word: String| SERVICES.contains(&&*word) || PACKAGES.contains(&&*word);
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
