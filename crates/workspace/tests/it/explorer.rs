//! The step explorer: it runs our system calls and those of another writer in every order, on a real file system, and
//! checks the files after each run. Check-then-write and check-then-rename, the methods of other tools, lose bytes in
//! it, which proves that it can find a loss.

#[path = "explorer/instances.rs"]
mod instances;
#[path = "explorer/opponent.rs"]
mod opponent;
#[path = "explorer/writers.rs"]
mod writers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use lancet_workspace::{LateWriteCheck, WriteWarning};

use crate::ground::Ground;
use lancet_testing::judges::{figure, is_torture_run};
use opponent::{OPPONENTS, Opponent};
use writers::{Goal, RUNGS, Rung, Said};

pub(crate) const OLD: &str = "old bytes, all of them\n";
pub(crate) const OURS: &str = "the new ones: OURS\n";
pub(crate) const THEIRS: &str = "theirs";

/// A fault that a run may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// Bytes of the opponent are nowhere.
    Lost,
    /// The commit reported success and our bytes are nowhere although no program removed them, or it reported failure
    /// and they are there.
    Phantom,
    /// The file is a mixture, or empty.
    Torn,
    /// Bytes of the opponent are stored, but this was not reported.
    Unreported,
    /// A temporary file was left behind.
    Litter,
}

/// One run: the opponent's k-th step is made before our call `order[k]` (counted from 0), or when we are done.
struct Run<'r> {
    ground: &'r Ground,
    opponent: &'r Opponent,
    goal: Goal,
    order: Vec<u64>,
}

struct Ended {
    said: Said,
    calls: u64,
    faults: Vec<Fault>,
    what: String,
}

impl Run<'_> {
    fn run(&self, write: impl FnOnce(&Ground) -> Said) -> Ended {
        let ground = self.ground;
        for path in fs::read_dir(&ground.root)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .chain(ground.displaced())
        {
            fs::remove_file(path).unwrap();
        }
        ground.put("a", OLD);
        let script = Arc::new(Mutex::new(self.opponent.begin(&ground.root)));
        let (order, theirs) = (self.order.clone(), Arc::clone(&script));
        let last = Arc::new(Mutex::new(0));
        let count = Arc::clone(&last);
        let begun = ground.disk.call_count();
        ground.disk.set_hook(move |call| {
            let at = call.number - begun - 1;
            *count.lock().unwrap() = at + 1;
            theirs.lock().unwrap().advance(|step| order[step] <= at);
        });
        let said = write(ground);
        ground.disk.clear_hook();
        let calls = *last.lock().unwrap();
        let ended = script.lock().unwrap().finish();
        let is_gone = self.goal != Goal::New && !ground.root.join("a").exists();
        assert!(ended || is_gone, "nothing of ours is in the way any more");
        self.judge(said, calls, ended)
    }

    /// Judges the run. `came` is false if the opponent never found the file, because it had been removed.
    fn judge(&self, said: Said, calls: u64, came: bool) -> Ended {
        let ground = self.ground;
        let mut root: BTreeMap<String, String> = BTreeMap::new();
        for (name, bytes) in ground.tree() {
            root.insert(name, String::from_utf8(bytes.unwrap()).unwrap());
        }
        let stands = root.remove("a");
        let moved = match self.goal {
            Goal::Moved => root.remove("moved"),
            _ => None,
        };
        let kept = ground.displaced_texts();
        let mut faults = Vec::new();
        let is_theirs = |text: &String| text.contains(THEIRS);
        let is_ours = |text: &String| text.contains("OURS");
        let at_name = stands.as_ref().is_some_and(is_theirs);
        let theirs_moved = moved.as_ref().is_some_and(is_theirs);
        let found = at_name || theirs_moved || kept.iter().any(is_theirs);
        if came && !found && !root.values().any(is_theirs) {
            faults.push(Fault::Lost);
        }
        let fine = [OLD, OURS, THEIRS].map(str::to_owned);
        let whole = |text: &String| {
            fine.contains(text)
                || self
                    .opponent
                    .mixtures()
                    .iter()
                    .any(|mixture| mixture == text)
        };
        // After a removal or a move the name is free.
        let reached = matches!(said, Said::Written(_)) && self.goal != Goal::New;
        let fine_at_name = stands.as_ref().map_or(reached, whole);
        if !fine_at_name || !kept.iter().all(whole) || !moved.iter().all(whole) {
            faults.push(Fault::Torn);
        }
        let ours_stand = stands.as_ref().is_some_and(is_ours);
        match &said {
            Said::Written(written) => {
                // The opponent may have overwritten our text; the old text must not be back.
                let done = match self.goal {
                    Goal::New => ours_stand,
                    Goal::Gone => stands.is_none(),
                    Goal::Moved => stands.is_none() && moved.is_some(),
                };
                if !done && !at_name {
                    faults.push(Fault::Phantom);
                }
                let told = written.warnings.contains(&WriteWarning::LateWriter);
                let found = || {
                    written.displaced.as_ref().is_some_and(|displaced| {
                        matches!(
                            ground.workspace.check_late_writes(displaced),
                            Ok(LateWriteCheck::Late { .. })
                        )
                    })
                };
                if !at_name && kept.iter().any(is_theirs) && !told {
                    let sealed = written
                        .displaced
                        .as_ref()
                        .is_some_and(|displaced| displaced.seal == lancet_workspace::Seal::Sealed);
                    if sealed || !found() {
                        faults.push(Fault::Unreported);
                    }
                }
            }
            Said::Plainly => {
                if !ours_stand && !at_name {
                    faults.push(Fault::Phantom);
                }
            }
            Said::Refused => {
                if ours_stand || moved.is_some() || kept.iter().any(is_ours) {
                    faults.push(Fault::Phantom);
                }
            }
            Said::Conflict => {}
        }
        if !root.is_empty() && !matches!(said, Said::Plainly) {
            faults.push(Fault::Litter);
        }
        let what = format!(
            "{} {:?}: {said:?}; stands {stands:?}, moved {moved:?}, kept {kept:?}, beside {root:?}",
            self.opponent.name, self.order
        );
        Ended {
            said,
            calls,
            faults,
            what,
        }
    }
}

