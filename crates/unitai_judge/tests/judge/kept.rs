//! Answers are kept beside the test, and used again as long as questions and evidence are the same.

use super::*;
use unitai_judge::answers::{KeptVotes, Steadiness};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("answers/orders.orders.12345678.json")
    }

    fn kept(&self) -> Kept {
        Kept::from_text(&std::fs::read_to_string(self.path()).expect("a file")).expect("kept answers")
    }

    fn ruling(&self, judge: &ModelJudge, evidence: &[Evidence]) -> Ruling {
        ruling_about(judge, evidence, Some(&self.path()), &[])
    }

    /// What is kept after one good answer.
    fn with_answers() -> Place {
        let place = Place::new();
        let model = Scripted::saying([Ok(said(&good().to_string()))]);
        assert!(matches!(place.ruling(&judge(&model, asking(Mode::Auto)), &records()), Ruling::Answered(_)));
        place
    }
}

fn trouble(ruling: Ruling) -> String {
    match ruling {
        Ruling::Trouble(why) => why,
        other => panic!("no trouble but {other:?}"),
    }
}

fn answered(ruling: Ruling) -> Answered {
    match ruling {
        Ruling::Answered(answered) => answered,
        other => panic!("no answer but {other:?}"),
    }
}

#[test]
fn answers_are_used_again_and_nobody_is_asked() {
    let place = Place::with_answers();
    let mut later = records();
    later[0].ms = 99.0;
    later[0].started = 7e9;
    for mode in [Mode::Auto, Mode::Cached] {
        let model = Scripted::saying([]);
        let again = answered(place.ruling(&judge(&model, asking(mode)), &later));
        assert_eq!(words(&again), ["yes", "yes", "no"]);
        assert!(again.judged.is_kept && again.are_quotes_checked && again.judged.notes.is_empty());
        assert_eq!((again.judged.spent, again.judged.by.as_str()), (Spent::NOTHING, "scripted model-1"));
        assert_eq!(again.replies[0].quotes[0].quote, "shipped");
        assert!(model.asked().is_empty());
    }
    // In CI nobody may be there at all.
    assert_eq!(words(&answered(place.ruling(&nobody(asking(Mode::Cached)), &later))), ["yes", "yes", "no"]);
}

#[test]
fn the_file_can_be_reviewed() {
    let place = Place::with_answers();
    let entry = &place.kept().entries[0];
    assert_eq!(place.kept().test, "Orders");
    assert_eq!((entry.judge.provider.as_str(), entry.judge.version.as_str()), ("scripted", "1.0"));
    assert_eq!((entry.repeats, entry.questions[0].path.as_str()), (1, "steps[0]"));
    assert_eq!(entry.replies[1].quotes[0].reference, "E2");
    assert_eq!(entry.evidence[0].tool, "look_up");
    assert!(entry.evidence[0].text.contains("shipped") && entry.date.ends_with('Z'));
    assert_eq!(Kept::from_text(&place.kept().to_text()), Ok(place.kept()));
}

