//! `unitai judge calibrate`: the judge is asked what people have answered.

use std::env;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use unitai_config::{JudgeProvider, JudgeSettings, Settings, root_above};
use unitai_judge::calibration::{
    JudgeCase, Minima, Progress, Score, USUAL, bundled, case_files, interview, read_cases,
};
use unitai_spec::run::{Judge, Stop};

use super::at_hand::judge_at_hand;
use super::telling;
use crate::child::Signals;
use crate::say::{complain, counted, live, note, say, style};

/// What `unitai judge calibrate --help` shows below the options.
pub(crate) const EXAMPLES: &str = "Examples:\n  unitai judge calibrate                       the cases of tests/llm/judge-cases\n  unitai judge calibrate --bundled             those that come with unitai\n  unitai judge calibrate --provider openai --model gpt-5-mini    how good is another judge?\n  unitai judge calibrate --min-kappa 0.8       fail below that, in CI\n  unitai judge calibrate --json | jq .kappa.value\n\nIt asks the judge itself and never takes kept answers: that may cost money.\nAn answer `unknown` agrees with nobody: it counts against TPR, TNR, accuracy and kappa.\n\nExit codes: 0 good, 1 below a minimum, 2 there is no judge or it could not be asked";

/// The arguments of `unitai judge calibrate`.
#[derive(Args)]
pub(crate) struct Calibrate {
    /// Files of cases, or folders of them [default: tests/llm/judge-cases]
    paths: Vec<PathBuf>,
    /// The cases that come with unitai, alone or beside those that are named
    #[arg(long)]
    bundled: bool,
    /// Who is asked [default: judge.provider]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(JudgeProvider::ALL.map(JudgeProvider::word)).map(provider))]
    provider: Option<JudgeProvider>,
    /// Which model [default: judge.model, or with another --provider its own]
    #[arg(long)]
    model: Option<String>,
    /// How often each question is asked; a split answer is unknown [default: judge.repeats]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=99))]
    repeats: Option<u32>,
    /// How many cases are asked about at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// How often it must say yes where people do, 0 to 1 [default: judge.min_tpr]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_tpr: Option<f64>,
    /// How often it must say no where people do, 0 to 1 [default: judge.min_tnr]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_tnr: Option<f64>,
    /// How far it must agree with people beyond chance (Cohen's kappa), 0 to 1 [default: judge.min_kappa]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_kappa: Option<f64>,
    /// For programs: one JSON object
    #[arg(long)]
    json: bool,
}

fn provider(word: String) -> JudgeProvider {
    JudgeProvider::of_word(&word).unwrap_or(JudgeProvider::Auto)
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, as in 0.9".to_owned())
}

impl Calibrate {
    /// Asks, tells, and gives the exit code.
    pub(crate) fn done(&self) -> Result<i32, String> {
        let here =
            env::current_dir().map_err(|error| format!("the folder of this shell is gone: {error}"))?;
        let root = root_above(&here);
        let all = Settings::of(&here).map_err(|trouble| trouble.told())?;
        let settings = self.settings(all.judge());
        let cases = self.cases(&here, root)?;
        let judge = judge_at_hand(&settings, &all, root)?;
        let Some(score) = self.asked(judge, &cases)? else {
            note("stopped; nothing is told of a part of the cases");
            return Ok(130);
        };
        let minima = Minima { tpr: settings.min_tpr, tnr: settings.min_tnr, kappa: settings.min_kappa };
        let missed = minima.missed(&score.table());
        let text = if self.json {
            telling::json(&score, cases.len(), &missed)
        } else {
            telling::text(&score, cases.len(), &missed, style())
        };
        // Nobody may be reading any more.
        let _ = say(&text);
        Ok(i32::from(!missed.is_empty()))
    }

    /// The settings with what the command line says instead.
    fn settings(&self, settings: JudgeSettings) -> JudgeSettings {
        let settings = settings.wanting(self.provider, self.model.as_deref());
        JudgeSettings {
            repeats: self.repeats.unwrap_or(settings.repeats),
            min_tpr: self.min_tpr.or(settings.min_tpr),
            min_tnr: self.min_tnr.or(settings.min_tnr),
            min_kappa: self.min_kappa.or(settings.min_kappa),
            ..settings
        }
    }

    fn cases(&self, here: &Path, root: &Path) -> Result<Vec<JudgeCase>, String> {
        let mut cases = if self.bundled { bundled() } else { Vec::new() };
        let mut paths = self.paths.clone();
        if let Some(absent) = paths.iter().find(|it| !it.exists()) {
            return Err(format!("there is no {}; name files or folders of judge cases", absent.display()));
        }
        if paths.is_empty() && !self.bundled {
            let usual = root.join(USUAL);
            if !usual.is_dir() {
                note(&format!("there is no {USUAL}, so the cases that come with unitai are asked about"));
                return Ok(bundled());
            }
            paths.push(usual.strip_prefix(here).map_or_else(|_| usual.clone(), Path::to_owned));
        }
        let files = case_files(&paths).map_err(|error| error.to_string())?;
        match read_cases(&files) {
            Ok(read) => cases.extend(read),
            Err(troubles) => {
                for trouble in &troubles {
                    let source = fs::read_to_string(trouble.place.file.as_path()).ok();
                    complain(&trouble.render(source.as_deref()));
                }
                return Err(format!(
                    "{} in the cases; nobody was asked",
                    counted(troubles.len() as u64, "error")
                ));
            }
        }
        if cases.is_empty() {
            return Err(format!(
                "there is no case in {}; `unitai judge label` makes one, --bundled has some",
                paths.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ")
            ));
        }
        Ok(cases)
    }

    /// What the judge said; nothing where somebody has stopped it.
    fn asked(&self, judge: Arc<dyn Judge>, cases: &[JudgeCase]) -> Result<Option<Score>, String> {
        let signals = Arc::new(Signals::catch().map_err(|error| error.to_string())?);
        let stop = Stop::default();
        let (waiting, asking) = (Arc::clone(&signals), stop.clone());
        std::thread::spawn(move || {
            if waiting.wait().is_some() {
                asking.ask();
            }
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| format!("the system gave no threads: {error}"))?;
        let mut line = Line::new(cases.len());
        let told = |progress: Progress<'_>| line.show(progress);
        let asked = runtime.block_on(async {
            tokio::select! {
                score = interview(judge, cases, self.jobs.into(), told) => Some(score),
                () = stop.asked() => None,
            }
        });
        line.end();
        drop(runtime);
        asked.transpose().map_err(|unanswered| unanswered.to_string())
    }
}

/// How many cases take so long that somebody wonders.
const LONG: usize = 10;

/// How far it is, beside the output: one line that changes at a terminal, a line now and then elsewhere.
struct Line {
    is_live: bool,
    every: usize,
}

impl Line {
    fn new(cases: usize) -> Line {
        Line { is_live: io::stderr().is_terminal(), every: cases.div_ceil(5).max(1) }
    }

    fn show(&mut self, Progress { case, answered, of }: Progress<'_>) {
        if self.is_live {
            let case: String = case.chars().filter(|it| !it.is_control()).take(50).collect();
            live(&format!("{answered} of {of} cases: {case}"));
        } else if of > LONG && answered % self.every == 0 && answered < of {
            note(&format!("{answered} of {of} cases are answered"));
        }
    }

    fn end(&mut self) {
        if self.is_live {
            live("");
        }
    }
}
