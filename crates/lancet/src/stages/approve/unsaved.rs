//! Files that a person has open in an editor with unsaved changes: if one side writes the file, the other side's text
//! is lost, so the person is asked.

use lancet_local_state::{UnsavedFiles, UnsavedList};
use lancet_policy::{Mode, Policy};

use crate::reason::Reason;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::plan::FilePlan;

/// The longest name of an editor that is shown, in characters.
const MAX_NAME_LENGTH: usize = 40;

/// The lists of unsaved files at this moment.
pub(super) struct UnsavedFileLists(Vec<UnsavedList>);

impl UnsavedFileLists {
    /// Reads the lists. In the mode `bypass` no question is put, so they are not read.
    pub(super) fn load(context: &CallContext<'_>, policy: &Policy) -> Self {
        let state = context.session.lancet.state_dir();
        let state = state.filter(|_| policy.mode() != Mode::Bypass);
        Self(state.map_or_else(Vec::new, UnsavedFiles::read_all_editors))
    }

    /// Returns the reason to ask about a file of a plan; none where no editor has unsaved changes in it.
    pub(super) fn reason(&self, file: &FilePlan) -> Option<Reason> {
        file.targets().find_map(|target| self.reason_of(target))
    }

    fn reason_of(&self, target: &Target) -> Option<Reason> {
        let list = self.0.iter().find(|list| {
            target.with_names(|names| {
                let mut others = names.others.iter();
                let is_listed = |path| list.files.iter().any(|file| file.as_path() == path);
                is_listed(names.opened) || others.any(|path| is_listed(path))
            })
        })?;
        let editor: String = list.editor.chars().take(MAX_NAME_LENGTH).collect();
        Some(Reason::for_unsaved_changes(
            target.path(),
            &target.display_name(),
            &editor,
        ))
    }
}
