//! Several workspaces over the same root, and another writer, run in turns: a schedule with few switches decides whose
//! turn it is, and all schedules are tried. Each workspace adds its line to the text it has read, and tries again if it
//! is refused.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use lancet_workspace::{CommitError, FaultyDisk, Workspace};

use super::opponent::{OPPONENTS, Opponent, Script};
use super::{OLD, THEIRS};
use crate::ground::{Ground, Seen, single};
use lancet_testing::judges::{figure, is_torture_run};

/// How often an instance tries before it gives up.
const TRIES: usize = 6;

/// Which instance runs for how many of its calls. At the end of the schedule each runs to its end, in order.
type Schedule = Vec<(usize, u64)>;

/// Decides which instance runs; the others wait before their next call.
struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    schedule: std::collections::VecDeque<(usize, u64)>,
    /// The instance that runs.
    turn: usize,
    left: u64,
    done: Vec<bool>,
    /// The other writer, which has no thread: its steps are made when its turn comes.
    foreign: Option<Script>,
}

impl Turns {
    fn new(instances: usize, schedule: Schedule, foreign: Option<Script>) -> Arc<Turns> {
        let mut state = State {
            schedule: schedule.into(),
            turn: 0,
            left: 0,
            done: vec![false; instances],
            foreign,
        };
        state.hand_on();
        Arc::new(Turns {
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// Blocks until it is the turn of the instance `who`. Its disk calls this before every operation.
    fn await_turn(&self, who: usize) {
        let mut state = self.state.lock().unwrap();
        while state.turn != who {
            state = self.changed.wait(state).unwrap();
        }
        if state.left == 0 {
            state.hand_on();
            self.changed.notify_all();
            while state.turn != who {
                state = self.changed.wait(state).unwrap();
            }
        }
        state.left = state.left.saturating_sub(1);
    }

    /// Gives the turn to the others, because a lock or a lease is in the way.
    fn give_way(&self, who: usize) {
        let mut state = self.state.lock().unwrap();
        while state.turn != who {
            state = self.changed.wait(state).unwrap();
        }
        state.hand_on();
        self.changed.notify_all();
    }

    fn end(&self, who: usize) {
        let mut state = self.state.lock().unwrap();
        while state.turn != who {
            state = self.changed.wait(state).unwrap();
        }
        state.done[who] = true;
        state.hand_on();
        self.changed.notify_all();
    }
}

impl State {
    fn hand_on(&mut self) {
        let instances = self.done.len();
        while let Some((who, calls)) = self.schedule.pop_front() {
            if who == instances {
                let steps = self.foreign.as_mut().unwrap();
                let until = steps.made() + calls as usize;
                steps.advance(|step| step < until);
            } else if !self.done[who] {
                (self.turn, self.left) = (who, calls);
                return;
            }
        }
        // The schedule is over: the next instance runs to its end, or until it gives way.
        let next = (1..=instances)
            .map(|more| (self.turn + more) % instances)
            .find(|who| !self.done[*who]);
        (self.turn, self.left) = (next.unwrap_or(0), u64::MAX);
    }
}

/// The text that an instance had read when its write succeeded.
type Told = Option<String>;

fn instance(workspace: &Workspace, ground: &Ground, who: usize, turns: &Turns) -> Told {
    let path = ground.root.join("a");
    let mut told = None;
    for _ in 0..TRIES {
        let read = workspace
            .locate(&path)
            .ok()
            .and_then(|located| Some((located.read_snapshot(1000).ok()?, located)));
        let Some((snapshot, located)) = read else {
            turns.give_way(who);
            continue;
        };
        let base = String::from_utf8(snapshot.bytes.to_vec()).unwrap();
        let seen = Seen { located, snapshot };
        let new = format!("{base}line of {who}\n");
        match single(workspace.commit(vec![seen.whole(new.as_bytes())])) {
            Ok(_) => {
                told = Some(base);
                break;
            }
            Err(CommitError::Conflict { .. }) => break,
            Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => turns.give_way(who),
            Err(error) => panic!("{error:?}"),
        }
    }
    turns.end(who);
    told
}

/// Runs one schedule; returns the number of successful writes and what is wrong afterwards.
fn run(
    ground: &Ground,
    workspaces: &[(Workspace, Arc<FaultyDisk>)],
    schedule: Schedule,
    foreign: Option<&Opponent>,
) -> (usize, Option<String>) {
    for path in std::fs::read_dir(&ground.root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .chain(ground.displaced())
    {
        std::fs::remove_file(path).unwrap();
    }
    ground.put("a", OLD);
    let described = format!("{schedule:?}");
    let script = foreign.map(|opponent| opponent.begin(&ground.root));
    let turns = Turns::new(workspaces.len(), schedule, script);
    let told: Vec<Told> = std::thread::scope(|scope| {
        let threads: Vec<_> = workspaces
            .iter()
            .enumerate()
            .map(|(who, (workspace, disk))| {
                let (theirs, turns) = (Arc::clone(&turns), &turns);
                disk.set_hook(move |_| theirs.await_turn(who));
                scope.spawn(move || instance(workspace, ground, who, turns))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for (_, disk) in workspaces {
        disk.clear_hook();
    }
    let mut state = turns.state.lock().unwrap();
    let ended = state.foreign.as_mut().is_none_or(Script::finish);
    assert!(ended, "nothing is in its way any more");
    let stands = ground.tree().remove("a").flatten().unwrap_or_default();
    let stands = String::from_utf8(stands).unwrap();
    let kept = ground.displaced_texts();
    let mut wrong = Vec::new();
    let replaced = stands.starts_with(THEIRS);
    for (who, base) in told.iter().enumerate() {
        let Some(base) = base else { continue };
        let times = stands.matches(&format!("line of {who}\n")).count();
        // The other writer replaced the whole text. That is no loss, unless the line was added to the replaced text.
        let overwritten = replaced && !base.contains(THEIRS);
        if times > 1 || (times == 0 && !overwritten) {
            wrong.push(format!("the line of {who} is there {times} times"));
        }
    }
    if foreign.is_some()
        && !stands.contains(THEIRS)
        && !kept.iter().any(|text| text.contains(THEIRS))
    {
        wrong.push("theirs is lost".to_owned());
    }
    if ground.tree().len() != 1 {
        wrong.push(format!("litter: {:?}", ground.tree().keys()));
    }
    let committed = told.iter().flatten().count();
    let wrong = (!wrong.is_empty()).then(|| {
        format!("{described}: {wrong:?}; stands {stands:?}, told {told:?}, kept {kept:?}")
    });
    (committed, wrong)
}

/// Passes all schedules with at most three switches, every `stride`-th of them, to `each`.
fn schedules(actors: usize, lengths: &[u64], stride: usize, each: &mut dyn FnMut(Schedule)) {
    let mut number = 0;
    for first in 0..actors {
        for second in (0..actors).filter(|&who| who != first) {
            for third in (0..actors).filter(|&who| who != second) {
                for of_first in 0..lengths[first] {
                    for of_second in 1..lengths[second] {
                        for of_third in 1..lengths[third] {
                            number += 1;
                            if number % stride == 0 {
                                each(vec![
                                    (first, of_first),
                                    (second, of_second),
                                    (third, of_third),
                                ]);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn explore(instances: usize, foreign: Option<&Opponent>, stride: usize) -> (u64, u64) {
    let ground = Ground::in_memory().without_patience();
    let workspaces: Vec<(Workspace, Arc<FaultyDisk>)> = (0..instances)
        .map(|_| {
            let disk = Arc::new(FaultyDisk::new());
            let workspace = Workspace::open(
                std::slice::from_ref(&ground.root),
                disk.clone(),
                Some(ground.state.clone()),
            )
            .unwrap()
            // An instance that meets a lock gives way and tries again.
            .with_patience(Duration::ZERO)
            .with_lease_patience(Duration::ZERO);
            (workspace, disk)
        })
        .collect();
    // Recovery runs before, because its calls are not to be explored.
    ground.put("a", OLD);
    for (workspace, _) in &workspaces {
        workspace.recover_commits().unwrap();
    }
    workspaces[0].1.clear_faults();
    run(&ground, &workspaces[..1], Vec::new(), None);
    let calls = workspaces[0].1.call_count();
    let mut lengths = vec![calls; instances];
    lengths.extend(foreign.map(|opponent| opponent.steps as u64 + 1));
    let (mut runs, mut committed) = (0, 0);
    schedules(lengths.len(), &lengths, stride, &mut |schedule| {
        let (more, wrong) = run(&ground, &workspaces, schedule, foreign);
        runs += 1;
        committed += more as u64;
        if let Some(wrong) = wrong {
            panic!(
                "{instances} instances, {:?}: {wrong}",
                foreign.map(|one| one.name)
            );
        }
    });
    (runs, committed)
}

#[test]
fn two_instances_and_somebody_else_lose_nothing() {
    let (mut runs, mut committed) = (0, 0);
    for opponent in &OPPONENTS {
        let (more, of_these) = explore(2, Some(opponent), if is_torture_run() { 11 } else { 499 });
        runs += more;
        committed += of_these;
    }
    figure(
        2,
        &format!(
            "2 instances and a foreign writer, {runs} schedules of at most 3 switches: 0 lost, {committed} writes"
        ),
    );
}

#[test]
fn three_instances_lose_nothing() {
    let (runs, committed) = explore(3, None, if is_torture_run() { 31 } else { 1499 });
    figure(
        2,
        &format!("3 instances, {runs} schedules of at most 3 switches: 0 lost, {committed} writes"),
    );
}
