//! `lancet explain`, `lancet rules` and `lancet trust`: which files may be touched, and why. These commands are for
//! people; models cannot call them.

mod programs;

use std::fmt::Write as _;
use std::path::Path;

use lancet::Lancet;
use lancet::policy::{Access, Outcome};
use lancet::settings::Origin;
use serde_json::{Value, json};

use crate::arguments::{ExplainArguments, Mode, RulesArguments, TrustArguments, WorkArguments};
use crate::failure::{Exit, Failure};
use crate::guard::{self, Authority};
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{
    Flags, RootHint, SettingsFile, Surroundings, as_text, claude_settings, load_settings,
    resolve_roots, settings_files,
    trust::{self, FolderTrust},
    trusted_programs,
};
use crate::terminal::{confirm_at_terminal, escape_for_terminal, print};

/// The name of a file that represents any file in a folder.
const ANY_FILE: &str = "any-file";

/// Opens the engine as `lancet mcp` would, for inspection only.
fn open_to_inspect(
    place: &WorkArguments,
    mode: Option<Mode>,
    reach: RootHint<'_>,
    around: &Surroundings,
) -> Result<Lancet, Failure> {
    let request = OpenRequest {
        mode,
        ..OpenRequest::for_command(place, reach, WriteAuthor::Agent(lancet::Mode::AcceptEdits))
    };
    Ok(request.open_to_inspect(around)?.lancet)
}

/// Runs `lancet explain`.
pub(super) fn explain(
    arguments: &ExplainArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let mut paths = Vec::with_capacity(arguments.paths.len());
    for path in &arguments.paths {
        paths.push(around.absolute(path)?);
    }
    let tools: Vec<&str> = match arguments.tool.as_deref() {
        Some(tool) if Access::for_tool(tool).is_some() => vec![tool],
        Some(tool) => {
            return Err(Failure::usage(format!(
                "--tool {tool}: there is no such tool; Read, Edit and Write are, for instance"
            )));
        }
        None => vec!["Read", "Edit", "Write"],
    };
    let lancet = open_to_inspect(
        &arguments.place,
        arguments.mode,
        RootHint::AtAll(&paths),
        around,
    )?;
    let (mut text, mut objects) = (String::new(), Vec::new());
    for path in &paths {
        // Rules apply to files: a folder is explained by a file that could be in it.
        let path = match path.is_dir() {
            true => path.join(ANY_FILE),
            false => path.clone(),
        };
        let given = as_text(&path)?;
        for tool in &tools {
            let (words, object) = explain_tool(&lancet, &given, tool, around);
            text.push_str(&words);
            objects.push(object);
        }
    }
    print_text_or_json(&text, arguments.json, json!({ "decisions": objects }))
}

