//! The budget of a user over several processes: this test program is started once more, takes its part, and is killed.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use lancet_search::{MemoryBudget, Reservation, SLOT_BYTES, WATCHES_PER_PORTION, WatchAllowance};
use lancet_testing::judges::skipped;
use lancet_testing::user::assert_one_passed;
use lancet_workspace::watch_limit;

/// The environment variable that says what the other process takes, as `FOLDER`, `SLOTS` and `PORTIONS`.
const ROLE: &str = "LANCET_TEST_BUDGET";
const SLOTS: u64 = 6;

fn budget(state: &Path) -> MemoryBudget {
    MemoryBudget::open(state, SLOTS * SLOT_BYTES)
}

fn allowance(state: &Path) -> WatchAllowance {
    WatchAllowance::open(state, SLOTS * WATCHES_PER_PORTION * 4)
}

/// Not a test by itself, but the code of the other process. It takes its part, reports it, and holds it until its input
/// ends.
#[test]
fn takes_its_part_when_told_to() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let mut parts = role.rsplitn(3, ':');
    let mut number = || {
        parts
            .next()
            .expect("a part")
            .parse::<u64>()
            .expect("a number")
    };
    let (portions, slots) = (number(), number());
    let state = Path::new(parts.next().expect("a folder"));
    let memory = budget(state).reserve(slots * SLOT_BYTES);
    let watches = allowance(state).reserve(portions * WATCHES_PER_PORTION);
    let word = match (&memory, &watches) {
        (Ok(_), Ok(_)) => "held",
        _ => "refused",
    };
    let mut output = std::io::stdout();
    writeln!(output, "\n{word}").expect("told");
    output.flush().expect("told");
    let _ = std::io::stdin().lines().count();
}

/// The environment variable that says that the other process is in a user namespace with a separate limit.
const NAMESPACE: &str = "LANCET_TEST_WATCH_LIMIT";
/// The limit in that namespace. Only the processes in it see the limit.
const LOWERED: u64 = 4_096;

/// Not a test by itself, but the code of the process in the namespace.
#[test]
fn finds_the_limit_of_its_namespace_when_told_to() {
    if std::env::var_os(NAMESPACE).is_none() {
        return;
    }
    assert_eq!(watch_limit(), LOWERED);
    let state = tempfile::tempdir().expect("a folder");
    let allowance = WatchAllowance::open(state.path(), watch_limit());
    let held = allowance.reserve(LOWERED / 4).expect("a quarter");
    assert!(allowance.reserve(1).is_err());
    drop(held);
}

#[test]
fn the_limit_of_watches_is_that_of_the_own_user_namespace() {
    let before = watch_limit();
    let lower = format!("echo {LOWERED} > /proc/sys/user/max_inotify_watches && exec \"$@\"");
    let inside = || {
        let mut command = Command::new("unshare");
        command.args(["-Ur", "sh", "-c", &lower, "sh"]);
        command
    };
    if !inside()
        .arg("true")
        .status()
        .is_ok_and(|ended| ended.success())
    {
        skipped("there are no user namespaces here");
        return;
    }
    let ended = inside()
        .arg(std::env::current_exe().expect("a path"))
        .args(["--exact", "finds_the_limit_of_its_namespace_when_told_to"])
        .env(NAMESPACE, "1")
        .output()
        .expect("started");
    assert_one_passed(&ended);
    assert_eq!(watch_limit(), before, "outside the limit stays");
}

/// Another process that has reported what it got.
struct Other {
    process: Child,
    output: Lines<BufReader<ChildStdout>>,
    word: String,
}

fn other(state: &Path, slots: u64, portions: u64) -> Other {
    let role = format!("{}:{slots}:{portions}", state.display());
    let mut process = Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", "takes_its_part_when_told_to", "--nocapture"])
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut output = BufReader::new(process.stdout.take().expect("piped")).lines();
    let mut lines = output.by_ref().map(|line| line.expect("read"));
    let word = lines.find(|line| line == "held" || line == "refused");
    Other {
        process,
        output,
        word: word.expect("it says what it got"),
    }
}

impl Other {
    /// Ends it by SIGKILL, so that none of its code runs any more.
    fn kill(mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("ended");
    }

    /// Lets it end by itself.
    fn end(mut self) {
        drop(self.process.stdin.take());
        // The output is read to its end, because the test program fails if it cannot write.
        self.output.by_ref().for_each(drop);
        assert!(self.process.wait().expect("ended").success());
    }
}

fn all(state: &Path) -> Option<(Reservation, Reservation)> {
    let memory = budget(state).reserve(SLOTS * SLOT_BYTES).ok()?;
    Some((
        memory,
        allowance(state).reserve(SLOTS * WATCHES_PER_PORTION).ok()?,
    ))
}

#[test]
fn processes_share_one_budget_and_a_killed_one_holds_nothing() {
    let state = tempfile::tempdir().expect("a folder");
    let state = state.path();
    let first = other(state, 4, 5);
    assert_eq!(first.word, "held");
    let refused = budget(state)
        .reserve(3 * SLOT_BYTES)
        .expect_err("four are held");
    assert_eq!(refused.free, 2 * SLOT_BYTES);
    let refused = allowance(state)
        .reserve(2 * WATCHES_PER_PORTION)
        .expect_err("five are held");
    assert_eq!(refused.free, WATCHES_PER_PORTION);
    let second = other(state, 2, 1);
    assert_eq!(second.word, "held", "what is left is enough for another");
    let third = other(state, 1, 0);
    assert_eq!(third.word, "refused");
    third.end();
    first.kill();
    let held = budget(state).reserve(4 * SLOT_BYTES).expect("free again");
    assert!(
        budget(state).reserve(1).is_err(),
        "the second still holds two"
    );
    drop(held);
    second.end();
    assert!(all(state).is_some());
}

#[test]
fn a_program_that_a_holder_starts_inherits_nothing() {
    let state = tempfile::tempdir().expect("a folder");
    let held = budget(state.path())
        .reserve(SLOTS * SLOT_BYTES)
        .expect("free");
    let mut started = Command::new("sleep")
        .arg("60")
        .spawn()
        .expect("sleep is installed");
    // The budget is closed with its last owner, although the other program continues to run.
    drop(held);
    assert!(all(state.path()).is_some());
    started.kill().expect("killed");
    started.wait().expect("ended");
}
