//! Figure 7: every system call of a commit fails with each error, and the process is killed at every system call.
//! `strace` injects the faults at the system calls themselves, so that the code of std and rustix is tested as well.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lancet_workspace::{RealDisk, RecoveryOutcome};

use crate::commit_kind::{
    BEGIN, COMMIT_KINDS, CONFLICT, CommitKind, END, OLD, REFUSED, Site, Tree, WRITTEN,
    WRITTEN_WITH_WARNINGS,
};
use lancet_testing::TestFolder;

use crate::runner::{Form, Skipped, figure, on_two_threads, role, start, system, without_starts};

const ERRORS: [&str; 5] = ["EIO", "ENOSPC", "EDQUOT", "EINTR", "EACCES"];

/// Calls for the memory and the sleep of the process. An error there ends the process, as a kill does.
const OWN: [&str; 6] = [
    "mmap",
    "munmap",
    "brk",
    "mremap",
    "madvise",
    "clock_nanosleep",
];

#[derive(Clone, Copy)]
enum Fault {
    Error(&'static str),
    Kill,
}

/// One run, in which the fault hits the `number`-th call of this name.
struct Run {
    commit: &'static CommitKind,
    call: String,
    number: usize,
    fault: Fault,
}

/// For each call how often it was made before the commit, and how often until its end.
type Counts = BTreeMap<String, (usize, usize)>;

pub(crate) fn prove(form: Form) -> Result<(), Skipped> {
    system("strace", &["--version"]).map_err(Skipped)?;
    let mut runs = Vec::new();
    for commit in &COMMIT_KINDS {
        let counts = trace(commit)?;
        let mut calls = 0;
        for (call, (before, with)) in counts {
            for number in before + 1..=with {
                calls += 1;
                let mut faults = vec![Fault::Kill];
                if !OWN.contains(&&*call) {
                    let few = form.pick(1, ERRORS.len());
                    let errors = (0..few).map(|more| ERRORS[(calls + more) % ERRORS.len()]);
                    faults.extend(errors.map(Fault::Error));
                }
                runs.extend(faults.into_iter().map(|fault| Run {
                    commit,
                    call: call.clone(),
                    number,
                    fault,
                }));
            }
        }
        assert!(calls > 20, "{}: {calls} calls", commit.name);
    }
    let befores: BTreeMap<&str, (Tree, Tree)> = COMMIT_KINDS
        .iter()
        .map(|commit| (commit.name, undisturbed(commit)))
        .collect();
    let tally = Tally::default();
    let findings = Mutex::new(Vec::new());
    on_two_threads(&runs, |run| {
        let (before, after) = &befores[run.commit.name];
        if let Err(finding) = tally.judge(run, before, after) {
            findings.lock().unwrap().push(finding);
        }
    });
    let findings = findings.into_inner().unwrap();
    assert!(
        findings.is_empty(),
        "{} of {} runs:\n{}",
        findings.len(),
        runs.len(),
        findings[..findings.len().min(12)].join("\n")
    );
    let count = |of: &AtomicU64| of.load(Ordering::SeqCst);
    figure(
        7,
        &format!(
            "{} runs over {} kinds of commit, {} killed: 0 damaged; of the errors {} written all the same, {} written and told, {} refused and unchanged, {} conflicts told; 0 temps after an error, 0 after recovery",
            runs.len(),
            COMMIT_KINDS.len(),
            count(&tally.killed),
            count(&tally.written),
            count(&tally.warned),
            count(&tally.refused),
            count(&tally.conflicts)
        ),
    );
    Ok(())
}

fn play(commit: &CommitKind, folder: &std::path::Path, options: &[&str]) -> Output {
    let program = role(&["commit", commit.name]);
    let mut command = Command::new("strace");
    command
        .args(["-qq"])
        .args(options)
        .arg(program.get_program())
        .args(program.get_args())
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    start(&mut command).wait_with_output().unwrap()
}

/// Counts the calls of a commit.
fn trace(commit: &CommitKind) -> Result<Counts, Skipped> {
    let folder = TestFolder::in_memory();
    commit.prepare(folder.path());
    let log = folder.path().join("trace");
    let output = play(commit, folder.path(), &["-o", log.to_str().unwrap()]);
    if output.status.code() != Some(WRITTEN) {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if words.contains("ptrace") || words.contains("PTRACE") {
            return Err(Skipped(format!("nothing can be traced here: {words}")));
        }
        panic!("{}: {output:?}", commit.name);
    }
    let mut counts = Counts::new();
    let mut inside = false;
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let Some((call, rest)) = line.split_once('(') else {
            continue;
        };
        if call == "write" && rest.starts_with(&format!("1, \"{BEGIN}\"")) {
            inside = true;
        }
        if call == "write" && rest.starts_with(&format!("1, \"{END}\"")) {
            inside = false;
        }
        let entry = counts.entry(call.to_owned()).or_default();
        match inside {
            true => entry.1 += 1,
            false if entry.1 == 0 => entry.0 += 1,
            false => {}
        }
    }
    // The printed markers are not part of the commit.
    counts.remove("write");
    let inside = counts.into_iter().filter(|(_, (_, inside))| *inside > 0);
    Ok(inside
        .map(|(call, (before, inside))| (call, (before, before + inside)))
        .collect())
}

