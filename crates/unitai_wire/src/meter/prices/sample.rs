//! A small table for tests of how prices are found and summed: new prices must not change those.

use std::sync::LazyLock;

use super::release::Release;
use super::{Price, PriceTable};

static SAMPLE: LazyLock<Release> = LazyLock::new(|| Release::read(FILE).unwrap());

const FILE: &str = r#"{
  "as_of": "2026-01-31",
  "models": {
    "anthropic": {
      "claude-sonnet": {
        "input": "3", "cached_input": "0.3", "cache_write": "3.75", "cache_write_long": "6", "output": "15",
        "above": [
          {"over": 100000, "input": "4", "output": "16"},
          {"over": 200000, "input": "6", "cached_input": "0.6", "cache_write": "7.5", "output": "22.5"}
        ]
      }
    },
    "bedrock": {
      "amazon.nova-v1:0": {"input": "1", "output": "2"},
      "eu.amazon.nova-v1:0": {"input": "1.1", "output": "2.2"}
    },
    "gemini": {
      "gemini-pro": {
        "input": "1.25", "cached_input": "0.125", "output": "10",
        "above": [{"over": 200000, "input": "2.5", "cached_input": "0.25", "output": "15"}],
        "service_tiers": {
          "flex": {"input": "0.625", "output": "5"},
          "priority": {
            "input": "2.25", "output": "18",
            "above": [{"over": 200000, "input": "4.5", "output": "27"}]
          }
        }
      }
    },
    "groq": {"openai/gpt-oss": {"input": "0.075", "output": "0.3"}},
    "mistral": {
      "mistral-small": {"input": "0.1", "output": "0.3"},
      "mistral-small-latest": {"input": "0.15", "output": "0.6"},
      "mistral-tiny": {"input": "0.25", "output": "0.25"}
    },
    "openai": {
      "gpt-4-0613": {"input": "30", "output": "60"},
      "gpt-4o": {
        "input": "2.5", "cached_input": "1.25", "output": "10", "max_output": 16384,
        "service_tiers": {
          "batch": {"input": "1.25", "output": "5"},
          "priority": {"input": "4.25", "cached_input": "2.125", "output": "17"}
        }
      },
      "gpt-4o-2024-05-13": {"input": "5", "output": "15"},
      "gpt-nano": {"input": "0.05", "cached_input": "0.005", "output": "0.4"}
    }
  }
}"#;

pub(super) fn table() -> PriceTable {
    PriceTable::of(&SAMPLE)
}

pub(super) fn price(model: &str) -> Price {
    table().price_of(model).unwrap().clone()
}
