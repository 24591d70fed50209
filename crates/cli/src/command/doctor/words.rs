//! The doctor's report for people.

use std::fmt::Write as _;

use super::Report;
use crate::surroundings::AgentRoots;
use crate::terminal::{Colour, Style, visible};

/// Describes where the roots come from.
pub(super) fn roots_from(from: &AgentRoots) -> String {
    match from {
        AgentRoots::Named => "named with --root; an agent's own roots narrow them".to_owned(),
        AgentRoots::Found => {
            "the project of the working folder; an agent's own roots narrow it".to_owned()
        }
        AgentRoots::TooWide { folder, what } => format!(
            "{} `lancet mcp` takes the agent's own roots below the home folder; without any every call is refused as \
             outside. Give a folder with --root FOLDER.",
            AgentRoots::why(folder, what)
        ),
    }
}

/// Returns the report as text.
pub(super) fn worded(report: &Report, colour: Colour) -> String {
    let mut sheet = Sheet {
        text: format!("lancet {}\n", env!("CARGO_PKG_VERSION")),
        colour,
    };
    sheet.roots(report);
    sheet.heading("State folder");
    match &report.state {
        Some(state) => sheet.lines(&state.report_lines()),
        None => sheet.line("none: nothing is kept between two starts"),
    }
    if !report.agents.is_empty() {
        sheet.heading("Agents");
        let agents = report.agents.iter();
        agents.for_each(|agent| sheet.line(&agent.describe()));
    }
    sheet.heading("Wall");
    if let Some(wall) = report.wall {
        sheet.line(&wall.describe());
    }
    sheet.tools(report);
    if let Some(language) = &report.language {
        sheet.heading("Language servers");
        sheet.lines(&language.report_lines());
    }
    if let Some(search) = &report.search {
        sheet.heading("Search indexes");
        sheet.lines(&search.report_lines());
    }
    sheet.settings_files(report);
    sheet.settings_in_force(report);
    if !report.programs.is_empty() {
        sheet.heading("Programs of the settings");
        let programs = report.programs.iter();
        programs.for_each(|program| sheet.line(&program.describe()));
    }
    sheet.heading("Terminal");
    sheet.line(match (report.terminal, report.colour) {
        (true, Colour::On) => "standard output is a terminal, with colours",
        (true, Colour::Off) => {
            "standard output is a terminal; no colours (NO_COLOR, or a dumb terminal)"
        }
        (false, _) => "standard output is not a terminal; no colours",
    });
    sheet.problems(report);
    sheet.text
}

/// The text of the report, which grows section by section.
struct Sheet {
    text: String,
    colour: Colour,
}

impl Sheet {
    fn heading(&mut self, words: &str) {
        self.painted_heading(Style::Bold, words);
    }

    fn painted_heading(&mut self, style: Style, words: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "\n{}", self.colour.paint(style, words));
    }

    fn line(&mut self, words: &str) {
        let _ = writeln!(self.text, "  {}", visible(words));
    }

    fn lines<T: AsRef<str>>(&mut self, lines: &[T]) {
        lines.iter().for_each(|words| self.line(words.as_ref()));
    }

    fn roots(&mut self, report: &Report) {
        self.heading("Roots");
        for root in &report.roots {
            self.line(&root.describe());
        }
        if report.roots.is_empty() {
            self.line("none");
        }
        if let Some(from) = &report.roots_from {
            self.line(from);
        }
    }

    fn tools(&mut self, report: &Report) {
        self.heading("Tools");
        let mode = report
            .mode
            .map(|mode| format!("mode {mode}: "))
            .unwrap_or_default();
        let tools = match report.tools.is_empty() {
            true => "none".to_owned(),
            false => report.tools.join(", "),
        };
        self.line(&format!("{mode}{tools}"));
    }

    fn settings_files(&mut self, report: &Report) {
        self.heading("Settings files");
        for file in &report.files {
            let there = match file.text {
                Some(_) => "",
                None => " (not there)",
            };
            let (name, path) = (file.origin.name(), file.path.display());
            self.line(&format!("{name:<13} {path}{there}"));
        }
    }

    fn settings_in_force(&mut self, report: &Report) {
        self.heading("Settings in force");
        let widest = |of: fn(&lancet::settings::InForce) -> usize| {
            report.in_force.iter().map(of).max().unwrap_or(0).min(48)
        };
        let (keys, values) = (
            widest(|setting| setting.key.len()),
            widest(|setting| setting.value.len()),
        );
        for setting in &report.in_force {
            self.line(&format!(
                "{:<keys$}  {:<values$}  {}",
                setting.key,
                setting.value,
                setting.origin.name()
            ));
        }
        for ignored in &report.ignored {
            let place = format!("{}:{}", ignored.path.display(), ignored.line);
            self.line(&format!(
                "{}  not applied: a project's settings may only tighten ({place})",
                ignored.key
            ));
        }
    }

    fn problems(&mut self, report: &Report) {
        if report.problems.is_empty() {
            self.heading("Nothing is wrong.");
            return;
        }
        self.painted_heading(Style::Red, "What is wrong");
        for problem in &report.problems {
            self.line(&problem.words);
            if let Some(mend) = &problem.mend {
                self.line(&format!("  fix it with: {mend}"));
            }
        }
    }
}