#[test]
fn a_miss_names_what_differs_and_what_to_do() {
    let place = Place::with_answers();
    let model = Scripted::saying([]);
    let cached = judge(&model, asking(Mode::Cached));
    let mut other = records();
    other[0] = evidence(1, "look_up", returned(&json!({"order": 7, "status": "cancelled"})));
    let why = trouble(place.ruling(&cached, &other));
    assert!(why.contains("E1 (look_up) gives something else"), "{why}");
    assert!(
        why.contains("shipped") && why.contains("cancelled") && why.contains("UNITAI_JUDGE_ANSWERS=live"),
        "{why}"
    );
    let why = trouble(place.ruling(&cached, &records()[..1]));
    assert!(why.contains("there were 2 records of evidence, and there are 1 now"), "{why}");
    other = records();
    other[1].tool = "phone".to_owned();
    let why = trouble(place.ruling(&cached, &other));
    assert!(why.contains("E2 was a call of mail and is one of phone now"), "{why}");
    other = records();
    other[1].args = vec![("to".to_owned(), Value::Str("ada".to_owned()))];
    let why = trouble(place.ruling(&cached, &other));
    assert!(why.contains("E2 (mail) is called with other arguments"), "{why}");
    let why = trouble(ruling_about(&cached, &records(), Some(&place.path()), &["gate"]));
    assert!(why.contains("each question was asked 1 times, and 3 are wanted"), "{why}");
    let why = trouble(ruling_about(&cached, &records(), Some(Path::new("nowhere/a.json")), &[]));
    assert!(why.contains("there is no nowhere"), "{why}");
    let why = trouble(ruling_about(&cached, &records(), None, &[]));
    assert!(why.contains("no file"), "{why}");
    let elsewhere = Scripted::named("model-2", []);
    let why = trouble(place.ruling(&judge(&elsewhere, asking(Mode::Cached)), &records()));
    assert!(why.contains("they are of scripted model-1, and scripted model-2 is asked now"), "{why}");
    assert!(model.asked().is_empty() && elsewhere.asked().is_empty());
}

/// A first judge that leaves the second question open.
fn unsure() -> Arc<Scripted> {
    let open = answers(&[("Q1", "yes", &[("E1", "shipped")]), ("Q2", "unknown", &[]), ("Q3", "no", &[])]);
    Scripted::saying([Ok(said(&open.to_string()))])
}

#[test]
fn who_had_the_last_word_must_have_it_now() {
    let place = Place::new();
    let sure = answers(&[("Q2", "yes", &[("E2", "mail sent")])]);
    let second = Scripted::named("model-2", [Ok(said(&sure.to_string()))]);
    let both = judge(&unsure(), asking(Mode::Auto)).with_second(second);
    assert_eq!(words(&answered(place.ruling(&both, &records()))), ["yes", "yes", "no"]);
    assert_eq!(place.kept().entries[0].second.as_ref().expect("a second").model, "model-2");
    let cached = || judge(&Scripted::saying([]), asking(Mode::Cached));
    let same = cached().with_second(Scripted::named("model-2", []));
    assert_eq!(words(&answered(place.ruling(&same, &records()))), ["yes", "yes", "no"]);
    // Where nobody is, as in CI, there is nobody who could say otherwise.
    let away = nobody(asking(Mode::Cached)).with_second(Arc::new(Nobody::new("install it")));
    assert_eq!(words(&answered(place.ruling(&away, &records()))), ["yes", "yes", "no"]);
    let other = cached().with_second(Scripted::named("model-3", []));
    let why = trouble(place.ruling(&other, &records()));
    assert!(why.contains("scripted model-2 was the second judge, and scripted model-3 is now"), "{why}");
    let why = trouble(place.ruling(&cached(), &records()));
    assert!(why.contains("scripted model-2 was the second judge, and nobody is now"), "{why}");
}

#[test]
fn what_nobody_knew_is_asked_of_a_second_judge_that_came_later() {
    let place = Place::new();
    place.ruling(&judge(&unsure(), asking(Mode::Auto)), &records());
    let later =
        judge(&Scripted::saying([]), asking(Mode::Cached)).with_second(Scripted::named("model-2", []));
    let why = trouble(place.ruling(&later, &records()));
    assert!(why.contains("nobody was the second judge, and scripted model-2 is now"), "{why}");
    // Who is not needed is not missed.
    let place = Place::with_answers();
    assert_eq!(words(&answered(place.ruling(&later, &records()))), ["yes", "yes", "no"]);
}