/// Passes every order of `steps` steps among `calls` calls to `each`.
fn orders(steps: usize, calls: u64, each: &mut dyn FnMut(&[u64])) {
    fn grow(order: &mut Vec<u64>, steps: usize, calls: u64, each: &mut dyn FnMut(&[u64])) {
        if order.len() == steps {
            return each(order);
        }
        for at in order.last().copied().unwrap_or(0)..=calls {
            order.push(at);
            grow(order, steps, calls, each);
            order.pop();
        }
    }
    grow(&mut Vec::new(), steps, calls, each);
}

#[derive(Default, Debug)]
struct Tally {
    orders: u64,
    refused: u64,
    conflicts: u64,
    faults: BTreeMap<Fault, (u64, String)>,
}

/// Runs all orders of one writer against one opponent.
fn explore(rung: &Rung, opponent: &Opponent, step: usize) -> Tally {
    let ground = Ground::in_memory().without_patience();
    (rung.prepare)(&ground);
    let undisturbed = Run {
        ground: &ground,
        opponent,
        goal: rung.goal,
        order: vec![u64::MAX; opponent.steps],
    }
    .run(rung.write);
    // A rollback makes some more calls.
    let calls = undisturbed.calls + 8;
    let tally = RefCell::new(Tally::default());
    let mut number = 0;
    orders(opponent.steps, calls, &mut |order| {
        number += 1;
        if number % step != 0 {
            return;
        }
        let ended = Run {
            ground: &ground,
            opponent,
            goal: rung.goal,
            order: order.to_vec(),
        }
        .run(rung.write);
        let mut tally = tally.borrow_mut();
        tally.orders += 1;
        tally.refused += u64::from(matches!(ended.said, Said::Refused));
        tally.conflicts += u64::from(matches!(ended.said, Said::Conflict));
        for fault in ended.faults {
            let entry = tally.faults.entry(fault).or_default();
            entry.0 += 1;
            entry.1 = ended.what.clone();
        }
    });
    tally.into_inner()
}

/// Returns the distance between the orders that are tried. With `LANCET_TORTURE` every order is tried. Without it every
/// third, or every seventeenth if three steps of the opponent make many more orders, which is some hundred to a
/// thousand for each pair.
fn stride(opponent: &Opponent) -> usize {
    match opponent.steps {
        _ if is_torture_run() => 1,
        ..=2 => 3,
        _ => 17,
    }
}

#[allow(clippy::print_stderr, reason = "the figures are what this is for")]
fn report(rung: &Rung, opponent: &Opponent, tally: &Tally) {
    eprintln!(
        "{:16} x {:16} {:6} orders, {:6} refused, {:4} conflicts, faults {:?}",
        rung.name,
        opponent.name,
        tally.orders,
        tally.refused,
        tally.conflicts,
        tally
            .faults
            .iter()
            .map(|(fault, (count, _))| (*fault, *count))
            .collect::<Vec<_>>()
    );
}

#[test]
fn in_no_order_does_anybody_lose_a_byte() {
    let mut orders = 0;
    for rung in RUNGS.iter().filter(|rung| rung.holds) {
        for opponent in &OPPONENTS {
            let tally = explore(rung, opponent, stride(opponent));
            report(rung, opponent, &tally);
            orders += tally.orders;
            assert!(tally.orders > 100 && tally.refused > 0, "{tally:?}");
            assert!(tally.faults.is_empty(), "{}: {tally:#?}", rung.name);
        }
    }
    figure(
        1,
        &format!(
            "{orders} orders, four rungs, removal and move x 6 opponents: 0 lost, 0 phantom, 0 torn, 0 unreported"
        ),
    );
}

#[test]
fn the_explorer_has_teeth() {
    let mut lines = Vec::new();
    for rung in RUNGS.iter().filter(|rung| !rung.holds) {
        for opponent in &OPPONENTS {
            let tally = explore(rung, opponent, 1);
            report(rung, opponent, &tally);
            let lost = tally
                .faults
                .get(&Fault::Lost)
                .map_or(0, |(count, _)| *count);
            lines.push(format!(
                "{} x {} {lost} of {}",
                rung.name, opponent.name, tally.orders
            ));
            assert!(
                tally.faults.contains_key(&Fault::Lost),
                "{} x {}: {tally:?}",
                rung.name,
                opponent.name
            );
        }
    }
    figure(
        3,
        &format!("orders in which others lose: {}", lines.join("; ")),
    );
}
