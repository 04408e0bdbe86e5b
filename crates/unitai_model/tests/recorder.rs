//! The recorder: order is a fact, nothing is lost, and a closed record stays closed.

use std::collections::HashSet;
use std::thread;

use unitai_model::{Action, Ending, Outcome, Packed, Recorder, Refused, ToolName};

fn recorder(max_tool_calls: u32) -> Recorder {
    Recorder::open("run", Packed::null(), 0.0, max_tool_calls)
}

fn ended() -> Ending {
    Ending::returned(Packed::null())
}

#[test]
fn sixty_four_threads_lose_nothing() {
    let recorder = recorder(u32::MAX);
    let indices: Vec<usize> = thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|thread| {
                let port = recorder.port();
                scope.spawn(move || {
                    let tool = ToolName::new(&format!("tool_{}", thread % 5));
                    (0..1000)
                        .map(|n| {
                            let args = Packed::from_trusted(&format!("{{\"thread\":{thread},\"n\":{n}}}"));
                            port.call(0.0, None, tool.clone(), args, Outcome::Returned(Packed::null()))
                                .unwrap()
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let trajectory = recorder.finish(ended(), 1.0);

    assert_eq!(trajectory.steps().len(), 64_000);
    assert_eq!(indices.iter().collect::<HashSet<_>>().len(), 64_000);
    assert_eq!(indices.iter().max(), Some(&63_999));
    let texts: HashSet<&str> = trajectory.tool_calls().map(|placed| placed.call.args.text()).collect();
    assert_eq!(texts.len(), 64_000);
}

#[test]
fn a_call_that_began_first_comes_first_and_may_end_last() {
    let recorder = recorder(50);
    let port = recorder.port();
    let outer = port.call(0.0, None, ToolName::new("outer"), Packed::empty(), Outcome::Unfinished).unwrap();
    port.call(0.1, None, ToolName::new("inner"), Packed::empty(), Outcome::Returned(Packed::null())).unwrap();
    port.settle(outer, Outcome::Returned(Packed::null())).unwrap();
    let left = port.call(0.2, None, ToolName::new("left"), Packed::empty(), Outcome::Unfinished).unwrap();

    let trajectory = recorder.finish(ended(), 1.0);

    let names: Vec<_> = trajectory.tool_calls().map(|placed| placed.call.tool.as_str()).collect();
    assert_eq!(names, ["outer", "inner", "left"]);
    let Action::ToolCall(call) = &trajectory.steps()[left].action else { panic!("a tool call") };
    assert_eq!(call.outcome, Outcome::Unfinished);
}

#[test]
fn a_port_is_refused_when_the_record_is_closed() {
    let recorder = recorder(50);
    let port = recorder.port();
    recorder.finish(ended(), 1.0);
    let late = port.call(0.0, None, ToolName::new("late"), Packed::empty(), Outcome::Unfinished);
    assert_eq!(late, Err(Refused::RunOver));
    assert_eq!(port.settle(0, Outcome::Unfinished), Err(Refused::RunOver));
    assert_eq!(port.read(|steps| steps.len()), None);
}

#[test]
fn one_call_too_many_of_one_tool_is_a_loop() {
    let recorder = recorder(3);
    let port = recorder.port();
    let call = |tool| port.call(0.0, None, ToolName::new(tool), Packed::empty(), Outcome::Unfinished);
    for _ in 0..3 {
        call("poll").unwrap();
        call("other").unwrap();
    }
    assert_eq!(call("poll"), Err(Refused::Loop { max_tool_calls: 3 }));
    assert_eq!(recorder.finish(ended(), 1.0).steps().len(), 6);
}
