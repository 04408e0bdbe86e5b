//! Answering from a recording.

use std::time::{Duration, Instant};

use unitai_wire::cassette::{Chunk, Recording};

use crate::answer::{Gone, Out};
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
    let mut call = replay.call.clone();
    if let Some(exchange) = &mut call.exchange {
        let now = Some(began.elapsed().as_secs_f64());
        exchange.latency = now;
        exchange.time_to_first_token = exchange.time_to_first_token.and(now);
    }
    let is_answered = is_answered(&call);
    let step = shared.journal.model_call(call);
    let is_paced = shared.settings.pace == Pace::Recorded;
    // The agent may ask again as soon as it has the answer, so what it asks for is written down before.
    if is_answered && !is_paced {
        shared.journal.called(&replay.calls);
    }
    let sent = send(shared, &replay.recording, replay.chunks(), known.asked.request.streamed, out).await;
    if is_paced && let Some(step) = step {
        let mut call = replay.call.clone();
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
    send(shared, recording, &recording.chunks, recording.chunks.len() > 1, out).await
}

async fn send(
    shared: &Shared,
    recording: &Recording,
    chunks: &[Chunk],
    is_streamed: bool,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    let headers = recording.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    out.head(recording.status, headers);
    let is_paced = shared.settings.pace == Pace::Recorded;
    if !is_streamed {
        if is_paced {
            pause(recording.latency).await;
        }
        match chunks {
            [chunk] => out.whole(&chunk.bytes),
            _ => out.whole(&chunks.iter().flat_map(|chunk| &chunk.bytes).copied().collect::<Vec<u8>>()),
        }
        return out.send().await;
    }
    out.chunked();
    for chunk in chunks {
        if is_paced {
            out.send().await?;
            pause(chunk.after).await;
        }
        out.chunk(&chunk.bytes);
    }
    out.last_chunk();
    out.send().await
}

async fn pause(seconds: f64) {
    // A file may say anything.
    if let Ok(time) = Duration::try_from_secs_f64(seconds) {
        tokio::time::sleep(time).await;
    }
}
