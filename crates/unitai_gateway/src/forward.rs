//! Handing a request on to its provider, and the answer back as it comes.

use std::rc::Rc;
use std::time::Instant;

use reqwest::{Method, Response};
use unitai_model::{ModelCall, Source};
use unitai_wire::cassette::{Chunk, Recording};
use unitai_wire::encoding::Decoder;
use unitai_wire::exchange::{Asked, Exchange, How};

use crate::answer::{Gone, Out};
use crate::deciding::{Incoming, Keep};
use crate::memo::Known;
use crate::provider::{back, onwards, shown};
use crate::shared::{Shared, UnderWay, is_answered};

/// Hands a request on. With a ticket, a whole answer is recorded before the client learns that it is whole.
pub(crate) async fn forward(
    shared: &Rc<Shared>,
    incoming: &Incoming<'_>,
    known: Option<&Known>,
    ticket: Keep,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    let mut asked = known.map(Known::asked);
    let dialect = asked.as_ref().map(|asked| asked.dialect);
    let upstream = incoming.route.upstream;
    let Some(url) = upstream.url(incoming.route.rest) else {
        return out.refuse(dialect, 400, "the path leads away from its upstream").await;
    };
    let reservation = match asked.as_ref().map(|asked| shared.reserve(asked)).transpose() {
        Ok(reservation) => reservation.flatten(),
        Err(message) => {
            shared.trouble(&message);
            if let Some(asked) = asked {
                shared.note_refused(asked, Source::Live, &message);
            }
            return out.refuse(dialect, 400, &message).await;
        }
    };
    let instead = asked.as_mut().and_then(|asked| with_usage(shared, incoming, asked, &url));
    let hides_usage = instead.is_some();
    let began = Instant::now();
    let mut under_way = asked
        .map(|asked| UnderWay::begin(shared, Exchange::begin(asked, Source::Live, hides_usage), reservation));
    let headers = onwards(incoming.head, ticket.is_some() || hides_usage, hides_usage);
    let sent = async {
        let client = shared.provider.client(upstream)?;
        let method =
            Method::from_bytes(incoming.head.method.as_bytes()).map_err(|error| error.to_string())?;
        let request = client.request(method, url).headers(headers);
        let body = instead.unwrap_or_else(|| incoming.body.to_vec());
        // A request without a body says nothing about its length.
        let request =
            if body.is_empty() && incoming.head.method != "POST" { request } else { request.body(body) };
        request.send().await.map_err(|error| {
            let kind = if error.is_connect() { "ConnectError: " } else { "" };
            format!("{kind}{}", shown(&error.without_url()))
        })
    };
    let response = tokio::select! {
        biased;
        sent = sent => sent,
        () = Out::gone(out.stream) => return Err(Gone),
    };
    let response = match response {
        Ok(response) => response,
        Err(reason) => {
            if let Some(under_way) = &mut under_way {
                under_way.settle(&How::Broke(reason.clone()));
            }
            let message =
                format!("{} cannot be reached at {}: {reason}", upstream.name(), upstream.address());
            shared.say(&message);
            return out.refuse(dialect, 502, &message).await;
        }
    };
    let passing =
        Passing { began, last: began, decoder: None, under_way, kept: Vec::new(), is_kept: ticket.is_some() };
    passing.pass(shared, response, ticket, hides_usage, out).await
}

/// The body with the question for usage, where the client has not asked it.
fn with_usage(
    shared: &Shared,
    incoming: &Incoming<'_>,
    asked: &mut Asked,
    url: &reqwest::Url,
) -> Option<Vec<u8>> {
    if !shared.settings.asks_for_usage || !asked.request.streamed || asked.dialect.is_signed() {
        return None;
    }
    let rewritten = asked.rewrite(url.path(), &incoming.decoded(), None, true)?;
    Some(rewritten.body.into_bytes())
}

/// An answer on its way.
struct Passing {
    began: Instant,
    /// When the last piece came.
    last: Instant,
    decoder: Option<Decoder>,
    under_way: Option<UnderWay>,
    kept: Vec<Chunk>,
    is_kept: bool,
}

