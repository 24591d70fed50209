//! Twenty servers work on one project with one state folder. Every fifty milliseconds one of them is killed and
//! replaced. At the end nothing is torn, lost or done twice, the history agrees with the files, and undoing all of it
//! restores the first tree.
//!
//! Part of `cargo xtask torture` alone. It takes ten seconds, or five minutes with `LANCET_TORTURE=1`.
//! `LANCET_CROWD_SECONDS` sets the seconds and `LANCET_CROWD_SEED` the choices of the agents. `LANCET_CROWD_KEEP` names
//! a folder for a copy of the project and its state.

mod agent;
mod book;
mod checks;
mod project;
mod server;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lancet_testing::judges;

use agent::Agent;
use project::Project;
use server::Slot;

/// How many servers there are at any time.
const SERVERS: usize = 20;
/// The pause between two kills.
const BETWEEN_KILLS: Duration = Duration::from_millis(50);

/// Numbers that look random: xorshift.
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(seed: u64) -> Choices {
        // Zero would stay zero; small seeds would begin alike.
        let mixed = seed
            .wrapping_add(0x9e37_79b9_7f4a_7c15)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Choices(mixed | 1)
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % limit as u64).expect("below a usize")
    }
}

/// Returns a number from the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn servers_that_are_killed_leave_nothing_half_done() {
    let long = judges::is_torture_run();
    let seconds = number("LANCET_CROWD_SECONDS").unwrap_or(if long { 300 } else { 10 });
    let clock = std::time::UNIX_EPOCH.elapsed().expect("after 1970");
    let seed = number("LANCET_CROWD_SEED").unwrap_or(u64::from(clock.subsec_nanos()));
    eprintln!("LANCET_CROWD_SEED={seed}, {seconds} s");
    let project = Project::new();
    let first = project.tree();
    let slots: Vec<Slot> = (0..SERVERS).map(|_| Slot::default()).collect();
    let is_over = AtomicBool::new(false);
    let (books, kills) = std::thread::scope(|scope| {
        let agents: Vec<_> = slots
            .iter()
            .enumerate()
            .map(|(number, slot)| {
                let (project, is_over) = (&project, &is_over);
                let choices = Choices::new(seed.wrapping_add(number as u64));
                scope.spawn(move || Agent::new(project, slot, number, choices).work(is_over))
            })
            .collect();
        let kills = kill_for(Duration::from_secs(seconds), &slots, seed);
        is_over.store(true, Ordering::Relaxed);
        let books: Vec<_> = agents
            .into_iter()
            .map(|agent| agent.join().expect("an agent that worked to the end"))
            .collect();
        (books, kills)
    });
    checks::everything(&project, &first, &books, kills);
}

/// Kills one of the servers after the other until the time is over, and returns how many.
fn kill_for(time: Duration, slots: &[Slot], seed: u64) -> usize {
    let mut choices = Choices::new(seed ^ 0x6b69_6c6c);
    let begun = Instant::now();
    let mut kills = 0;
    while begun.elapsed() < time {
        std::thread::sleep(BETWEEN_KILLS);
        kills += usize::from(slots[choices.below(slots.len())].kill());
    }
    kills
}
