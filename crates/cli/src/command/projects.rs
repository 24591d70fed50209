//! `lancet projects`: the projects that have changes, from any folder.

use std::path::Path;

use lancet::doors::path_text;
use lancet::history::RecordedProject;
use lancet::questions::RecordedQuestion;
use lancet::sessions::SessionOverview;
use serde_json::json;

use super::history::access::{open_engine, unreadable_failure};
use super::history::{format_count, time};
use crate::arguments::ProjectsArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    Colour, Style, escape_line_for_terminal, print, print_error, print_paged, stdout_is_terminal,
};

/// A project and what is going on in it.
struct Project {
    recorded: RecordedProject,
    /// The names of the sessions of agents at work.
    sessions: Vec<String>,
    /// How many questions wait.
    waiting: usize,
}

/// Runs `lancet projects`.
pub(super) fn run(arguments: &ProjectsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let lancet = open_engine(&arguments.place, RootHint::Nothing, None, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let history = lancet.history().ok_or_else(without)?;
    let sessions = lancet.sessions().ok_or_else(without)?.in_all_projects();
    let sessions = sessions.list().map_err(unreadable_failure)?;
    let questions = lancet.questions().ok_or_else(without)?.in_all_projects();
    let questions = questions.open().map_err(unreadable_failure)?;
    let recorded = history.projects().map_err(unreadable_failure)?;
    let projects: Vec<Project> = recorded
        .into_iter()
        .map(|recorded| Project::new(recorded, &sessions, &questions))
        .collect();
    if arguments.json {
        let mut out: String = projects
            .iter()
            .map(|project| format!("{}\n", project_json(project)))
            .collect();
        out.push_str(&format!("{}\n", json!({ "total": projects.len() })));
        print(&out)?;
        return Ok(Exit::Done);
    }
    if projects.is_empty() {
        print_error("lancet: no change in any project yet\n");
        return Ok(Exit::Done);
    }
    let colour = around.colour(stdout_is_terminal());
    let width = |project: &Project| project.name().chars().count();
    let width = projects.iter().map(width).max().unwrap_or(0);
    let lines = projects.iter().map(|one| format_line(one, width, colour));
    print_paged(&lines.collect::<String>(), around)?;
    Ok(Exit::Done)
}

impl Project {
    fn new(
        recorded: RecordedProject,
        sessions: &[SessionOverview],
        questions: &[RecordedQuestion],
    ) -> Self {
        let root = recorded.root.as_path();
        let is_here = |path: &Path| path.starts_with(root);
        let at_work = sessions.iter().filter(|session| {
            let mut connections = session.connections.iter();
            connections.any(|one| one.roots.iter().any(|root| is_here(root)))
        });
        let waiting = questions.iter().filter(|one| {
            let mut files = one.question.files.iter();
            files.any(|file| is_here(&file.path))
        });
        Self {
            sessions: at_work.map(|session| session.key.clone()).collect(),
            waiting: waiting.count(),
            recorded,
        }
    }

    fn name(&self) -> String {
        escape_line_for_terminal(&path_text(&self.recorded.root)).into_owned()
    }
}

fn format_line(project: &Project, width: usize, colour: Colour) -> String {
    let Project {
        recorded,
        sessions,
        waiting,
    } = project;
    let name = project.name();
    let gap = " ".repeat(width.saturating_sub(name.chars().count()));
    let mut line = format!(
        "{}{gap}  {:>12}  {}",
        colour.paint(Style::Bold, &name),
        format_count(recorded.operations, "change"),
        time::format_local(recorded.newest)
    );
    if !recorded.exists {
        line.push_str("  (not there any more)");
    }
    if !sessions.is_empty() {
        let sessions = escape_line_for_terminal(&sessions.join(", ")).into_owned();
        line.push_str(&format!("  at work: {sessions}"));
    }
    if *waiting > 0 {
        let waiting = format_count(*waiting as u64, "question");
        line.push_str(&format!("  {waiting} open"));
    }
    line.push('\n');
    line
}

fn project_json(project: &Project) -> serde_json::Value {
    json!({
        "root": path_text(&project.recorded.root),
        "exists": project.recorded.exists,
        "changes": project.recorded.operations,
        "newest": time::format_rfc3339(project.recorded.newest),
        "sessions": project.sessions,
        "waiting": project.waiting,
    })
}