impl Passing {
    async fn pass(
        mut self,
        shared: &Rc<Shared>,
        mut response: Response,
        mut ticket: Keep,
        hides_usage: bool,
        out: &mut Out<'_>,
    ) -> Result<(), Gone> {
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (kind, encoding) = (header("content-type"), header("content-encoding"));
        if ticket.is_some() {
            match Decoder::of(&encoding) {
                Ok(decoder) => self.decoder = decoder,
                // What cannot be read cannot be cleaned of secrets, so it is not kept.
                Err(_) => self.drop_ticket(&mut ticket),
            }
        }
        let is_decoded = self.decoder.is_some();
        if let Some(under_way) = &mut self.under_way {
            under_way.exchange.head(status, &kind, if is_decoded { "" } else { &encoding });
        }
        out.head(status, back(response.headers(), is_decoded));
        let has_body = !matches!(status, 204 | 304);
        let length = response.content_length().filter(|_| ticket.is_none() && !hides_usage && !is_decoded);
        match length {
            _ if !has_body => out.bytes.extend_from_slice(b"\r\n"),
            Some(length) => {
                out.bytes.extend_from_slice(format!("content-length: {length}\r\n\r\n").as_bytes())
            }
            None => out.chunked(),
        }
        let recorded = ticket.is_some().then(|| recorded_headers(&response));
        // What came together goes out together.
        tokio::task::yield_now().await;
        let mut is_sent = false;
        let how = loop {
            let next = tokio::select! {
                biased;
                next = response.chunk() => next,
                () = Out::gone(out.stream), if is_sent => break How::Closed,
                () = std::future::ready(()), if !is_sent => {
                    is_sent = true;
                    if out.send().await.is_err() { break How::Closed }
                    continue;
                }
            };
            match next {
                Ok(Some(bytes)) => match self.feed(&bytes) {
                    Ok(shown) if length.is_some() => out.bytes.extend_from_slice(&shown),
                    Ok(shown) => out.chunk(&shown),
                    Err(reason) => break How::Broke(reason),
                },
                Ok(None) => break How::Ended,
                Err(error) => break How::Broke(shown(&error.without_url())),
            }
            is_sent = true;
            if out.send().await.is_err() {
                break How::Closed;
            }
        };
        let rest = match (&how, &mut self.under_way) {
            (How::Ended, Some(under_way)) => under_way.exchange.end(),
            _ => Vec::new(),
        };
        let call = self.under_way.as_mut().and_then(|under_way| under_way.settle(&how));
        let is_whole = match &call {
            Some(call) => is_answered(call),
            None => how == How::Ended && status < 300,
        };
        if let (true, Some(ticket), Some(headers)) = (is_whole, ticket.take(), recorded) {
            let recording = self.recording(status, headers, call.as_ref(), hides_usage);
            keep(shared, ticket, recording).await;
        }
        if how != How::Ended {
            // The client must see that the answer is not whole.
            return Err(Gone);
        }
        if has_body && length.is_none() {
            out.chunk(&rest);
            out.last_chunk();
        }
        out.send().await
    }

    fn drop_ticket(&mut self, ticket: &mut Keep) {
        *ticket = None;
        self.is_kept = false;
    }

    /// Takes the next bytes of the answer; gives what the client gets of them.
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let bytes = match &mut self.decoder {
            Some(decoder) => decoder.feed(bytes).map_err(|error| error.to_string())?,
            None => bytes.to_vec(),
        };
        if self.is_kept {
            let now = Instant::now();
            let after = now.duration_since(self.last).as_secs_f64();
            self.last = now;
            self.kept.push(Chunk { after, bytes: bytes.clone() });
        }
        let instead = self.under_way.as_mut().and_then(|under_way| under_way.exchange.feed(&bytes));
        Ok(instead.unwrap_or(bytes))
    }

    fn recording(
        &mut self,
        status: u16,
        headers: Vec<(String, String)>,
        call: Option<&ModelCall>,
        hides_usage: bool,
    ) -> Recording {
        let mut chunks = std::mem::take(&mut self.kept);
        let is_streamed = match &self.under_way {
            Some(under_way) => under_way.exchange.asked().request.streamed,
            None => {
                headers.iter().any(|(name, kind)| name == "content-type" && kind.contains("event-stream"))
            }
        };
        if !is_streamed {
            let after = chunks.iter().map(|chunk| chunk.after).sum();
            let bytes = chunks.into_iter().flat_map(|chunk| chunk.bytes).collect();
            chunks = vec![Chunk { after, bytes }];
        }
        let raw = call.and_then(|call| call.exchange.as_ref()?.raw_usage.as_ref());
        let usage = raw.and_then(|usage| serde_json::from_str(usage.text()).ok());
        Recording { status, headers, chunks, latency: self.began.elapsed().as_secs_f64(), hides_usage, usage }
    }
}

fn recorded_headers(response: &Response) -> Vec<(String, String)> {
    let headers = response.headers().iter().filter(|(name, _)| Recording::keeps_header(name.as_str()));
    headers
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect()
}

/// Writes a recording. The disk is slow, and the other connections must not wait for it.
async fn keep(shared: &Shared, ticket: unitai_wire::cassette::Ticket, recording: Recording) {
    let trouble = match tokio::task::spawn_blocking(move || ticket.keep(recording)).await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    shared.trouble(&format!("an answer could not be recorded: {trouble}"));
}
