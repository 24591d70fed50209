//! The doctor's report for people.

use std::fmt::Write as _;

use super::Report;
use crate::surroundings::AgentRoots;
use crate::terminal::{Colour, Style, visible};

/// Says where the roots come from.
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

/// Writes the report as text.
pub(super) fn worded(report: &Report, colour: Colour) -> String {
    let mut out = format!("lancet {}\n", env!("CARGO_PKG_VERSION"));
    let heading = |out: &mut String, words: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n{}", colour.paint(Style::Bold, words));
    };
    let line = |out: &mut String, words: &str| {
        let _ = writeln!(out, "  {}", visible(words));
    };

    heading(&mut out, "Roots");
    for root in &report.roots {
        line(&mut out, &root.words());
    }
    if report.roots.is_empty() {
        line(&mut out, "none");
    }
    if let Some(from) = &report.roots_from {
        line(&mut out, from);
    }

    heading(&mut out, "State folder");
    match &report.state {
        Some(state) => state.words().iter().for_each(|words| line(&mut out, words)),
        None => line(&mut out, "none: nothing is kept between two starts"),
    }

    if !report.agents.is_empty() {
        heading(&mut out, "Agents");
        let agents = report.agents.iter();
        agents.for_each(|agent| line(&mut out, &agent.words()));
    }

    heading(&mut out, "Wall");
    if let Some(wall) = report.wall {
        line(&mut out, &wall.words());
    }

    heading(&mut out, "Tools");
    let mode = report
        .mode
        .map(|mode| format!("mode {mode}: "))
        .unwrap_or_default();
    line(
        &mut out,
        &format!(
            "{mode}{}",
            if report.tools.is_empty() {
                "none".to_owned()
            } else {
                report.tools.join(", ")
            }
        ),
    );

    if let Some(language) = &report.language {
        heading(&mut out, "Language servers");
        let lines = language.words();
        lines.iter().for_each(|words| line(&mut out, words));
    }

    if let Some(search) = &report.search {
        heading(&mut out, "Search indexes");
        let lines = search.words();
        lines.iter().for_each(|words| line(&mut out, words));
    }

    heading(&mut out, "Settings files");
    for file in &report.files {
        let there = if file.text.is_some() {
            ""
        } else {
            " (not there)"
        };
        line(
            &mut out,
            &format!("{:<13} {}{there}", file.origin.name(), file.path.display()),
        );
    }

    heading(&mut out, "Settings in force");
    let widest = |of: fn(&lancet::settings::InForce) -> usize| {
        report.in_force.iter().map(of).max().unwrap_or(0).min(48)
    };
    let (keys, values) = (
        widest(|setting| setting.key.len()),
        widest(|setting| setting.value.len()),
    );
    for setting in &report.in_force {
        line(
            &mut out,
            &format!(
                "{:<keys$}  {:<values$}  {}",
                setting.key,
                setting.value,
                setting.origin.name()
            ),
        );
    }
    for ignored in &report.ignored {
        let place = format!("{}:{}", ignored.path.display(), ignored.line);
        line(
            &mut out,
            &format!(
                "{}  not applied: a project's settings may only tighten ({place})",
                ignored.key
            ),
        );
    }

    if !report.programs.is_empty() {
        heading(&mut out, "Programs of the settings");
        for program in &report.programs {
            line(&mut out, &program.words());
        }
    }

    heading(&mut out, "Terminal");
    let words = match (report.terminal, report.colour) {
        (true, Colour::On) => "standard output is a terminal, with colours",
        (true, Colour::Off) => {
            "standard output is a terminal; no colours (NO_COLOR, or a dumb terminal)"
        }
        (false, _) => "standard output is not a terminal; no colours",
    };
    line(&mut out, words);

    if report.problems.is_empty() {
        heading(&mut out, "Nothing is wrong.");
    } else {
        let _ = writeln!(out, "\n{}", colour.paint(Style::Red, "What is wrong"));
        for problem in &report.problems {
            line(&mut out, &problem.words);
            if let Some(mend) = &problem.mend {
                line(&mut out, &format!("  mend it with: {mend}"));
            }
        }
    }
    out
}
