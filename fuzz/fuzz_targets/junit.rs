//! JUnit files of any tool: what can be read can be written in both forms, and comes back with the same outcomes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_report::junit::{Form, read, write};

fuzz_target!(|input: &[u8]| {
    let Ok(run) = read(input) else { return };
    for form in [Form::Common, Form::Strict] {
        let written = write(&run, form);
        let again = match read(written.as_bytes()) {
            Ok(again) => again,
            Err(error) => panic!("{error}: {written}"),
        };
        assert_eq!(again.counts(), run.counts(), "{written}");
        assert!(again.is_green() == run.is_green(), "{written}");
    }
});
