//! What holds for the usage and the record of every answer.

use unitai_model::{Action, Ending, ModelCall, Money, Packed, Step, Trajectory, Usage};
use unitai_wire::meter::{Price, PriceTable};

/// Models whose prices have tiers, borders or caches, and one without a price.
const MODELS: &[&str] =
    &["gpt-4o", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro", "amazon.nova-pro-v1:0", "mine"];

/// Prices usage by the release's table: nothing overflows, nothing is negative, and no call costs more
/// than was reserved for it.
pub fn bounded_cost(usage: &Usage, model: Option<&str>, service_tier: Option<&str>) {
    let prompt = usage.prompt_tokens();
    let classes = [usage.fresh, usage.cache_read, usage.cache_write, usage.cache_write_long];
    assert!(classes.iter().all(|class| *class <= prompt), "a class is more than all: {usage:?}");
    assert!(usage.total() >= prompt && usage.total() >= usage.completion_tokens());
    let table = PriceTable::release();
    for price in model.into_iter().chain(MODELS.iter().copied()).filter_map(|model| table.price_of(model)) {
        for tier in [None, service_tier, Some("batch"), Some("flex"), Some("priority")] {
            check_price(price, usage, tier);
        }
    }
}

fn check_price(price: &Price, usage: &Usage, tier: Option<&str>) {
    let Some(cost) = price.cost(usage, tier) else { return };
    let prompt = usage.prompt_tokens();
    let most = match tier {
        Some(tier) => price.worst_case_in(tier, prompt, usage.output),
        None => Some(price.worst_case(prompt, usage.output)),
    };
    assert!(cost >= Money::ZERO, "{usage:?} costs {cost}");
    assert!(most.is_some_and(|most| cost <= most), "{usage:?} costs {cost}, and {most:?} was reserved");
}

/// Writes the record of a call as a part of a trajectory: it must be readable, and the same.
pub fn readable_record(call: ModelCall) {
    let step = Step { timestamp: 1.0, agent_id: None, action: Action::ModelCall(call), fault: None };
    let ending = Ending::Returned(Packed::null());
    let trajectory = Trajectory::new("run", Packed::null(), 0.0, 2.0, vec![step], ending);
    let text = trajectory.to_json();
    match Trajectory::from_json(&text) {
        Ok(read) => assert!(read == trajectory, "read back as another record: {text}"),
        Err(error) => panic!("{error}: {text}"),
    }
}
