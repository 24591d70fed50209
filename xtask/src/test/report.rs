//! The results of the steps: a line as each ends, and the summary at the end.

use std::time::Instant;

use super::live::Live;
use super::tally::Tally;

/// The results of the steps so far.
pub(crate) struct Report {
    live: Live,
    rows: Vec<(String, Tally, f64)>,
    sum: Tally,
}

impl Report {
    pub(crate) fn new(live: Live) -> Report {
        Report {
            live,
            rows: Vec::new(),
            sum: Tally::default(),
        }
    }

    /// Runs one step; an error is a failure of that step.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> anyhow::Result<Tally>) {
        self.live.print(&format!("\n== {name}"));
        let began = Instant::now();
        let running = self.live.begin(name);
        let tally = work().unwrap_or_else(|error| {
            self.live.print(&format!("{name}: {error:#}"));
            Tally::FAILED
        });
        drop(running);
        self.add(name, tally, began.elapsed().as_secs_f64());
    }

    pub(crate) fn add(&mut self, name: &str, tally: Tally, seconds: f64) {
        self.live.print(&format!(
            "-- {name}: {} passed, {} failed ({seconds:.1} s)",
            tally.passed, tally.failed
        ));
        self.rows.push((name.to_owned(), tally, seconds));
        self.sum += tally;
    }

    /// Prints the summary; returns true if nothing failed.
    pub(crate) fn close(self, began: Instant, left_out: &[String]) -> bool {
        println!(
            "\n== summary (programs run side by side: their seconds add up to more than all took)"
        );
        for (name, tally, seconds) in &self.rows {
            println!(
                "{seconds:>7.1} s  {:>6} passed {:>4} failed  {name}",
                tally.passed, tally.failed
            );
        }
        for what in left_out {
            println!("left out: {what}");
        }
        println!("{:>7.1} s  in all", began.elapsed().as_secs_f64());
        println!("{} passed, {} failed", self.sum.passed, self.sum.failed);
        self.sum.failed == 0
    }
}
