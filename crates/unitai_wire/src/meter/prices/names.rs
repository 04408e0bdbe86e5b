//! The names that one model goes by. Only what is known to mean the same model is taken off a name:
//! any other prefix or suffix names another model.

/// A name under which a model may be known, and the provider that the name said, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form<'a> {
    pub(super) name: &'a str,
    pub(super) provider: Option<&'static str>,
}

/// The names to look for, the most exact one first: as on the wire; without the provider's prefix;
/// without the prefix of a region; without the date, or without `-latest`.
pub(super) fn forms(model: &str) -> impl Iterator<Item = Form<'_>> {
    let exact = Form { name: model, provider: None };
    let bare = without_provider(model);
    let base = bare.unwrap_or(exact);
    let global = without_region(base);
    let base = global.unwrap_or(base);
    let undated = [without_date(base.name), base.name.strip_suffix("-latest")].into_iter().flatten();
    let undated = undated.filter(|name| !name.is_empty()).map(move |name| Form { name, ..base });
    [Some(exact), bare, global].into_iter().flatten().chain(undated)
}

/// What stands before names, and the provider that it means. `google/` is how Google's own endpoint in
/// the manner of OpenAI says it.
const PREFIXES: &[(&str, &str)] = &[
    ("anthropic/", "anthropic"),
    ("bedrock/", "bedrock"),
    ("cohere/", "cohere"),
    ("deepseek/", "deepseek"),
    ("gemini/", "gemini"),
    ("google/", "gemini"),
    ("groq/", "groq"),
    ("mistral/", "mistral"),
    ("models/", "gemini"),
    ("openai/", "openai"),
    ("xai/", "xai"),
];

fn without_provider(model: &str) -> Option<Form<'_>> {
    if let Some((_, name)) = model.split_once("publishers/google/models/") {
        return Some(Form { name, provider: Some("gemini") });
    }
    if model.starts_with("arn:aws:bedrock:") {
        let (_, name) = model.rsplit_once('/')?;
        return Some(Form { name, provider: Some("bedrock") });
    }
    PREFIXES.iter().find_map(|(prefix, provider)| {
        model.strip_prefix(prefix).map(|name| Form { name, provider: Some(provider) })
    })
}

/// Where Bedrock may answer from. `us-gov.` is not one of them: those regions have their own prices.
const REGIONS: [&str; 6] = ["us.", "eu.", "apac.", "au.", "jp.", "global."];

fn without_region(form: Form<'_>) -> Option<Form<'_>> {
    if !matches!(form.provider, None | Some("bedrock")) {
        return None;
    }
    let name = REGIONS.iter().find_map(|region| form.name.strip_prefix(region))?;
    Some(Form { name, provider: Some("bedrock") })
}

/// Takes `-20240806` or `-2024-08-06` off the end. Shorter ones, like `-0613`, may be versions.
fn without_date(name: &str) -> Option<&str> {
    [9, 11].into_iter().find_map(|length| {
        let (start, end) = name.split_at_checked(name.len().checked_sub(length)?)?;
        is_date(end.strip_prefix('-')?).then_some(start)
    })
}

/// Whether this is `20240806` or `2024-08-06`.
fn is_date(text: &str) -> bool {
    let digits = match text.len() {
        8 => text.to_owned(),
        _ if text.split('-').map(str::len).eq([4, 2, 2]) => text.replace('-', ""),
        _ => return false,
    };
    let number = |from, to| digits.get(from..to).and_then(|part: &str| part.parse::<u32>().ok());
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && number(0, 4).is_some_and(|year| (2000..2100).contains(&year))
        && number(4, 6).is_some_and(|month| (1..=12).contains(&month))
        && number(6, 8).is_some_and(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(model: &str) -> Vec<&str> {
        forms(model).map(|form| form.name).collect()
    }

    #[test]
    fn a_date_is_taken_off_and_nothing_else() {
        assert_eq!(without_date("claude-sonnet-4-20250514"), Some("claude-sonnet-4"));
        assert_eq!(without_date("gpt-4o-2024-08-06"), Some("gpt-4o"));
        assert_eq!(without_date("é-20240806"), Some("é"));
        for name in [
            "gpt-4o-mini",
            "gpt-4-0613",
            "-",
            "",
            "x-12345678",
            "x-2024-13-01",
            "x-2024-0806",
            "x20240806",
            "éééééé",
        ] {
            assert_eq!(without_date(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_comes_before_what_is_left_of_it() {
        assert_eq!(names("gpt-4o"), ["gpt-4o"]);
        assert_eq!(
            names("openai/gpt-4o-2024-08-06"),
            ["openai/gpt-4o-2024-08-06", "gpt-4o-2024-08-06", "gpt-4o"]
        );
        assert_eq!(names("groq/openai/gpt-oss-20b"), ["groq/openai/gpt-oss-20b", "openai/gpt-oss-20b"]);
        assert_eq!(names("bedrock/eu.amazon.x")[1..], ["eu.amazon.x", "amazon.x"]);
        assert_eq!(names("mistral-x-latest"), ["mistral-x-latest", "mistral-x"]);
        assert_eq!(names("-20240806"), ["-20240806"]);
        assert_eq!(names("of-my-own/gpt-4o"), ["of-my-own/gpt-4o"]);
    }

    #[test]
    fn a_prefix_says_who_the_provider_is() {
        let last = |model| forms(model).last();
        let form = |name, provider| Some(Form { name, provider });
        let path = "projects/p/locations/l/publishers/google/models/gemini-2.5-pro";
        assert_eq!(last(path), form("gemini-2.5-pro", Some("gemini")));
        assert_eq!(last("models/gemini-2.5-pro"), form("gemini-2.5-pro", Some("gemini")));
        let profile = "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.x";
        assert_eq!(last(profile), form("amazon.x", Some("bedrock")));
        assert_eq!(last("openai/us.x"), form("us.x", Some("openai")));
        assert_eq!(last("gpt-4o"), form("gpt-4o", None));
    }
}
