//! The doctor's report for people.

use std::fmt::Write as _;

use lancet::settings::ValueInForce;

use super::Report;
use crate::surroundings::AgentRoots;
use crate::terminal::{Colour, Style, escape_for_terminal};

/// Describes where the roots come from.
pub(super) fn describe_roots_origin(from: &AgentRoots) -> String {
    match from {
        AgentRoots::Named => "named with --root; an agent's own roots narrow them".to_owned(),
        AgentRoots::Found => {
            "the project of the working folder; an agent's own roots narrow it".to_owned()
        }
        AgentRoots::TooWide { folder, what } => format!(
            "{} `lancet mcp` takes the agent's own roots below the home folder; without any every call is refused as \
             outside. Give a folder with --root FOLDER.",
            AgentRoots::explain_missing_roots(folder, what)
        ),
    }
}

/// Returns the report as text.
pub(super) fn format_report(report: &Report, colour: Colour) -> String {
    let mut sheet = ReportText {
        text: format!("lancet {}\n", env!("CARGO_PKG_VERSION")),
        colour,
    };
    sheet.add_roots(report);
    sheet.add_heading("State folder");
    match &report.state {
        Some(state) => sheet.add_lines(&state.report_lines()),
        None => sheet.add_line("none: nothing is kept between two starts"),
    }
    if !report.agents.is_empty() {
        sheet.add_heading("Agents");
        let agents = report.agents.iter();
        agents.for_each(|agent| sheet.add_line(&agent.describe()));
    }
    sheet.add_heading("Wall");
    if let Some(wall) = report.wall {
        sheet.add_line(&wall.describe());
    }
    sheet.add_tools(report);
    if let Some(language) = &report.language {
        sheet.add_heading("Language servers");
        sheet.add_lines(&language.report_lines());
    }
    if let Some(search) = &report.search {
        sheet.add_heading("Search indexes");
        sheet.add_lines(&search.report_lines());
    }
    sheet.add_settings_files(report);
    sheet.add_settings_in_force(report);
    if !report.programs.is_empty() {
        sheet.add_heading("Programs of the settings");
        let programs = report.programs.iter();
        programs.for_each(|program| sheet.add_line(&program.describe()));
    }
    sheet.add_heading("Terminal");
    sheet.add_line(match (report.terminal, report.colour) {
        (true, Colour::On) => "standard output is a terminal, with colours",
        (true, Colour::Off) => {
            "standard output is a terminal; no colours (NO_COLOR, or a dumb terminal)"
        }
        (false, _) => "standard output is not a terminal; no colours",
    });
    sheet.add_problems(report);
    sheet.text
}

/// The text of the report, which grows section by section.
struct ReportText {
    text: String,
    colour: Colour,
}

impl ReportText {
    fn add_heading(&mut self, words: &str) {
        self.add_painted_heading(Style::Bold, words);
    }

    fn add_painted_heading(&mut self, style: Style, words: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "\n{}", self.colour.paint(style, words));
    }

    fn add_line(&mut self, words: &str) {
        let _ = writeln!(self.text, "  {}", escape_for_terminal(words));
    }

    fn add_lines<T: AsRef<str>>(&mut self, lines: &[T]) {
        lines.iter().for_each(|words| self.add_line(words.as_ref()));
    }

    fn add_roots(&mut self, report: &Report) {
        self.add_heading("Roots");
        for root in &report.roots {
            self.add_line(&root.describe());
        }
        if report.roots.is_empty() {
            self.add_line("none");
        }
        if let Some(from) = &report.roots_from {
            self.add_line(from);
        }
    }

    fn add_tools(&mut self, report: &Report) {
        self.add_heading("Tools");
        let mode = report
            .mode
            .map(|mode| format!("mode {mode}: "))
            .unwrap_or_default();
        let tools = match report.tools.is_empty() {
            true => "none".to_owned(),
            false => report.tools.join(", "),
        };
        self.add_line(&format!("{mode}{tools}"));
    }

    fn add_settings_files(&mut self, report: &Report) {
        self.add_heading("Settings files");
        for file in &report.files {
            let there = match file.text {
                Some(_) => "",
                None => " (not there)",
            };
            let (name, path) = (file.origin.name(), file.path.display());
            self.add_line(&format!("{name:<13} {path}{there}"));
        }
    }

    fn add_settings_in_force(&mut self, report: &Report) {
        self.add_heading("Settings in force");
        let widest = |of: fn(&ValueInForce) -> usize| {
            report.in_force.iter().map(of).max().unwrap_or(0).min(48)
        };
        let (keys, values) = (
            widest(|setting| setting.key.len()),
            widest(|setting| shown_value(setting).len()),
        );
        for setting in &report.in_force {
            self.add_line(&format!(
                "{:<keys$}  {:<values$}  {}",
                setting.key,
                shown_value(setting),
                setting.origin.name()
            ));
        }
        for ignored in &report.ignored {
            let place = format!("{}:{}", ignored.path.display(), ignored.line);
            self.add_line(&format!(
                "{}  not applied: a project's settings may only tighten ({place})",
                ignored.key
            ));
        }
    }

    fn add_problems(&mut self, report: &Report) {
        if report.problems.is_empty() {
            self.add_heading("Nothing is wrong.");
            return;
        }
        self.add_painted_heading(Style::Red, "What is wrong");
        for problem in &report.problems {
            self.add_line(&problem.words);
            if let Some(mend) = &problem.mend {
                self.add_line(&format!("  fix it with: {mend}"));
            }
        }
    }
}

/// Returns the value of a setting, with its unit if it has one.
fn shown_value(setting: &ValueInForce) -> &str {
    setting.amount.as_deref().unwrap_or(&setting.value)
}
