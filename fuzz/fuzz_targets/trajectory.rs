//! Trajectories: what can be read can be written, reads back equal, and is written the same again. Both
//! readers agree.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use unitai_model::Trajectory;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = str::from_utf8(input) else { return };
    let read = Trajectory::from_json(text);
    // A space stops the reader of what this release writes, and the general one takes over. It spells
    // values anew, and NaN is equal to nothing but its own spelling.
    if let Some(rest) = text.strip_prefix('{').filter(|rest| !rest.contains("nan")) {
        let general = Trajectory::from_json(&format!("{{ {rest}"));
        assert!(
            read.as_ref().ok() == general.as_ref().ok(),
            "{read:?} by one reader, {general:?} by the other"
        );
    }
    let Ok(trajectory) = read else { return };
    let written = trajectory.to_json();
    let again = match Trajectory::from_json(&written) {
        Ok(again) => again,
        Err(error) => panic!("{error}: {written}"),
    };
    assert!(again == trajectory, "read back as another: {written}");
    assert_eq!(again.to_json(), written);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unitai_fuzz::mutate(data, size, max_size, seed)
});
