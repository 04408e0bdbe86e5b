//! What a judge may spend: money is set aside before it is asked and settled after.

#[path = "contract/http.rs"]
#[allow(dead_code, reason = "not all that the contract needs of it is needed here")]
mod http;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{Asked, Reply, Server};
use serde_json::{Value, json};
use unitai_judge::providers::openai::OpenAi;
use unitai_judge::{Ask, Drive, Identity, Metered, Provider, Reach, Said, Spent, Trouble};
use unitai_model::Money;
use unitai_spec::run::{Future, Hands};
use unitai_wire::meter::{Budget, Budgets, Price, PriceTable, Whose};

/// Answers with what it is told, and counts.
struct Fixed {
    model: &'static str,
    said: Result<Spent, Trouble>,
    asked: AtomicU32,
    is_free: bool,
}

impl Fixed {
    fn new(model: &'static str, said: Result<Spent, Trouble>) -> Arc<Fixed> {
        Arc::new(Fixed { model, said, asked: AtomicU32::new(0), is_free: false })
    }

    fn answer(&self) -> Result<Said, Trouble> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let spent = self.said.clone()?;
        let text = "yes".to_owned();
        Ok(Said { text, structured: None, model: self.model.to_owned(), spent, notes: Vec::new() })
    }
}

impl Provider for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn is_free(&self) -> bool {
        self.is_free
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        let (provider, version) = ("fixed".to_owned(), "1".to_owned());
        Box::pin(async move {
            Ok(Identity { provider, model: self.model.to_owned(), version, program: String::new() })
        })
    }

    fn ask<'a>(&'a self, _ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async { self.answer() })
    }

    fn drive<'a>(&'a self, _drive: &'a Drive<'a>, _reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async { self.answer() })
    }
}

fn dollars(amount: f64) -> Money {
    Money::from_dollars(amount).expect("an amount")
}

/// A dollar for a million tokens in, and ten for a million out.
fn prices() -> PriceTable {
    PriceTable::release().with([("m".to_owned(), Price::per_million(dollars(1.0), dollars(10.0)))])
}

fn used(input: u64, output: u64, cost: Option<Money>) -> Result<Spent, Trouble> {
    Ok(Spent { input_tokens: Some(input), output_tokens: Some(output), cost })
}

async fn asked(judge: &Metered) -> Result<Said, Trouble> {
    let schema = json!({});
    let timeout = Duration::from_secs(60);
    judge.ask(&Ask { system: "s", prompt: "p", schema: &schema, timeout }).await
}

fn of_test(limit: f64) -> (Budget, Budgets) {
    let budget = Budget::new(dollars(limit)).of(Whose::Test);
    (budget.clone(), budget.into())
}

#[tokio::test]
async fn what_it_took_is_priced_added_up_and_settled() {
    let (budget, budgets) = of_test(1.0);
    let judge = Metered::new(Fixed::new("m", used(1_000, 100, None)), budgets, prices());
    let said = asked(&judge).await.expect("an answer");
    assert_eq!(said.spent.cost, Some(dollars(0.002)));
    asked(&judge).await.expect("another");
    let balance = budget.balance().expect("a ledger");
    assert_eq!((balance.spent, balance.reserved), (dollars(0.004), Money::ZERO));
    let tally = judge.tally();
    assert_eq!((tally.calls, tally.input_tokens, tally.output_tokens), (2, 2_000, 200));
    assert_eq!((tally.cost, tally.unpriced), (dollars(0.004), 0));
}

#[tokio::test]
async fn what_a_provider_says_that_it_cost_counts() {
    let judge = Metered::new(Fixed::new("m", used(1, 1, Some(dollars(0.5)))), of_test(1.0).1, prices());
    assert_eq!(asked(&judge).await.expect("an answer").spent.cost, Some(dollars(0.5)));
    assert_eq!(judge.tally().cost, dollars(0.5));
}

#[tokio::test]
async fn nobody_is_asked_when_the_worst_case_is_not_covered() {
    let inner = Fixed::new("m", used(1, 1, None));
    let (budget, budgets) = of_test(0.05);
    let judge = Metered::new(inner.clone(), budgets, prices());
    let Err(Trouble::OverBudget(why)) = asked(&judge).await else { panic!("8192 tokens may cost 8 cents") };
    assert!(why.contains("cost budget") || why.contains("budget"), "{why}");
    assert!(why.contains("cost_budget_per_test"), "it must say what to do: {why}");
    assert_eq!(inner.asked.load(Ordering::Relaxed), 0);
    assert_eq!(budget.balance().expect("a ledger").spent, Money::ZERO);
    assert_eq!(judge.tally().calls, 0);
}

