//! The capabilities that a server announced, and those that the client announces to it.

use serde_json::{Value, json};

use crate::file_filter::FileFilters;
use crate::position::Encoding;
use crate::{ProblemDelivery, ServerEntry, uri};

/// The capabilities of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerCapabilities {
    pub(crate) encoding: Encoding,
    pub(crate) changes: ChangeForm,
    pub(crate) saves: SaveNotification,
    /// How problems are requested from it; none if it only pushes them.
    pub(crate) pull: Option<PullSupport>,
    /// Whether it wants notifications of created and removed files.
    pub(crate) watches: bool,
    /// Whether it supports renaming symbols, and whether it can report beforehand what would be renamed.
    pub(crate) rename: Option<RenameSupport>,
    /// The files for which it wants a request before they are moved.
    pub(crate) will_move: FileFilters,
    /// The files for which it wants a notification after they were moved.
    pub(crate) did_move: FileFilters,
}

/// How a server renames symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameSupport {
    AtOnce,
    AfterPreparing,
}

impl RenameSupport {
    /// Reads the rename options, from the first answer or from a later registration.
    pub(crate) fn from_options(options: &Value) -> Option<RenameSupport> {
        if options["prepareProvider"] == true {
            Some(RenameSupport::AfterPreparing)
        } else if *options == true || options.is_object() {
            Some(RenameSupport::AtOnce)
        } else {
            None
        }
    }
}

/// The form in which a server accepts a changed text: whole or as ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ChangeForm {
    #[default]
    Whole,
    Ranges,
}

/// Whether a server wants notifications of saved files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SaveNotification {
    #[default]
    Untold,
    Told,
    ToldWithText,
}

/// How problems are requested from a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct PullSupport {
    pub(crate) identifier: Option<String>,
    /// Whether a change of one file may cause problems in another.
    pub(crate) reaches_others: bool,
    /// Whether it answers requests for the whole project.
    pub(crate) has_workspace: bool,
}

impl ServerCapabilities {
    /// Reads the answer to `initialize`.
    pub(crate) fn from_capabilities(capabilities: &Value) -> ServerCapabilities {
        let sync = &capabilities["textDocumentSync"];
        let kind = sync.as_u64().or_else(|| sync["change"].as_u64());
        let save = &sync["save"];
        let moves = &capabilities["workspace"]["fileOperations"];
        ServerCapabilities {
            encoding: Encoding::from_name(capabilities["positionEncoding"].as_str()),
            changes: match kind {
                Some(2) => ChangeForm::Ranges,
                _ => ChangeForm::Whole,
            },
            saves: if save["includeText"] == true {
                SaveNotification::ToldWithText
            } else if *save == true || save.is_object() || sync.is_number() {
                SaveNotification::Told
            } else {
                SaveNotification::Untold
            },
            pull: PullSupport::from_options(&capabilities["diagnosticProvider"]),
            watches: false,
            rename: RenameSupport::from_options(&capabilities["renameProvider"]),
            will_move: FileFilters::from_options(&moves["willRename"]),
            did_move: FileFilters::from_options(&moves["didRename"]),
        }
    }
}

impl PullSupport {
    /// Reads the diagnostics options, from the first answer or from a later registration.
    pub(crate) fn from_options(options: &Value) -> Option<PullSupport> {
        options.is_object().then(|| PullSupport {
            identifier: options["identifier"].as_str().map(str::to_owned),
            reaches_others: options["interFileDependencies"] != false,
            has_workspace: options["workspaceDiagnostics"] == true,
        })
    }
}

/// Returns the parameters of `initialize`.
pub(crate) fn initialize_parameters(entry: &ServerEntry, folder: &std::path::Path) -> Value {
    let root = uri::uri_from_path(folder);
    let name = folder.file_name().map(|name| name.to_string_lossy());
    json!({
        // Ending the server together with this process is the job of the starter.
        "processId": null,
        "clientInfo": { "name": "lancet", "version": env!("CARGO_PKG_VERSION") },
        "rootUri": root,
        "rootPath": folder.to_string_lossy(),
        "workspaceFolders": [{ "uri": root, "name": name.unwrap_or_default() }],
        "initializationOptions": entry.settings,
        "capabilities": {
            "general": { "positionEncodings": ["utf-8", "utf-16"] },
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "didChangeConfiguration": { "dynamicRegistration": true },
                "didChangeWatchedFiles": { "dynamicRegistration": true },
                "diagnostics": { "refreshSupport": true },
                // Plans with steps other than edits are refused, and a plan is applied whole or not at all.
                "workspaceEdit": { "documentChanges": true, "failureHandling": "transactional" },
                "fileOperations": { "dynamicRegistration": true, "willRename": true, "didRename": true },
            },
            "textDocument": {
                "synchronization": { "didSave": true, "dynamicRegistration": false },
                "publishDiagnostics": { "versionSupport": true, "relatedInformation": false },
                "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
                "rename": { "dynamicRegistration": true, "prepareSupport": true },
            },
            "window": { "workDoneProgress": true },
        },
    })
}

/// Returns the section of the settings that a server requests, or all settings if there is no such section.
pub(crate) fn settings_section(entry: &ServerEntry, section: Option<&str>) -> Value {
    let mut part = &entry.settings;
    for name in section.into_iter().flat_map(|section| section.split('.')) {
        match part.get(name) {
            Some(inner) => part = inner,
            None => return entry.settings.clone(),
        }
    }
    part.clone()
}

/// Returns whether problems that a server pushes count even though it also answers requests for them.
pub(crate) fn accepts_pushed_problems(entry: &ServerEntry, ability: &ServerCapabilities) -> bool {
    ability.pull.is_none() || entry.delivery == ProblemDelivery::Both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_old_and_new_forms_of_capabilities() {
        let old = ServerCapabilities::from_capabilities(&json!({ "textDocumentSync": 2 }));
        assert_eq!(
            (old.changes, old.saves),
            (ChangeForm::Ranges, SaveNotification::Told)
        );
        assert_eq!(old.encoding, Encoding::Utf16);
        let new = ServerCapabilities::from_capabilities(&json!({
            "positionEncoding": "utf-8",
            "textDocumentSync": { "change": 1, "save": { "includeText": true } },
            "diagnosticProvider": { "interFileDependencies": false, "workspaceDiagnostics": true },
        }));
        assert_eq!(
            (new.changes, new.saves),
            (ChangeForm::Whole, SaveNotification::ToldWithText)
        );
        let pull = new.pull.expect("it can be asked");
        assert!(!pull.reaches_others && pull.has_workspace);
    }

    #[test]
    fn finds_section_of_settings() {
        let mut entry = ServerEntry::new("s", &[], &[]);
        entry.settings = json!({ "yaml": { "schemas": { "a": 1 } } });
        assert_eq!(
            settings_section(&entry, Some("yaml.schemas")),
            json!({ "a": 1 })
        );
        assert_eq!(settings_section(&entry, Some("other")), entry.settings);
    }
}
