//! Runs a program to its end: words in, words out, a time limit that holds, and nobody left behind.
//!
//! The program is the head of a process group of its own. Whatever ends the run (its end, the limit, somebody who no longer
//! waits for it), the whole group is ended, and so are processes that left the group, which are known by their mark.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};
use unitai_mcp::client::sweep::{self, Told};

use crate::Trouble;

/// The most that a program may write to its standard output, in bytes.
pub const MOST_OUTPUT: usize = 16 << 20;
/// How much is kept of the end of its standard error, in bytes.
pub const KEPT_ERRORS: usize = 64 << 10;
/// How long its group may take after it was told to terminate.
const TO_TERMINATE: Duration = Duration::from_millis(500);
/// How long the streams of a program that has ended are read on: a process that it started may hold them.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long a killed program may take to be gone.
const SOON: Duration = Duration::from_secs(1);

/// Looks at each line of an output as it comes. A text ends the program at once, and is why.
pub type Watch<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// A program to run.
pub struct Order<'a> {
    /// Who it is, for people: the provider's name.
    pub provider: &'a str,
    /// The file to run, or a name that is looked up on the path.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables on top of ours; one without a value is taken away.
    pub environment: Vec<(String, Option<OsString>)>,
    /// Where it runs.
    pub folder: &'a Path,
    /// What it reads from its standard input, which is closed then.
    pub input: &'a str,
    /// How long it may take.
    pub limit: Duration,
    /// Who looks at its output meanwhile.
    pub watch: Option<Watch<'a>>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// All that it wrote to its standard output.
    pub output: String,
    /// The end of what it wrote to its standard error.
    pub errors: String,
}

impl Ended {
    /// Whether it says that all went well.
    pub fn is_success(&self) -> bool {
        self.status.success()
    }

    /// How it ended and the end of its standard error, for people.
    pub fn told(&self) -> String {
        // `exit status: 3` and `signal: 9 (SIGKILL)`.
        let how = format!("ended with {}", self.status.to_string().replace(": ", " "));
        match &*tail(&self.errors) {
            "" => how,
            words => format!("{how}; its standard error ends with: {words}"),
        }
    }
}

/// The end of a text, short enough for a message, and marked where it was cut: redaction relies on that.
pub fn tail(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 2000;
    let text = text.trim();
    let mut begin = text.len().saturating_sub(SHOWN);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    if begin == 0 { Cow::Borrowed(text) } else { Cow::Owned(format!("…{}", &text[begin..])) }
}

/// A folder that only we can read, which is gone when this is dropped.
#[derive(Debug)]
pub struct PrivateFolder(tempfile::TempDir);

