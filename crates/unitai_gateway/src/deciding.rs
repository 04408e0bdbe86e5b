//! The decision about one request: answer it from a recording, hand it on, or refuse it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use unitai_model::Source;
use unitai_wire::cassette::{CassetteError, Inquiry, Look, Recording};
use unitai_wire::exchange::Asked;
use unitai_wire::{Target, asks_for_beta, encoding};

use crate::answer::{Gone, Out};
use crate::forward::forward;
use crate::guard::Route;
use crate::head::Head;
use crate::memo::Known;
use crate::replay;
use crate::shared::Shared;
use crate::trouble::TroubleKind;

/// A request that was let in, whole.
pub(crate) struct Incoming<'a> {
    pub(crate) head: &'a Head<'a>,
    pub(crate) route: Route<'a>,
    pub(crate) body: &'a [u8],
    /// Whether its headers are not those of the request before.
    pub(crate) is_new: bool,
}

impl<'a> Incoming<'a> {
    /// The body without the compression that some clients put on it.
    pub(crate) fn decoded(&self) -> Cow<'a, [u8]> {
        match self.head.encoding.only().map(std::str::from_utf8) {
            None => Cow::Borrowed(self.body),
            Some(encoding) => match encoding::decode(encoding.unwrap_or("?"), self.body) {
                Ok(decoded) => Cow::Owned(decoded),
                Err(_) => Cow::Borrowed(self.body),
            },
        }
    }

    /// The path at the provider.
    fn path(&self) -> String {
        self.route.upstream.path(self.route.rest)
    }

    /// The request; `None` when it is none to a model.
    fn read(&self) -> Option<Asked> {
        let upstream = self.route.upstream;
        let is_beta = asks_for_beta(self.route.rest);
        let target = Target { host: upstream.host(), port: None, path: &self.path(), is_beta };
        let asked = Asked::read(&target, &self.decoded())?;
        Some(Asked { is_local: upstream.is_local(), ..asked })
    }
}

/// A request that is read when somebody needs the whole of it, once.
struct Whole<'a> {
    incoming: &'a Incoming<'a>,
    asked: OnceCell<Option<Asked>>,
}

impl Whole<'_> {
    fn get(&self) -> Option<&Asked> {
        self.asked.get_or_init(|| self.incoming.read()).as_ref()
    }

    fn take(self) -> Option<Asked> {
        self.asked.into_inner().unwrap_or_else(|| self.incoming.read())
    }
}

/// Answers a request.
pub(crate) async fn answer(
    shared: &Rc<Shared>,
    incoming: &Incoming<'_>,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    let began = Instant::now();
    if incoming.is_new {
        learn(shared, incoming);
    }
    let Route { upstream, rest } = incoming.route;
    if rest.contains('?') {
        shared.settings.secrets.learn_url(&format!("{}{rest}", upstream.address()));
    }
    let whole = Whole { incoming, asked: OnceCell::new() };
    let Some(known) = known(shared, &whole) else {
        return answer_api(shared, incoming, out).await;
    };
    known.fresh_results().for_each(|result| shared.journal.told(result));
    if known.seat.get().is_none() && whole.get().is_none() {
        return unreadable(shared, &known, out).await;
    }
    match look(shared, &known, &whole) {
        Ok(None) => forward(shared, incoming, whole.take(), None, out).await,
        Ok(Some(Found::New(Look::Record(ticket)))) => {
            forward(shared, incoming, whole.take(), Some(ticket), out).await
        }
        Ok(Some(Found::Again(place, recording))) => {
            answer_again(shared, &known, (place, recording), whole, began, out).await
        }
        Ok(Some(Found::New(Look::Hit { recording, place }))) => {
            answer_again(shared, &known, (place, &recording), whole, began, out).await
        }
        Err(error) => {
            let message = error.to_string();
            shared.no_recording(kind_of(&error), &error);
            if let Some(asked) = whole.take() {
                shared.note_refused(asked, Source::Replay, &message);
            }
            out.refuse(Some(known.dialect), 400, &shared.settings.secrets.clean(&message)).await
        }
    }
}

