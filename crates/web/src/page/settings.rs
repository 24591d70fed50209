//! *Settings*: the rules in force and the source of each, why a tool may touch a file or not, and the requests of a
//! project's settings that the user has not trusted. The page changes no settings.

use std::path::Path;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use lancet::Lancet;
use lancet::doors::escape_line_for_terminal;
use lancet::policy::{Access, Outcome};
use lancet::resource::ResourceContent;

use super::WebPage;
use super::fields::Fields;
use super::frame::{Frame, Section};
use super::view;
use super::visitor::Visitor;

/// The tools that the form offers.
const TOOLS: [&str; 6] = ["Read", "Edit", "Write", "Glob", "Grep", "DeleteFile"];
/// A file name that represents any file of a folder.
const ANY_FILE: &str = "any-file";
/// The longest line of a project's settings that is shown, in characters.
const MAX_LINE_LENGTH: usize = 200;

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new().route("/settings", get(show_settings))
}

#[derive(Template)]
#[template(path = "settings/show.html")]
struct SettingsView {
    frame: Frame,
    mode: &'static str,
    mode_words: &'static str,
    rules: Vec<RuleView>,
    open: Vec<String>,
    roots: Vec<String>,
    read_roots: Vec<String>,
    ignored: Vec<IgnoredFile>,
    tools: Vec<(&'static str, bool)>,
    path: String,
    explained: Option<ExplainedView>,
}

/// A rule in force.
struct RuleView {
    effect: &'static str,
    class: &'static str,
    rule: String,
    layer: &'static str,
    source: String,
}

/// A request of a project's settings file that is not granted.
struct IgnoredFile {
    path: String,
    lines: Vec<IgnoredLine>,
}

struct IgnoredLine {
    number: usize,
    key: String,
    text: String,
}

/// A decision and its reason.
struct ExplainedView {
    tool: String,
    path: String,
    word: &'static str,
    class: &'static str,
    because: String,
    rules: Vec<String>,
    scope: Option<String>,
    is_withheld: bool,
}

async fn show_settings(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let frame = Frame::new(page, &visitor, Section::Settings, "Settings");
        let lancet = &page.lancet;
        let policy = lancet.policy();
        let settings = lancet.settings();
        let tool = fields.first_value("tool").unwrap_or("Edit");
        let path = fields.first_value("path").unwrap_or_default();
        let folders = |folders: Vec<std::path::PathBuf>| -> Vec<String> {
            let folders = folders.iter().map(|folder| folder.to_string_lossy());
            folders.map(|folder| visible_text(&folder)).collect()
        };
        let rules = policy.layered_rules().iter().map(|entry| RuleView {
            effect: entry.effect.as_str(),
            class: css_class(match entry.effect.as_str() {
                "allow" => Outcome::Allow,
                "ask" => Outcome::Ask,
                _ => Outcome::Deny,
            }),
            rule: visible_text(entry.rule.text()),
            layer: entry.layer.name(),
            source: visible_text(&entry.source),
        });
        let (mode, mode_words) = mode_with_meaning(policy.mode().as_str());
        let view = SettingsView {
            frame,
            mode,
            mode_words,
            rules: rules.collect(),
            open: settings
                .open
                .iter()
                .map(|scope| visible_text(scope.text()))
                .collect(),
            roots: folders(lancet.roots()),
            read_roots: folders(lancet.read_roots()),
            ignored: ignored_lines_by_file(lancet),
            tools: TOOLS.iter().map(|name| (*name, *name == tool)).collect(),
            explained: (!path.is_empty()).then(|| explain_decision(lancet, tool, path)),
            path: path.to_owned(),
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

/// Returns the mode with its meaning.
fn mode_with_meaning(word: &'static str) -> (&'static str, &'static str) {
    let words = match word {
        "plan" => "Nothing is written.",
        "ask" => "Every write is asked about, unless a rule allows it.",
        "accept-edits" => {
            "Writes go through, unless a rule asks or denies, or the name is protected."
        }
        _ => "Everything goes through that no rule denies.",
    };
    (word, words)
}

/// Returns the lines of project settings that are not applied, by file.
fn ignored_lines_by_file(lancet: &Lancet) -> Vec<IgnoredFile> {
    let mut files: Vec<IgnoredFile> = Vec::new();
    for entry in &lancet.settings().ignored {
        let name = visible_text(&entry.path.to_string_lossy());
        if files.last().is_none_or(|file| file.path != name) {
            files.push(IgnoredFile {
                path: name,
                lines: Vec::new(),
            });
        }
        if let Some(file) = files.last_mut() {
            file.lines.push(IgnoredLine {
                number: entry.line,
                key: visible_text(&entry.key),
                text: read_line(lancet, &entry.path, entry.line),
            });
        }
    }
    files
}

/// Returns a line of a file, if it may be read.
fn read_line(lancet: &Lancet, path: &Path, number: usize) -> String {
    let text = match lancet.resource(path).map(|found| found.content) {
        Ok(ResourceContent::Text(text)) => text,
        _ => return String::new(),
    };
    let line = text
        .lines()
        .nth(number.saturating_sub(1))
        .unwrap_or_default();
    visible_text(
        &line
            .trim()
            .chars()
            .take(MAX_LINE_LENGTH)
            .collect::<String>(),
    )
}

/// Explains the decision about a file.
fn explain_decision(lancet: &Lancet, tool: &str, given: &str) -> ExplainedView {
    let refused = |path: &str, because: String| ExplainedView {
        tool: visible_text(tool),
        path: visible_text(path),
        word: "refused",
        class: css_class(Outcome::Deny),
        because,
        rules: Vec::new(),
        scope: None,
        is_withheld: false,
    };
    if Access::for_tool(tool).is_none() {
        return refused(given, "there is no such tool".to_owned());
    }
    let roots = lancet.roots();
    let Some(root) = roots.first() else {
        return refused(given, "there is no root".to_owned());
    };
    let mut path = root.join(given);
    // Rules apply to files, so a folder is explained by a file that it could contain.
    if given.ends_with('/') {
        path.push(ANY_FILE);
    }
    match lancet.explain(&path.to_string_lossy(), tool) {
        Err(refusal) => refused(given, visible_text(refusal.text())),
        Ok(found) => {
            let word = match found.outcome {
                Outcome::Allow => "allowed",
                Outcome::Ask => "asks a person",
                Outcome::Deny => "denied",
            };
            let rules = found.rules.iter();
            let others = rules.filter(|rule| !found.because.contains(rule.as_str()));
            ExplainedView {
                tool: visible_text(tool),
                path: visible_text(&found.path.to_string_lossy()),
                word,
                class: css_class(found.outcome),
                because: visible_text(&found.because),
                rules: others.map(|rule| visible_text(rule)).collect(),
                scope: match found.outcome {
                    Outcome::Ask => found.scope.as_deref().map(visible_text),
                    _ => None,
                },
                is_withheld: found.is_withheld,
            }
        }
    }
}

fn css_class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "tag-good",
        Outcome::Ask => "tag-warn",
        Outcome::Deny => "tag-danger",
    }
}

fn visible_text(text: &str) -> String {
    escape_line_for_terminal(text).into_owned()
}
