//! Selects the offered tools: those that the settings choose, without those that the mode forbids.

use std::sync::{Arc, OnceLock};

use super::OpenError;
use crate::builtin::{self, Declaration};
use crate::host_tool::HostTool;
use crate::settings::{Mode, ToolPreset};

/// The offered tools. They are declared when they are first requested, so that an agent need not wait for their schemas
/// when it starts a server.
pub(crate) struct OfferedTools {
    built_in: Vec<&'static str>,
    host_tools: Vec<Declaration>,
    mode: Mode,
    declared: OnceLock<Arc<[Declaration]>>,
}

impl OfferedTools {
    /// Returns the declarations, in their fixed order.
    pub(crate) fn declarations(&self) -> &Arc<[Declaration]> {
        self.declared.get_or_init(|| {
            let built_in = self.built_in.iter().copied();
            let built_in = built_in.filter_map(builtin::declaration).cloned();
            let chosen = built_in.chain(self.host_tools.iter().cloned());
            chosen.filter(|tool| self.allows(tool)).collect()
        })
    }

    /// Returns the declaration of the offered tool with exactly this name. No other tool's declaration is made for it.
    pub(crate) fn declaration(&self, name: &str) -> Option<&Declaration> {
        let found = match self.built_in.contains(&name) {
            true => builtin::declaration(name),
            false => self.host_tools.iter().find(|tool| tool.name == name),
        };
        found.filter(|tool| self.allows(tool))
    }

    /// Returns whether a tool with exactly this name is offered.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        match self.mode {
            // Whether a tool changes files is part of its declaration.
            Mode::Plan => self.declaration(name).is_some(),
            _ => {
                let mut hosts = self.host_tools.iter();
                self.built_in.contains(&name) || hosts.any(|tool| tool.name == name)
            }
        }
    }

    /// Returns whether the mode allows a tool that was chosen.
    fn allows(&self, tool: &Declaration) -> bool {
        self.mode != Mode::Plan || tool.read_only
    }
}

/// Selects the offered tools: those that a selection names, or the default ones without a selection. In plan mode only
/// those of them that change no file are offered.
pub(super) fn select(
    chosen_by: Option<&[String]>,
    mode: Mode,
    host_tools: &[Arc<dyn HostTool>],
) -> Result<OfferedTools, OpenError> {
    let built_in: Vec<&'static str> = builtin::all_tools().map(|tool| tool.name()).collect();
    let host_tools: Vec<Declaration> = host_tools.iter().map(|tool| tool.declaration()).collect();
    let host_names = host_tools.iter().map(|tool| &*tool.name);
    let all: Vec<&str> = built_in.iter().copied().chain(host_names).collect();
    if let Some(name) = find_duplicate_name(&all) {
        return Err(OpenError::ToolTwice { name });
    }
    let of = |preset: ToolPreset| all.iter().map(move |name| has_tool(preset, name));
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
            } else if let Some(at) = all.iter().position(|tool| *tool == name) {
                chosen[at] = keep;
            } else {
                return Err(unknown_tool_error(name, &all));
            }
        }
    }
    let (own, of_host) = chosen.split_at(built_in.len());
    let own = built_in.into_iter().zip(own);
    let built_in = own.filter_map(|(name, chosen)| chosen.then_some(name));
    let of_host = host_tools.iter().zip(of_host);
    let of_host = of_host.filter(|(_, chosen)| **chosen);
    Ok(OfferedTools {
        built_in: built_in.collect(),
        host_tools: of_host.map(|(tool, _)| tool.clone()).collect(),
        mode,
        declared: OnceLock::new(),
    })
}

/// Returns whether a preset has a tool. A name in a preset that no tool has is ignored.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn has_tool(preset: ToolPreset, tool: &str) -> bool {
    match preset {
        ToolPreset::Default => builtin::is_default(tool),
        ToolPreset::All => true,
        ToolPreset::Claude => has_tool(ToolPreset::Default, tool) && tool != "MultiEdit",
        ToolPreset::Codex => ["Read", "Glob", "Grep", "ApplyPatch"].contains(&tool),
        ToolPreset::TextEditor => ["str_replace_based_edit_tool", "Glob", "Grep"].contains(&tool),
        _ => false,
    }
}

/// Returns the error for a word that is neither a tool nor a preset, with the closest that is.
fn unknown_tool_error(name: &str, all: &[&str]) -> OpenError {
    let names = all.iter().copied();
    let names = names.chain(ToolPreset::WORDS.iter().copied());
    let suggestion = lancet_text::closest_names(name, names, 1);
    OpenError::UnknownTool {
        name: name.to_owned(),
        suggestion: suggestion.first().map(|name| (*name).to_owned()),
    }
}

/// Finds the first name that two tools have.
fn find_duplicate_name(all: &[&str]) -> Option<String> {
    let mut names = all.iter().enumerate();
    let (_, twice) = names.find(|(at, name)| all[..*at].contains(name))?;
    Some((*twice).to_owned())
}
