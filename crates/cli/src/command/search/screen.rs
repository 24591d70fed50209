//! The output of a search, and the summary on standard error at its end.

use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use lancet::doors::{Output, OutputStyle, SearchStats, ShellFormat, ShellReport};
use serde_json::json;

use crate::arguments::{ColorWhen, FilterArguments};
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Style, TerminalWriter, escape_for_terminal, escape_line_for_terminal, print_error,
    stdout_is_terminal,
};

/// How many files that were not searched, or not whole, are named.
const MAX_NAMED: usize = 3;

/// What the totals count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TotalsUnit {
    Matches,
    Files,
}

/// The output of a search.
pub(super) struct SearchScreen {
    pub(super) is_terminal: bool,
    colour: Colour,
    links: bool,
    pub(super) null: bool,
    pub(super) format: ShellFormat,
    errors: Colour,
    pub(super) quiet: bool,
    /// When the command began, if statistics are printed at the end.
    pub(super) stats_since: Option<Instant>,
}

impl SearchScreen {
    pub(super) fn from_arguments(filter: &FilterArguments, around: &Surroundings) -> Self {
        let is_terminal = stdout_is_terminal() && !filter.json;
        SearchScreen {
            is_terminal,
            colour: around.colour(is_terminal),
            links: is_terminal && around.shows_links && around.color != ColorWhen::Never,
            null: filter.null,
            format: match filter.json {
                true => ShellFormat::Rows,
                false => ShellFormat::Text,
            },
            errors: around.colour(io::stderr().is_terminal()),
            quiet: false,
            stats_since: None,
        }
    }

    /// Prints as on a terminal.
    pub(super) fn make_pretty(&mut self) {
        self.colour = Colour::On;
    }

    pub(super) fn open_output(&self, separator: Option<&'static str>) -> Result<Output, Failure> {
        if self.quiet {
            return Ok(Output::new(
                Box::new(io::sink()),
                OutputStyle::Plain,
                separator,
            ));
        }
        let out = io::stdout()
            .as_fd()
            .try_clone_to_owned()
            .map_err(|error| Failure::system(format!("standard output is closed: {error}")))?;
        let paint = match (self.colour, self.links) {
            (Colour::Off, _) => OutputStyle::Plain,
            (Colour::On, false) => OutputStyle::Colour(escape_for_terminal),
            (Colour::On, true) => OutputStyle::ColourAndLinks(escape_for_terminal),
        };
        // Control characters of a file must not reach a terminal, with or without colours.
        let paint = match paint {
            OutputStyle::Plain if self.is_terminal => OutputStyle::Visible(escape_for_terminal),
            paint => paint,
        };
        let out = std::fs::File::from(out);
        Ok(match self.is_terminal {
            true => Output::new(Box::new(TerminalWriter(out)), paint, separator),
            false => Output::new(Box::new(out), paint, separator),
        })
    }

    /// Ends the output and reports on standard error what was not searched.
    pub(super) fn finish(
        &self,
        report: Result<ShellReport, lancet::Refusal>,
        output: Output,
        totals_of: TotalsUnit,
    ) -> Result<Exit, Failure> {
        let report = report.map_err(|refusal| Failure::usage(refusal.text().trim_end()))?;
        let finished = output.finish();
        for (path, refusal) in &report.refused {
            let path = escape_line_for_terminal(&path.to_string_lossy()).into_owned();
            let why = refusal.text().trim_end();
            let words = match refusal.kind() {
                lancet::RefusalKind::Missing => "No such file or folder".to_owned(),
                _ => escape_for_terminal(why).into_owned(),
            };
            print_error(&format!("lancet: {path}: {words}\n"));
        }
        if !self.quiet {
            for notice in self.notices(&report) {
                let notice = format!("lancet: {notice}");
                print_error(&format!("{}\n", self.errors.paint(Style::Dim, &notice)));
            }
        }
        if let Some(since) = self.stats_since {
            crate::terminal::print(&stats_text(&report.printout.stats, since.elapsed()))?;
        }
        if self.format == ShellFormat::Rows {
            crate::terminal::print(&format!("{}\n", totals_json(&report, totals_of)))?;
        }
        match finished {
            // The reader has closed the pipe, which is not a failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Done),
            Err(error) => {
                let words = format!("standard output cannot be written: {error}");
                return Err(Failure::system(words));
            }
            Ok(()) => {}
        }
        let tally = &report.printout.tally;
        let trouble =
            !report.refused.is_empty() || report.unsorted + tally.unreadable + tally.too_large > 0;
        Ok(match (trouble, report.printout.files > 0) {
            (true, true) if self.quiet => Exit::Done,
            (true, _) => Exit::Usage,
            (false, true) => Exit::Done,
            (false, false) => Exit::NothingFound,
        })
    }

