//! What a server said it can do, and what it is told of us.

use serde_json::{Value, json};

use crate::file_filter::FileFilters;
use crate::position::Encoding;
use crate::{Delivery, ServerEntry, uri};

/// What a server can do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ability {
    pub(crate) encoding: Encoding,
    pub(crate) changes: Changes,
    pub(crate) saves: Saves,
    /// How it is asked for problems; none where it sends them by itself only.
    pub(crate) pull: Option<Pull>,
    /// Whether it wants to know of files that were made or removed.
    pub(crate) watches: bool,
    /// Whether it plans the renaming of symbols, and whether it can say beforehand what would be renamed.
    pub(crate) rename: Option<Renames>,
    /// The files about which it wants to be asked before they are moved.
    pub(crate) will_move: FileFilters,
    /// The files of which it wants to know that they were moved.
    pub(crate) did_move: FileFilters,
}

/// How a server renames symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renames {
    AtOnce,
    AfterPreparing,
}

impl Renames {
    /// What the options of renaming say, in the first answer or when they are registered later.
    pub(crate) fn of(options: &Value) -> Option<Renames> {
        if options["prepareProvider"] == true {
            Some(Renames::AfterPreparing)
        } else if *options == true || options.is_object() {
            Some(Renames::AtOnce)
        } else {
            None
        }
    }
}

/// In which form a server takes a changed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Changes {
    #[default]
    Whole,
    Ranges,
}

/// Whether a server wants to know that a file was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Saves {
    #[default]
    Untold,
    Told,
    ToldWithText,
}

/// How a server is asked for problems.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pull {
    pub(crate) identifier: Option<String>,
    /// Whether a change of one file may bring problems to another.
    pub(crate) reaches_others: bool,
    /// Whether it answers for the whole project.
    pub(crate) has_workspace: bool,
}

impl Ability {
    /// What the answer to `initialize` says.
    pub(crate) fn of(capabilities: &Value) -> Ability {
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
            pull: Pull::of(&capabilities["diagnosticProvider"]),
            watches: false,
            rename: Renames::of(&capabilities["renameProvider"]),
            will_move: FileFilters::of(&moves["willRename"]),
            did_move: FileFilters::of(&moves["didRename"]),
        }
    }
}

impl Pull {
    /// What the options of diagnostics say, in the first answer or when they are registered later.
    pub(crate) fn of(options: &Value) -> Option<Pull> {
        options.is_object().then(|| Pull {
            identifier: options["identifier"].as_str().map(str::to_owned),
            reaches_others: options["interFileDependencies"] != false,
            has_workspace: options["workspaceDiagnostics"] == true,
        })
    }
}

/// The parameters of `initialize`.
pub(crate) fn initialize(entry: &ServerEntry, folder: &std::path::Path) -> Value {
    let root = uri::of_path(folder);
    let name = folder.file_name().map(|name| name.to_string_lossy());
    json!({
        // Where it ends with us is the starter's business.
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
                // Plans with other steps than edits are refused, and a plan is carried out whole or not at all.
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

/// The part of the settings that a server asks for by its section; the whole where the settings have no such part.
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

/// Whether what a server sends by itself counts, although it can be asked.
pub(crate) fn counts_pushed(entry: &ServerEntry, ability: &Ability) -> bool {
    ability.pull.is_none() || entry.delivery == Delivery::Both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_forms_of_capabilities_are_read() {
        let old = Ability::of(&json!({ "textDocumentSync": 2 }));
        assert_eq!((old.changes, old.saves), (Changes::Ranges, Saves::Told));
        assert_eq!(old.encoding, Encoding::Utf16);
        let new = Ability::of(&json!({
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