#[tokio::test]
async fn a_budget_and_no_price_is_refused_and_without_a_budget_unpriced_is_told() {
    let inner = Fixed::new("unknown", used(1, 1, None));
    let refused = Metered::new(inner.clone(), of_test(1.0).1, prices());
    let Err(Trouble::OverBudget(why)) = asked(&refused).await else { panic!("it has no price") };
    assert!(why.contains("no price for unknown") && why.contains("judge.model"), "{why}");
    let unlimited = Metered::new(inner, Budgets::default(), prices());
    assert_eq!(asked(&unlimited).await.expect("an answer").spent.cost, None);
    assert_eq!((unlimited.tally().calls, unlimited.tally().unpriced), (1, 1));
}

#[tokio::test]
async fn what_is_free_needs_no_price() {
    let free = Arc::new(Fixed {
        model: "unknown",
        said: used(1, 1, Some(Money::ZERO)),
        asked: AtomicU32::new(0),
        is_free: true,
    });
    let judge = Metered::new(free, of_test(0.01).1, prices());
    assert_eq!(asked(&judge).await.expect("an answer").spent.cost, Some(Money::ZERO));
}

#[tokio::test]
async fn trouble_costs_what_it_may_have_been_billed() {
    for (trouble, is_billed) in [
        (Trouble::Absent("x".to_owned()), false),
        (Trouble::Unavailable("x".to_owned()), false),
        (Trouble::TimedOut { provider: "x".to_owned(), seconds: 1 }, true),
        (Trouble::Broken("x".to_owned()), true),
    ] {
        let (budget, budgets) = of_test(1.0);
        let judge = Metered::new(Fixed::new("m", Err(trouble.clone())), budgets, prices());
        assert_eq!(asked(&judge).await, Err(trouble));
        let balance = budget.balance().expect("a ledger");
        assert_eq!(balance.reserved, Money::ZERO);
        assert_eq!(balance.spent > Money::ZERO, is_billed);
        assert_eq!(judge.tally().unpriced, u64::from(is_billed));
    }
}

#[tokio::test]
async fn an_answer_that_cost_more_than_was_left_is_over_budget() {
    let judge = Metered::new(Fixed::new("m", used(1, 1, Some(dollars(5.0)))), of_test(1.0).1, prices());
    let Err(Trouble::OverBudget(why)) = asked(&judge).await else { panic!("five dollars of one") };
    assert!(why.contains("overspent"), "{why}");
    assert_eq!(judge.tally().cost, dollars(5.0));
}

#[tokio::test]
async fn a_drive_sets_more_aside_than_a_question() {
    let (_, budgets) = of_test(0.2);
    let judge = Metered::new(Fixed::new("m", used(1, 1, None)), budgets, prices());
    assert!(asked(&judge).await.is_ok());
    assert!(matches!(driven(&judge).await, Err(Trouble::OverBudget(_))));
}

#[tokio::test]
async fn a_program_that_is_not_to_be_had_any_more_may_have_billed_its_turns() {
    let (budget, budgets) = of_test(1.0);
    let busy = Trouble::Unavailable("busy".to_owned());
    let judge = Metered::new(Fixed::new("m", Err(busy.clone())), budgets, prices());
    assert_eq!(driven(&judge).await, Err(busy));
    assert!(budget.balance().expect("a ledger").spent > Money::ZERO);
    assert_eq!((judge.tally().calls, judge.tally().unpriced), (1, 1));
}

async fn driven(model: &Metered) -> Result<Said, Trouble> {
    let schema = json!({});
    let timeout = Duration::from_secs(60);
    let drive = Drive { system: "s", prompt: "p", schema: &schema, timeout, turns: 200 };
    let (hands, _wanted) = Hands::new(Vec::new());
    let reach = Reach { hands, url: String::new(), token: String::new(), pay: None };
    model.drive(&drive, &reach).await
}

/// What one turn of [`turn`] costs.
const A_TURN: f64 = 0.015;

/// A turn that calls a tool, and so is never the last.
fn turn() -> Reply {
    let function = json!({"name": "nope", "arguments": "{}"});
    let call = json!({"id": "call-1", "type": "function", "function": function});
    answered(json!({"role": "assistant", "content": null, "tool_calls": [call]}))
}

fn answered(message: Value) -> Reply {
    let usage = json!({"prompt_tokens": 5_000, "completion_tokens": 1_000});
    Reply::of(200, json!({"model": "m", "choices": [{"index": 0, "message": message}], "usage": usage}))
}