/// Returns the files before and after a commit without a fault.
fn undisturbed(commit: &CommitKind) -> (Tree, Tree) {
    let folder = TestFolder::in_memory();
    let site = commit.prepare(folder.path());
    let before = site.tree();
    commit.act(&site.open(commit.disk()), &site.root).unwrap();
    (before, site.tree())
}

#[derive(Default)]
struct Tally {
    killed: AtomicU64,
    written: AtomicU64,
    warned: AtomicU64,
    refused: AtomicU64,
    conflicts: AtomicU64,
}

impl Tally {
    fn judge(&self, run: &Run, before: &Tree, after: &Tree) -> Result<(), String> {
        let folder = TestFolder::in_memory();
        let site = without_starts(|| run.commit.prepare(folder.path()));
        let (call, number) = (&run.call, run.number);
        let fault = match run.fault {
            Fault::Error(error) => format!("inject={call}:error={error}:when={number}"),
            Fault::Kill => format!("inject={call}:signal=KILL:when={number}"),
        };
        let only = format!("trace={call}");
        let options = ["-o", "/dev/null", "-e", &only, "-e", &fault];
        let output = play(run.commit, folder.path(), &options);
        without_starts(|| self.judge_output(run, &site, &fault, &output, (before, after)))
    }

    fn judge_output(
        &self,
        run: &Run,
        site: &Site,
        fault: &str,
        output: &Output,
        (before, after): (&Tree, &Tree),
    ) -> Result<(), String> {
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        let found = site.tree();
        // The new bytes of a rewrite are stored next to its old ones and do not count here.
        let mut kept = site.displaced_files();
        kept.retain(|name, _| !name.ends_with(".new"));
        let code = output.status.code();
        let judged = match code {
            Some(WRITTEN) if found == *after => recovered(site, after, after),
            Some(WRITTEN) => Err("written, and it is not".into()),
            Some(WRITTEN_WITH_WARNINGS) => {
                // The result names a file that could not be moved to the displaced files.
                let told = |name: &String| words.contains(name) && !after.contains_key(name);
                let mut rest = found.clone();
                rest.retain(|name, _| !told(name));
                match rest == *after {
                    true => recovered(site, after, after),
                    false => Err("written, and it is not".into()),
                }
            }
            Some(REFUSED) if found != *before => Err("refused, and something changed".into()),
            Some(REFUSED) if !kept.is_empty() => Err("refused, and something kept".into()),
            Some(REFUSED) => Ok(()),
            Some(CONFLICT) => is_whole(&found, before, after),
            Some(101) => Err("it panicked".into()),
            _ => recovered(site, before, after),
        };
        let counter = match code {
            Some(WRITTEN) => &self.written,
            Some(WRITTEN_WITH_WARNINGS) => &self.warned,
            Some(REFUSED) => &self.refused,
            Some(CONFLICT) => &self.conflicts,
            _ => &self.killed,
        };
        counter.fetch_add(1, Ordering::SeqCst);
        let judged =
            judged.and_then(
                |()| match kept.values().all(|bytes| bytes == OLD.as_bytes()) {
                    true => Ok(()),
                    false => Err("what was kept is not what was there".into()),
                },
            );
        judged.map_err(|why| {
            let errors = String::from_utf8_lossy(&output.stderr);
            let kept: Vec<_> = kept.keys().collect();
            let found: Vec<_> = found.iter().map(|(name, bytes)| (name, String::from_utf8_lossy(bytes))).collect();
            let name = run.commit.name;
            format!("{name}, {fault}: {why}\n  said {code:?} {words}{errors}\n  found {found:?}, kept {kept:?}")
        })
    }
}

/// Fails if a file is neither old nor new.
fn is_whole(found: &Tree, before: &Tree, after: &Tree) -> Result<(), String> {
    let torn = found.iter().find(|(name, bytes)| {
        let whole = before.get(*name) == Some(bytes) || after.get(*name) == Some(bytes);
        !whole && !name.starts_with(".lancet-")
    });
    match torn {
        Some((name, _)) => Err(format!("{name} is torn")),
        None => Ok(()),
    }
}

/// Runs recovery as the next process would; fails unless all files are old or all are new and nothing is left over.
fn recovered(site: &Site, before: &Tree, after: &Tree) -> Result<(), String> {
    let healed = match site.open(Arc::new(RealDisk)).recover_commits() {
        Ok(healed) => healed,
        Err(error) => return Err(format!("recovery: {error}")),
    };
    let found = site.tree();
    if found != *before && found != *after {
        return Err(format!("neither all nor none after {healed:?}: {found:?}"));
    }
    if healed
        .iter()
        .any(|one| matches!(one.outcome, RecoveryOutcome::Kept(_)))
    {
        return Err(format!(
            "nobody else was there, and recovery kept something: {healed:?}"
        ));
    }
    if site
        .displaced_files()
        .keys()
        .any(|name| name.ends_with(".new"))
    {
        return Err("the new bytes are still beside the old ones".into());
    }
    match site.journals() {
        0 => Ok(()),
        left => Err(format!("{left} journals after recovery")),
    }
}
