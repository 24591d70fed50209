//! Which tools are offered: those that the settings choose, without those that the mode forbids.

use std::sync::Arc;

use super::OpenError;
use crate::builtin::{Declaration, declarations};
use crate::host_tool::HostTool;
use crate::settings::{Mode, ToolPreset};

/// Selects the offered tools: those that a selection names (without one the default ones) and, in plan mode, of these only those
/// that change no file.
pub(super) fn select(
    chosen_by: Option<&[String]>,
    mode: Mode,
    host_tools: &[Arc<dyn HostTool>],
) -> Result<Vec<Declaration>, OpenError> {
    let all: Vec<Declaration> = declarations()
        .iter()
        .cloned()
        .chain(host_tools.iter().map(|tool| tool.declaration()))
        .collect();
    if let Some(name) = doubled(&all) {
        return Err(OpenError::ToolTwice { name });
    }
    let of = |preset: ToolPreset| all.iter().map(move |tool| has(preset, tool));
    let mut chosen: Vec<bool> = of(ToolPreset::Default).collect();
    if let Some(selection) = chosen_by {
        if !selection.first().is_some_and(|word| word.starts_with('-')) {
            chosen.fill(false);
        }
        for word in selection {
            let (keep, name) = word
                .strip_prefix('-')
                .map_or((true, word.as_str()), |name| (false, name));
            if let Some(preset) = ToolPreset::from_word(name) {
                let named = chosen.iter_mut().zip(of(preset));
                named.for_each(|(chosen, named)| *chosen = if named { keep } else { *chosen });
            } else if let Some(at) = all.iter().position(|tool| tool.name == name) {
                chosen[at] = keep;
            } else {
                return Err(unknown(name, &all));
            }
        }
    }
    let listed = all
        .into_iter()
        .zip(chosen)
        .filter(|(tool, chosen)| *chosen && (mode != Mode::Plan || tool.read_only));
    Ok(listed.map(|(tool, _)| tool).collect())
}

/// Returns whether a preset has a tool. A tool that a preset names and that does not exist is left out of it.
fn has(preset: ToolPreset, tool: &Declaration) -> bool {
    match preset {
        ToolPreset::Default => crate::builtin::is_default(&tool.name),
        ToolPreset::All => true,
        ToolPreset::Claude => has(ToolPreset::Default, tool) && tool.name != "MultiEdit",
        ToolPreset::Codex => ["Read", "Glob", "Grep", "ApplyPatch"].contains(&&*tool.name),
        ToolPreset::TextEditor => {
            ["str_replace_based_edit_tool", "Glob", "Grep"].contains(&&*tool.name)
        }
    }
}

/// Returns the error for a word that is neither a tool nor a preset, with the closest that is.
fn unknown(name: &str, all: &[Declaration]) -> OpenError {
    let names = all.iter().map(|tool| &*tool.name);
    let names = names.chain(ToolPreset::WORDS.iter().copied());
    let suggestion = lancet_text::closest(name, names, 1);
    OpenError::UnknownTool {
        name: name.to_owned(),
        suggestion: suggestion.first().map(|name| (*name).to_owned()),
    }
}

/// Finds the first name that two tools have.
fn doubled(all: &[Declaration]) -> Option<String> {
    let mut names = all.iter().enumerate();
    let (_, twice) = names.find(|(at, tool)| all[..*at].iter().any(|one| one.name == tool.name))?;
    Some(twice.name.to_string())
}