/// Answers a request to a model as it was answered before.
async fn answer_again(
    shared: &Shared,
    known: &Known,
    (place, recording): (usize, &Arc<Recording>),
    whole: Whole<'_>,
    began: Instant,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    match shared.memo.replay(known, place, recording, &shared.settings.prices, || whole.take()) {
        Some(replay) => replay::model(shared, known, replay, began, out).await,
        // Nothing goes out that is no step of the record.
        None => unreadable(shared, known, out).await,
    }
}

/// Refuses a request that was read before, and now cannot be: what was asked is not known, so nothing may answer.
async fn unreadable(shared: &Shared, known: &Known, out: &mut Out<'_>) -> Result<(), Gone> {
    let message = "a request that was read before could not be read again, so it was refused";
    shared.trouble(TroubleKind::NoRecording, message);
    out.refuse(Some(known.dialect), 500, message).await
}

/// Answers a request that is none to a model.
async fn answer_api(shared: &Rc<Shared>, incoming: &Incoming<'_>, out: &mut Out<'_>) -> Result<(), Gone> {
    match look_for_api(shared, incoming) {
        Ok(None) => forward(shared, incoming, None, None, out).await,
        Ok(Some(Look::Record(ticket))) => forward(shared, incoming, None, Some(ticket), out).await,
        Ok(Some(Look::Hit { recording, .. })) => replay::api(shared, &recording, out).await,
        Err(error) => {
            let message = error.to_string();
            shared.no_recording(kind_of(&error), &error);
            out.refuse(None, 400, &shared.settings.secrets.clean(&message)).await
        }
    }
}

/// What is known of a request, where it is one to a model.
fn known(shared: &Shared, whole: &Whole<'_>) -> Option<Rc<Known>> {
    let is_post = whole.incoming.head.method == "POST";
    is_post.then(|| shared.memo.known(whole.incoming, || whole.get().map(Known::of))).flatten()
}

/// What there is for a request to a model.
enum Found<'a> {
    /// Its recordings were read before, and it is this one's turn.
    Again(usize, &'a Arc<Recording>),
    New(Look),
}

/// Looks for a request to a model; `None` when there are no recordings at all, and the provider answers.
fn look<'a>(
    shared: &Shared,
    known: &'a Known,
    whole: &Whole<'_>,
) -> Result<Option<Found<'a>>, CassetteError> {
    let Some(cassette) = &shared.settings.cassette else { return Ok(None) };
    if let Some((place, recording)) = known.seat.get().and_then(|seat| cassette.next_known(seat)) {
        return Ok(Some(Found::Again(place, recording)));
    }
    let Some(asked) = whole.get() else {
        return Ok(look_for_api(shared, whole.incoming)?.map(Found::New));
    };
    let inquiry = cassette.ready(Inquiry::of_model(asked, &whole.incoming.path()));
    let seat = known.seat.get_or_init(|| cassette.seat(shared.scope(cassette), &inquiry));
    Ok(Some(Found::New(cassette.look_from(seat, &inquiry)?)))
}

/// Looks for any other request.
fn look_for_api(shared: &Shared, incoming: &Incoming<'_>) -> Result<Option<Look>, CassetteError> {
    let Some(cassette) = &shared.settings.cassette else { return Ok(None) };
    let Route { upstream, rest } = incoming.route;
    let address = format!("{}{rest}", upstream.address());
    let inquiry = cassette.ready(Inquiry::of_api(incoming.head.method, &address, &incoming.decoded()));
    cassette.look_again(shared.scope(cassette), &inquiry).map(Some)
}

fn kind_of(error: &CassetteError) -> TroubleKind {
    match error {
        CassetteError::Miss(_) => TroubleKind::NoRecording,
        CassetteError::Damaged(_) => TroubleKind::Damaged,
        CassetteError::Disk { .. } | CassetteError::NotReplayable(_) => TroubleKind::Disk,
    }
}

/// What authorises the request is never to be written anywhere.
fn learn(shared: &Shared, incoming: &Incoming<'_>) {
    let secrets = &shared.settings.secrets;
    for (name, value) in &incoming.head.headers {
        if let Ok(value) = std::str::from_utf8(value) {
            secrets.learn_header(name, value);
        }
    }
}
