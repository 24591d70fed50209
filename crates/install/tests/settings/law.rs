//! The properties that hold for every settings text.

use std::path::{Path, PathBuf};

use lancet_install::{
    AgentFolders, Entry, Form, InstallRequest, InstallScope, InstalledParts, LaunchCommand,
    MemoryUse, OwnTools, Presence, WriteConsent, all_agents, entry_presence, existing_depth,
    install_entries, revert_splices, uninstall_entries,
};

/// Returns the entries that any agent wants in a file of a form, once for each way to install it.
pub(crate) fn entries(form: Form) -> Vec<(String, Vec<Entry>)> {
    let place = AgentFolders {
        home: PathBuf::from("/home/me"),
        config: PathBuf::from("/home/me/.config"),
        applications: PathBuf::from("/home/me/.config"),
        project: PathBuf::from("/home/me/project"),
        variable: &|_| None,
        exists: &|_: &Path| true,
    };
    let mut found: Vec<(String, Vec<Entry>)> = Vec::new();
    for agent in all_agents() {
        for (writes, own_tools) in [
            (WriteConsent::Ask, OwnTools::Keep),
            (WriteConsent::Allow, OwnTools::Off),
        ] {
            let request = InstallRequest {
                scope: InstallScope::User,
                writes,
                own_tools,
                memory: MemoryUse::Write,
                parts: InstalledParts::All,
                launch: LaunchCommand {
                    command: "/opt/a place/lancet".to_owned(),
                    arguments: vec![
                        "mcp".to_owned(),
                        "--tools".to_owned(),
                        "default,-Write".to_owned(),
                    ],
                    cached: None,
                },
            };
            let plan = agent.plan(&request, &place).expect("a plan");
            for file in plan.files.into_iter().filter(|file| file.form == form) {
                let is_whole = matches!(file.entries[0], Entry::Whole { .. });
                if !is_whole && found.iter().all(|(_, known)| *known != file.entries) {
                    found.push((format!("{} {writes:?}", agent.name), file.entries));
                }
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// Returns whether entries are items of a list, like Vibe's servers in TOML.
pub(crate) fn are_items(entries: &[Entry]) -> bool {
    entries
        .iter()
        .any(|entry| matches!(entry, Entry::Item { .. }))
}

/// Installs and uninstalls, with the record and without it; also installs twice.
pub(crate) fn holds(form: Form, text: &str, name: &str, entries: &[Entry]) {
    let told = |what: &str, found: &str| {
        format!("{name}: {what}\n--- before\n{text}\n--- found\n{found}\n---")
    };
    let depths: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry.clone(),
                existing_depth(form, text, entry).expect("it parses"),
            )
        })
        .collect();
    let added: Vec<_> = depths
        .iter()
        .filter(|(entry, _)| entry_presence(form, text, entry) == Ok(Presence::Missing))
        .cloned()
        .collect();
    let draft = install_entries(form, text, entries)
        .unwrap_or_else(|error| panic!("{}", told(&format!("refused: {error}"), "")));
    for entry in entries {
        let found = entry_presence(form, draft.text(), entry);
        assert_eq!(
            found,
            Ok(Presence::Same),
            "{}",
            told("an entry is missing", draft.text())
        );
    }
    let is_insertion = draft
        .splices()
        .iter()
        .all(|splice| splice.removed.is_empty());
    assert!(is_insertion, "{}", told("a byte is gone", draft.text()));
    let again = install_entries(form, draft.text(), entries).expect("a second time");
    assert_eq!(
        again.splices(),
        [],
        "{}",
        told("the second run changes", again.text())
    );
    let back = revert_splices(draft.text(), draft.splices());
    assert_eq!(
        back.as_deref(),
        Some(text),
        "{}",
        told("by the record", draft.text())
    );
    if added.len() < entries.len() {
        return;
    }
    let out = uninstall_entries(form, draft.text(), &added).unwrap_or_else(|error| {
        panic!("{}", told(&format!("not taken out: {error}"), draft.text()))
    });
    let (is, was) = (significant(out.text()), significant(text));
    assert_eq!(is, was, "{}", told("without the record", out.text()));
}

/// Returns everything in a text except blanks and empty brackets: without the record it is not known which of them
/// were there before.
fn significant(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|mark| !mark.is_whitespace() && *mark != '\u{feff}')
        .collect();
    let text = text.replace("extensions:{}", "extensions:");
    text.strip_suffix("{}").unwrap_or(&text).to_owned()
}
