//! A judge shows first that it can tell yes from no; one that cannot has no say.

use super::*;

fn with_canaries() -> Asking {
    Asking { canaries: true, ..asking(Mode::Live) }
}

#[test]
fn are_sent_once_for_all_tests_also_side_by_side() {
    let model = Scripted::sane(good());
    let judge = judge(&model, with_canaries());
    // Each in a thread and a runtime of its own, as tests are.
    let done: Vec<Ruling> = std::thread::scope(|scope| {
        let ask = || ruling_about(&judge, &records(), None, &[]);
        let all: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        all.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    assert_eq!(done.len(), 8);
    assert!(done.iter().all(|it| matches!(it, Ruling::Answered(it) if words(it) == ["yes", "yes", "no"])));
    // Eight tests, and the canaries once; whoever sent them pays.
    assert_eq!(model.asked().len(), 9);
    let spent = |it: &Ruling| match it {
        Ruling::Answered(it) => it.judged.spent.input_tokens,
        _ => None,
    };
    assert_eq!(done.iter().filter(|it| spent(it) == Some(200)).count(), 1);
}

#[test]
fn that_fail_take_the_say_away_from_every_test_and_are_told_once_in_full() {
    for (script, part) in [
        (Scripted::always("yes"), "plainly denies"),
        (Scripted::always("no"), "plainly shows"),
        (Scripted::always("unknown"), "it said unknown"),
    ] {
        let judge = judge(&script, with_canaries());
        let told: Vec<String> = (0..3)
            .map(|_| match ruling_about(&judge, &records(), None, &[]) {
                Ruling::Trouble(why) => why,
                other => panic!("no trouble but {other:?}"),
            })
            .collect();
        assert!(told[0].contains(part) && told[0].contains("judge.canaries"), "{}", told[0]);
        assert!(told[1].contains("tells in full"), "{}", told[1]);
        assert_eq!(told[1], told[2]);
        assert_eq!(script.asked().len(), 1, "nobody is asked any more");
    }
}

#[test]
fn that_could_not_be_asked_are_asked_again() {
    let model = Scripted::sane(good());
    model.fail_next(Trouble::Unavailable("busy".to_owned()));
    let judge = judge(&model, with_canaries());
    assert!(
        matches!(ruling_about(&judge, &records(), None, &[]), Ruling::Trouble(why) if why.contains("busy"))
    );
    assert!(matches!(ruling_about(&judge, &records(), None, &[]), Ruling::Answered(_)));
}
