//! Handing a request on to its provider, and the answer back as it comes.

use std::rc::Rc;

use reqwest::{Method, Response};
use unitai_model::{Source, with_causes};
use unitai_wire::cassette::{CassetteError, Tape, Ticket};
use unitai_wire::exchange::{Asked, Exchange, How};

use crate::answer::{self, Gone, Out};
use crate::deciding::Incoming;
use crate::provider::{back, onwards};
use crate::shared::{Shared, UnderWay, is_answered};
use crate::trouble::TroubleKind;

/// Hands a request on. With a ticket, a whole answer is recorded before the client learns that it is whole.
pub(crate) async fn forward(
    shared: &Rc<Shared>,
    incoming: &Incoming<'_>,
    mut asked: Option<Asked>,
    ticket: Option<Ticket>,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    let dialect = asked.as_ref().map(|asked| asked.dialect);
    let upstream = incoming.route.upstream;
    let Some(url) = upstream.url(incoming.route.rest) else {
        return out.refuse(dialect, 400, "the path leads away from its upstream").await;
    };
    let reservation = match asked.as_ref().map(|asked| shared.reserve(asked)).transpose() {
        Ok(reservation) => reservation.flatten(),
        Err((kind, message)) => {
            shared.trouble(kind, &message);
            if let Some(asked) = asked {
                shared.note_refused(asked, Source::Live, &message);
            }
            return out.refuse(dialect, 400, &message).await;
        }
    };
    let instead = asked.as_mut().and_then(|asked| with_usage(shared, incoming, asked, &url));
    let hides_usage = instead.is_some();
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
            format!("{kind}{}", with_causes(&error.without_url()))
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
    Passing { under_way, tape: ticket.map(Tape::new), hides_usage }.pass(shared, response, out).await
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
    under_way: Option<UnderWay>,
    tape: Option<Tape>,
    hides_usage: bool,
}

impl Passing {
    async fn pass(
        mut self,
        shared: &Rc<Shared>,
        mut response: Response,
        out: &mut Out<'_>,
    ) -> Result<(), Gone> {
        let status = response.status().as_u16();
        self.head(&response);
        out.bytes.clear();
        answer::head(out.bytes, status, back(response.headers()), out.keeps_alive);
        let has_body = !matches!(status, 204 | 304);
        // A recorded answer ends with a mark of its own, which is sent when the recording is safe.
        let length = response.content_length().filter(|_| self.tape.is_none() && !self.hides_usage);
        match length {
            _ if !has_body => out.bytes.extend_from_slice(b"\r\n"),
            Some(length) => {
                out.bytes.extend_from_slice(format!("content-length: {length}\r\n\r\n").as_bytes())
            }
            None => answer::chunked(out.bytes),
        }
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
                Ok(Some(bytes)) => {
                    let instead = self.feed(&bytes);
                    let shown = instead.as_deref().unwrap_or(&bytes);
                    if length.is_some() {
                        out.bytes.extend_from_slice(shown)
                    } else {
                        answer::chunk(out.bytes, shown)
                    }
                }
                Ok(None) => break How::Ended,
                Err(error) => break How::Broke(with_causes(&error.without_url())),
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
        self.settle(shared, &how).await;
        if how != How::Ended {
            // The client must see that the answer is not whole.
            return Err(Gone);
        }
        if has_body && length.is_none() {
            answer::chunk(out.bytes, &rest);
            answer::last_chunk(out.bytes);
        }
        out.send().await
    }

    fn head(&mut self, response: &Response) {
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default()
        };
        let (kind, encoding) = (header("content-type"), header("content-encoding"));
        if let Some(under_way) = &mut self.under_way {
            under_way.exchange.head(status, kind, encoding);
        }
        if let Some(tape) = &mut self.tape {
            tape.head(status, encoding);
            for (name, value) in response.headers() {
                tape.header(name.as_str(), value.to_str().unwrap_or_default());
            }
        }
    }

    /// Takes the next bytes of the answer. Gives what the client gets instead, where that differs.
    fn feed(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        if let Some(tape) = &mut self.tape {
            tape.feed(bytes);
        }
        self.under_way.as_mut().and_then(|under_way| under_way.exchange.feed(bytes))
    }

    /// The answer is over. A whole one is recorded; the disk is slow, and other connections must not wait for it.
    async fn settle(&mut self, shared: &Shared, how: &How) {
        let call = self.under_way.as_mut().and_then(|under_way| under_way.settle(how));
        let Some(mut tape) = self.tape.take() else { return };
        let end = call.as_ref().and_then(|call| Some(&call.exchange.as_ref()?.end));
        if let Some(why) = end.and_then(|end| tape.unstored(end)) {
            shared.say(&format!("an answer was not recorded, and a replay will miss it: {why}"));
        }
        if !tape.is_worth_keeping() {
            return;
        }
        let (is_whole, is_streamed) = match &self.under_way {
            Some(under_way) => {
                (call.as_ref().is_some_and(is_answered), under_way.exchange.asked().request.streamed)
            }
            None => (*how == How::Ended && !tape.is_an_error(), tape.is_event_stream()),
        };
        if !is_whole {
            return;
        }
        let raw = call.as_ref().and_then(|call| call.exchange.as_ref()?.raw_usage.as_ref());
        let usage = raw.and_then(|usage| serde_json::from_str(usage.text()).ok());
        let hides_usage = self.hides_usage;
        let kept = tokio::task::spawn_blocking(move || tape.keep(is_streamed, hides_usage, usage)).await;
        let trouble = match kept {
            Ok(Ok(())) => return,
            Ok(Err(CassetteError::NotReplayable(why))) => {
                shared.say(&format!("an answer was not recorded, and a replay will miss it: {why}"));
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        shared.trouble(TroubleKind::Disk, &format!("an answer could not be recorded: {trouble}"));
    }
}