#[test]
fn another_question_is_a_miss_that_shows_both() {
    let place = Place::with_answers();
    let model = Scripted::saying([]);
    let (mut questions, records, path) = (questions(), records(), place.path());
    questions[1].text = "The customer is glad".to_owned();
    let brief = Brief {
        name: "Orders",
        description: "",
        tags: &[],
        keep_in: Some(&path),
        questions: &questions,
        evidence: &records,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let why = trouble(runtime.block_on(judge(&model, asking(Mode::Cached)).judge(&brief)));
    assert!(why.contains("Q2 was \"The customer knows\" and is \"The customer is glad\" now"), "{why}");
}

#[test]
fn another_version_of_the_same_program_is_a_note() {
    let place = Place::with_answers();
    let newer = Scripted::versioned("2.0");
    let again = answered(place.ruling(&judge(&newer, asking(Mode::Cached)), &records()));
    assert_eq!(words(&again), ["yes", "yes", "no"]);
    assert!(again.judged.notes[0].contains("of scripted 1.0, and 2.0 is here"), "{:?}", again.judged.notes);
}

#[test]
fn live_asks_always_and_takes_the_place_of_what_was_kept() {
    let place = Place::with_answers();
    let model = Scripted::saying([Ok(said(
        &answers(&[("Q1", "no", &[]), ("Q2", "no", &[]), ("Q3", "no", &[])]).to_string(),
    ))]);
    place.ruling(&judge(&model, asking(Mode::Live)), &records());
    assert_eq!(place.kept().entries.len(), 1);
    assert_eq!(place.kept().entries[0].replies[0].answer, "no");
}

#[test]
fn entries_are_bounded_and_the_newest_is_last() {
    let place = Place::new();
    for n in 0..130 {
        let model = Scripted::saying([Ok(said(
            &answers(&[("Q1", "no", &[]), ("Q2", "no", &[]), ("Q3", "no", &[])]).to_string(),
        ))]);
        place.ruling(&judge(&model, asking(Mode::Auto)), &[evidence(1, "count", returned(&json!(n)))]);
    }
    let kept = place.kept();
    assert_eq!((kept.entries.len(), kept.entries[127].evidence[0].text.as_str()), (128, "129"));
}

#[test]
fn what_is_masked_may_change() {
    let place = Place::new();
    let at = |time: &str| vec![evidence(1, "look_up", returned(&json!(format!("shipped at {time}"))))];
    let masked = || Asking { masks: Masks::new([r"\d\d:\d\d"]).unwrap(), ..asking(Mode::Auto) };
    let said_so =
        answers(&[("Q1", "yes", &[("E1", "shipped at 12:30")]), ("Q2", "no", &[]), ("Q3", "no", &[])]);
    let model = Scripted::saying([Ok(said(&said_so.to_string()))]);
    place.ruling(&judge(&model, masked()), &at("12:30"));
    let again = answered(place.ruling(&judge(&model, masked()), &at("23:59")));
    assert_eq!(words(&again), ["yes", "no", "no"]);
    assert!(again.judged.is_kept);
    assert_eq!(model.asked().len(), 1);
}

#[test]
fn no_secret_is_kept_whole_or_in_part() {
    let place = Place::new();
    let secrets = Arc::new(Secrets::none());
    secrets.learn("Zk3vQ8xWn2LmR7tY");
    let text = format!("{}key Zk3vQ8xWn2LmR7tY{}", "a".repeat(9_990), "b".repeat(40_000));
    let record = evidence(1, "look_up", returned(&json!(text)));
    let said_so = answers(&[("Q1", "yes", &[("E1", "aaaaaaaakey")]), ("Q2", "no", &[]), ("Q3", "no", &[])]);
    let model = Scripted::saying([Ok(said(&said_so.to_string()))]);
    let judge = ModelJudge::new(model.clone(), asking(Mode::Auto), secrets);
    assert_eq!(words(&answered(place.ruling(&judge, std::slice::from_ref(&record)))), ["yes", "no", "no"]);
    // The judge has not seen it, and cannot quote it.
    assert!(!model.asked()[0].prompt.contains("Zk3v"));
    let file = std::fs::read_to_string(place.path()).unwrap();
    assert!(!file.contains("Zk3v") && file.len() < 30_000, "{}", file.len());
    let entry = &place.kept().entries[0];
    assert!(entry.evidence[0].left_out > 29_000);
    assert_eq!(words(&answered(place.ruling(&judge, &[record]))), ["yes", "no", "no"]);
}

#[test]
fn an_answer_that_was_edited_into_the_file_is_unknown() {
    for (edit, part) in [
        (("shipped", "lost at sea"), "stands nowhere in E1"),
        (("E1", "E9"), "there is no such record"),
        (("shipped", "..."), "said yes and quoted nothing"),
    ] {
        let place = Place::with_answers();
        let mut kept = place.kept();
        let quote = &mut kept.entries[0].replies[0].quotes[0];
        let (found, edited) = edit;
        quote.quote = quote.quote.replace(found, edited);
        quote.reference = quote.reference.replace(found, edited);
        std::fs::write(place.path(), kept.to_text()).unwrap();
        let again = answered(place.ruling(&nobody(asking(Mode::Cached)), &records()));
        assert_eq!(words(&again), ["unknown", "yes", "no"]);
        assert!(again.replies[0].why.contains(part), "{}", again.replies[0].why);
    }
}

/// What a file says, whatever its form: how it reads, without where it is wrong.
fn read_again(text: &[u8]) -> Option<Kept> {
    Kept::from_text(std::str::from_utf8(text).ok()?).ok()
}

/// An entry in which every field that may be left out is there.
fn with_every_field() -> Kept {
    let mut kept = Place::with_answers().kept();
    let entry = &mut kept.entries[0];
    entry.judge.program = "./judge.py 77aa".to_owned();
    entry.second = Some(entry.judge.clone());
    entry.steadiness = Steadiness { again: 5, flips: 1 };
    entry.votes = vec![KeptVotes { id: "Q1".to_owned(), yes: 2, no: 1, unknown: 0 }];
    entry.evidence[0].details = "timeout".to_owned();
    entry.evidence[0].left_out = 7;
    entry.evidence[0].args = json!({"order": 7, "weight": 1.5, "express": true, "note": null, "to": ["ada"]});
    Kept::from_text(&kept.to_text()).expect("kept answers")
}

#[test]
fn no_flip_of_a_bit_goes_unnoticed() {
    let kept = with_every_field();
    let text = kept.to_text().into_bytes();
    let (mut flips, mut unnoticed) = (0, Vec::new());
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut flipped = text.clone();
            flipped[at] ^= 1 << bit;
            flips += 1;
            // Between the values, one blank is as good as another.
            if read_again(&flipped).is_some_and(|read| read != kept) {
                unnoticed.push((at, bit));
            }
        }
    }
    assert!(flips > 10_000 && unnoticed.is_empty(), "{} of {flips} flips: {unnoticed:?}", unnoticed.len());
}

