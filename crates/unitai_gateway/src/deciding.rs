//! The decision about one request: answer it from a recording, hand it on, or refuse it.

use std::borrow::Cow;
use std::rc::Rc;
use std::time::Instant;

use unitai_model::Source;
use unitai_wire::cassette::{CassetteError, Inquiry, Look};
use unitai_wire::exchange::Asked;
use unitai_wire::{Target, encoding};

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
        match self.head.only("content-encoding").map(std::str::from_utf8) {
            None => Cow::Borrowed(self.body),
            Some(encoding) => match encoding::decode(encoding.unwrap_or("?"), self.body) {
                Ok(decoded) => Cow::Owned(decoded),
                Err(_) => Cow::Borrowed(self.body),
            },
        }
    }

    fn read(&self) -> Option<Known> {
        let upstream = self.route.upstream;
        let path = upstream.path(self.route.rest);
        let target = Target { host: upstream.host(), port: None, path: &path };
        let asked = Asked::read(&target, &self.decoded())?;
        Some(Known::new(Asked { is_local: upstream.is_local(), ..asked }, path))
    }
}

/// Answers a request.
pub(crate) async fn answer(
    shared: &Rc<Shared>,
    incoming: &Incoming<'_>,
    out: &mut Out<'_>,
) -> Result<(), Gone> {
    let began = Instant::now();
    let Route { upstream, rest } = incoming.route;
    if incoming.is_new {
        learn(shared, incoming);
    }
    if rest.contains('?') {
        shared.settings.secrets.learn_url(&format!("{}{rest}", upstream.address()));
    }
    let known = match incoming.head.method {
        "POST" => shared.memo.known(upstream, rest, incoming.body, || incoming.read()),
        _ => None,
    };
    let dialect = known.as_ref().map(|known| known.asked.dialect);
    if let Some(known) = &known {
        known.fresh_results().for_each(|result| shared.journal.told(result));
    }
    match look(shared, incoming, known.as_deref()) {
        Ok(Found::Nothing) => forward(shared, incoming, known.as_deref(), None, out).await,
        Ok(Found::Recording(Look::Record(ticket))) => {
            forward(shared, incoming, known.as_deref(), Some(ticket), out).await
        }
        Ok(Found::Recording(Look::Hit(recording))) => match &known {
            Some(known) => {
                let replay = known.replay(&recording, &shared.settings.prices);
                replay::model(shared, known, &replay, began, out).await
            }
            None => replay::api(shared, &recording, out).await,
        },
        Err(error) => {
            let message = error.to_string();
            shared.no_recording(kind_of(&error), &error);
            if let Some(known) = &known {
                shared.note_refused(known.asked(), Source::Replay, &message);
            }
            out.refuse(dialect, 400, &shared.settings.secrets.clean(&message)).await
        }
    }
}

/// What there is for a request.
enum Found {
    /// There are no recordings at all: it goes to the provider.
    Nothing,
    Recording(Look),
}

fn look(shared: &Shared, incoming: &Incoming<'_>, known: Option<&Known>) -> Result<Found, CassetteError> {
    let Some(cassette) = &shared.settings.cassette else { return Ok(Found::Nothing) };
    let scope = shared.scope.get_or_init(|| cassette.ready_scope(&shared.settings.scope));
    let found = match known {
        Some(known) => {
            let ready = || cassette.ready(Inquiry::of_model(&known.asked, &known.path));
            cassette.look_again(scope, known.inquiry.get_or_init(ready))
        }
        None => {
            let Route { upstream, rest } = incoming.route;
            let address = format!("{}{rest}", upstream.address());
            let inquiry = Inquiry::of_api(incoming.head.method, &address, &incoming.decoded());
            cassette.look_again(scope, &cassette.ready(inquiry))
        }
    };
    found.map(Found::Recording)
}

fn kind_of(error: &CassetteError) -> TroubleKind {
    match error {
        CassetteError::Miss(_) => TroubleKind::NoRecording,
        CassetteError::Damaged(_) => TroubleKind::Damaged,
        CassetteError::Disk { .. } => TroubleKind::Disk,
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
