//! Figure 2 with processes: two instances stop before each of their calls and continue on command, and a foreign writer
//! acts between their calls. The lock of the folder excludes them from each other; without it the same schedules must
//! lose an update, which proves that the lock is needed.

#[allow(dead_code, reason = "the explorer asks more of them")]
#[path = "../it/explorer/opponent.rs"]
mod opponent;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, ExitCode, Stdio};
use std::time::{Duration, Instant};

use lancet_workspace::{CommitError, FaultyDisk, NewBytes, WriteOptions};
use rustix::io::Errno;

use crate::commit_kind::{Seen, Site, files};
use lancet_testing::TestFolder;
use lancet_testing::place::text;

use crate::runner::{Form, Skipped, figure, role};
use opponent::{OPPONENTS, Opponent};

const OLD: &str = "old bytes, all of them\n";
#[allow(dead_code, reason = "the explorer's opponents know it")]
const OURS: &str = "the new ones: OURS\n";
const THEIRS: &str = "theirs";
/// How often an instance tries before it gives up.
const TRIES: usize = 6;

/// Where an instance has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// Before a call.
    Call,
    /// Before a pause, because a lock or a lease is in the way.
    Wait,
    /// At the end, with the text it had read if its write succeeded.
    End(Option<String>),
}

struct Instance {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    stop: Stop,
}

impl Instance {
    fn start(folder: &Path, name: &str, locks: &str) -> Instance {
        let mut child = role(&["instance", text(folder), name, locks])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let stop = Stop::End(None);
        Instance {
            child,
            to,
            from,
            stop,
        }
    }

    /// Lets the instance continue to its next stop.
    fn step(&mut self) {
        self.to.write_all(b".").unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        self.stop = match line.trim_end() {
            "call" => Stop::Call,
            "wait" => Stop::Wait,
            "end" => Stop::End(None),
            said => match said.strip_prefix("end=") {
                Some(base) => Stop::End(Some(base.replace('|', "\n"))),
                None => panic!("an instance said {line:?}"),
            },
        };
    }

    fn is_over(&self) -> bool {
        matches!(self.stop, Stop::End(_))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn prove(form: Form) -> Result<(), Skipped> {
    let limit = form.pick(Duration::from_millis(1500), Duration::from_secs(30));
    let (mut schedules, mut written) = (0, 0);
    for opponent in &OPPONENTS {
        let begun = Instant::now();
        let with = explore(opponent, "locked", |dice, calls, _| {
            (begun.elapsed() < limit).then(|| dice.schedule([calls, calls, opponent.steps as u64]))
        });
        let wrong = &with.wrong;
        assert!(wrong.is_empty(), "{}: {wrong:#?}", opponent.name);
        schedules += with.runs;
        written += with.written;
    }
    // Without lock and lease, with an opponent that appends between a swap and its rollback.
    let appends = OPPONENTS.iter().find(|one| one.name == "append").unwrap();
    let without = explore(appends, "unlocked", |_, calls, found| {
        let run = found.runs;
        let (most, way_back) = (calls + 4, 9);
        let first = 12 + run / (3 * way_back);
        (first < most && found.wrong.len() < 5).then(|| {
            let back = 1 + run / 3 % way_back;
            vec![(1, first), (0, most), (1, back), (2, 1 + run % 3)]
        })
    });
    let (lost, runs) = (without.wrong.len(), without.runs);
    figure(
        2,
        &format!(
            "2 processes and a foreign writer, {schedules} schedules of at most 3 switches, {written} writes: 0 lost; without lock and lease {lost} of {runs} lose"
        ),
    );
    assert!(lost > 0, "the lock was not needed in {runs} schedules");
    Ok(())
}

#[derive(Default)]
struct Explored {
    runs: u64,
    written: u64,
    wrong: Vec<String>,
}

/// Which instance (0 or 1) or the foreign writer (2) runs, and for how many of its calls. Afterwards each runs to its
/// end.
type Schedule = Vec<(usize, u64)>;

/// Pseudo-random schedules, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn schedule(&mut self, lengths: [u64; 3]) -> Schedule {
        let mut schedule = Vec::new();
        let mut last = 3;
        for _ in 0..4 {
            let others = (0..3).filter(|&who| who != last);
            let who = others.cycle().nth(self.below(6) as usize).unwrap_or(0);
            schedule.push((who, 1 + self.below(lengths[who])));
            last = who;
        }
        schedule
    }
}

/// Runs the schedules that `next` returns; it is given the number of calls of one commit and the results so far.
fn explore(
    opponent: &Opponent,
    locks: &str,
    next: impl Fn(&mut Dice, u64, &Explored) -> Option<Schedule>,
) -> Explored {
    let folder = TestFolder::in_memory();
    let site = Site::in_folder(folder.path());
    fs::create_dir(&site.root).unwrap();
    let around = site.root.parent().unwrap().to_owned();
    let mut instances = [0, 1].map(|name: u8| Instance::start(&around, &name.to_string(), locks));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    // The first run includes recovery, whose calls are not to be explored; the second one counts the calls.
    let mut alone = || run(&site, &mut instances, &[], None, &mut Explored::default());
    alone();
    let calls = alone() / 2;
    let mut explored = Explored::default();
    while let Some(schedule) = next(&mut dice, calls, &explored) {
        run(
            &site,
            &mut instances,
            &schedule,
            Some(opponent),
            &mut explored,
        );
    }
    explored
}