#[test]
fn no_part_of_an_entry_can_be_left_out() {
    /// Every part of a value, by its pointer.
    fn parts(at: &str, value: &Json, found: &mut Vec<String>) {
        let inner: Vec<(String, &Json)> = match value {
            Json::Object(all) => all.iter().map(|(key, it)| (key.clone(), it)).collect(),
            Json::Array(all) => all.iter().enumerate().map(|(at, it)| (at.to_string(), it)).collect(),
            _ => vec![],
        };
        for (key, value) in inner {
            let at = format!("{at}/{key}");
            parts(&at, value, found);
            found.push(at);
        }
    }
    let whole: Json = serde_json::from_str(&with_every_field().to_text()).unwrap();
    let mut found = Vec::new();
    parts("/entries/0", &whole["entries"][0], &mut found);
    assert!(found.len() > 70, "{}", found.len());
    for part in found {
        let (above, name) = part.rsplit_once('/').unwrap();
        let mut less = whole.clone();
        match less.pointer_mut(above).unwrap() {
            Json::Object(all) => drop(all.remove(name)),
            Json::Array(all) => drop(all.remove(name.parse().unwrap())),
            other => panic!("{part}: {other}"),
        }
        assert!(Kept::from_text(&less.to_string()).is_err(), "{part}");
    }
}