/// A service that answers so, the number of the request being told, and what may be spent there.
async fn service(
    limit: f64,
    answer: impl Fn(u32, &Asked) -> Reply + Send + Sync + 'static,
) -> (Metered, Budget, Server) {
    let count = AtomicU32::new(0);
    let server = Server::plain(move |asked| answer(count.fetch_add(1, Ordering::Relaxed), asked)).await;
    unitai_spec::http::client().expect("installs what TLS needs");
    // Under a name of its own, for what is at an address of this machine costs nothing.
    let client = reqwest::Client::builder().no_proxy().resolve("judge.example", server.address).build();
    let address = format!("http://judge.example:{}/v1", server.address.port());
    let api = OpenAi::new("k").at(&address).with_model("m").through(client.expect("a client"));
    let (budget, budgets) = of_test(limit);
    (Metered::new(Arc::new(api.priced(prices())), budgets, prices()), budget, server)
}

#[tokio::test]
async fn a_drive_of_many_turns_stops_before_the_one_that_is_not_covered() {
    let (model, budget, _server) = service(0.3, |_, _| turn()).await;
    let Err(Trouble::OverBudget(why)) = driven(&model).await else { panic!("200 turns cost three dollars") };
    assert!(why.contains("a turn of the model") && why.contains("cost_budget_per_test"), "{why}");
    let balance = budget.balance().expect("a ledger");
    let tally = model.tally();
    assert!(balance.spent <= balance.limit, "{balance:?}");
    assert!(tally.calls > 5, "what is not spent may be: {tally:?}");
    assert_eq!((balance.spent, balance.reserved), (tally.cost, Money::ZERO));
    assert_eq!(tally.cost, dollars(A_TURN * tally.calls as f64));
}

#[tokio::test]
async fn turns_count_that_were_paid_before_a_service_was_busy() {
    let (model, budget, _server) = service(1.0, |number, _| match number {
        0..5 => turn(),
        _ => Reply { headers: "retry-after: 0\r\n", ..Reply::of(429, "busy") },
    })
    .await;
    let Err(Trouble::Unavailable(_)) = driven(&model).await else { panic!("it is busy") };
    let (balance, tally) = (budget.balance().expect("a ledger"), model.tally());
    assert_eq!((balance.spent, balance.reserved), (dollars(A_TURN * 5.0), Money::ZERO));
    assert_eq!((tally.calls, tally.cost, tally.unpriced), (5, dollars(A_TURN * 5.0), 0));
    assert_eq!((tally.input_tokens, tally.output_tokens), (25_000, 5_000));
}

#[tokio::test]
async fn a_turn_whose_answer_is_lost_counts_as_all_that_was_set_aside_for_it() {
    let lost = || Reply { headers: "transfer-encoding: chunked\r\n", ..Reply::of(200, "no chunk") };
    let (model, budget, _server) =
        service(1.0, move |number, _| if number == 0 { turn() } else { lost() }).await;
    let Err(Trouble::Broken(why)) = driven(&model).await else { panic!("it has no end") };
    assert!(why.contains("broke off"), "{why}");
    // 8192 tokens may have come out.
    assert!(budget.balance().expect("a ledger").spent > dollars(A_TURN + 0.08));
    let tally = model.tally();
    assert_eq!((tally.calls, tally.cost, tally.unpriced), (2, dollars(A_TURN), 1));
}

#[tokio::test]
async fn a_drive_that_ends_tells_what_all_of_its_turns_took() {
    let (model, budget, _server) = service(1.0, |number, _| match number {
        0 => turn(),
        _ => answered(json!({"role": "assistant", "content": "done"})),
    })
    .await;
    let said = driven(&model).await.expect("an end");
    assert_eq!(said.spent.cost, Some(dollars(A_TURN * 2.0)));
    assert_eq!(budget.balance().expect("a ledger").spent, dollars(A_TURN * 2.0));
    assert_eq!(model.tally().calls, 2, "each is counted once");
}

#[tokio::test]
async fn an_answer_may_be_no_longer_than_is_set_aside_for() {
    let words = ["max_completion_tokens", "max_tokens"];
    for refused in 0..=words.len() {
        let (model, budget, _server) = service(1.0, move |number, asked| {
            let sent: Vec<&str> = words.into_iter().filter(|it| asked.body.get(it).is_some()).collect();
            let at = (number as usize).min(refused);
            assert_eq!(sent, words.get(at).copied().into_iter().collect::<Vec<_>>());
            match sent.first() {
                Some(word) if at < refused => Reply::of(422, format!("unknown field: {word}")),
                Some(word) => {
                    assert_eq!(asked.body[word], 8192);
                    answered(json!({"role": "assistant", "content": "{}"}))
                }
                None => answered(json!({"role": "assistant", "content": "{}"})),
            }
        })
        .await;
        // What was refused once is not sent again.
        for times in 1..=2 {
            asked(&model).await.expect("an answer");
            assert_eq!(budget.balance().expect("a ledger").spent, dollars(A_TURN * f64::from(times)));
        }
    }
}