/// Returns the decision for one tool, for people and as JSON.
fn explain_tool(
    lancet: &Lancet,
    given: &str,
    tool: &str,
    around: &Surroundings,
) -> (String, Value) {
    let reader = around.audience();
    let found = match lancet.explain(given, tool) {
        Ok(found) => found,
        Err(refusal) => {
            let name = refusal.kind().name();
            let path = around.relative(Path::new(given));
            let words = escape_for_terminal(&refusal.text_for(&reader)).into_owned();
            let text = format!("{tool} {}: {name}: {words}\n", escape_for_terminal(&path));
            let object = json!({ "tool": tool, "file_path": given, "outcome": name, "because": refusal.text() });
            return (text, object);
        }
    };
    let word = match found.outcome {
        Outcome::Allow => "allowed",
        Outcome::Ask => "asks",
        Outcome::Deny => "denied",
    };
    let because = escape_for_terminal(&found.reason_for(&reader)).into_owned();
    let why = match because.starts_with("the rule ") {
        true => format!("by {because}"),
        false => format!("because {because}"),
    };
    let mut text = format!(
        "{tool} {}: {word}, {why}\n",
        escape_for_terminal(&around.relative(&found.path)),
    );
    let rules = found.rules_for(&reader);
    for rule in rules.iter().map(|rule| escape_for_terminal(rule)) {
        if because.contains(&*rule) {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    covered by {rule}");
    }
    if let (Outcome::Ask, Some(scope)) = (found.outcome, &found.scope) {
        let _ = writeln!(
            text,
            "    [protected] open = [{scope:?}] in your settings would open this part"
        );
    }
    let object = json!({
        "tool": tool, "file_path": found.path, "outcome": word, "because": found.because,
        "rules": found.rules, "scope": found.scope, "withheld": found.is_withheld,
    });
    (text, object)
}

/// Runs `lancet rules`.
pub(super) fn rules(arguments: &RulesArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let lancet = open_to_inspect(&arguments.place, arguments.mode, RootHint::Folder, around)?;
    let policy = lancet.policy();
    let mut text = format!("mode {}\n", policy.mode().as_str());
    let mut rules = Vec::new();
    for entry in policy.layered_rules() {
        // Writing to a string cannot fail.
        let (effect, layer) = (entry.effect.as_str(), entry.layer.name());
        let rule = entry.rule.to_string();
        let source = around.relative(Path::new(&entry.source));
        let _ = writeln!(
            text,
            "{effect} {} ({layer}, {})",
            escape_for_terminal(&rule),
            escape_for_terminal(&source)
        );
        rules.push(json!({
            "effect": entry.effect.as_str(), "rule": entry.rule.text(), "layer": entry.layer.name(), "source": entry.source,
        }));
    }
    for scope in &lancet.settings().open {
        let _ = writeln!(
            text,
            "open {} (protected otherwise)",
            escape_for_terminal(scope.text())
        );
    }
    for root in lancet.read_roots() {
        let _ = writeln!(
            text,
            "read only {}",
            escape_for_terminal(&root.to_string_lossy())
        );
    }
    text.push_str("ask about protected names: .git, shells' start-up files, agents' settings and their like (built in)\n");
    text.push_str("deny reading of secret files (.env, keys and their like), ask about writing them (built in)\n");
    let mut not_applied = Vec::new();
    for ignored in &lancet.settings().ignored {
        let place = |path: &str| format!("{path}:{}", ignored.line);
        let why = "a project's settings may only tighten until they are trusted, and some keys are the user's own";
        let _ = writeln!(
            text,
            "not applied: {} ({}): {why}",
            ignored.key,
            escape_for_terminal(&place(&around.relative(&ignored.path)))
        );
        let source = place(&ignored.path.to_string_lossy());
        not_applied.push(json!({ "what": ignored.key, "source": source, "why": why }));
    }
    if let Some(claude) = claude_settings(around, arguments.place.settings.as_deref())? {
        for entry in &claude.left {
            let _ = writeln!(
                text,
                "not taken over: {}: {}",
                escape_for_terminal(&entry.what),
                entry.why
            );
            not_applied.push(json!({ "what": entry.what, "why": entry.why }));
        }
    }
    let object = json!({ "mode": policy.mode().as_str(), "rules": rules, "left": not_applied });
    print_text_or_json(&text, arguments.json, object)
}

/// Runs `lancet trust`: trusts the project's settings, or the folder where it has none, or revokes the trust.
pub(super) fn trust(arguments: &TrustArguments, around: &Surroundings) -> Result<Exit, Failure> {
    use Origin::{Project, TrustedProject};
    let place = &arguments.place;
    let roots = resolve_roots(&place.root, RootHint::Folder, around)?;
    let files = settings_files(around, &roots[0], place)?;
    let is_projects = |file: &&SettingsFile| matches!(file.origin, Project | TrustedProject);
    let Some(file) = files.iter().find(is_projects).cloned() else {
        return Err(Failure::usage(
            "the settings here are your own; there is no project's file to trust",
        ));
    };
    let state = around.state_dir(place.state_dir.as_deref())?;
    let state = state.ok_or_else(|| Failure::system("there is no state folder to keep this in"))?;
    let failed = |error: std::io::Error| Failure::system(format!("{}: {error}", state.display()));
    let keep_text =
        |text: Option<&str>| trust::record_trust(&state, &file.path, text).map_err(failed);
    let name = around.relative(&file.path);
    let name = escape_for_terminal(&name);
    let folder = &roots[0];
    let shown_folder = escape_for_terminal(&folder.to_string_lossy()).into_owned();
    if arguments.revoke {
        return revoke(&state, folder, &file, around);
    }
    let settings = load_settings(&mark_project_as_trusted(files), Flags::default())?;
    let listed = programs::list_programs(&settings, &around.program_places(), folder)?;
    let record = trusted_programs::load_record(&state, folder);
    let started = programs::describe_programs(&listed, &record, around);
    let question = match &file.text {
        Some(text) => format!(
            "{name} says:\n{}\n\n{started}Trust this text and these programs? [y/N]",
            escape_lines(text)
        ),
        None => format!(
            "{started}{shown_folder} has no {}. Trust the folder, so that language servers from lancet's own table that are on your PATH are started for it? They read the project's files, and some run parts of it (build scripts, macros, plugins). [y/N]",
            lancet::settings::SETTINGS_FILE_NAME
        ),
    };
    let authority = guard::require_authority("`lancet trust`", place, around)?;
    let is_asked = !(arguments.yes && authority == Authority::Token);
    if is_asked {
        match confirm_at_terminal(&question) {
            Some(true) => {}
            Some(false) => return Ok(Exit::Refused),
            None => {
                return Err(Failure::denied(
                    "there is no terminal to ask on; with the person's token in LANCET_TOKEN, --yes trusts without a question",
                ));
            }
        }
    }
    // The programs are recorded first: settings that apply before their programs are recorded would have these programs
    // refused.
    let files: Vec<_> = listed
        .into_iter()
        .flat_map(|program| program.files)
        .collect();
    trusted_programs::save_record(&state, folder, &files).map_err(failed)?;
    let told = match &file.text {
        Some(text) => {
            keep_text(Some(text))?;
            let hash = lancet::Settings::fingerprint(text);
            format!("{name} is trusted as it is now (hash {}).\n", &hash[..16])
        }
        None => {
            trust::record_folder_trust(&state, folder, FolderTrust::Given).map_err(failed)?;
            format!(
                "{shown_folder} is trusted to run language servers of the built-in table, from the next start of lancet on. A {} that appears later needs its own trust.\n",
                lancet::settings::SETTINGS_FILE_NAME
            )
        }
    };
    if !is_asked {
        print(&started)?;
    }
    print(&told)?;
    Ok(Exit::Done)
}

/// Revokes the trust of a project's settings and of its folder.
fn revoke(
    state: &Path,
    folder: &Path,
    file: &SettingsFile,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Failure::system(format!("{}: {error}", state.display()));
    let name = around.relative(&file.path);
    let name = escape_for_terminal(&name);
    let shown_folder = escape_for_terminal(&folder.to_string_lossy()).into_owned();
    let was_folder_trusted = trust::is_folder_trusted(state, folder);
    // This is recorded even where the present text is not trusted, because an earlier text may be.
    trust::record_trust(state, &file.path, None).map_err(failed)?;
    trust::record_folder_trust(state, folder, FolderTrust::Revoked).map_err(failed)?;
    trusted_programs::remove_record(state, folder).map_err(failed)?;
    let mut told = String::new();
    if was_folder_trusted {
        let _ = writeln!(
            told,
            "{shown_folder} is no longer trusted: no language server is started for it."
        );
    }
    if file.origin == Origin::TrustedProject {
        let _ = writeln!(told, "{name} is no longer trusted: it may only tighten.");
    }
    if told.is_empty() {
        told = format!("{name} is not trusted; there is nothing to revoke.\n");
    }
    print(&told)?;
    Ok(Exit::Done)
}

/// Returns the settings files with the project's as trusted.
fn mark_project_as_trusted(mut files: Vec<SettingsFile>) -> Vec<SettingsFile> {
    for file in &mut files {
        if file.origin == Origin::Project {
            file.origin = Origin::TrustedProject;
        }
    }
    files
}

/// Escapes a text line by line, so that it is safe to show.
fn escape_lines(text: &str) -> String {
    let lines: Vec<_> = text
        .lines()
        .map(|line| escape_for_terminal(line).into_owned())
        .collect();
    lines.join("\n")
}

fn print_text_or_json(text: &str, as_json: bool, mut object: Value) -> Result<Exit, Failure> {
    if as_json {
        object["text"] = json!(text);
        print(&format!("{object}\n"))?;
    } else {
        print(text)?;
    }
    Ok(Exit::Done)
}