    fn notices(&self, report: &ShellReport) -> Vec<String> {
        let tally = &report.printout.tally;
        let mut notices = Vec::new();
        let left_out = &report.printout.left_out;
        for (number, words, names) in [
            (tally.denied, "secret or denied {files} skipped", &[][..]),
            (
                tally.unreadable,
                "could not be read and was skipped",
                &left_out.unreadable,
            ),
            (
                tally.too_large,
                "{files} skipped, too large or with too long a line",
                &[],
            ),
            (
                tally.cut,
                "was searched only up to a NUL byte (-a searches all of it)",
                &left_out.cut,
            ),
            (
                report.unsorted,
                "{files} not searched: too many to sort",
                &[],
            ),
        ] {
            let files = if number == 1 { "file" } else { "files" };
            if number > 0 && names.is_empty() {
                notices.push(format!("{number} {}", words.replace("{files}", files)));
            }
            for name in names.iter().take(MAX_NAMED) {
                let name = escape_line_for_terminal(&name.to_string_lossy()).into_owned();
                notices.push(format!("{name} {words}"));
            }
            match number.saturating_sub(MAX_NAMED as u64) {
                more if more > 0 && !names.is_empty() => {
                    notices.push(format!("{more} more {words}"));
                }
                _ => {}
            }
        }
        // A script sees from the exit code that nothing was found.
        if report.printout.files == 0 && report.refused.is_empty() && self.is_stderr_terminal() {
            let files = if tally.searched == 1 { "file" } else { "files" };
            notices.push(format!("nothing found in {} {files}", tally.searched));
            if tally.ignored > 0 {
                notices.push("ignored files are skipped; --no-ignore includes them".to_owned());
            }
            if tally.hidden > 0 {
                notices.push(
                    "hidden files are skipped; name one (.github) or use --hidden".to_owned(),
                );
            }
        }
        notices
    }

    fn is_stderr_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }
}

/// Returns the statistics in ripgrep's form.
fn stats_text(stats: &SearchStats, total: Duration) -> String {
    format!(
        "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n\
         {} bytes searched\n{:.6} seconds spent searching\n{:.6} seconds total\n",
        stats.matches,
        stats.matched_lines,
        stats.files_with_match,
        stats.files_searched,
        stats.bytes_printed,
        stats.bytes_searched,
        stats.searching.as_secs_f64(),
        total.as_secs_f64()
    )
}

/// Returns the last JSON object, with the totals.
fn totals_json(report: &ShellReport, totals_of: TotalsUnit) -> serde_json::Value {
    let tally = &report.printout.tally;
    let mut totals = json!({
        "numFiles": report.printout.files,
        "totals": "exact",
        "truncated": false,
        "filesSearched": tally.searched,
        "skipped": {
            "ignored": tally.ignored,
            "hidden": tally.hidden,
            "denied": tally.denied,
            "binary": tally.binary,
            "tooLarge": tally.too_large,
            "unreadable": tally.unreadable,
        },
    });
    if totals_of == TotalsUnit::Matches {
        totals["numMatches"] = report.printout.matches.into();
    }
    totals
}