#[test]
fn an_edited_file_is_named_and_answers_nothing() {
    let place = Place::with_answers();
    let text = std::fs::read_to_string(place.path()).unwrap();
    for (found, edited) in [
        ("\"answer\": \"no\"", "\"answer\": \"yes\""),
        ("\"repeats\": 1", "\"repeats\": 9"),
        ("\"test\": \"Orders\"", "\"test\": \"Others\""),
    ] {
        assert!(text.contains(found), "{found}");
        std::fs::write(place.path(), text.replace(found, edited)).unwrap();
        let why = trouble(place.ruling(&nobody(asking(Mode::Cached)), &records()));
        assert!(why.contains("entry 1 was changed after it was written"), "{why}");
    }
}

#[test]
fn answers_of_the_first_format_still_count() {
    let place = Place::with_answers();
    let mut old: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path()).unwrap()).unwrap();
    old["format"] = json!(1);
    // The checksum of a newer file is not ignored because its format was edited.
    std::fs::write(place.path(), old.to_string()).unwrap();
    assert!(trouble(place.ruling(&nobody(asking(Mode::Cached)), &records())).contains("checksum"));
    old["entries"][0].as_object_mut().unwrap().remove("checksum");
    std::fs::write(place.path(), old.to_string()).unwrap();
    let again = answered(place.ruling(&nobody(asking(Mode::Cached)), &records()));
    assert_eq!(words(&again), ["yes", "yes", "no"]);
}

#[test]
fn a_secret_in_a_question_reaches_nobody() {
    let secrets = Arc::new(Secrets::none());
    secrets.learn("Zk3vQ8xWn2LmR7tY");
    let mut questions = questions();
    questions[1].text = "The customer got Zk3vQ8xWn2LmR7tY".to_owned();
    let records = records();
    let brief = Brief {
        name: "Orders",
        description: "",
        tags: &[],
        keep_in: None,
        questions: &questions,
        evidence: &records,
    };
    let model = Scripted::saying([Ok(said(&good().to_string()))]);
    let judge = ModelJudge::new(model.clone(), asking(Mode::Live), secrets);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(words(&answered(runtime.block_on(judge.judge(&brief)))), ["yes", "yes", "no"]);
    let prompt = &model.asked()[0].prompt;
    assert!(!prompt.contains("Zk3v") && prompt.contains("The customer got [redacted]"), "{prompt}");
}

#[test]
fn who_is_named_and_not_there_is_missed_and_kept_answers_still_count() {
    let missing = |mode, is_ci| {
        let codex = Nobody { name: "scripted", how: "install codex".to_owned() };
        let asking = Asking { is_ci, ..asking(mode) };
        ModelJudge::new(Arc::new(codex), asking, Arc::new(Secrets::none()))
    };
    for is_ci in [false, true] {
        let why = trouble(Place::new().ruling(&missing(Mode::Auto, is_ci), &records()));
        let part = if is_ci { "only kept answers may be used" } else { "install codex" };
        assert!(why.contains(part), "{why}");
        let place = Place::with_answers();
        let kept = answered(place.ruling(&missing(Mode::Auto, is_ci), &records()));
        assert_eq!(words(&kept), ["yes", "yes", "no"]);
    }
}

#[test]
fn what_could_not_be_read_is_not_kept() {
    let place = Place::new();
    let model = Scripted::saying([Ok(said("")), Ok(said(""))]);
    let unread = answered(place.ruling(&judge(&model, asking(Mode::Auto)), &records()));
    assert_eq!(words(&unread), ["unknown"; 3]);
    assert!(!place.path().exists());
    assert_eq!(unread.judged.notes, ["not every answer could be read, so none is kept"]);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_stays() {
    let place = Place::with_answers();
    std::fs::write(place.path(), "<<<<<<< mine").unwrap();
    let model = Scripted::saying([]);
    let why = trouble(place.ruling(&judge(&model, asking(Mode::Auto)), &records()));
    assert!(why.contains("cannot be read") && why.contains("restore the file, or delete it"), "{why}");
    assert_eq!(std::fs::read_to_string(place.path()).unwrap(), "<<<<<<< mine");
}