/// Runs one schedule; returns the number of calls.
fn run(
    site: &Site,
    instances: &mut [Instance; 2],
    schedule: &[(usize, u64)],
    foreign: Option<&Opponent>,
    explored: &mut Explored,
) -> u64 {
    for folder in [&site.root, &site.state.join("displaced")] {
        for name in files(folder).into_keys() {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    fs::write(site.root.join("a"), OLD).unwrap();
    let mut script = foreign.map(|opponent| opponent.begin(&site.root));
    let mut calls = 0;
    for instance in instances.iter_mut() {
        instance.step();
    }
    for &(who, count) in schedule {
        if let (Some(script), 2) = (&mut script, who) {
            let until = script.made() + count as usize;
            script.advance(|step| step < until);
            continue;
        }
        for _ in 0..count {
            if instances[who].is_over() {
                break;
            }
            instances[who].step();
            calls += 1;
            if instances[who].stop == Stop::Wait {
                break;
            }
        }
    }
    while !instances.iter().all(Instance::is_over) {
        for instance in instances.iter_mut() {
            while !instance.is_over() {
                instance.step();
                calls += 1;
                if instance.stop == Stop::Wait {
                    break;
                }
            }
        }
    }
    let ended = script.as_mut().is_none_or(opponent::Script::finish);
    assert!(ended, "nothing is in its way any more");
    explored.runs += 1;
    judge(site, instances, schedule, foreign, explored);
    calls
}

fn judge(
    site: &Site,
    instances: &[Instance; 2],
    schedule: &[(usize, u64)],
    foreign: Option<&Opponent>,
    explored: &mut Explored,
) {
    let mut root = site.tree();
    let stands = String::from_utf8(root.remove("a").unwrap_or_default()).unwrap();
    let kept: Vec<String> = site
        .displaced_files()
        .into_values()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    let mut wrong = Vec::new();
    for (name, instance) in instances.iter().enumerate() {
        let Stop::End(Some(base)) = &instance.stop else {
            continue;
        };
        explored.written += 1;
        let times = stands.matches(&format!("line of {name}\n")).count();
        // The foreign writer replaced the whole text. That is no loss, unless the line was added to the replaced text.
        let overwritten = stands.starts_with(THEIRS) && !base.contains(THEIRS);
        if times > 1 || (times == 0 && !overwritten) {
            wrong.push(format!("the line of {name} is there {times} times"));
        }
    }
    let is_theirs = |text: &String| text.contains(THEIRS);
    if foreign.is_some() && !is_theirs(&stands) && !kept.iter().any(is_theirs) {
        wrong.push("theirs is lost".to_owned());
    }
    if !root.is_empty() {
        wrong.push(format!("litter: {:?}", root.keys()));
    }
    if !wrong.is_empty() {
        explored.wrong.push(format!(
            "{schedule:?}: {wrong:?}; stands {stands:?}, kept {kept:?}"
        ));
    }
}

fn say(words: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{words}").and_then(|()| out.flush()).unwrap();
    // Waits until it may continue; ends if the runner is gone.
    if std::io::stdin().read_exact(&mut [0]).is_err() {
        std::process::exit(0);
    }
}

/// Runs the program of an instance.
pub(crate) fn play(folder: &Path, name: &str, locks: &str) -> ExitCode {
    let site = Site::in_folder(folder);
    let disk = std::sync::Arc::new(FaultyDisk::new());
    if locks == "unlocked" {
        disk.fail_method("try_lock", Errno::BADF.raw_os_error());
        disk.fail_method("take_lease", Errno::ACCESS.raw_os_error());
    }
    let workspace = site.open(disk.clone()).with_lease_patience(Duration::ZERO);
    let stop = |call: &lancet_workspace::DiskCall<'_>| match call.method {
        "pause" => say("wait"),
        _ => say("call"),
    };
    if std::io::stdin().read_exact(&mut [0]).is_err() {
        return ExitCode::SUCCESS;
    }
    loop {
        disk.set_hook(stop);
        let mut told = None;
        for _ in 0..TRIES {
            let Ok(seen) = Seen::at(&workspace, &site.root.join("a")) else {
                say("wait");
                continue;
            };
            let base = String::from_utf8(seen.snapshot.bytes.to_vec()).unwrap();
            let new = format!("{base}line of {name}\n");
            let new = NewBytes::Whole(new.as_bytes());
            match workspace.commit(vec![seen.becomes(new, WriteOptions::default())]) {
                Ok(_) => {
                    told = Some(base);
                    break;
                }
                Err(CommitError::Conflict { .. }) => break,
                Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => say("wait"),
                Err(error) => panic!("{error:?}"),
            }
        }
        disk.clear_hook();
        match told {
            Some(base) => say(&format!("end={}", base.replace('\n', "|"))),
            None => say("end"),
        }
    }
}
