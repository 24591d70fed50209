//! The capabilities that a server announced, and those that the client announces to it.

use serde_json::{Value, json};

use crate::file_filter::FileFilters;
use crate::position::Encoding;
use crate::{Delivery, ServerEntry, uri};

/// The capabilities of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ability {
    pub(crate) encoding: Encoding,
    pub(crate) changes: Changes,
    pub(crate) saves: Saves,
    /// How problems are requested from it; none if it only pushes them.
    pub(crate) pull: Option<Pull>,
    /// Whether it wants notifications of created and removed files.
    pub(crate) watches: bool,
    /// Whether it supports renaming symbols, and whether it can report beforehand what would be renamed.
    pub(crate) rename: Option<Renames>,
    /// The files for which it wants a request before they are moved.
    pub(crate) will_move: FileFilters,
    /// The files for which it wants a notification after they were moved.
    pub(crate) did_move: FileFilters,
}

/// How a server renames symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renames {
    AtOnce,
    AfterPreparing,
}

impl Renames {
    /// Reads the rename options, from the first answer or from a later registration.
    pub(crate) fn from_options(options: &Value) -> Option<Renames> {
        if options["prepareProvider"] == true {
            Some(Renames::AfterPreparing)
        } else if *options == true || options.is_object() {
            Some(Renames::AtOnce)
        } else {
            None
        }
    }
}

/// The form in which a server accepts a changed text: whole or as ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Changes {
    #[default]
    Whole,
    Ranges,
}

/// Whether a server wants notifications of saved files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Saves {
    #[default]
    Untold,
    Told,
    ToldWithText,
}

/// How problems are requested from a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pull {
    pub(crate) identifier: Option<String>,
    /// Whether a change of one file may cause problems in another.
    pub(crate) reaches_others: bool,
    /// Whether it answers requests for the whole project.
    pub(crate) has_workspace: bool,
}

impl Ability {
    /// Reads the answer to `initialize`.
    pub(crate) fn from_capabilities(capabilities: &Value) -> Ability {
        let sync = &capabilities["textDocumentSync"];
        let kind = sync.as_u64().or_else(|| sync["change"].as_u64());
        let save = &sync["save"];
        let moves = &capabilities["workspace"]["fileOperations"];
        Ability {
            encoding: Encoding::named(capabilities["positionEncoding"].as_str()),
            changes: match kind {
                Some(2) => Changes::Ranges,
                _ => Changes::Whole,
            },
            saves: if save["includeText"] == true {
                Saves::ToldWithText
            } else if *save == true || save.is_object() || sync.is_number() {
                Saves::Told
            } else {
                Saves::Untold
            },
            pull: Pull::from_options(&capabilities["diagnosticProvider"]),
            watches: false,
            rename: Renames::from_options(&capabilities["renameProvider"]),
            will_move: FileFilters::from_options(&moves["willRename"]),
            did_move: FileFilters::from_options(&moves["didRename"]),
        }
    }
}

impl Pull {
    /// Reads the diagnostics options, from the first answer or from a later registration.
    pub(crate) fn from_options(options: &Value) -> Option<Pull> {
        options.is_object().then(|| Pull {
            identifier: options["identifier"].as_str().map(str::to_owned),
            reaches_others: options["interFileDependencies"] != false,
            has_workspace: options["workspaceDiagnostics"] == true,
        })
    }
}

/// Returns the parameters of `initialize`.
pub(crate) fn initialize(entry: &ServerEntry, folder: &std::path::Path) -> Value {
    let root = uri::of_path(folder);
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
pub(crate) fn configuration(entry: &ServerEntry, section: Option<&str>) -> Value {
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
pub(crate) fn counts_pushed(entry: &ServerEntry, ability: &Ability) -> bool {
    ability.pull.is_none() || entry.delivery == Delivery::Both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_forms_of_capabilities_are_read() {
        let old = Ability::from_capabilities(&json!({ "textDocumentSync": 2 }));
        assert_eq!((old.changes, old.saves), (Changes::Ranges, Saves::Told));
        assert_eq!(old.encoding, Encoding::Utf16);
        let new = Ability::from_capabilities(&json!({
            "positionEncoding": "utf-8",
            "textDocumentSync": { "change": 1, "save": { "includeText": true } },
            "diagnosticProvider": { "interFileDependencies": false, "workspaceDiagnostics": true },
        }));
        assert_eq!(
            (new.changes, new.saves),
            (Changes::Whole, Saves::ToldWithText)
        );
        let pull = new.pull.expect("it can be asked");
        assert!(!pull.reaches_others && pull.has_workspace);
    }

    #[test]
    fn a_section_of_the_settings_is_found() {
        let mut entry = ServerEntry::new("s", &[], &[]);
        entry.settings = json!({ "yaml": { "schemas": { "a": 1 } } });
        assert_eq!(
            configuration(&entry, Some("yaml.schemas")),
            json!({ "a": 1 })
        );
        assert_eq!(configuration(&entry, Some("other")), entry.settings);
    }
}