impl PrivateFolder {
    /// Makes it.
    pub fn new() -> Result<PrivateFolder, Trouble> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("unitai-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        builder.tempdir().map(PrivateFolder).map_err(|error| {
            Trouble::Broken(format!(
                "no private folder could be made in {}: {error}; is there room, and may we write?",
                std::env::temp_dir().display()
            ))
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file in it, and gives where it is.
    pub fn write(&self, name: &str, content: &str) -> Result<PathBuf, Trouble> {
        let path = self.path().join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written.and_then(|()| std::fs::write(&path, content)).map_err(|error| {
            Trouble::Broken(format!("{} could not be written: {error}; is there room?", path.display()))
        })?;
        Ok(path)
    }
}

/// Runs a program. Dropping the future ends it, with all that it has started.
pub async fn run(order: &Order<'_>) -> Result<Ended, Trouble> {
    let mark = sweep::new_mark();
    let mut child = command(order, &mark).spawn().map_err(|error| not_started(order, &error))?;
    let family = Family { group: child.id().unwrap_or_default(), mark, owner: std::process::id() };
    let heard = timeout(order.limit, hear(order, &mut child)).await;
    let ended = match heard {
        Ok(Ok((status, output, errors))) => Ok(Ended {
            status,
            output: String::from_utf8_lossy(&output).into_owned(),
            errors: String::from_utf8_lossy(&errors).into_owned(),
        }),
        Ok(Err(Stop::Watched(why))) => Err(Trouble::Broken(why)),
        Ok(Err(Stop::TooMuch)) => Err(Trouble::Broken(format!(
            "{} wrote more than {} MB to its standard output, and was ended",
            order.provider,
            MOST_OUTPUT >> 20
        ))),
        Ok(Err(Stop::Failed(error))) => {
            Err(Trouble::Broken(format!("{} could not be heard: {error}", order.provider)))
        }
        Err(_) => {
            Err(Trouble::TimedOut { provider: order.provider.to_owned(), seconds: order.limit.as_secs() })
        }
    };
    if ended.is_err() {
        family.terminate(&mut child).await;
    }
    drop(family);
    // It has been killed, so that this is short; without it there would be a zombie until the runtime looks.
    let _ = timeout(SOON, child.wait()).await;
    ended
}

fn command(order: &Order<'_>, mark: &str) -> Command {
    let mut command = Command::new(order.program);
    command
        .args(&order.arguments)
        .current_dir(order.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for (name, value) in &order.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env(sweep::VARIABLE, sweep::marks_with(mark));
    #[cfg(unix)]
    command.process_group(0);
    command
}

fn not_started(order: &Order<'_>, error: &io::Error) -> Trouble {
    let (provider, program) = (order.provider, order.program.display());
    match error.kind() {
        ErrorKind::NotFound if order.folder.is_dir() => Trouble::Absent(format!(
            "{provider} is not here: the program `{program}` was not found; is it installed, and on the PATH?"
        )),
        ErrorKind::PermissionDenied => Trouble::Absent(format!(
            "{provider} is not usable: the program `{program}` may not be run; is it executable?"
        )),
        _ => Trouble::Broken(format!("{provider}: the program `{program}` could not be started: {error}")),
    }
}

/// Why a program is ended before its end.
enum Stop {
    Watched(String),
    TooMuch,
    Failed(io::Error),
}

/// Writes the input, and reads all that a program says until it ends.
async fn hear(order: &Order<'_>, child: &mut Child) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), Stop> {
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = streams else {
        return Err(Stop::Failed(io::Error::other("its streams could not be opened")));
    };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let status = {
        let feeding = async move {
            // A program need not read what it is given; what it makes of that, it says itself.
            let _ = stdin.write_all(order.input.as_bytes()).await;
            drop(stdin);
            Ok(())
        };
        let complaining = async {
            follow(stderr, &mut errors).await;
            Ok(())
        };
        let all = async {
            tokio::try_join!(feeding, listen(stdout, &mut output, order.watch), complaining).map(|_| ())
        };
        tokio::pin!(all);
        tokio::select! {
            biased;
            done = &mut all => {
                done?;
                child.wait().await
            }
            status = child.wait() => {
                if let Ok(done) = timeout(LAST_WORDS, &mut all).await {
                    done?;
                }
                status
            }
        }
    };
    Ok((status.map_err(Stop::Failed)?, output, errors))
}

/// Reads a stream to its end, and has each line looked at.
async fn listen(
    stream: impl AsyncRead + Unpin,
    output: &mut Vec<u8>,
    watch: Option<Watch<'_>>,
) -> Result<(), Stop> {
    let mut stream = BufReader::with_capacity(64 << 10, stream);
    let mut looked_at = 0;
    loop {
        let Ok(chunk @ [_, ..]) = stream.fill_buf().await else { return Ok(()) };
        let read = chunk.len();
        output.extend_from_slice(chunk);
        stream.consume(read);
        if output.len() > MOST_OUTPUT {
            return Err(Stop::TooMuch);
        }
        let Some(watch) = watch else { continue };
        while let Some(length) = output[looked_at..].iter().position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&output[looked_at..looked_at + length]);
            if let Some(why) = watch(&line) {
                return Err(Stop::Watched(why));
            }
            looked_at += length + 1;
        }
    }
}

/// Reads a stream to its end, and keeps the end.
async fn follow(mut stream: impl AsyncRead + Unpin, kept: &mut Vec<u8>) {
    let mut buffer = vec![0; 8 << 10];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..read]);
        let excess = kept.len().saturating_sub(KEPT_ERRORS);
        kept.drain(..excess);
    }
}

/// A program and all that it has started. When this is dropped, they are killed.
struct Family {
    /// The id of the program, which is the id of its group.
    group: u32,
    mark: String,
    /// Us. After a fork the copy of this must not end what is the parent's.
    owner: u32,
}

impl Family {
    /// Lets them end by themselves, for a short time.
    async fn terminate(&self, child: &mut Child) {
        sweep::tell_group(self.group, Told::Terminate);
        let until = Instant::now() + TO_TERMINATE;
        while Instant::now() < until {
            let is_ended = matches!(child.try_wait(), Ok(Some(_)));
            if is_ended && !sweep::is_group_alive(self.group) {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        if std::process::id() == self.owner {
            sweep::tell_group(self.group, Told::Kill);
            sweep::sweep(&self.mark);
        }
    }
}
