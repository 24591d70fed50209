//! Runs the test programs: those of the write alone, then the others concurrently, as many as there are processors. The
//! output of a program is buffered until it ends, so that lines of different programs do not mix.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::live::Live;
use super::suites::Suite;
use super::tally::Tally;
use crate::run::{command, each_line_of_both};

/// Passed, failed and seconds of each area.
pub(crate) type Areas = BTreeMap<&'static str, (Tally, f64)>;

/// The environment that every test program gets.
pub(crate) struct Setting<'s> {
    pub(crate) live: &'s Live,
    /// Variables of the environment.
    pub(crate) environment: Vec<(&'static str, String)>,
    /// The folder in memory for temporary files, if there is one.
    pub(crate) memory: Option<&'s Path>,
}

impl Setting<'_> {
    /// Runs the test programs that `chosen` picks, `workers` at a time.
    pub(crate) fn run(
        &self,
        suites: &[Suite],
        workers: usize,
        chosen: impl Fn(&Suite) -> bool,
        areas: &mut Areas,
    ) {
        let chosen: Vec<&Suite> = suites.iter().filter(|suite| chosen(suite)).collect();
        let (next, sums) = (AtomicUsize::new(0), Mutex::new(areas));
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(suite) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let began = Instant::now();
                        let tally = self.run_one(suite);
                        let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
                        let (sum, time) = sums.entry(suite.area()).or_default();
                        *sum += tally;
                        *time += began.elapsed().as_secs_f64();
                    }
                });
            }
        });
    }

    fn run_one(&self, suite: &Suite) -> Tally {
        let name = suite.name();
        let began = Instant::now();
        let running = self.live.begin(&name);
        let (tally, printed) = self.outcome(&name, &mut self.command(suite));
        drop(running);
        let seconds = began.elapsed().as_secs_f64();
        let row = format!(
            "{seconds:>7.1} s  {:>5} passed {:>3} failed  {name}",
            tally.passed, tally.failed
        );
        self.live.print(&format!("{printed}{row}"));
        tally
    }

    fn command(&self, suite: &Suite) -> Command {
        let mut test = command(&suite.program, &["--quiet"]);
        test.current_dir(&suite.folder)
            .env("CARGO_MANIFEST_DIR", &suite.folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = self.memory
            && !suite.tests_the_write()
        {
            test.env("TMPDIR", folder);
        }
        test
    }

    /// Runs one program; returns its tally, and its output without the dots and counts of the runner.
    fn outcome(&self, name: &str, test: &mut Command) -> (Tally, String) {
        let (mut tally, mut printed) = (Tally::default(), String::new());
        let run = each_line_of_both(test, |line| {
            let is_dots = line
                .trim_start_matches(['.', 'i'])
                .trim_start()
                .chars()
                .all(|one| one.is_ascii_digit() || one == '/');
            if let Some(more) = Tally::of_cargo_line(line) {
                tally += more;
            } else if line.contains("has been running for over") {
                self.live.print(&format!("   {name}: {line}"));
            } else if !is_dots && !line.starts_with("running ") {
                printed.push_str(line);
                printed.push('\n');
            }
        });
        match run {
            // A program without tests of this kind (its tests are documentation tests) is not a failure.
            Ok(true) => (tally, printed),
            Ok(false) => (tally.settled(false), printed),
            Err(error) => (Tally::FAILED, format!("{printed}{name}: {error:#}\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_counts_are_dropped_and_messages_kept() {
        let live = Live::new();
        let setting = Setting {
            live: &live,
            environment: Vec::new(),
            memory: None,
        };
        let lines = "running 3 tests\n.. 2/3\n\na::b --- FAILED\n.\nfigure 7: 0 lost\n\
                     test result: FAILED. 2 passed; 1 failed; 0 ignored\n";
        let mut test = command("printf", &["%s", lines]);
        let (tally, printed) = setting.outcome("a", &mut test);
        assert_eq!((tally.passed, tally.failed), (2, 1));
        assert_eq!(printed, "a::b --- FAILED\nfigure 7: 0 lost\n");
    }
}
