//! Runs the proofs one after the other and reports them as cargo's own test runner does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, ExitCode};
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

/// How extensive the proofs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// What CI has time for.
    Short,
    /// Everything.
    Long,
}

impl Form {
    fn detect() -> Form {
        match lancet_testing::judges::is_torture_run() {
            true => Form::Long,
            false => Form::Short,
        }
    }

    pub(crate) fn pick<T>(self, short: T, long: T) -> T {
        match self {
            Form::Short => short,
            Form::Long => long,
        }
    }
}

/// A proof: a function that fails if a promise does not hold.
pub(crate) struct Proof {
    pub(crate) name: &'static str,
    pub(crate) run: fn(Form) -> Result<(), Skipped>,
}

/// Why a proof could not run on this machine.
pub(crate) struct Skipped(pub(crate) String);

/// Prints a figure by its number in `docs/write-promises.md`.
pub(crate) fn figure(number: u32, what: &str) {
    println!("figure {number}: {what}");
}

/// Prints that a part of a proof is skipped, and why.
pub(crate) fn skip(number: u32, what: &str, why: &str) {
    println!("figure {number}: skipped {what}: {why}");
}

pub(crate) fn run(proofs: &[Proof], words: &[&str]) -> ExitCode {
    let parts: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let wanted =
        |proof: &&Proof| parts.is_empty() || parts.iter().any(|part| proof.name.contains(**part));
    let chosen: Vec<&Proof> = proofs.iter().filter(wanted).collect();
    if words.contains(&"--list") {
        for proof in &chosen {
            println!("{}: test", proof.name);
        }
        return ExitCode::SUCCESS;
    }
    let began = Instant::now();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for proof in &chosen {
        let began = Instant::now();
        let word = match catch_unwind(AssertUnwindSafe(|| (proof.run)(Form::detect()))) {
            Ok(Ok(())) => {
                passed += 1;
                "ok".to_owned()
            }
            Ok(Err(Skipped(why))) => {
                skipped += 1;
                format!("skipped: {why}")
            }
            Err(_) => {
                failed += 1;
                "FAILED".to_owned()
            }
        };
        let seconds = began.elapsed().as_secs_f64();
        println!("proof {} ... {word} ({seconds:.1} s)", proof.name);
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    let left = proofs.len() - chosen.len();
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; {skipped} ignored; 0 measured; {left} filtered out; finished in {seconds:.2}s"
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Separates the start of a process from the use of files on another thread.
static STARTS: RwLock<()> = RwLock::new(());

/// Starts a program while no other thread is in [`without_starts`]. Until a new process runs its program it holds
/// copies of all open handles, and files that another thread uses seem to be in use by another process.
pub(crate) fn start(command: &mut Command) -> Child {
    let _alone = STARTS.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap()
}

/// Does something with files while no other thread starts a program by [`start`].
pub(crate) fn without_starts<T>(work: impl FnOnce() -> T) -> T {
    let _shared = STARTS.read().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Makes a command that runs this program in a role.
pub(crate) fn role(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("role").args(words);
    command
}

/// Fails a proof that lacks a program which `cargo xtask test` installs; that command sets `LANCET_REQUIRE_JUDGES`.
/// Under a plain `cargo test` the proof is skipped. A missing right, such as to mount, skips it in both.
pub(crate) fn missing(program: &str, why: &str) -> String {
    lancet_testing::judges::require(program);
    format!("{program}: {why}")
}

/// Runs a program to its end; if it fails, returns what it wrote to standard error.
pub(crate) fn system(program: &str, arguments: &[&str]) -> Result<String, String> {
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into()),
        Ok(output) => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(missing(program, &error.to_string())),
    }
}

/// Runs the jobs on two threads.
pub(crate) fn on_two_threads<T: Sync>(jobs: &[T], work: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(job) =
                    jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
                {
                    work(job);
                }
            });
        }
    });
}

/// Ends this process when the runner has ended, however that happened; otherwise it might wait or work forever.
pub(crate) fn end_with_the_runner() {
    let runner = rustix::process::getppid();
    std::thread::spawn(move || {
        while rustix::process::getppid() == runner {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        std::process::exit(1);
    });
}
