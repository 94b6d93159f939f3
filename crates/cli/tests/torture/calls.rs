//! Kills at named points: a run ends, as if killed, before its first call to the file layer, then before its second, and so on until it
//! ends by itself. After each the same command must come to the bytes of an undisturbed run, with nothing left behind.
//!
//! Every third round the run that goes on is ended too, at another call. A spilled run has some hundred calls of a second or more each, so
//! only some of its calls are tried.

use super::cases::{self, Place};
use super::{clear, command, finish, left_in_temporary, number, same, store};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Instant;

/// What a process ends with that aborts.
const ABORTED: i32 = 6;

/// Every how manieth call unless told otherwise: `cargo test` must not take long.
const SAMPLED: u64 = 37;

/// So many times fewer calls of runs that spill.
const FEWER_SPILLED: u64 = 12;

#[test]
fn ended_at_every_call_every_kind_of_run_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("temporary")).unwrap();
    let stride = number("LOOKALIKE_TORTURE_STRIDE", SAMPLED).max(1);
    let (mut rounds, start) = (0, Instant::now());
    for case in cases::small(folder, store::is_there()) {
        let wanted = finish(folder, &case);
        clear(folder, &case);
        let stride = if case.spills { stride * FEWER_SPILLED } else { stride };
        // Each case begins elsewhere, so that a short form sees different calls of different cases.
        let mut call = 1 + rounds % stride;
        loop {
            let end_at = |call: u64| {
                let mut command = command(folder, &case);
                command.env("LOOKALIKE_DIE_AT_CALL", call.to_string()).stderr(Stdio::null());
                command.status().unwrap()
            };
            let ended = end_at(call);
            let what = format!("{}, ended before call {call}", case.name);
            assert!(ended.success() || ended.signal() == Some(ABORTED), "{what}: {ended}");
            rounds += 1;
            if call % 3 == 0 {
                end_at(1 + call * 7 / 10);
            }
            same(&finish(folder, &case), &wanted, &what);
            let left = left_in_temporary(folder);
            assert!(left.is_empty(), "{what}: {left:?} are left in the folder for temporary files");
            clear(folder, &case);
            if ended.success() {
                break;
            }
            call += stride;
        }
        let place = if case.place == Place::Store { "to the store" } else { "to a folder" };
        eprintln!("{} {place}: {call} calls in steps of {stride}", case.name);
    }
    eprintln!("{rounds} rounds in {:.0} s", start.elapsed().as_secs_f64());
}
