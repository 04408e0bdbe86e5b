//! Answering from a recording.

use std::time::{Duration, Instant};

use unitai_wire::cassette::{Chunk, Recording};

use crate::answer::{self, Gone, Out};
use crate::memo::{Known, Replay};
use crate::settings::Pace;
use crate::shared::{Shared, is_answered};

/// Answers a request to a model.
pub(crate) async fn model(
    shared: &Shared,
    known: &Known,
    replay: &Replay,
    began: Instant,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    let mut call = replay.call();
    if let Some(exchange) = &mut call.exchange {
        let now = Some(began.elapsed().as_secs_f64());
        exchange.latency = now;
        exchange.time_to_first_token = exchange.time_to_first_token.and(now);
    }
    let is_answered = is_answered(&call);
    if let (Some(cassette), Some(cost)) = (&shared.settings.cassette, call.cost) {
        cassette.tally().saved(cost);
    }
    let step = shared.journal.model_call(call);
    let is_paced = shared.settings.pace == Pace::Recorded;
    // The agent may ask again as soon as it has the answer, so what it asks for is written down before.
    if is_answered && !is_paced {
        shared.journal.called(&replay.calls);
    }
    let is_streamed = known.is_streamed;
    let sent = if is_paced {
        send_paced(&replay.recording, replay.chunks(), is_streamed, out).await
    } else if out.keeps_alive {
        out.send_ready(&replay.sent).await
    } else {
        send(&replay.recording, replay.chunks(), is_streamed, out).await
    };
    if is_paced && let Some(step) = step {
        let mut call = replay.call();
        if let Some(exchange) = &mut call.exchange {
            exchange.latency = Some(began.elapsed().as_secs_f64());
        }
        shared.journal.settle(step, call);
        if is_answered {
            shared.journal.called(&replay.calls);
        }
    }
    sent
}

/// Answers a request to any other API.
pub(crate) async fn api(shared: &Shared, recording: &Recording, out: &mut Out<'_>) -> Result<(), Gone> {
    let is_streamed = recording.chunks.len() > 1;
    match shared.settings.pace {
        Pace::Recorded => send_paced(recording, &recording.chunks, is_streamed, out).await,
        Pace::None => send(recording, &recording.chunks, is_streamed, out).await,
    }
}

/// A recorded answer as it goes over the wire, all at once.
pub(crate) fn write(
    out: &mut Vec<u8>,
    recording: &Recording,
    chunks: &[Chunk],
    is_streamed: bool,
    keeps_alive: bool,
) {
    answer::head(out, recording.status, headers(recording), keeps_alive);
    match chunks {
        _ if is_streamed => {
            answer::chunked(out);
            chunks.iter().for_each(|chunk| answer::chunk(out, &chunk.bytes));
            answer::last_chunk(out);
        }
        [chunk] => answer::whole(out, &chunk.bytes),
        _ => answer::whole(out, &chunks.iter().flat_map(|chunk| &chunk.bytes).copied().collect::<Vec<u8>>()),
    }
}

fn headers(recording: &Recording) -> impl Iterator<Item = (&str, &[u8])> {
    recording.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

async fn send(
    recording: &Recording,
    chunks: &[Chunk],
    is_streamed: bool,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    out.bytes.clear();
    write(out.bytes, recording, chunks, is_streamed, out.keeps_alive);
    out.send().await
}

async fn send_paced(
    recording: &Recording,
    chunks: &[Chunk],
    is_streamed: bool,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    if !is_streamed {
        pause(recording.latency).await;
        return send(recording, chunks, is_streamed, out).await;
    }
    out.bytes.clear();
    answer::head(out.bytes, recording.status, headers(recording), out.keeps_alive);
    answer::chunked(out.bytes);
    for chunk in chunks {
        out.send().await?;
        pause(chunk.after).await;
        answer::chunk(out.bytes, &chunk.bytes);
    }
    answer::last_chunk(out.bytes);
    out.send().await
}

async fn pause(seconds: f64) {
    // A file may say anything.
    if let Ok(time) = Duration::try_from_secs_f64(seconds) {
        tokio::time::sleep(time).await;
    }
}
