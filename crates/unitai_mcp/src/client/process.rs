//! The child process of a server: the head of its own group, watched, and gone at the end with all that it started.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::sweep::{self, Told};
use super::tail::Tail;

/// How long a server may take to end by itself when its standard input is closed.
const TO_END: Duration = Duration::from_secs(1);
/// How long its group may take after it was told to terminate.
const TO_TERMINATE: Duration = Duration::from_millis(500);
/// The same for one that is still at work on a call that nobody waits for: the time of its test is over.
const BUSY_TO_END: Duration = Duration::from_millis(300);
const BUSY_TO_TERMINATE: Duration = Duration::from_millis(200);
/// How long we wait for what must come at once: a killed process to be gone, the last words of a dead one.
const SOON: Duration = Duration::from_millis(500);

/// A child process, to look at and to end.
#[derive(Debug)]
pub(super) struct Process {
    command: Vec<String>,
    /// The id of the child, which is the id of its group.
    group: u32,
    mark: String,
    /// Us. After a fork the copy of this handle must not end what is the parent's.
    owner: u32,
    exit: watch::Receiver<Option<Exit>>,
    kill: mpsc::UnboundedSender<()>,
    is_over: AtomicBool,
    /// The end of its standard error.
    pub(super) stderr: Tail,
    /// What it wrote to its standard output that is not the protocol.
    pub(super) noise: Tail,
}

/// How a process ended, if that is known.
type Exit = Option<ExitStatus>;

/// Holds a child process: when this is dropped it is killed, with all that it started.
#[derive(Debug)]
pub(super) struct Held(pub(super) Arc<Process>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.kill_now(true);
    }
}

/// A child process and its streams.
pub(super) struct Started {
    pub(super) process: Held,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

impl Process {
    /// Starts a command in a folder, with variables on top of ours. The error is for people.
    pub(super) fn start(
        command: &[String],
        env: &[(String, String)],
        folder: &Path,
    ) -> Result<Started, String> {
        let [program, arguments @ ..] = command else {
            return Err("its command is empty".to_owned());
        };
        let mark = sweep::new_mark();
        let mut order = Command::new(program);
        order
            .args(arguments)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .env(sweep::VARIABLE, sweep::marks_with(&mark))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        order.process_group(0);
        let mut child = order.spawn().map_err(|error| not_started(program, folder, &error))?;
        let (Some(stdin), Some(stdout), Some(stderr), Some(group)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take(), child.id())
        else {
            return Err("its streams could not be opened".to_owned());
        };
        let tail = Tail::default();
        let told = tokio::spawn(tail.clone().follow(stderr));
        let (said, exit) = watch::channel(None);
        let (kill, killed) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let status = wait(&mut child, killed).await;
            // A process that it started may still hold the stream, so its last words are not waited for without end.
            let _ = timeout(SOON, told).await;
            said.send_replace(Some(status));
        });
        let process = Process {
            command: command.to_vec(),
            group,
            mark,
            owner: std::process::id(),
            exit,
            kill,
            is_over: AtomicBool::new(false),
            stderr: tail,
            noise: Tail::default(),
        };
        Ok(Started { process: Held(Arc::new(process)), stdin, stdout })
    }

    /// Waits until it has ended, or until nobody can know any more.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut exit = self.exit.clone();
        async move {
            let _ = exit.wait_for(Option::is_some).await;
        }
    }

    /// How it ended, for people; waits a little, because streams close before their process is gone.
    pub(super) async fn ending(&self) -> Option<String> {
        let _ = timeout(SOON, self.ended()).await;
        let status = (*self.exit.borrow())?;
        Some(match status {
            // `exit status: 3` and `signal: 9 (SIGKILL)`.
            Some(status) => format!("ended with {}", status.to_string().replace(": ", " ")),
            None => "ended".to_owned(),
        })
    }

    /// What it left to read, for people: its command, the end of its standard error, and what is no protocol.
    pub(super) fn words(&self) -> String {
        let mut words = format!("command: {}", shown(&self.command));
        let noise = self.noise.text();
        if !noise.is_empty() {
            words.push_str("\nit printed to its standard output, which is for the protocol alone:");
            words.push_str(&indented(&noise));
        }
        let stderr = self.stderr.text();
        if !stderr.is_empty() {
            words.push_str("\nits standard error ends with:");
            words.push_str(&indented(&stderr));
        }
        words
    }

    /// Ends it and all that it started; its standard input is closed already. One that is busy with what nobody waits
    /// for gets less time. Gives what went wrong.
    pub(super) async fn end(&self, is_busy: bool) -> Option<String> {
        let (to_end, to_terminate) =
            if is_busy { (BUSY_TO_END, BUSY_TO_TERMINATE) } else { (TO_END, TO_TERMINATE) };
        let _ = timeout(to_end, self.ended()).await;
        if self.is_alive() {
            sweep::tell_group(self.group, Told::Terminate);
            let until = Instant::now() + to_terminate;
            while self.is_alive() && Instant::now() < until {
                sleep(Duration::from_millis(5)).await;
            }
        }
        let stubborn = self.exit.borrow().is_none();
        self.kill().await;
        stubborn.then(|| {
            let limit = (to_end + to_terminate).as_secs_f64();
            format!("it did not end within {limit} seconds and was killed; command: {}", shown(&self.command))
        })
    }

    /// Ends it and all that it started, at once.
    pub(super) async fn kill(&self) {
        self.kill_now(false);
        let mark = self.mark.clone();
        let _ = tokio::task::spawn_blocking(move || sweep::sweep(&mark)).await;
        let _ = timeout(SOON, self.ended()).await;
    }

    fn kill_now(&self, is_sweep: bool) {
        if std::process::id() != self.owner || self.is_over.swap(true, Ordering::SeqCst) {
            return;
        }
        let _ = self.kill.send(());
        sweep::tell_group(self.group, Told::Kill);
        if is_sweep {
            sweep::sweep(&self.mark);
        }
    }

    fn is_alive(&self) -> bool {
        self.exit.borrow().is_none() || sweep::is_group_alive(self.group)
    }
}

/// Waits for a child, and kills it when asked to.
async fn wait(child: &mut Child, mut killed: mpsc::UnboundedReceiver<()>) -> Exit {
    let kill = tokio::select! {
        status = child.wait() => return status.ok(),
        kill = killed.recv() => kill,
    };
    if kill.is_some() {
        // It fails when the child has ended meanwhile.
        let _ = child.start_kill();
    }
    child.wait().await.ok()
}

fn not_started(program: &str, folder: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound if !folder.is_dir() => {
            format!("the folder to start in is not there: {}", folder.display())
        }
        ErrorKind::NotFound => {
            format!("the program `{program}` was not found; is it installed, and on the PATH?")
        }
        ErrorKind::PermissionDenied => format!("the program `{program}` may not be run; is it executable?"),
        _ => format!("the program `{program}` could not be started: {error}"),
    }
}

/// A command as somebody would type it.
pub(super) fn shown(command: &[String]) -> String {
    let words = command.iter().map(|word| {
        let is_plain =
            !word.is_empty() && word.chars().all(|it| it.is_alphanumeric() || "-_./:=@%+,".contains(it));
        if is_plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Lines below a heading.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let command = ["python", "-c", "print('x')", ""].map(str::to_owned);
        assert_eq!(shown(&command), r"python -c 'print('\''x'\'')' ''");
    }
}
