//! Which tools are offered: those that the settings choose, without those that the mode forbids.

use std::sync::Arc;

use super::OpenError;
use crate::builtin::{Declaration, declarations};
use crate::host_tool::HostTool;
use crate::settings::{Mode, Settings};

/// Selects the offered tools: all that the settings choose and, in plan mode, only those that change no file.
pub(super) fn select(
    settings: &Settings,
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
    let by_default = |tool: &Declaration| crate::builtin::is_default(&tool.name);
    let mut chosen: Vec<bool> = all.iter().map(by_default).collect();
    if let Some(selection) = &settings.tools {
        if !selection.first().is_some_and(|word| word.starts_with('-')) {
            chosen.fill(false);
        }
        for word in selection {
            let (keep, name) = word
                .strip_prefix('-')
                .map_or((true, word.as_str()), |name| (false, name));
            if name == "all" {
                chosen.fill(keep);
            } else if name == "default" {
                for (at, _) in all.iter().enumerate().filter(|(_, tool)| by_default(tool)) {
                    chosen[at] = keep;
                }
            } else if let Some(at) = all.iter().position(|tool| tool.name == name) {
                chosen[at] = keep;
            } else {
                let names = all.iter().map(|tool| &*tool.name).chain(["default", "all"]);
                let suggestion = lancet_text::closest(name, names, 1)
                    .first()
                    .map(|name| (*name).to_owned());
                return Err(OpenError::UnknownTool {
                    name: name.to_owned(),
                    suggestion,
                });
            }
        }
    }
    let listed = all
        .into_iter()
        .zip(chosen)
        .filter(|(tool, chosen)| *chosen && (mode != Mode::Plan || tool.read_only));
    Ok(listed.map(|(tool, _)| tool).collect())
}

/// Finds the first name that two tools have.
fn doubled(all: &[Declaration]) -> Option<String> {
    let mut names = all.iter().enumerate();
    let (_, twice) = names.find(|(at, tool)| all[..*at].iter().any(|one| one.name == tool.name))?;
    Some(twice.name.to_string())
}
