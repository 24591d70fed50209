//! The promises of the write, tested with real processes on real file systems and with faults at system calls. This
//! program has its own test runner, which prints a figure for each promise. `LANCET_TORTURE=1` selects the long form.
//!
//! `proofs [PART OF A NAME]…` runs the proofs with such names; `proofs role …` is a process that the runner starts.

#![allow(clippy::print_stdout, reason = "the figures are what this is for")]

#[cfg(target_os = "linux")]
mod commit_kind;
#[cfg(target_os = "linux")]
mod duel;
#[cfg(target_os = "linux")]
mod escape;
#[cfg(target_os = "linux")]
mod injected;
#[cfg(target_os = "linux")]
mod instances;
#[cfg(target_os = "linux")]
mod killed;
#[cfg(target_os = "linux")]
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod snapshots;
#[cfg(target_os = "linux")]
mod watchers;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use runner::Proof;

    const PROOFS: &[Proof] = &[
        Proof {
            name: "every_call_fails_in_every_way_and_every_call_is_the_last",
            run: injected::prove,
        },
        Proof {
            name: "counted_by_processes_that_are_killed_nothing_is_lost",
            run: killed::prove,
        },
        Proof {
            name: "two_instances_and_somebody_else_lose_nothing",
            run: instances::prove,
        },
        Proof {
            name: "duels_with_another_process_lose_nobody_a_byte",
            run: duel::prove,
        },
        Proof {
            name: "a_power_cut_at_any_call_leaves_old_or_new",
            run: snapshots::prove,
        },
        Proof {
            name: "no_swap_of_folders_or_files_leads_outside",
            run: escape::prove,
        },
        Proof {
            name: "watchers_see_a_change_and_believe_nothing_deleted",
            run: watchers::prove,
        },
    ];
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // Not a commit: that one is run by strace, call by call.
    if matches!(words.as_slice(), ["role", role, ..] if *role != "commit") {
        runner::end_with_the_runner();
    }
    match words.as_slice() {
        ["role", "commit", name, folder] => commit_kind::play(name, std::path::Path::new(folder)),
        ["role", "count", rung, folder, index, times, begun] => killed::play(
            rung,
            std::path::Path::new(folder),
            index.parse().unwrap(),
            times.parse().unwrap(),
            begun.parse().unwrap(),
        ),
        ["role", "opponent", kind, file, meeting] => duel::play(
            kind,
            std::path::Path::new(file),
            std::path::Path::new(meeting),
        ),
        ["role", "instance", folder, name, locks] => {
            instances::play(std::path::Path::new(folder), name, locks)
        }
        ["role", "swapper", root] => escape::play(std::path::Path::new(root)),
        ["role", ..] => panic!("no such role: {words:?}"),
        words => runner::run(PROOFS, words),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: the proofs need Linux");
}
