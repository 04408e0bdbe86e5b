//! What a judge may spend: money is set aside before it is asked and settled after.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
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
        Box::pin(async move { Ok(Identity { provider, model: self.model.to_owned(), version }) })
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
    let timeout = Duration::from_secs(1);
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
    let schema = json!({});
    let drive =
        Drive { system: "s", prompt: "p", schema: &schema, timeout: Duration::from_secs(1), turns: 20 };
    let (hands, _wanted) = Hands::new(Vec::new());
    let reach = Reach { hands, url: String::new(), token: String::new() };
    assert!(matches!(judge.drive(&drive, &reach).await, Err(Trouble::OverBudget(_))));
}
